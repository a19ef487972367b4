"""What the calendar quotas of many tenants have used, read from Redis to be kept.

Only the tenant and its members can be named beforehand: what a credential, an address or a subject
of a throttle's own has used is in Redis alone, and starts anew when Redis loses its memory. So does
a quota that a throttle brings itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from quotas.domain.calendar import instant_at
from quotas.domain.keys import Subject, counted_as, subject_text, tenant_tag
from quotas.domain.limits import DenyAll
from quotas.domain.words import Algorithm, SubjectKind
from quotas.engine import limiter
from quotas.engine.bundle import Asked, pack
from quotas.services.loading import load_members
from quotas.services.policy import Policy

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from quotas.domain.decisions import Verdict
    from quotas.domain.policies import Limit
    from quotas.domain.words import CalendarUnit
    from quotas.engine.bundle import Edges
    from quotas.services.keeping import Row
    from quotas.services.policy import Plans, TenantRow

MOST_STATES = 2000
"""How many are read in one round trip, or a few more."""
OF_TENANT = ""
"""The subject of a balance that is the tenant's own."""


class _State(NamedTuple):
    """One calendar quota of one subject, named as a balance names it."""

    limit: Limit
    subject: str


class _Asking(NamedTuple):
    """States of one tenant that are read in one call."""

    tenant: TenantRow
    policy: Policy
    states: Sequence[_State]


class _Reader:
    """Reads states as of an instant. The edges of periods are found once for all tenants."""

    def __init__(self, at_us: int) -> None:
        self.at_us = at_us
        self._edges: dict[tuple[str, int, CalendarUnit], Edges] = {}

    def read(self, askings: Sequence[_Asking]) -> Iterator[Row]:
        """The balances of these states.

        Whose policy does not hold at the engine's instant is asked once more, as of that. The mark
        does not matter: it is gone after three days without a call, and what is there without it
        was there before or came from the database.
        """
        answers = limiter.peek_each([self.question(each) for each in askings], as_unused=True)
        for asking, answer in zip(askings, answers, strict=True):
            found = answer
            if isinstance(found, limiter.Refused):
                again = _Reader(found.now_us).question(asking)
                (found,) = limiter.peek_each([again], as_unused=True)
            if isinstance(found, limiter.Refused):
                continue
            for state, verdict in zip(asking.states, found.verdicts, strict=True):
                if verdict.used:
                    yield _balance(asking.tenant, state, verdict, found.now_us)

    def question(self, asking: _Asking) -> limiter.Question:
        tag, epoch = tenant_tag(asking.tenant.pk), asking.tenant.epoch
        bundle = pack(
            [Asked(each.limit, each.subject) for each in asking.states],
            edges_of=lambda unit: self._edges_of(asking, unit),
            span=asking.policy.in_force(self.at_us).span,
        )
        own = subject_text(SubjectKind.TENANT)
        texts = {each.subject for each in asking.states}
        subjects = {text: Subject(tag, text or own, epoch) for text in texts}
        return limiter.Question(bundle, subjects, limiter.Owner(tag, None, marked=True))

    def _edges_of(self, asking: _Asking, unit: CalendarUnit) -> Edges:
        key = (asking.tenant.time_zone, asking.tenant.anchor_day, unit)
        if key not in self._edges:
            self._edges[key] = asking.policy.edges(unit, self.at_us)
        return self._edges[key]


def used_of(tenants: Sequence[TenantRow], plans: Plans, at_us: int) -> list[Row]:
    """A balance of each quota that a subject has used of, always in the same order.

    ``at_us`` is about now. Creates nothing in Redis. What Redis has lost has no balance to give:
    what the database knows of it stays. Raises `EngineUnavailable`.
    """
    reader = _Reader(at_us)
    found: list[Row] = []
    waiting: list[_Asking] = []
    for asking in _askings(tenants, plans, at_us):
        waiting.append(asking)
        if sum(len(each.states) for each in waiting) >= MOST_STATES:
            found += reader.read(waiting)
            waiting = []
    if waiting:
        found += reader.read(waiting)
    return sorted(found)


def _askings(tenants: Sequence[TenantRow], plans: Plans, at_us: int) -> Iterator[_Asking]:
    """The calendar quotas of each tenant that has any, and of its members where they count."""
    having: list[tuple[TenantRow, Policy, list[Limit]]] = []
    for tenant in tenants:
        policy = Policy(plan=plans.of(tenant.plan_pk), tenant=tenant)
        if limits := [each for each in policy.effective(None, at_us) if _can_be_kept(each)]:
            having.append((tenant, policy, limits))
    by_user = [
        tenant.pk
        for tenant, _, limits in having
        if any(each.subject is SubjectKind.USER for each in limits)
    ]
    members = load_members(by_user) if by_user else {}
    for tenant, policy, limits in having:
        users = [subject_text(SubjectKind.USER, each) for each in members.get(tenant.pk, ())]
        states = [
            _State(each, text)
            for each in limits
            for text in (users if each.subject is SubjectKind.USER else [OF_TENANT])
        ]
        for start in range(0, len(states), MOST_STATES):
            yield _Asking(tenant, policy, states[start : start + MOST_STATES])


def _can_be_kept(limit: Limit) -> bool:
    """Whether it counts civil periods, of subjects that can be named beforehand.

    An amount of 0 has no state.
    """
    return (
        limit.subject in {SubjectKind.TENANT, SubjectKind.USER}
        and not isinstance(limit.rule, DenyAll)
        and counted_as(limit.rule) is Algorithm.CALENDAR_QUOTA
    )


def _balance(tenant: TenantRow, state: _State, verdict: Verdict, at_us: int) -> Row:
    """What was used in the period that the state is of.

    As `quotas.services.keeping.BALANCES` has its columns.
    """
    limit = state.limit
    unit = str(getattr(limit.rule, "unit", ""))
    epoch = tenant.epoch_of(limit.scope, limit.name)
    same = (tenant.pk, epoch, limit.scope, limit.name, state.subject, unit)
    start, end = map(instant_at, verdict.period)
    return (*same, start, end, verdict.used, instant_at(at_us))
