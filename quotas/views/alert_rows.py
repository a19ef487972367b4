"""Alerts and caps as the page of alerts shows them: every number with its words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from quotas.domain.alerts import PERCENT, PROJECTED, DeliveryState
from quotas.services.policy import zone_of
from quotas.views import wording
from quotas.views.rows import Moment, moment

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from quotas.models import Alert
    from quotas.services.caps import Cappable


class AlertRow:
    """One alert: what was come to, when, and who was told. ``reasons``: why a post failed, too."""

    def __init__(self, alert: Alert, *, reasons: bool) -> None:
        zone = zone_of(alert.tenant.time_zone)
        self.title, self.name = alert.limit_title, alert.name
        self.scope = wording.scope_named(alert.scope)
        self.threshold = _threshold(alert.threshold)
        self.used = _("%(used)s of %(amount)s") % {
            "used": wording.number(alert.used),
            "amount": wording.number(alert.amount),
        }
        self.raised_at: Moment = moment(alert.raised_at.astimezone(zone))
        self.since: Moment = moment(alert.period_start.astimezone(zone))
        self.until: Moment = moment(alert.period_end.astimezone(zone))
        self.email = _delivery(alert.get_email_state_display(), alert.email_attempts)
        self.webhook = _delivery(alert.get_webhook_state_display(), alert.webhook_attempts)
        told = reasons and alert.webhook_state != DeliveryState.DONE
        self.webhook_failure = alert.get_webhook_failure_display() if told else ""
        self.webhook_detail = alert.webhook_detail if told else ""


class CapRow:
    """A limit and the tenant's own cap on it; ``why_not``: why it has none and can have none.

    ``value`` is what the form holds; ``error`` is what is wrong with it.
    """

    def __init__(self, found: Cappable) -> None:
        limit = found.limit
        self.scope_key, self.name = found.scope, found.name
        self.title = (limit and limit.title) or found.name
        self.scope = wording.scope_named(found.scope)
        self.rate = wording.rate(limit.rule) if limit else ""
        self.cap = None if found.cap is None else wording.number(found.cap)
        self.value = "" if found.cap is None else str(found.cap)
        self.most = "" if found.amount is None else str(found.amount - 1)
        self.why_not = why_not(found)
        self.error = ""


def cap_rows(found: Iterable[Cappable], typed: Mapping[str, str], error: str = "") -> list[CapRow]:
    """The limits of a tenant; the form with ``error`` holds what was ``typed`` into it."""
    rows = [CapRow(each) for each in found]
    for row in rows:
        its_own = (typed.get("scope"), typed.get("name")) == (row.scope_key, row.name)
        if error and its_own and not row.why_not:
            row.value, row.error = typed.get("amount", ""), error
    return rows


def why_not(found: Cappable | None) -> str:
    """Why no cap can be set at all; blank when one can."""
    if found is None or found.limit is None:
        return _("No such limit is in force: a cap has no effect.")
    if found.denies_all:
        return _("It allows nothing: there is nothing to lower.")
    if found.in_shadow:
        return _("It is in shadow, where it counts and never denies: a cap would not deny either.")
    if found.amount == 1:
        return _("It allows 1, and a cap must be lower but at least 1.")
    return ""


def too_high(found: Cappable, amount: int) -> str:
    """Why this amount is no cap: both numbers, and the way out."""
    return _(
        "The cap is %(cap)s and the limit allows %(amount)s: give a number from 1 to %(most)s, or "
        "leave the limit without a cap."
    ) % {
        "cap": wording.number(amount),
        "amount": wording.number(found.amount or 0),
        "most": wording.number((found.amount or 0) - 1),
    }


def _threshold(threshold: str) -> str:
    if threshold == PROJECTED:
        return _("will be used up at this pace")
    if threshold == str(PERCENT):
        return _("used up")
    return _("%(percent)s %% used") % {"percent": threshold}


def _delivery(state: str, attempts: int) -> str:
    """How far it has come, and how often it was tried when once was not enough."""
    if attempts <= 1:
        return state
    tries = ngettext("%(count)s try", "%(count)s tries", attempts) % {"count": attempts}
    return _("%(state)s (%(tries)s)") % {"state": state, "tries": tries}
