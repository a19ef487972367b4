"""Snapshots: how each tenant stood at the last flush, to filter and sort a list of thousands by.

Nobody edits these rows, and they announce nothing.
"""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from quotas.models.tenants import Tenant

LONGEST_LABEL = 255
FULL = 100


class TenantSnapshot(models.Model):
    """How near one tenant was to its limits at ``taken_at``, and what it had been denied.

    A tenant without any has made no call yet. ``label`` is ``scope/name`` of the closest limit.
    """

    tenant = models.OneToOneField(
        Tenant,
        verbose_name=_("tenant"),
        on_delete=models.CASCADE,
        related_name="snapshot",
        primary_key=True,
        help_text=_("Who stood so. No default."),
    )
    percent = models.PositiveSmallIntegerField(
        _("closest limit, percent"),
        null=True,
        help_text=_("How much of its closest limit was used. Default: blank, nothing of any."),
    )
    label = models.CharField(
        _("closest limit"),
        max_length=LONGEST_LABEL,
        blank=True,
        help_text=_("Scope and name of the closest limit. Default: blank, none."),
    )
    until = models.DateTimeField(
        _("until"),
        null=True,
        help_text=_("When that use is over at the latest. Default: blank, nothing is used."),
    )
    denying = models.BooleanField(
        _("denied now"),
        default=False,
        help_text=_("Whether calls were denied in the last minutes. Default: no."),
    )
    denied = models.BigIntegerField(
        _("denied in 24 hours"),
        default=0,
        help_text=_("Calls denied in the 24 hours before. Default: 0."),
    )
    last_seen = models.DateTimeField(
        _("last seen"), db_index=True, help_text=_("The minute of the latest call. No default.")
    )
    taken_at = models.DateTimeField(
        _("taken at"), db_index=True, help_text=_("When these numbers were read. No default.")
    )

    class Meta:
        verbose_name = _("snapshot of a tenant")
        verbose_name_plural = _("snapshots of tenants")
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(percent=None) | Q(percent__lte=FULL),
                name="quotas_tenantsnapshot_percent",
                violation_error_message=_("A limit cannot be used by more than 100 percent."),
            ),
            models.CheckConstraint(
                condition=Q(denied__gte=0),
                name="quotas_tenantsnapshot_denied",
                violation_error_message=_("What was denied cannot be below 0."),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.tenant_id} {self.label}".rstrip()
