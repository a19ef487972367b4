"""Caps: what a tenant allows itself of a limit, below what its plan does."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from quotas.domain.limits import MOST_AMOUNT
from quotas.models.querysets import AnnouncingQuerySet
from quotas.models.reach import Concerns
from quotas.models.tenants import Tenant
from quotas.models.versions import Versioned, Versions


class Cap(Versioned):
    """A lower amount of the limit known by (scope, name), whoever defined it; it never raises."""

    concerns = Concerns(tenant="tenant_id")

    tenant = models.ForeignKey(
        Tenant,
        verbose_name=_("tenant"),
        on_delete=models.CASCADE,
        related_name="caps",
        db_index=False,  # the unique one below begins with it
        help_text=_("Whose cap it is. No default."),
    )
    scope = models.CharField(
        _("scope"), max_length=200, help_text=_("The scope of the limit. No default.")
    )
    name = models.CharField(
        _("name"), max_length=50, help_text=_("The name of the limit. No default.")
    )
    amount = models.BigIntegerField(
        _("amount"),
        validators=[MinValueValidator(1), MaxValueValidator(MOST_AMOUNT)],
        help_text=_(
            "Units per period that the tenant allows itself, and of a bucket also its capacity; "
            "of no effect where the limit's own are lower. No default."
        ),
    )
    set_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        verbose_name=_("set by"),
        null=True,
        blank=True,
        editable=False,
        on_delete=models.SET_NULL,
        related_name="+",
        help_text=_("Who set it last. Default: nobody known."),
    )
    set_at = models.DateTimeField(
        _("set at"),
        default=timezone.now,
        editable=False,
        help_text=_("When it was set last. Default: now."),
    )

    objects = AnnouncingQuerySet.as_manager()
    history = Versions()

    class Meta:
        verbose_name = _("cap")
        verbose_name_plural = _("caps")
        ordering: ClassVar = ["tenant", "scope", "name"]
        # What related managers write goes through the base manager: it must announce too.
        base_manager_name = "objects"
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["tenant", "scope", "name"],
                name="quotas_cap_once",
                violation_error_message=_("The tenant has a cap on this limit already."),
            ),
            models.CheckConstraint(
                condition=Q(amount__gte=1, amount__lte=MOST_AMOUNT),
                name="quotas_cap_amount",
                violation_error_message=_("The amount must be from 1 to 10^12."),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.scope}/{self.name}"
