"""One limit of one subject: judged, charged, and edited while in use."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from quotas.domain.limits import (
    MOST_AMOUNT,
    CalendarQuota,
    Concurrency,
    DenyAll,
    FixedWindow,
    LeakyBucket,
    Rule,
    SlidingWindowCounter,
    SlidingWindowLog,
    TokenBucket,
    Unlimited,
)
from quotas.domain.reference.buckets import Queue, Tokens
from quotas.domain.reference.judgement import Giving, Judgement, Standing, need_cost
from quotas.domain.reference.log import Log
from quotas.domain.reference.slots import Slots
from quotas.domain.reference.windows import CivilPeriod, Edges, EpochWindow, TwoWindows
from quotas.domain.words import Algorithm, CalendarUnit
from quotas.errors import InvalidLimit

Counted = (
    TokenBucket
    | LeakyBucket
    | FixedWindow
    | SlidingWindowCounter
    | SlidingWindowLog
    | CalendarQuota
    | Concurrency
)


class Reference:
    """The state of one limit for one subject, as its last admitted call left it.

    ``edges`` is needed for a calendar quota. Instants in microseconds. A cost that is not a whole
    number of at least 0 raises `InvalidCost`.
    """

    def __init__(self, rule: Rule, *, edges: Edges | None = None) -> None:
        self.rule = rule
        self._edges = edges
        self._state: Standing | None = None
        self._in_flight: Slots | None = None
        self._periods: dict[CalendarUnit, CivilPeriod] = {}

    def judge(self, cost: int, now_us: int) -> Judgement:
        """What the limit answers to ``cost`` now. Changes nothing."""
        need_cost(cost)
        if isinstance(self.rule, DenyAll):
            return _judged_without_amount(fits=cost == 0, remaining=0, at_us=now_us)
        standing = self._standing(self.rule, now_us)
        if isinstance(self.rule, Unlimited):
            return _judged_without_amount(fits=True, remaining=None, at_us=standing.at_us)
        return _from_now(
            standing.judged(cost), now_us, queued=isinstance(standing, Queue) and cost > 0
        )

    def charge(self, cost: int, now_us: int, *, slot: str | None = None) -> None:
        """Deduct a cost that was judged to fit. ``slot`` names what a call in flight takes."""
        need_cost(cost)
        if cost == 0 or isinstance(self.rule, DenyAll):
            return
        standing = self._standing(self.rule, now_us)
        if isinstance(standing, CivilPeriod):
            self._periods[standing.rule.unit] = standing.charged(cost)
            return
        if isinstance(self._state, Slots) and not isinstance(standing, Slots):
            self._in_flight = self._state
        if isinstance(standing, Slots):
            self._state = standing.charged(cost, slot)
        else:
            self._state = standing.charged(cost)

    def consume(self, cost: int, now_us: int, *, slot: str | None = None) -> Judgement:
        """Judge, and charge what fits. A denied call leaves everything as it was."""
        judgement = self.judge(cost, now_us)
        if judgement.fits:
            self.charge(cost, now_us, slot=slot)
        return judgement

    def grant(self, units: int, now_us: int) -> int:
        """Give back up to ``units`` at once; how many were taken and given. Else nothing changes.

        Of a rule that does not give at once: none.
        """
        if isinstance(self.rule, DenyAll | Unlimited):
            return 0
        standing = self._standing(self.rule, now_us)
        given = min(units, standing.taken) if isinstance(standing, Giving) else 0
        if isinstance(standing, Giving) and given:
            self._state = standing.granted(given)
        return given

    def edit(self, rule: Rule, *, edges: Edges | None = None) -> None:
        """Put another rule, and if given other civil periods, in force at once.

        The state is not touched: each call reads it under the rule then in force, and takes it for
        absent when it is of another algorithm, or of a fixed window or counter of another period.
        Only an admitted call writes it anew; so an edit that is taken back before one comes has had
        no effect. Calls in flight are a fact, not a count: their slots outlive a change of
        algorithm. So do civil periods, those of each unit: they are books.
        """
        self.rule = rule
        self._edges = edges or self._edges

    def release(self, slot: str | None = None) -> None:
        """Give a slot back: the one taken first unless named. An unknown one was free already."""
        if isinstance(self._state, Slots):
            self._state = self._state.released(slot)

    def _standing(  # noqa: PLR0911, one return an algorithm
        self, rule: Counted | Unlimited, now_us: int
    ) -> Standing:
        before = self._state
        match _counting_rule(rule):
            case TokenBucket() as rule:
                return Tokens.under(rule, before, now_us)
            case LeakyBucket() as rule:
                return Queue.under(rule, before, now_us)
            case FixedWindow() as rule:
                return EpochWindow.under(rule, before, now_us)
            case SlidingWindowCounter() as rule:
                return TwoWindows.under(rule, before, now_us)
            case SlidingWindowLog() as rule:
                return Log.under(rule, before, now_us)
            case Concurrency() as rule:
                return Slots.under(rule, self._flying(now_us), now_us)
            case CalendarQuota() as rule:
                period = self._periods.get(rule.unit)
                return CivilPeriod.under(rule, period, now_us, self._need_edges())

    def _flying(self, now_us: int) -> Standing | None:
        """Calls in flight stay so, whatever algorithm the limit had in between."""
        if isinstance(self._state, Slots) or self._in_flight is None:
            return self._state
        return replace(self._in_flight, at_us=now_us)

    def _need_edges(self) -> Edges:
        if self._edges is None:
            raise InvalidLimit(
                f"{self.rule!r}: give edges, the civil periods that a calendar quota counts in."
            )
        return self._edges


def _from_now(judged: Judgement, now_us: int, *, queued: bool) -> Judgement:
    """Waits counted from ``now_us`` where the clock has stepped back behind the state."""
    lag = max(0, judged.at_us - now_us)
    return replace(
        judged,
        wait_us=judged.wait_us + lag if judged.wait_us else judged.wait_us,
        delay_us=judged.delay_us + lag if queued and judged.fits else 0,
        reset_us=None if judged.reset_us is None else judged.reset_us + lag,
    )


def _counting_rule(rule: Counted | Unlimited) -> Counted:
    """The rule in whose state ``rule`` is counted.

    A blank amount counts where its windows or its calendar would; other algorithms, as a fixed
    window. The amount that stands in for it is never asked.
    """
    if not isinstance(rule, Unlimited):
        return rule
    if rule.unit is not None:
        return CalendarQuota(amount=MOST_AMOUNT, unit=rule.unit)
    period = timedelta(microseconds=rule.period_us)
    if rule.algorithm is Algorithm.CONCURRENCY:
        return Concurrency(amount=MOST_AMOUNT, period=period)
    if rule.algorithm is Algorithm.SLIDING_WINDOW_COUNTER:
        return SlidingWindowCounter(amount=MOST_AMOUNT, period=period)
    return FixedWindow(amount=MOST_AMOUNT, period=period)


def _judged_without_amount(*, fits: bool, remaining: int | None, at_us: int) -> Judgement:
    return Judgement(
        fits=fits,
        wait_us=0 if fits else None,
        delay_us=0,
        remaining=remaining,
        reset_us=None,
        at_us=at_us,
    )
