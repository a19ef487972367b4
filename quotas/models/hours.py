"""Who called a tenant's limits, and how full each got: copied from Redis by the hour.

Nobody edits these rows, and they announce nothing.
"""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from quotas.models.tenants import Tenant
from quotas.models.usage import NOT_BELOW_0

SUMS = ("admitted", "denied", "units", "early")


class UsageHour(models.Model):
    """One tenant's hour of UTC, as Redis had counted it; each call once, whatever it asked for.

    ``generation`` as in `quotas.models.UsageQuarter`. ``callers`` has (admitted, denied, units,
    early) by caller, the busiest alone: what is missing to the sums is the rest. ``peaks`` has
    (most units taken at once, what then fitted at once or null) by ``scope/name`` of the limit.
    """

    tenant = models.ForeignKey(
        Tenant,
        verbose_name=_("tenant"),
        on_delete=models.CASCADE,
        related_name="hours",
        db_index=False,  # the constraint's index begins with it
        help_text=_("Who used it. No default."),
    )
    start = models.DateTimeField(
        _("start"), db_index=True, help_text=_("When the hour began. No default.")
    )
    generation = models.BigIntegerField(
        _("generation"),
        help_text=_(
            "Since when Redis had remembered what it counted, in microseconds of its clock. "
            "No default."
        ),
    )
    admitted = models.BigIntegerField(
        _("admitted"), default=0, help_text=_("Calls admitted. Default: 0.")
    )
    denied = models.BigIntegerField(
        _("denied"), default=0, help_text=_("Calls denied. Default: 0.")
    )
    units = models.BigIntegerField(
        _("units"), default=0, help_text=_("Units that the admitted calls cost. Default: 0.")
    )
    early = models.BigIntegerField(
        _("early"),
        default=0,
        help_text=_(
            "Denied calls that came sooner than the Retry-After of the denial before. Default: 0."
        ),
    )
    callers = models.JSONField(
        _("by caller"),
        default=dict,
        blank=True,
        help_text=_(
            "Admitted, denied, units and early of the busiest users and credentials. Default: {}."
        ),
    )
    peaks = models.JSONField(
        _("peaks"),
        default=dict,
        blank=True,
        help_text=_(
            "The most units taken of each limit, and what fitted at once, by scope/name. "
            "Default: {}."
        ),
    )
    copied_at = models.DateTimeField(
        _("copied at"),
        default=timezone.now,
        help_text=_("When these numbers were read from Redis. Default: now."),
    )

    class Meta:
        verbose_name = _("usage of an hour")
        verbose_name_plural = _("usage by hours")
        ordering: ClassVar = ["tenant", "start", "generation"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["tenant", "start", "generation"],
                name="quotas_usagehour_once",
                violation_error_message=_("This hour is kept already."),
            ),
            models.CheckConstraint(
                condition=Q(**{f"{name}__gte": 0 for name in (*SUMS, "generation")}),
                name="quotas_usagehour_sums",
                violation_error_message=NOT_BELOW_0,
            ),
        ]

    def __str__(self) -> str:
        return f"{self.start:%Y-%m-%d %H:%M}"
