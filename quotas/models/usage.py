"""What tenants used: copied from Redis by the quarter of an hour, summed by the day when it is old.

Nobody edits these rows, and they announce nothing.
"""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from quotas.models.tenants import Tenant

SUMS = ("admitted", "denied", "shadow_denied", "units", "peak")
LONGEST_SCOPE = 255
NOT_BELOW_0 = _("What was counted cannot be below 0.")


class Counted(models.Model):
    """The sums of one scope, of one tenant or of all callers without one, over a span of time."""

    scope = models.CharField(
        _("scope"), max_length=LONGEST_SCOPE, help_text=_("What was asked for. No default.")
    )
    admitted = models.BigIntegerField(
        _("admitted"), default=0, help_text=_("Calls admitted. Default: 0.")
    )
    denied = models.BigIntegerField(
        _("denied"), default=0, help_text=_("Calls denied. Default: 0.")
    )
    shadow_denied = models.BigIntegerField(
        _("shadow-denied"),
        default=0,
        help_text=_("Calls admitted that a limit in shadow would have denied. Default: 0."),
    )
    units = models.BigIntegerField(
        _("units"), default=0, help_text=_("Units that the admitted calls cost. Default: 0.")
    )
    peak = models.BigIntegerField(
        _("peak"), default=0, help_text=_("Calls admitted in the busiest minute. Default: 0.")
    )
    limits = models.JSONField(
        _("by limit"),
        default=dict,
        blank=True,
        help_text=_(
            "How often each limit denied, and would have denied in shadow, by scope/name. "
            "Default: {}."
        ),
    )

    class Meta:
        abstract = True


class CountedQuarter(Counted):
    """A quarter of an hour, as Redis had counted it.

    ``generation`` tells apart what was counted before and after Redis lost its memory: rows of one
    quarter add up.
    """

    generation = models.BigIntegerField(
        _("generation"),
        help_text=_(
            "Since when Redis had remembered what it counted, in microseconds of its clock. "
            "No default."
        ),
    )
    start = models.DateTimeField(
        _("start"), help_text=_("When the quarter of an hour began. No default.")
    )
    copied_at = models.DateTimeField(
        _("copied at"),
        default=timezone.now,
        help_text=_("When these numbers were read from Redis. Default: now."),
    )

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return f"{self.scope} {self.start:%Y-%m-%d %H:%M}"


class UsageQuarter(CountedQuarter):
    """One scope of one tenant in one quarter of an hour."""

    tenant = models.ForeignKey(
        Tenant,
        verbose_name=_("tenant"),
        on_delete=models.CASCADE,
        related_name="quarters",
        db_index=False,  # the indexes below begin with it
        help_text=_("Who used it. No default."),
    )

    class Meta:
        verbose_name = _("usage of a quarter of an hour")
        verbose_name_plural = _("usage by quarters of an hour")
        ordering: ClassVar = ["tenant", "start", "scope", "generation"]
        indexes: ClassVar = [
            models.Index(fields=["tenant", "start"], name="quotas_usagequarter_span"),
        ]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["tenant", "scope", "start", "generation"],
                name="quotas_usagequarter_once",
                violation_error_message=_("This quarter is kept already."),
            ),
            models.CheckConstraint(
                condition=Q(**{f"{name}__gte": 0 for name in (*SUMS, "generation")}),
                name="quotas_usagequarter_sums",
                violation_error_message=NOT_BELOW_0,
            ),
        ]


class AnonymousQuarter(CountedQuarter):
    """One scope of all callers without a tenant together, in one quarter of an hour."""

    class Meta:
        verbose_name = _("anonymous usage of a quarter of an hour")
        verbose_name_plural = _("anonymous usage by quarters of an hour")
        ordering: ClassVar = ["start", "scope", "generation"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["start", "scope", "generation"],
                name="quotas_anonymousquarter_once",
                violation_error_message=_("This quarter is kept already."),
            ),
            models.CheckConstraint(
                condition=Q(**{f"{name}__gte": 0 for name in (*SUMS, "generation")}),
                name="quotas_anonymousquarter_sums",
                violation_error_message=NOT_BELOW_0,
            ),
        ]


class UsageDay(Counted):
    """One scope of one tenant on one civil day of the zone that the tenant then had."""

    tenant = models.ForeignKey(
        Tenant,
        verbose_name=_("tenant"),
        on_delete=models.CASCADE,
        related_name="days",
        db_index=False,  # the index below begins with it
        help_text=_("Who used it. No default."),
    )
    day = models.DateField(
        pgettext_lazy("calendar unit", "day"),
        db_index=True,
        help_text=_("The date in the tenant's time zone when it was summed up. No default."),
    )

    class Meta:
        verbose_name = _("usage of a day")
        verbose_name_plural = _("usage by days")
        ordering: ClassVar = ["tenant", "day", "scope"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["tenant", "day", "scope"],
                name="quotas_usageday_once",
                violation_error_message=_("This day is kept already."),
            ),
            models.CheckConstraint(
                condition=Q(**{f"{name}__gte": 0 for name in SUMS}),
                name="quotas_usageday_sums",
                violation_error_message=NOT_BELOW_0,
            ),
        ]

    def __str__(self) -> str:
        return f"{self.scope} {self.day}"
