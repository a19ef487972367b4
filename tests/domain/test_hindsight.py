"""What a rule would have denied of what was used: never more than it does, call by call."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quotas.domain.hindsight import Grid, can_be_told, certainly_denied, stretches
from quotas.domain.limits import CalendarQuota, DenyAll, Unlimited
from quotas.domain.reference import Reference
from quotas.domain.rules import build_rule
from quotas.domain.words import Algorithm, CalendarUnit
from tests.domain.calls import rule
from tests.domain.drawn import BUCKETS, unhurried

MINUTE, HOUR, DAY = 60, 3600, 86_400
QUARTER_US, DAY_US = 900 * 10**6, DAY * 10**6
RATES = [each for each in Algorithm if each not in {"calendar_quota", "concurrency"}]
DAILY = CalendarQuota(amount=100, unit=CalendarUnit.DAY)
MIDNIGHT_US = 20_000 * DAY_US


def denied(judged, units, *, start_us=MIDNIGHT_US, edges=()):
    grid = Grid(start_us=start_us, span_us=QUARTER_US, count=len(units), edges=edges)
    return certainly_denied(units, stretches(judged, grid))


@pytest.mark.parametrize(
    ("judged", "units", "over"),
    [
        pytest.param(rule("fixed_window", 10, MINUTE), [150], 0, id="as-much-as-fits"),
        pytest.param(rule("fixed_window", 10, MINUTE), [151, 149], 1, id="each-quarter-apart"),
        pytest.param(rule("fixed_window", 10, HOUR), [4, 4, 4, 4, 9, 9], 14, id="each-hour"),
        pytest.param(rule("sliding_window_counter", 10, HOUR), [9, 9, 0, 0], 8, id="counter"),
        pytest.param(rule("sliding_window_log", 10, HOUR), [0, 4, 4, 4, 4], 6, id="any-hour"),
        pytest.param(rule("sliding_window_log", 1, MINUTE), [16, 16], 2, id="log-of-minutes"),
        pytest.param(
            rule("token_bucket", 1, MINUTE, capacity=20), [35, 36, 0], 21, id="one-burst-for-two"
        ),
        pytest.param(
            rule("token_bucket", 1, MINUTE, capacity=5), [30, 0, 0, 30], 20, id="a-burst-each"
        ),
        pytest.param(rule("leaky_bucket", 1, MINUTE, capacity=5), [30], 10, id="queue"),
        pytest.param(rule("fixed_window", 100, 7 * DAY), [60, 60], 20, id="longer-than-is-known"),
        pytest.param(DenyAll(algorithm=Algorithm.TOKEN_BUCKET), [3, 0, 4], 7, id="none-at-all"),
        pytest.param(
            Unlimited(algorithm=Algorithm.TOKEN_BUCKET, period=timedelta(1)), [9], 0, id="no-end"
        ),
        pytest.param(rule("fixed_window", 10, MINUTE), [], 0, id="nothing-known"),
    ],
)
def test_what_is_beyond_the_most_that_fits_is_over(judged, units, over):
    assert over == denied(judged, units)


def test_a_window_that_begins_before_what_is_known_counts_by_its_rest():
    start_us = MIDNIGHT_US + 2 * QUARTER_US

    assert 2 == denied(rule("fixed_window", 10, HOUR), [6, 6, 6, 4], start_us=start_us)


@pytest.mark.parametrize(
    ("units", "over"), [([60, 60, 60, 60], 40), ([99, 99, 99, 0], 97 + 1), ([1, 100, 100, 1], 2)]
)
def test_each_civil_period_has_its_amount(units, over):
    midnight_us = MIDNIGHT_US + 2 * QUARTER_US
    edges = [midnight_us - DAY_US, midnight_us, midnight_us + DAY_US]

    assert over == denied(DAILY, units, edges=edges)


def test_of_calls_in_flight_sums_of_units_tell_nothing():
    flight = rule("concurrency", 1, MINUTE)

    assert not can_be_told(flight)
    assert 0 == denied(flight, [10**6])


SPAN = 12
EDGES = list(range(-SPAN * 4, SPAN * 12, 17))


def _around(now_us):
    place = max(number for number, edge in enumerate(EDGES) if edge <= now_us)
    return tuple(EDGES[place - 1 : place + 3])


@st.composite
def _rules(draw):
    algorithm = draw(st.sampled_from([*RATES, Algorithm.CALENDAR_QUOTA]))
    amount = draw(st.integers(1, 6))
    if algorithm is Algorithm.CALENDAR_QUOTA:
        return CalendarQuota(amount=amount, unit=CalendarUnit.DAY)
    return build_rule(
        algorithm=algorithm,
        amount=amount,
        period=timedelta(microseconds=draw(st.integers(1, 40))),
        capacity=draw(st.integers(1, 6)) if algorithm in BUCKETS else None,
    )


@unhurried
@given(
    judged=_rules(),
    calls=st.lists(st.tuples(st.integers(0, SPAN * 6 - 1), st.integers(1, 4)), max_size=60),
)
def test_the_rule_denies_at_least_as_much_when_the_same_calls_come_again(judged, calls):
    units = [0] * 6
    for at_us, cost in calls:
        units[at_us // SPAN] += cost
    grid = Grid(start_us=0, span_us=SPAN, count=6, edges=EDGES)
    limit = Reference(judged, edges=_around)

    over = sum(cost for at_us, cost in sorted(calls) if not limit.consume(cost, at_us).fits)

    assert certainly_denied(units, stretches(judged, grid)) <= over
