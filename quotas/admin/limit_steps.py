"""Steps that staff take with one limit of a tenant: raised for a time, its counters reset."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from quotas.admin.audit import turned
from quotas.admin.tenant_list import dated
from quotas.admin.tenant_page import amount_of, number
from quotas.admin.tenant_steps import Step
from quotas.domain.limits import MOST_AMOUNT
from quotas.domain.words import Mode
from quotas.models import Cap, Override, PlanLimit, Tenant
from quotas.models.limit_fields import LimitFields
from quotas.models.limit_resets import reset_limit
from quotas.services.effective import Effective, Standing, standing_of

CHANGED = _("This limit was changed meanwhile. Look at it, and try again.")
SEPARATOR = "/"
COPIED = [
    field.name
    for field in LimitFields._meta.get_fields()  # noqa: SLF001 - Django's documented name
    if field.name not in {"amount", "mode_since"}
]


class LimitStep(Step):
    """A step with one of the limits in force; an override can be made out of it."""

    permission = "quotas.add_override"

    limit = forms.ChoiceField(label=_("Limit"))

    def __init__(self, tenant: Tenant, *args: Any, **kwargs: Any) -> None:
        super().__init__(tenant, *args, **kwargs)
        self.standing: Standing | None = standing_of(tenant.pk)
        self.held_down_to: int | None = None
        offered = (
            [each for each in self.standing.limits if self.offers(each)] if self.standing else []
        )
        field: Any = self.fields["limit"]
        field.choices = [(_key(each), f"{_key(each)}: {amount_of(each.limit)}") for each in offered]

    def offers(self, effective: Effective) -> bool:
        """Whether it makes sense for this limit."""
        return effective.limit.rule.amount is not None and effective.limit.mode is not Mode.OFF

    @property
    def now(self) -> datetime:
        """The instant of the limiter's clock at which the limits were read: all begins there."""
        return self.standing.statement.instant() if self.standing else timezone.now()

    @property
    def chosen(self) -> Effective | None:
        """The limit that was chosen, as it is now."""
        scope, _, name = self.cleaned_data.get("limit", "").rpartition(SEPARATOR)
        return self.standing.of(scope, name) if self.standing else None

    @property
    def amount_without_cap(self) -> int:
        """What the chosen limit allows, but for the tenant's own cap."""
        chosen = self.chosen
        if chosen is None:
            return 0
        limit = chosen.beaten[0] if chosen.limit.cap is not None else chosen.limit
        return limit.rule.amount or 0

    def override(self, amount: int, until: datetime, staff: Any) -> str:
        """Make the override: all as in the limit, but for the amount, from now on."""
        source = self.chosen and self.chosen.limit.source
        model = Override if source and source.kind == "override" else PlanLimit
        row = model.objects.filter(pk=source.pk if source else None).first()
        if row is None or self._overridden(row):
            raise ValidationError(CHANGED)
        made = Override(
            **{name: getattr(row, name) for name in COPIED},
            tenant=self.tenant,
            amount=amount,
            starts_at=self.now,
            ends_at=until,
            reason=self.cleaned_data["reason"],
            created_by=staff,
        )
        made.full_clean()
        made.save(force_insert=True)
        caps = Cap.objects.filter(tenant=self.tenant, scope=row.scope, name=row.name)
        self.held_down_to = caps.filter(amount__lt=amount).values_list("amount", flat=True).first()
        end = dated(until)
        return f"override {made} until {end}: {turned('amount', row.amount, amount)}"

    def done(self, tenant: Tenant) -> tuple[int, str]:
        """With a warning where the tenant's own cap holds down what was given."""
        level, text = super().done(tenant)
        if self.held_down_to is None:
            return level, text
        held = gettext(
            "The tenant's own cap of %(cap)s stays in force: no more than that is allowed, until "
            "the tenant raises it."
        )
        return messages.WARNING, f"{text} {held % {'cap': number(self.held_down_to)}}"

    def _overridden(self, row: PlanLimit | Override) -> bool:
        """Whether somebody else has made an override of this limit since it was read."""
        own = Override.objects.not_over(self.now).filter(tenant=self.tenant)
        known = self.standing.overrides if self.standing else frozenset()
        return own.filter(scope=row.scope, name=row.name).exclude(pk__in=known).exists()


class Boost(LimitStep):
    """Raises a limit until a date."""

    title = _("Boost until a date")
    consequence = _(
        "An override takes the place of the limit until then; afterwards what applied before "
        "applies again. What is used stays used: a bucket keeps its tokens and its capacity, and "
        "refills faster. A cap of the tenant's own stays in force."
    )

    amount = forms.IntegerField(label=_("Amount"), min_value=1, max_value=MOST_AMOUNT)
    until = forms.DateTimeField(
        label=_("Until"),
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M"),
        help_text=_("In the time zone of the admin."),
    )

    def clean_until(self) -> datetime:
        """Later than now."""
        until: datetime = self.cleaned_data["until"]
        if until <= self.now:
            raise ValidationError(_("This is over already."), code="over")
        return until

    def clean(self) -> dict[str, Any] | None:
        """More than the limit allows."""
        amount, most = self.cleaned_data.get("amount"), self.amount_without_cap
        if self.chosen and amount is not None and amount <= most:
            message = _("The limit allows %(amount)s: give a larger amount.")
            self.add_error("amount", ValidationError(message, params={"amount": most}))
        return self.cleaned_data

    def take(self, tenant: Tenant, staff: Any) -> str:
        return self.override(self.cleaned_data["amount"], self.cleaned_data["until"], staff)


class ResetCounter(LimitStep):
    """Starts the counters of one limit anew."""

    title = _("Reset one counter")
    consequence = _(
        "All counters of the limit start anew from the tenant's next request on, for whomever it "
        "counts: the tenant, each user, credential and address. Calls in flight run on and count "
        "no more."
    )
    permission = "quotas.change_tenant"

    def offers(self, effective: Effective) -> bool:
        return effective.limit.mode is not Mode.OFF

    def take(self, tenant: Tenant, staff: Any) -> str:
        if self.chosen is None:
            raise ValidationError(CHANGED)
        limit = self.chosen.limit
        epoch = reset_limit(tenant.pk, limit.scope, limit.name)
        values = {"limit": _key(self.chosen), "change": turned("epoch", epoch - 1, epoch)}
        return gettext("counters of %(limit)s reset; %(change)s") % values


def _key(effective: Effective) -> str:
    return f"{effective.limit.scope}{SEPARATOR}{effective.limit.name}"
