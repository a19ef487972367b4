"""Give a tenant more of one limit now: what it has taken given back, or its period extended."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from quotas.admin.audit import last_entry
from quotas.admin.limit_steps import CHANGED, LimitStep
from quotas.admin.tenant_page import number
from quotas.domain.limits import MOST_AMOUNT, CalendarQuota, FixedWindow, gives_at_once
from quotas.domain.words import Algorithm, Mode, SubjectKind
from quotas.errors import EngineUnavailable
from quotas.models import Tenant
from quotas.services.effective import Effective
from quotas.services.grants import Granted, NotGranted, can_be_granted, grant

AWAY = _("Redis gives no answer, so nothing was given. Try again when it does.")
TWICE = _(
    "You have changed this tenant since you opened this page, perhaps by sending it twice. Look at "
    "its history; to grant more, open the page anew."
)
ENDS = {
    Algorithm.TOKEN_BUCKET: _("the bucket is full"),
    Algorithm.LEAKY_BUCKET: _("the queue is empty"),
    Algorithm.CONCURRENCY: _("no other call is in flight"),
}
"""Why no more than that could be given, where it is not that nothing more is used."""


class GrantExtra(LimitStep):
    """Gives back what was taken, or more of the window or civil period that runs."""

    title = _("Grant extra now")
    consequence = _(
        "Of a calendar quota or fixed window an override allows so much more to the end of the "
        "period that runs; the next one has the amount of before. Of a bucket, counter or log so "
        "much of what is used is given back at once, the newest first; of calls in flight the "
        "places of those that began first, while they run on. Never more than is used: a full "
        "bucket stays full. A cap of the tenant's own stays in force."
    )

    seen = forms.IntegerField(widget=forms.HiddenInput, required=False)
    extra = forms.IntegerField(label=_("Extra units"), min_value=1, max_value=MOST_AMOUNT)

    def __init__(self, tenant: Tenant, *args: Any, **kwargs: Any) -> None:
        super().__init__(tenant, *args, **kwargs)
        self.granted: Granted | None = None
        limits = [each.limit for each in self.standing.limits] if self.standing else []
        apart = [
            f"{each.scope}/{each.name}"
            for each in limits
            if each.subject is not SubjectKind.TENANT and each.mode is not Mode.OFF
        ]
        if apart:
            text = gettext(
                "Not listed: %(limits)s. They count users, credentials or addresses, each apart: "
                "reset their counters instead."
            )
            self.fields["limit"].help_text = text % {"limits": ", ".join(apart)}

    def offers(self, effective: Effective) -> bool:
        limit = effective.limit
        if not super().offers(effective) or limit.subject is not SubjectKind.TENANT:
            return False
        return isinstance(limit.rule, CalendarQuota | FixedWindow) or can_be_granted(limit)

    def clean(self) -> dict[str, Any] | None:
        """Only while it is known what is used."""
        if self.standing is not None and self.standing.statement.usage.outage:
            raise ValidationError(AWAY, code="away")
        return self.cleaned_data

    def take(self, tenant: Tenant, staff: Any) -> str:
        """Extend the period; of a limit that gives at once only say what is asked."""
        if last_entry(staff, tenant) > (self.cleaned_data["seen"] or 0):
            raise ValidationError(TWICE, code="twice")
        if self._at_once is None:
            return self._extend(self.chosen, staff)
        self.edits = False
        values = {
            "asked": number(self.cleaned_data["extra"]),
            "limit": self.cleaned_data["limit"],
        }
        return gettext("grant of %(asked)s of %(limit)s asked") % values

    def follow(self) -> str:
        chosen = self._at_once
        return self._give(chosen) if chosen else ""

    def done(self, tenant: Tenant) -> tuple[int, str]:
        if self.granted is None:
            return super().done(tenant)
        level = messages.WARNING if self.granted.given is None else messages.SUCCESS
        return level, gettext("%(tenant)s: %(what)s.") % {"tenant": tenant, "what": self._said()}

    @property
    def _at_once(self) -> Effective | None:
        """The limit that was chosen, if it gives at once."""
        chosen = self.chosen
        return chosen if chosen is not None and gives_at_once(chosen.limit.rule) else None

    def _give(self, chosen: Effective) -> str:
        limit, standing = chosen.limit, self.standing
        if standing is None:
            raise ValidationError(CHANGED)
        units, at_us = self.cleaned_data["extra"], standing.statement.at_us
        try:
            self.granted = grant(self.tenant.pk, limit.scope, limit.name, units, at_us=at_us)
        except NotGranted as error:
            raise ValidationError(CHANGED) from error
        except EngineUnavailable as error:
            raise ValidationError(AWAY) from error
        if self.granted.given == 0:
            text = gettext("Nothing was given: %(why)s.") % {"why": self._why()}
            raise ValidationError(text, code="nothing")
        return self._said()

    def _extend(self, chosen: Effective | None, staff: Any) -> str:
        standing = self.standing
        verdict = chosen.line.verdict if chosen and chosen.line else None
        if verdict is None or standing is None:
            raise ValidationError(CHANGED)
        end = standing.statement.instant(verdict.reset_us or 0)
        if end <= self.now:
            raise ValidationError(_("The period has just ended: nothing of it is left to extend."))
        return self.override(self.amount_without_cap + self.cleaned_data["extra"], end, staff)

    def _said(self) -> str:
        """What was given, for the page and for the history."""
        granted = self.granted or Granted(asked=0, given=0)
        values = {
            "limit": self.cleaned_data["limit"],
            "asked": number(granted.asked),
            "given": number(granted.given or 0),
            "why": self._why(),
        }
        if granted.given is None:
            text = gettext(
                "granted %(asked)s of %(limit)s; it is not known whether they were given, for "
                "Redis did not answer in time"
            )
        elif granted.given < granted.asked:
            text = gettext("granted %(asked)s of %(limit)s, given %(given)s: %(why)s")
        else:
            text = gettext("granted %(asked)s of %(limit)s")
        return text % values

    def _why(self) -> str:
        chosen = self.chosen
        algorithm = chosen.limit.rule.algorithm if chosen else Algorithm.FIXED_WINDOW
        return str(ENDS.get(algorithm, _("nothing more is used")))
