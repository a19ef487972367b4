"""What hypothesis draws for script and reference: limits with hard numbers, edits, calls."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta

from hypothesis import strategies as st

from quotas.domain.rules import build_rule
from quotas.domain.words import Algorithm, CalendarUnit, Mode

BUCKETS = {Algorithm.TOKEN_BUCKET, Algorithm.LEAKY_BUCKET}
NOT_IN_FLIGHT = [each for each in Algorithm if each is not Algorithm.CONCURRENCY]
DAY_US = 86_400_000_000
PERIODS_US = {
    "a microsecond": 1,
    "seven of them": 7,
    "a prime": 1_000_003,
    "a second": 10**6,
    "a minute": 60 * 10**6,
    "an hour": 3600 * 10**6,
    "a day": DAY_US,
    "a month": 30 * DAY_US,
    "a year": 365 * DAY_US,
    "the longest": 5 * 366 * DAY_US,
    "about the longest, prime": 158_111_999_999_977,
}
LAST_US = (1 << 52) - 1
"""The last instant that a state can keep, in 2112."""

amounts = st.one_of(
    st.integers(1, 20),
    st.sampled_from([7, 100, 1_000_003, 10**6, 999_999_999_989, 10**12, 0, None]),
)
capacities = st.one_of(st.integers(1, 20), st.sampled_from([1_000_003, 10**12, None]))
periods_us = st.one_of(st.sampled_from(sorted(PERIODS_US.values())), st.integers(1, 100))


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbers:
    """The numbers of a limit, as a row of the database has them."""

    algorithm: Algorithm
    amount: int | None
    period_us: int
    unit: CalendarUnit
    capacity: int | None

    @property
    def rule(self):
        if self.algorithm is Algorithm.CALENDAR_QUOTA:
            return build_rule(algorithm=self.algorithm, amount=self.amount, unit=self.unit)
        return build_rule(
            algorithm=self.algorithm,
            amount=self.amount,
            period=timedelta(microseconds=self.period_us),
            capacity=self.capacity if self.algorithm in BUCKETS else None,
        )

    @property
    def span_us(self):
        return DAY_US if self.algorithm is Algorithm.CALENDAR_QUOTA else self.period_us

    @property
    def most(self):
        return getattr(self.rule, "most_at_once", 10)


@st.composite
def numbers(draw, algorithm=None):
    return Numbers(
        algorithm=algorithm or draw(st.sampled_from(list(Algorithm))),
        amount=draw(amounts),
        period_us=draw(periods_us),
        unit=draw(st.sampled_from(list(CalendarUnit))),
        capacity=draw(capacities),
    )


@st.composite
def edited(draw, before):
    """Other numbers of the same limit, now and then another algorithm.

    Slots have a key of their own: a limit that comes back to them counts on, which the reference
    does not. So no edit leads to them or away, be it by a blank amount.
    """
    slots = before.algorithm is Algorithm.CONCURRENCY
    algorithm = before.algorithm
    if algorithm in NOT_IN_FLIGHT and draw(st.integers(0, 3)) == 0:
        algorithm = draw(st.sampled_from(NOT_IN_FLIGHT))
    after = draw(numbers(algorithm))
    if draw(st.booleans()):
        after = replace(after, period_us=before.period_us, unit=before.unit)
    return replace(after, amount=1) if slots and after.amount is None else after


@st.composite
def steps_us(draw, of):
    """A step in time that brings a call about an edge of a limit, or back before the last one."""
    unit_us = of.span_us // max(of.amount or 1, 1)
    return draw(
        st.one_of(
            st.sampled_from([0, 0, 1, unit_us, unit_us + 1, max(0, unit_us - 1)]),
            st.sampled_from([of.span_us, of.span_us + 1, of.span_us - 1, 2 * of.span_us]),
            st.integers(0, of.span_us),
            st.integers(-of.span_us, 0),
        )
    )


@st.composite
def costs(draw, of):
    most = max(of.most, 1)
    return draw(
        st.one_of(
            st.sampled_from([1, 1, 1, 0, 2, 255, 256, most, most + 1, -(-most // 2)]),
            st.integers(0, min(most, 30)),
        )
    )


modes = st.sampled_from([Mode.ENFORCE, Mode.ENFORCE, Mode.SHADOW])
