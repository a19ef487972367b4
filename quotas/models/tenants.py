"""Tenants, whose plans pay, and the users who belong to them."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from quotas.models.choices import ROLES
from quotas.models.fields import TimeZoneField
from quotas.models.plans import Plan
from quotas.models.querysets import AnnouncingQuerySet, TenantQuerySet
from quotas.models.reach import Announced, Concerns
from quotas.models.since import Since
from quotas.models.versions import Versioned, Versions

LAST_ANCHOR_DAY = 31

# Any text that can stand in an address as one part of its path.
KEY_RULES = [
    RegexValidator(r"\S", _("A key cannot be blank.")),
    RegexValidator(
        r"[/\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]",
        _("A key cannot contain slashes, control characters or line breaks."),
        inverse_match=True,
    ),
    RegexValidator(
        r"^\.\.?\Z",
        _("Addresses take “.” and “..” for “here” and “one up”: choose another key."),
        inverse_match=True,
    ),
]


class Tenant(Versioned):
    """A customer: fixed by authentication, never claimed."""

    concerns = Concerns(tenant="pk")
    since = Since(column="plan_id", at="plan_since")

    key = models.CharField(
        _("key"),
        max_length=100,
        unique=True,
        validators=KEY_RULES,
        help_text=_(
            "By which addresses and headers name the tenant: any text of up to 100 characters "
            "without slashes. No default."
        ),
    )
    name = models.CharField(_("name"), max_length=200, help_text=_("What people read. No default."))
    time_zone = TimeZoneField(
        _("time zone"),
        max_length=64,
        default="UTC",
        help_text=_(
            "In which days and months are counted, such as Europe/Berlin; a change is in force "
            "from the next period on. Default: UTC."
        ),
    )
    anchor_day = models.PositiveSmallIntegerField(
        _("anchor day"),
        default=1,
        validators=[MinValueValidator(1), MaxValueValidator(LAST_ANCHOR_DAY)],
        help_text=_(
            "Day of the month, 1 to 31, on which calendar months begin; the last day where a month "
            "is shorter. A change is in force from the next period on. Default: 1."
        ),
    )
    plan = models.ForeignKey(
        Plan,
        verbose_name=_("plan"),
        null=True,
        blank=True,
        on_delete=models.PROTECT,
        related_name="tenants",
        help_text=_("Whose limits apply. Default: blank, for the plan that is the default."),
    )
    plan_since = models.DateTimeField(
        _("plan since"),
        default=timezone.now,
        editable=False,
        help_text=_("When the tenant was moved to its plan; it keeps itself. Default: now."),
    )
    suspended = models.BooleanField(
        _("suspended"),
        default=False,
        help_text=_("Whether every request is refused with 403. Default: no."),
    )
    epoch = models.PositiveIntegerField(
        _("epoch"),
        default=0,
        editable=False,
        help_text=_("How often all counters were reset: raising it starts them anew. Default: 0."),
    )
    created = models.DateTimeField(
        _("created"),
        default=timezone.now,
        editable=False,
        help_text=_("When the tenant was made. Default: now."),
    )

    objects = TenantQuerySet.as_manager()
    history = Versions()

    class Meta:
        verbose_name = _("tenant")
        verbose_name_plural = _("tenants")
        ordering: ClassVar = ["key"]
        # What related managers write goes through the base manager: it must announce too.
        base_manager_name = "objects"
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=~Q(key=""),
                name="quotas_tenant_key",
                violation_error_message=_("A tenant needs a key."),
            ),
            models.CheckConstraint(
                condition=Q(anchor_day__gte=1, anchor_day__lte=LAST_ANCHOR_DAY),
                name="quotas_tenant_anchor_day",
                violation_error_message=_("The anchor day must be from 1 to 31."),
            ),
        ]

    def __str__(self) -> str:
        return self.key


class Membership(Announced):
    """A user who belongs to a tenant, and what the user may do there."""

    concerns = Concerns(tenant="tenant_id", user="user_id")

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        verbose_name=_("user"),
        on_delete=models.CASCADE,
        related_name="quota_memberships",
        help_text=_("Who belongs to the tenant. No default."),
    )
    tenant = models.ForeignKey(
        Tenant,
        verbose_name=_("tenant"),
        on_delete=models.CASCADE,
        related_name="memberships",
        help_text=_("Which tenant the user acts for. No default."),
    )
    role = models.CharField(
        _("role"),
        max_length=10,
        choices=ROLES,
        default="viewer",
        help_text=_(
            "Both see the usage and the alerts; a manager also gets the alerts, chooses how, and "
            "sets caps. Default: viewer."
        ),
    )
    is_default = models.BooleanField(
        _("default"),
        default=False,
        help_text=_(
            "Whether the user acts for this tenant when a request names none; of one user, at most "
            "one. Default: no."
        ),
    )

    objects = AnnouncingQuerySet.as_manager()

    class Meta:
        verbose_name = _("membership")
        verbose_name_plural = _("memberships")
        ordering: ClassVar = ["tenant", "pk"]
        base_manager_name = "objects"
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["user", "tenant"],
                name="quotas_membership_once",
                violation_error_message=_("The user belongs to this tenant already."),
            ),
            models.UniqueConstraint(
                fields=["user"],
                condition=Q(is_default=True),
                name="quotas_membership_one_default",
                violation_error_message=_(
                    "Another tenant is the default of this user: take that away first."
                ),
            ),
            models.CheckConstraint(
                condition=Q(role__in=[role for role, _label in ROLES]),
                name="quotas_membership_role",
                violation_error_message=_("The role must be one of the choices."),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user} – {self.tenant}"
