"""The books of some tenants at one reading: first what the database keeps, then what Redis knows.

In this order the database never knows more than Redis, whatever arrives between; what a flush
hands over in between is missing in both, and there at the next reading.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from quotas.domain.calendar import instant_at
from quotas.domain.decisions import Decision
from quotas.domain.keys import counted_as, tenant_tag
from quotas.domain.limits import DenyAll
from quotas.domain.words import EVERY_SCOPE, Algorithm, CalendarUnit, SubjectKind
from quotas.engine import limiter
from quotas.engine.bundle import Asked, pack
from quotas.engine.hours import HOUR_US
from quotas.engine.sight import Seen, look_at_each
from quotas.engine.tallies import counting_at
from quotas.services.audit.kept import Counted, CountedHour, Kept, read_kept
from quotas.services.laying_out import Caller, subjects_of
from quotas.services.policy import Policy, zone_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date

    from quotas.domain.decisions import Verdict
    from quotas.domain.policies import Limit
    from quotas.engine.tallies import Tallied
    from quotas.services.policy import Plans, TenantRow

RECENT_US = 8 * 24 * HOUR_US
"""How far back rows are read one by one: a week of civil days, and what Redis holds."""


@dataclass(frozen=True)
class Books:
    """One tenant's: its rows, and its states and counts as of ``at_us`` or a little later."""

    tenant: TenantRow
    question: limiter.Question
    at_us: int
    kept: Kept
    seen: Seen

    @property
    def tallied(self) -> Tallied:
        """What Redis has counted."""
        return self.seen.tallied

    @cached_property
    def live(self) -> dict[tuple[str, int, int], Counted]:
        """The quarters of Redis, named as the database names them."""
        return quarters_of(self.tallied)

    @cached_property
    def quarters(self) -> dict[tuple[str, int, int], Counted]:
        """All quarters, each once: where both know one, as Redis has it."""
        return {**self.kept.quarters, **self.live}

    @cached_property
    def hours(self) -> dict[tuple[int, int], CountedHour]:
        """All hours likewise."""
        return {**self.kept.hours, **hours_of(self.tallied)}

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """What a call of cost 1 would be told by each limit; none when the policy had changed."""
        return self.seen.found.verdicts if isinstance(self.seen.found, Decision) else ()

    @property
    def in_use(self) -> bool:
        """Whether there is anything that a page could show."""
        return bool(
            self.quarters or self.kept.days or any(verdict.used for verdict in self.verdicts)
        )

    def units_since(self, since_us: int, scope: str) -> int:
        """Units counted for a scope, or for all of them, since an instant, or a little earlier."""
        found: list[tuple[str, int]] = [
            (of, counted.units)
            for (of, start_us, _), counted in self.quarters.items()
            if start_us >= since_us
        ]
        found += [(each.scope, each.units) for each in self.kept.older if each.until_us > since_us]
        day = self._date(since_us)
        found += [(each.scope, each.units) for each in self.kept.days if each.day >= day]
        return sum(units for of, units in found if scope in {EVERY_SCOPE, of})

    def of_one_memory(self, since_us: int) -> bool:
        """Whether Redis has remembered all that was counted since an instant."""
        generation = self.tallied.generation
        if 0 < generation <= since_us:
            return True
        day = self._date(since_us)
        return not (
            any(of != generation and us >= since_us for _, us, of in self.kept.quarters)
            or any(
                each.generation != generation and each.until_us > since_us
                for each in self.kept.older
            )
            or any(each.day >= day for each in self.kept.days)
        )

    def _date(self, at_us: int) -> date:
        return instant_at(at_us, zone_of(self.tenant.time_zone)).date()


def read_books(tenants: Sequence[TenantRow], plans: Plans) -> list[Books]:
    """Five queries, then one round trip but for that for the time. Raises `EngineUnavailable`."""
    at_us = counting_at()
    policies = [Policy(plan=plans.of(each.plan_pk), tenant=each) for each in tenants]
    edges = {
        edge
        for policy in policies
        for limit in policy.effective(None, at_us)
        if counts_periods(limit)
        for edge in policy.edges(CalendarUnit(getattr(limit.rule, "unit", "")), at_us)[:2]
    }
    recent_us = at_us - RECENT_US
    recent_us -= recent_us % HOUR_US
    kept = read_kept({each.pk: each for each in tenants}, at_us, recent_us, sorted(edges))
    questions = [_question(*each, at_us) for each in zip(tenants, policies, strict=True)]
    seen = look_at_each(questions)
    return [
        Books(tenant, question, at_us, kept.get(tenant.pk) or Kept(), each)
        for tenant, question, each in zip(tenants, questions, seen, strict=True)
    ]


def counts_periods(limit: Limit) -> bool:
    """Whether a limit counts the tenant itself by civil periods; an amount of 0 has no state."""
    return (
        limit.subject is SubjectKind.TENANT
        and not isinstance(limit.rule, DenyAll)
        and counted_as(limit.rule) is Algorithm.CALENDAR_QUOTA
    )


def quarters_of(tallied: Tallied) -> dict[tuple[str, int, int], Counted]:
    """By (scope, start, generation)."""
    return {
        (each.scope, each.start_us, tallied.generation): Counted(
            each.admitted,
            each.denied,
            each.shadow_denied,
            each.units,
            each.peak,
            {of.label: (of.denied, of.shadow_denied) for of in each.limits},
        )
        for each in tallied.quarters
    }


def hours_of(tallied: Tallied) -> dict[tuple[int, int], CountedHour]:
    """By (start, generation)."""
    return {
        (each.start_us, tallied.generation): CountedHour(
            each.admitted,
            each.denied,
            each.units,
            each.early,
            {of.caller: [of.admitted, of.denied, of.units, of.early] for of in each.callers},
            {of.label: [of.used, of.most] for of in each.peaks},
        )
        for each in tallied.hours
    }


def _question(tenant: TenantRow, policy: Policy, at_us: int) -> limiter.Question:
    limits = [each for each in policy.effective(None, at_us) if each.subject is SubjectKind.TENANT]
    bundle = pack(
        [Asked(limit, limit.subject) for limit in limits],
        edges_of=lambda unit: policy.edges(unit, at_us),
        span=policy.in_force(at_us).span,
    )
    subjects = subjects_of(Caller(address=""), tenant, (), bundle)
    owner = limiter.Owner(tenant_tag(tenant.pk), None, marked=True)
    return limiter.Question(bundle, subjects, owner)
