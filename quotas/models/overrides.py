"""Overrides: a tenant's own limits, for a time, in place of its plan's."""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import F, Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from quotas.models.limit_fields import LimitFields
from quotas.models.querysets import OverrideQuerySet
from quotas.models.reach import Concerns
from quotas.models.tenants import Tenant
from quotas.models.versions import Versions


class Override(LimitFields):
    """A whole rule that takes the place of the plan's limit of its (scope, name), or adds one.

    In force from `starts_at`, up to and without `ends_at`. Of several in force for one
    (scope, name) the one that began last wins, of equals the one with the highest primary key.
    """

    concerns = Concerns(tenant="tenant_id")

    tenant = models.ForeignKey(
        Tenant,
        verbose_name=_("tenant"),
        on_delete=models.CASCADE,
        related_name="overrides",
        help_text=_("Whose limit this is. No default."),
    )
    reason = models.CharField(
        _("reason"),
        max_length=200,
        help_text=_("Why the plan's limit does not do, for whoever finds this later. No default."),
    )
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        verbose_name=_("created by"),
        null=True,
        blank=True,
        editable=False,
        on_delete=models.SET_NULL,
        related_name="+",
        help_text=_("Who made it. Default: nobody known."),
    )
    starts_at = models.DateTimeField(
        _("from"),
        default=timezone.now,
        help_text=_("From when it is in force. Default: now."),
    )
    ends_at = models.DateTimeField(
        _("until"),
        null=True,
        blank=True,
        help_text=_("Until when, that instant left out. Default: blank, for good."),
    )

    objects = OverrideQuerySet.as_manager()
    history = Versions()

    class Meta(LimitFields.Meta):
        verbose_name = _("override")
        verbose_name_plural = _("overrides")
        ordering: ClassVar = ["-starts_at", "-pk"]
        # What related managers write goes through the base manager: it must announce too.
        base_manager_name = "objects"
        constraints: ClassVar = [
            *LimitFields.Meta.constraints,
            models.CheckConstraint(
                condition=Q(ends_at=None) | Q(ends_at__gt=F("starts_at")),
                name="quotas_override_ends_later",
                violation_error_message=_("An override must end after it starts."),
            ),
        ]

    def clean(self) -> None:
        super().clean()
        starts: datetime | None = self.starts_at  # None when its own field has failed
        if starts and self.ends_at and self.ends_at <= starts:
            raise ValidationError({"ends_at": _("An override must end after it starts.")})
