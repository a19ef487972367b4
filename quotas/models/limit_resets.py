"""Resets of one limit: how often a tenant's counters of it were started anew."""

from __future__ import annotations

from typing import ClassVar

from django.db import models, router, transaction
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from quotas.models.querysets import AnnouncingQuerySet
from quotas.models.reach import Announced, Concerns
from quotas.models.tenants import Tenant


class LimitReset(Announced):
    """The epoch of the limit known by (scope, name), whoever defined it; raising it resets it."""

    concerns = Concerns(tenant="tenant_id")

    tenant = models.ForeignKey(
        Tenant,
        verbose_name=_("tenant"),
        on_delete=models.CASCADE,
        related_name="resets",
        db_index=False,  # the unique one below begins with it
        help_text=_("Whose counters they are. No default."),
    )
    scope = models.CharField(
        _("scope"), max_length=200, help_text=_("The scope of the limit. No default.")
    )
    name = models.CharField(
        _("name"), max_length=50, help_text=_("The name of the limit. No default.")
    )
    epoch = models.PositiveIntegerField(
        _("epoch"),
        default=1,
        help_text=_("How often its counters were started anew by themselves. Default: 1."),
    )

    objects = AnnouncingQuerySet.as_manager()

    class Meta:
        verbose_name = _("limit reset")
        verbose_name_plural = _("limit resets")
        ordering: ClassVar = ["tenant", "scope", "name"]
        # What related managers write goes through the base manager: it must announce too.
        base_manager_name = "objects"
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["tenant", "scope", "name"],
                name="quotas_limitreset_once",
                violation_error_message=_("The tenant's resets of this limit are counted already."),
            ),
            models.CheckConstraint(
                condition=Q(epoch__gte=1),
                name="quotas_limitreset_epoch",
                violation_error_message=_("The epoch of a limit that was reset is at least 1."),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.scope}/{self.name}"


def reset_limit(tenant_pk: int, scope: str, name: str) -> int:
    """Start all counters of one limit of a tenant anew; its epoch from now on.

    Raised by the database: two resets at once are two.
    """
    rows = LimitReset.objects.using(router.db_for_write(LimitReset))
    with transaction.atomic(using=rows.db):
        row, made = rows.get_or_create(tenant_id=tenant_pk, scope=scope, name=name)
        if not made:
            rows.filter(pk=row.pk).update(epoch=F("epoch") + 1)
            row.refresh_from_db(fields=["epoch"])
    return row.epoch
