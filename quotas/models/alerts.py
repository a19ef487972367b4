"""Alerts that were raised: a limit came to a threshold, and who was told of it."""

from __future__ import annotations

from typing import Any, ClassVar
from uuid import uuid4

from django.db import models
from django.db.models import F, Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from quotas.domain.alerts import DeliveryState, Failure
from quotas.models.tenants import Tenant

STATES = [
    (DeliveryState.NONE.value, _("not sent")),
    (DeliveryState.PENDING.value, _("to be sent")),
    (DeliveryState.DONE.value, _("sent")),
    (DeliveryState.FAILED.value, _("given up")),
    (DeliveryState.NOBODY.value, _("no address")),
]
FAILURES = [
    (Failure.UNREADABLE.value, _("The address cannot be read.")),
    (Failure.NO_HTTPS.value, _("The address must begin with https:// and name a host.")),
    (Failure.LOGIN.value, _("The address must not have a user or a password in it.")),
    (Failure.INSIDE.value, _("The host is not on the public internet.")),
    (Failure.UNSIGNED.value, _("There is no secret to sign with: make a new one.")),
    (Failure.TOO_LATE.value, _("It took too long.")),
    (Failure.NO_ANSWER.value, _("There was no answer.")),
    (Failure.STATUS.value, _("The answer was not a success.")),
    (Failure.CUT_OFF.value, _("Each try was cut off.")),
    (Failure.SOME.value, _("It could not be sent to every manager.")),
    (Failure.OTHER.value, _("It could not be sent.")),
]
LONGEST_DETAIL = 200


def _state(name: Any) -> models.CharField[Any, Any]:
    return models.CharField(
        name,
        max_length=10,
        choices=STATES,
        default=DeliveryState.NONE.value,
        help_text=_("How far it has come. Default: not sent."),
    )


def _attempts(name: Any) -> models.PositiveSmallIntegerField[Any, Any]:
    return models.PositiveSmallIntegerField(
        name, default=0, help_text=_("How often it was begun to be sent. Default: 0.")
    )


def _claimed_until(name: Any) -> models.DateTimeField[Any, Any]:
    return models.DateTimeField(
        name,
        null=True,
        blank=True,
        help_text=_(
            "Until when nobody else tries: a worker is at it, or the last try failed. "
            "Default: blank, for nobody."
        ),
    )


def _failure(name: Any) -> models.CharField[Any, Any]:
    return models.CharField(
        name,
        max_length=10,
        choices=FAILURES,
        blank=True,
        help_text=_("Why the last try failed. Default: blank."),
    )


def _detail(name: Any) -> models.CharField[Any, Any]:
    return models.CharField(
        name,
        max_length=LONGEST_DETAIL,
        blank=True,
        help_text=_("What the last failure said of itself, in its own words. Default: blank."),
    )


class Alert(models.Model):
    """One threshold of one limit, come to by one tenant in one period: there is no second.

    The telling by e-mail and by webhook is kept apart, in columns that begin with its name. Nobody
    edits these rows, and they announce nothing.
    """

    tenant = models.ForeignKey(
        Tenant,
        verbose_name=_("tenant"),
        on_delete=models.CASCADE,
        related_name="alerts",
        db_index=False,  # the unique one below begins with it
        help_text=_("Whose limit it is. No default."),
    )
    scope = models.CharField(
        _("scope"), max_length=200, help_text=_("The scope of the limit. No default.")
    )
    name = models.CharField(
        _("name"), max_length=50, help_text=_("The name of the limit. No default.")
    )
    title = models.CharField(
        _("title"),
        max_length=100,
        blank=True,
        help_text=_("What people called the limit when it was raised. Default: the name."),
    )
    threshold = models.CharField(
        _("threshold"),
        max_length=10,
        help_text=_("What was come to: percent, or “projected”. No default."),
    )
    period_start = models.DateTimeField(
        _("period start"),
        help_text=_(
            "When the period began in which no second alert is raised: that of a calendar quota, "
            "else the tenant's day. No default."
        ),
    )
    period_end = models.DateTimeField(
        _("period end"), help_text=_("When it ends, that instant left out. No default.")
    )
    used = models.BigIntegerField(
        _("used"), help_text=_("Units used when it was raised. No default.")
    )
    amount = models.BigIntegerField(
        _("amount"), help_text=_("Units that fitted at once. No default.")
    )
    raised_at = models.DateTimeField(
        _("raised at"), default=timezone.now, help_text=_("When it was noticed. Default: now.")
    )
    reference = models.UUIDField(
        _("reference"),
        default=uuid4,
        unique=True,
        editable=False,
        help_text=_("By which receivers know it, however often it comes. Default: a random one."),
    )
    email_state = _state(_("e-mail"))
    email_attempts = _attempts(_("tries by e-mail"))
    email_claimed_until = _claimed_until(_("e-mail claimed until"))
    email_told = models.JSONField(
        _("managers told by e-mail"),
        default=list,
        blank=True,
        help_text=_("Primary keys of the users, as text, to whom it was sent. Default: []."),
    )
    email_failure = _failure(_("failure by e-mail"))
    email_detail = _detail(_("detail of the failure by e-mail"))
    webhook_state = _state(_("webhook"))
    webhook_attempts = _attempts(_("tries by webhook"))
    webhook_claimed_until = _claimed_until(_("webhook claimed until"))
    webhook_failure = _failure(_("failure by webhook"))
    webhook_detail = _detail(_("detail of the failure by webhook"))

    class Meta:
        verbose_name = _("alert")
        verbose_name_plural = _("alerts")
        ordering: ClassVar = ["-raised_at", "-pk"]
        indexes: ClassVar = [
            *(
                models.Index(
                    fields=[f"{channel}_claimed_until"],
                    condition=Q(**{f"{channel}_state": "pending"}),
                    name=f"quotas_alert_{channel}_pending",
                )
                for channel in ("email", "webhook")
            ),
            models.Index(fields=["period_end"], name="quotas_alert_period_end"),
            models.Index(fields=["raised_at"], name="quotas_alert_raised_at"),
        ]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["tenant", "period_start", "scope", "name", "threshold"],
                name="quotas_alert_once",
                violation_error_message=_("This alert was raised already."),
            ),
            models.CheckConstraint(
                condition=Q(used__gte=0, amount__gte=1),
                name="quotas_alert_numbers",
                violation_error_message=_("The use cannot be below 0, nor the amount below 1."),
            ),
            models.CheckConstraint(
                condition=Q(period_end__gt=F("period_start")),
                name="quotas_alert_period",
                violation_error_message=_("A period must end after it starts."),
            ),
            models.CheckConstraint(
                condition=Q(
                    email_state__in=[state for state, _label in STATES],
                    webhook_state__in=[state for state, _label in STATES],
                ),
                name="quotas_alert_states",
                violation_error_message=_("A state must be one of the choices."),
            ),
            models.CheckConstraint(
                condition=Q(
                    email_failure__in=["", *(failure for failure, _label in FAILURES)],
                    webhook_failure__in=["", *(failure for failure, _label in FAILURES)],
                ),
                name="quotas_alert_failures",
                violation_error_message=_("A failure must be one of the choices."),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.scope}/{self.name} {self.threshold}"

    @property
    def limit_title(self) -> str:
        """What people call the limit."""
        return self.title or self.name
