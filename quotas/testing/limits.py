"""A limit for one test, in the place of what plans, overrides and code say."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from unittest.mock import patch

from quotas.domain.limits import Rule
from quotas.domain.policies import Limit, Source
from quotas.domain.rules import build_rule
from quotas.domain.words import Algorithm, CalendarUnit, Mode, OutagePolicy, SubjectKind
from quotas.services import enforcement, laying_out
from quotas.services.attempt import Attempt
from quotas.services.enforcement import Ask
from quotas.services.policy import InForce, Policy
from quotas.services.store import Store, store

NAME = "test"
SOURCE = Source(kind="code", title="override_limit")


@contextmanager
def override_limit(  # noqa: PLR0913 - the columns of a limit, by keyword
    scope: str,
    *,
    amount: int | None,
    period: timedelta | float | None = None,
    name: str | None = None,
    algorithm: Algorithm | str | None = None,
    unit: CalendarUnit | str | None = None,
    capacity: int | None = None,
    subject: SubjectKind | str | None = None,
    mode: Mode | str = Mode.ENFORCE,
    outage_policy: OutagePolicy | str | None = None,
) -> Iterator[None]:
    """Give everyone this limit for ``scope``, whatever the plan, an override or a throttle says.

    Without a ``name`` it is the only one of its scope; with one it takes the place of that limit,
    or is added. Limits of other scopes stay, those of ``*`` among them. The rule is a whole one:
    ``period`` is a duration or seconds, ``algorithm`` a token bucket, or with a ``unit`` a calendar
    quota. Who is counted and what an outage does stay as they were, if they are not given. Callers
    without a plan have the limit too. Raises `InvalidLimit`.
    """
    usual = Algorithm.CALENDAR_QUOTA if unit else Algorithm.TOKEN_BUCKET
    span = timedelta(seconds=period) if isinstance(period, int | float) else period
    rule = build_rule(
        algorithm=algorithm or usual, amount=amount, period=span, unit=unit, capacity=capacity
    )
    stand_in = _StandIn(
        scope=scope,
        name=name,
        rule=rule,
        mode=Mode(mode),
        subject=None if subject is None else SubjectKind(subject),
        outage_policy=None if outage_policy is None else OutagePolicy(outage_policy),
    )
    with _put_in_place(stand_in):
        yield


@dataclass(frozen=True, slots=True, kw_only=True)
class _StandIn:
    """A rule that takes the place of limits; None: as it was in them."""

    scope: str
    name: str | None
    rule: Rule
    mode: Mode
    subject: SubjectKind | None
    outage_policy: OutagePolicy | None

    def replaces(self, limit: Limit) -> bool:
        return limit.scope == self.scope and self.name in {None, limit.name}

    def over(self, limit: Limit | None) -> Limit:
        """The limit that stands for ``limit``."""
        was = limit or Limit(scope=self.scope, name=self.name or NAME, rule=self.rule)
        return replace(
            was,
            rule=self.rule,
            mode=self.mode,
            subject=self.subject or was.subject,
            outage_policy=self.outage_policy or was.outage_policy,
            source=SOURCE,
        )

    def among(self, found: InForce) -> InForce:
        """The rows of a plan and its overrides with this in place."""
        replaced = [limit for limit in found.rows.values() if self.replaces(limit)]
        ours = self.over(replaced[0] if replaced else None)
        rows = {known: row for known, row in found.rows.items() if not self.replaces(row)}
        return InForce(rows | {(ours.scope, ours.name): ours}, found.span)

    def within(self, ask: Ask) -> Ask:
        """What a throttle asks, with this in place if the throttle has a limit of its own."""
        if ask.limit is None or not self.replaces(ask.limit):
            return ask
        return replace(ask, limit=self.over(ask.limit))


IN_FORCE, ANONYMOUS, DISTINCT = Policy.in_force, Store.anonymous, laying_out.distinct
_in_place: list[_StandIn] = []


def _in_force(policy: Policy, at_us: int) -> InForce:
    found = IN_FORCE(policy, at_us)
    for stand_in in _in_place:
        found = stand_in.among(found)
    return found


def _anonymous(held: Store, attempt: Attempt) -> Policy:
    return ANONYMOUS(held, attempt) or Policy(plan=None)


def _distinct(asks: Iterable[Ask]) -> tuple[Ask, ...]:
    for stand_in in _in_place:
        asks = [stand_in.within(ask) for ask in asks]
    return DISTINCT(asks)


@contextmanager
def _put_in_place(stand_in: _StandIn) -> Iterator[None]:
    """Put ``stand_in`` over every policy and every ask, and over those that are there already."""
    with (
        patch.object(Policy, "in_force", _in_force),
        patch.object(Store, "anonymous", _anonymous),
        patch.object(enforcement, "distinct", _distinct),
    ):
        _in_place.append(stand_in)
        store.forget()  # policies keep what was laid out before
        try:
            yield
        finally:
            _in_place.remove(stand_in)
            store.forget()
