"""A statement of usage: what people and programs are told of what a tenant has used.

One vocabulary of states and one shape of data for the page, its JSON twin and the command.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from quotas.domain.calendar import instant_at
from quotas.domain.guarantees import ENGLISH, Words, guarantee
from quotas.domain.limits import CalendarQuota, FixedWindow, Unlimited
from quotas.domain.words import EVERY_SCOPE
from quotas.engine.clock import now_us
from quotas.services.policy import zone_of
from quotas.services.usage import Usage, UsageLine, usage_of

if TYPE_CHECKING:
    from collections.abc import Iterable
    from zoneinfo import ZoneInfo

    from quotas.domain.policies import Limit
    from quotas.services.policy import Policy

SECOND_US = 1_000_000


class State(StrEnum):
    """How a limit stands for a call of cost 1: the first of these that holds."""

    UNKNOWN = "unknown"
    UNLIMITED = "unlimited"
    DENYING = "denying"
    WOULD_DENY = "would_deny"
    NEAR = "near"
    OK = "ok"


def state_of(line: UsageLine) -> State:
    """``unknown`` in an outage, ``would_deny`` for a shadow limit, ``near``: see `near_percent`."""
    verdict, rule = line.verdict, line.limit.rule
    if verdict is None:
        return State.UNKNOWN
    if isinstance(rule, Unlimited):
        return State.UNLIMITED
    if not verdict.fits:
        return State.DENYING if verdict.enforced else State.WOULD_DENY
    near = near_percent(line.limit)
    if near is not None and 100 * verdict.used >= near * rule.most_at_once:
        return State.NEAR
    return State.OK


def near_percent(limit: Limit) -> int | None:
    """Percent of what fits from which on a limit is near: its first threshold; None without any."""
    return next(iter(limit.warn_at), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """What a tenant has used, what else applies to it, and which of its overrides are in force.

    ``apart`` are limits that count others than those whose numbers are shown: each user,
    credential or address. ``overrides`` are in force at ``at_us``, off ones included; in an outage
    that is the instant of this machine's clock. ``scopes`` are those of every row in force.
    ``plan_since``: when the tenant was moved to its plan, or its plan became the default one; None
    without one, and when the default plan stands in for one that is not active.
    ``shown_in`` is a zone to tell instants in; None: the tenant's own.
    """

    usage: Usage
    at_us: int
    apart: tuple[Limit, ...] = ()
    overrides: tuple[Limit, ...] = ()
    scopes: frozenset[str] = frozenset()
    plan_since: datetime | None = None
    shown_in: ZoneInfo | None = None

    def covers(self, scope: str) -> bool:
        """Whether any row, whatever its mode and amount, is for this scope or for every scope."""
        return not self.scopes.isdisjoint({scope, EVERY_SCOPE})

    @property
    def own_zone(self) -> ZoneInfo:
        """The tenant's time zone; UTC when this host's zone data no longer has it."""
        return zone_of(self.usage.tenant.time_zone)

    @property
    def zone(self) -> ZoneInfo:
        """The zone that instants are told in."""
        return self.shown_in or self.own_zone

    def instant(self, later_us: int = 0) -> datetime:
        """The instant of the reading, or one ``later_us`` after it, in `zone`."""
        return instant_at(self.at_us + later_us, self.zone)

    def next_admission(self, line: UsageLine) -> datetime | None:
        """The first whole second at which a call of cost 1 fits; None: not known, or never."""
        wait = line.next_admission_us
        if wait is None:
            return None
        return self.instant(-(-(self.at_us + wait) // SECOND_US) * SECOND_US - self.at_us)

    def renewal(self, line: UsageLine) -> datetime | None:
        """When a window ends and all of the amount is back; None: not known, or another rule."""
        verdict = line.verdict
        if verdict is None or not isinstance(line.limit.rule, CalendarQuota | FixedWindow):
            return None
        return self.instant(verdict.reset_us or 0)

    @property
    def titles(self) -> dict[str, str]:
        """What people call each limit that applies, by its label (``scope/name``)."""
        limits = (*(line.limit for line in self.usage.lines), *self.apart)
        return {f"{each.scope}/{each.name}": each.title or each.name for each in limits}


def statement_of(
    tenant: str | int, *, user_pk: object = None, scope: str | None = None
) -> Statement | None:
    """The statement of a tenant; None when there is no such tenant.

    Consumes, creates and extends nothing. ``user_pk`` and ``scope`` as for `usage_of`.
    """
    usage = usage_of(tenant, user_pk=user_pk, scope=scope)
    if usage is None:
        return None
    at_us, policy = usage.at_us or now_us(), usage.policy
    shown = {line.limit for line in usage.lines}
    rows = policy.in_force(at_us).rows.values()
    return Statement(
        usage=usage,
        at_us=at_us,
        apart=tuple(each for each in policy.effective(scope, at_us) if each not in shown),
        overrides=tuple(
            each
            for each in rows
            if each.source.kind == "override"
            and (scope is None or each.scope in {scope, EVERY_SCOPE})
        ),
        scopes=frozenset(each.scope for each in rows),
        plan_since=_plan_since(policy),
    )


def _plan_since(policy: Policy) -> datetime | None:
    tenant, plan = policy.tenant, policy.plan
    if tenant is None or plan is None or tenant.plan_since is None:
        return None
    if tenant.plan_pk is None and plan.default_since is not None:
        return max(tenant.plan_since, plan.default_since)
    return tenant.plan_since if tenant.plan_pk == plan.pk else None


def as_data(statement: Statement, words: Words = ENGLISH, *, reasons: bool) -> dict[str, Any]:
    """The statement as JSON takes it.

    Seconds are numbers; instants are ISO 8601 in the statement's zone.
    ``reasons`` tells why overrides were made, which is not for everybody.
    """
    usage = statement.usage
    return {
        "tenant": {
            "key": usage.tenant.key,
            "name": usage.tenant.name,
            "time_zone": usage.tenant.time_zone,
            "suspended": usage.tenant.suspended,
        },
        "plan": _plan(statement) if usage.plan_key else None,
        "read_at": statement.instant().isoformat(),
        "outage": usage.outage,
        "limits": [_line(statement, line, words, reasons=reasons) for line in usage.lines],
        "counted_apart": _limits(statement.apart, statement, words, reasons=reasons),
        "overrides": _limits(statement.overrides, statement, words, reasons=reasons),
    }


def _plan(statement: Statement) -> dict[str, Any]:
    since = statement.plan_since
    return {
        "key": statement.usage.plan_key,
        "name": statement.usage.plan_name,
        "since": since and since.astimezone(statement.zone).isoformat(),
    }


def _limits(
    limits: Iterable[Limit], statement: Statement, words: Words, *, reasons: bool
) -> list[dict[str, Any]]:
    return [_limit(limit, statement, words, reasons=reasons) for limit in limits]


def _line(statement: Statement, line: UsageLine, words: Words, *, reasons: bool) -> dict[str, Any]:
    wait, verdict = line.next_admission_us, line.verdict
    at, renewal = statement.next_admission(line), statement.renewal(line)
    reset = verdict.reset_us if verdict else None
    return _limit(line.limit, statement, words, reasons=reasons) | {
        "state": state_of(line).value,
        "used": line.used,
        "remaining": line.remaining,
        "percent": line.percent,
        "next_admission_in": None if wait is None else wait / SECOND_US,
        "next_admission_at": at and at.isoformat(),
        "delay": None if verdict is None else verdict.delay_us / SECOND_US,
        "reset_in": None if reset is None else reset / SECOND_US,
        "renews_at": renewal and renewal.isoformat(),
    }


def _limit(limit: Limit, statement: Statement, words: Words, *, reasons: bool) -> dict[str, Any]:
    rule, source, zone = limit.rule, limit.source, statement.zone
    anchor_day = statement.usage.tenant.anchor_day
    period: timedelta | None = getattr(rule, "period", None)
    overridden = source.kind == "override"
    return {
        "scope": limit.scope,
        "name": limit.name,
        "title": limit.title or limit.name,
        "subject": limit.subject.value,
        "algorithm": rule.algorithm.value,
        "guarantee": guarantee(rule, words, anchor_day=anchor_day),
        "amount": rule.amount,
        "period": None if period is None else period.total_seconds(),
        "unit": getattr(rule, "unit", None),
        "capacity": getattr(rule, "capacity", None),
        "most": getattr(rule, "most_at_once", None),
        "cap": limit.cap,
        "uncapped": limit.uncapped,
        "warn_at": list(limit.warn_at),
        "mode": limit.mode.value,
        "source": {
            "kind": source.kind,
            "title": source.title if reasons or not overridden else None,
            "from": source.starts and source.starts.astimezone(zone).isoformat(),
            "until": source.ends and source.ends.astimezone(zone).isoformat(),
        },
    }
