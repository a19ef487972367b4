"""What calendar quotas had used when they were last copied: where a wiped Redis goes on from."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models import F, Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from quotas.models.choices import UNITS
from quotas.models.tenants import Tenant


class CalendarBalance(models.Model):
    """Units used of one calendar quota by one subject in one civil period. Announces nothing."""

    tenant = models.ForeignKey(
        Tenant,
        verbose_name=_("tenant"),
        on_delete=models.CASCADE,
        related_name="balances",
        help_text=_("Whose quota it is. No default."),
    )
    epoch = models.PositiveIntegerField(
        _("epoch"),
        default=0,
        help_text=_("The tenant's epoch and the limit's, added, when it was counted. Default: 0."),
    )
    scope = models.CharField(
        _("scope"), max_length=200, help_text=_("The scope of the limit. No default.")
    )
    name = models.CharField(
        _("name"), max_length=50, help_text=_("The name of the limit. No default.")
    )
    unit = models.CharField(
        _("calendar unit"),
        max_length=10,
        choices=UNITS,
        help_text=_("The civil period that was counted. No default."),
    )
    subject = models.CharField(
        _("subject"),
        max_length=200,
        blank=True,
        help_text=_("Who is counted. Default: blank, for the tenant itself."),
    )
    period_start = models.DateTimeField(
        _("period start"), help_text=_("When the civil period began. No default.")
    )
    period_end = models.DateTimeField(
        _("period end"), help_text=_("When it ends, that instant left out. No default.")
    )
    used = models.BigIntegerField(
        _("used"), default=0, help_text=_("Units used in the period so far. Default: 0.")
    )
    copied_at = models.DateTimeField(
        _("copied at"),
        default=timezone.now,
        help_text=_("When it was read from Redis. Default: now."),
    )

    class Meta:
        verbose_name = _("calendar balance")
        verbose_name_plural = _("calendar balances")
        ordering: ClassVar = ["tenant", "-period_start", "scope", "name", "subject"]
        indexes: ClassVar = [
            models.Index(fields=["period_end"], name="quotas_calendarbalance_end"),
        ]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["tenant", "epoch", "scope", "name", "subject", "unit", "period_start"],
                name="quotas_calendarbalance_once",
                violation_error_message=_("This balance is kept already."),
            ),
            models.CheckConstraint(
                condition=Q(unit__in=[unit for unit, _label in UNITS]),
                name="quotas_calendarbalance_unit",
                violation_error_message=_("The calendar unit must be one of the choices."),
            ),
            models.CheckConstraint(
                condition=Q(used__gte=0),
                name="quotas_calendarbalance_used",
                violation_error_message=_("What was used cannot be below 0."),
            ),
            models.CheckConstraint(
                condition=Q(period_end__gt=F("period_start")),
                name="quotas_calendarbalance_period",
                violation_error_message=_("A period must end after it starts."),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.scope}/{self.name} {self.subject}".rstrip()
