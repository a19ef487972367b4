"""What hypothesis draws for the reference: small limits, and calls that crowd at their edges."""

from __future__ import annotations

from datetime import timedelta

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from quotas.domain.limits import CalendarQuota
from quotas.domain.reference import Reference
from quotas.domain.rules import build_rule
from quotas.domain.words import Algorithm, CalendarUnit
from tests.domain.calls import START_US, days_of

BUCKETS = [Algorithm.TOKEN_BUCKET, Algorithm.LEAKY_BUCKET]
DAY_HOURS = 24
MOST_CALLS = 25

unhurried = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
"""A busy machine is no fault of the reference."""

amounts = st.integers(1, 20)
periods_us = st.one_of(
    st.integers(1, 50), st.integers(1, 10**9), st.sampled_from([10**6, 60 * 10**6, 3600 * 10**6])
)


@st.composite
def rules(draw, algorithms=tuple(Algorithm)):
    algorithm = draw(st.sampled_from(algorithms))
    amount = draw(amounts)
    if algorithm is Algorithm.CALENDAR_QUOTA:
        return CalendarQuota(amount=amount, unit=CalendarUnit.DAY)
    return build_rule(
        algorithm=algorithm,
        amount=amount,
        period=timedelta(microseconds=draw(periods_us)),
        capacity=draw(amounts) if algorithm in BUCKETS else None,
    )


@st.composite
def calls(draw, rule):
    """A list of (cost, instant in us): at once, about a unit's time apart, a period's, or back."""
    period_us = getattr(rule, "period_us", DAY_HOURS * 3600 * 10**6)
    unit_us = period_us // rule.amount + 1
    gap = st.one_of(
        st.just(0),
        st.integers(0, 2 * unit_us),
        st.integers(0, 2 * period_us),
        st.integers(-period_us, 0),
    )
    costs = st.one_of(st.just(1), st.integers(0, rule.most_at_once + 1))
    now_us = START_US + draw(st.integers(0, period_us))
    drawn = []
    for cost, step in draw(st.lists(st.tuples(costs, gap), max_size=MOST_CALLS)):
        now_us += step
        drawn.append((cost, now_us))
    return drawn


@st.composite
def limits_in_use(draw, algorithms=tuple(Algorithm)):
    """A limit after some calls, and the instant of the last of them."""
    rule = draw(rules(algorithms))
    limit = fresh(rule)
    now_us = START_US
    for cost, at_us in draw(calls(rule)):
        limit.consume(cost, at_us)
        now_us = at_us
    return limit, now_us


def fresh(rule):
    return Reference(rule, edges=days_of(DAY_HOURS))
