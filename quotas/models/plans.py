"""Plans: named sets of limits."""

from __future__ import annotations

from typing import ClassVar

from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from quotas.models.limit_fields import LimitFields
from quotas.models.querysets import AnnouncingQuerySet, LimitQuerySet
from quotas.models.reach import Concerns
from quotas.models.since import Since
from quotas.models.versions import Versioned, Versions


class Plan(Versioned):
    """A named set of limits, which tenants pay for."""

    concerns = Concerns(plans=True)
    since = Since(column="is_default", at="default_since")

    key = models.SlugField(
        _("key"),
        unique=True,
        help_text=_("By which commands and files name the plan: an ASCII slug. No default."),
    )
    name = models.CharField(_("name"), max_length=200, help_text=_("What people read. No default."))
    is_default = models.BooleanField(
        _("default"),
        default=False,
        help_text=_(
            "Whether tenants without a plan, or with one that is not active, have this one. "
            "At most one plan. Default: no."
        ),
    )
    default_since = models.DateTimeField(
        _("default since"),
        default=timezone.now,
        editable=False,
        help_text=_(
            "When it became the default plan, or ceased to be; it keeps itself. Default: now."
        ),
    )
    is_anonymous = models.BooleanField(
        _("anonymous"),
        default=False,
        help_text=_("Whether callers without a tenant have it. At most one plan. Default: no."),
    )
    active = models.BooleanField(
        _("active"),
        default=True,
        help_text=_(
            "Whether it is in use; if not, its tenants have the default plan. Default: yes."
        ),
    )

    objects = AnnouncingQuerySet.as_manager()
    history = Versions()

    class Meta:
        verbose_name = _("plan")
        verbose_name_plural = _("plans")
        ordering: ClassVar = ["key"]
        # What related managers write goes through the base manager: it must announce too.
        base_manager_name = "objects"
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["is_default"],
                condition=Q(is_default=True),
                name="quotas_plan_one_default",
                violation_error_message=_("Another plan is the default: take that away first."),
            ),
            models.UniqueConstraint(
                fields=["is_anonymous"],
                condition=Q(is_anonymous=True),
                name="quotas_plan_one_anonymous",
                violation_error_message=_(
                    "Another plan is that of callers without a tenant: take that away first."
                ),
            ),
        ]

    def __str__(self) -> str:
        return self.name

    def clean(self) -> None:
        super().clean()
        if self.is_default and not self.active:
            message = _("The default plan must be active: make another plan the default first.")
            raise ValidationError({"active": message})


class PlanLimit(LimitFields):
    """One limit of a plan."""

    concerns = Concerns(plans=True)

    plan = models.ForeignKey(
        Plan,
        verbose_name=_("plan"),
        on_delete=models.CASCADE,
        related_name="limits",
        help_text=_("Whose limit this is. No default."),
    )

    objects = LimitQuerySet.as_manager()
    history = Versions()

    class Meta(LimitFields.Meta):
        verbose_name = _("plan limit")
        verbose_name_plural = _("plan limits")
        ordering: ClassVar = ["plan", "scope", "name"]
        base_manager_name = "objects"
        constraints: ClassVar = [
            *LimitFields.Meta.constraints,
            models.UniqueConstraint(
                fields=["plan", "scope", "name"],
                name="quotas_planlimit_once",
                violation_error_message=_("The plan has a limit of this scope and name already."),
            ),
        ]
