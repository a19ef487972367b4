from __future__ import annotations

from dataclasses import FrozenInstanceError
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quotas.domain.limits import (
    DEFAULT_LEASE,
    LONGEST_PERIOD,
    MOST_AMOUNT,
    CalendarQuota,
    Concurrency,
    DenyAll,
    FixedWindow,
    LeakyBucket,
    SlidingWindowCounter,
    SlidingWindowLog,
    TokenBucket,
    Unlimited,
)
from quotas.domain.rules import build_rule
from quotas.domain.words import Algorithm, CalendarUnit
from quotas.errors import InvalidLimit, QuotasError

MINUTE = timedelta(minutes=1)
RULES = {
    Algorithm.TOKEN_BUCKET: TokenBucket(amount=10, period=MINUTE, capacity=10),
    Algorithm.LEAKY_BUCKET: LeakyBucket(amount=10, period=MINUTE, capacity=10),
    Algorithm.FIXED_WINDOW: FixedWindow(amount=10, period=MINUTE),
    Algorithm.SLIDING_WINDOW_COUNTER: SlidingWindowCounter(amount=10, period=MINUTE),
    Algorithm.SLIDING_WINDOW_LOG: SlidingWindowLog(amount=10, period=MINUTE),
    Algorithm.CALENDAR_QUOTA: CalendarQuota(amount=10, unit=CalendarUnit.MONTH),
    Algorithm.CONCURRENCY: Concurrency(amount=10, period=MINUTE),
}
each_algorithm = pytest.mark.parametrize("algorithm", Algorithm)
each_bucket = pytest.mark.parametrize("bucket", [TokenBucket, LeakyBucket])


def length(algorithm):
    """What says how long: a unit for a calendar quota, a period for every other algorithm."""
    if algorithm is Algorithm.CALENDAR_QUOTA:
        return {"unit": CalendarUnit.MONTH}
    return {"period": MINUTE}


@each_algorithm
def test_loose_numbers_make_the_rule_of_their_algorithm(algorithm):
    rule = build_rule(algorithm=algorithm.value, amount=10, **length(algorithm))

    assert RULES[algorithm] == rule
    assert algorithm is rule.algorithm


@each_algorithm
def test_c2_an_amount_of_zero_denies_all_and_a_blank_one_is_unlimited(algorithm):
    denying = build_rule(algorithm=algorithm, amount=0, **length(algorithm))
    unlimited = build_rule(algorithm=algorithm, amount=None, **length(algorithm))

    assert DenyAll(algorithm=algorithm) == denying
    assert (0, 0) == (denying.amount, denying.most_at_once)
    assert Unlimited(algorithm=algorithm, **length(algorithm)) == unlimited
    assert unlimited.amount is None


@each_algorithm
@pytest.mark.parametrize("amount", [-1, True, False, 0.0, 1.0, "10", MOST_AMOUNT + 1], ids=repr)
def test_an_amount_that_is_no_whole_number_in_bounds_is_refused_by_name(algorithm, amount):
    with pytest.raises(InvalidLimit, match=rf"amount is {amount!r}: give a whole number from 1"):
        build_rule(algorithm=algorithm, amount=amount, **length(algorithm))


@pytest.mark.parametrize("amount", [10, 0, None])
@pytest.mark.parametrize("algorithm", sorted(set(Algorithm) - {Algorithm.CALENDAR_QUOTA}))
@pytest.mark.parametrize(
    "period",
    [
        pytest.param(timedelta(0), id="nothing"),
        pytest.param(timedelta(microseconds=-1), id="negative"),
        pytest.param(LONGEST_PERIOD + timedelta(microseconds=1), id="too-long"),
        pytest.param(60, id="a-number"),
    ],
)
def test_a_period_out_of_bounds_is_refused_whatever_the_amount(algorithm, amount, period):
    with pytest.raises(InvalidLimit, match=r"period is .+: give a duration above 0 and at most"):
        build_rule(algorithm=algorithm, amount=amount, period=period)


@pytest.mark.parametrize("amount", [10, 0, None])
@pytest.mark.parametrize("capacity", [0, -1, True, 1.5, MOST_AMOUNT + 1], ids=repr)
@pytest.mark.parametrize("algorithm", ["token_bucket", "leaky_bucket"])
def test_a_capacity_out_of_bounds_is_refused_whatever_the_amount(algorithm, amount, capacity):
    with pytest.raises(InvalidLimit, match=rf"capacity is {capacity!r}: .+blank is the amount"):
        build_rule(algorithm=algorithm, amount=amount, period=MINUTE, capacity=capacity)


@pytest.mark.parametrize("amount", [10, 0, None])
@pytest.mark.parametrize(
    ("numbers", "reason"),
    [
        pytest.param(
            {"algorithm": "leaking_bucket", "period": MINUTE},
            "algorithm is 'leaking_bucket': give one of token_bucket, leaky_bucket",
            id="unknown-algorithm",
        ),
        pytest.param(
            {"algorithm": "calendar_quota", "unit": "decade"},
            "unit is 'decade': give one of day, week, month, year",
            id="unknown-unit",
        ),
        pytest.param({"algorithm": "calendar_quota"}, "takes a unit", id="calendar-without-unit"),
        pytest.param(
            {"algorithm": "calendar_quota", "unit": "day", "period": MINUTE},
            "a calendar quota takes a unit and no period",
            id="calendar-with-a-period",
        ),
        pytest.param({"algorithm": "fixed_window"}, "takes a period", id="window-without-period"),
        pytest.param(
            {"algorithm": "fixed_window", "period": MINUTE, "unit": "day"},
            "fixed_window takes a period and no unit",
            id="window-with-a-unit",
        ),
        pytest.param(
            {"algorithm": "sliding_window_log", "period": MINUTE, "capacity": 5},
            "capacity is 5: only a bucket has one, sliding_window_log does not",
            id="window-with-a-capacity",
        ),
        pytest.param(
            {"algorithm": "calendar_quota", "unit": "day", "capacity": 5},
            "capacity is 5: only a bucket has one, calendar_quota does not",
            id="calendar-with-a-capacity",
        ),
    ],
)
def test_what_is_missing_or_superfluous_is_refused_whatever_the_amount(numbers, reason, amount):
    with pytest.raises(InvalidLimit, match=reason):
        build_rule(amount=amount, **numbers)


def test_a_blank_capacity_is_the_amount_and_a_blank_lease_a_minute():
    bucket = build_rule(algorithm="token_bucket", amount=7, period=MINUTE)
    slots = build_rule(algorithm="concurrency", amount=7, unit="")

    assert 7 == bucket.capacity
    assert DEFAULT_LEASE == slots.period == Concurrency(amount=7).period == MINUTE


@each_algorithm
def test_w5_the_largest_cost_that_ever_fits_is_the_amount_or_the_capacity(algorithm):
    assert 10 == RULES[algorithm].most_at_once


def test_w5_a_bucket_takes_its_capacity_at_once_not_its_amount():
    assert 3 == TokenBucket(amount=10, period=MINUTE, capacity=3).most_at_once


@pytest.mark.parametrize(
    ("seconds", "most"),
    [
        pytest.param(0, 20, id="burst"),
        pytest.param(2, 23, id="burst-and-refill"),
        pytest.param(60, 120, id="one-period-allows-more-than-amount"),
    ],
)
@each_bucket
def test_a_bucket_promises_its_capacity_and_what_is_refilled(bucket, seconds, most):
    rule = bucket(amount=100, period=MINUTE, capacity=20)

    assert most == rule.most_allowed_in(timedelta(seconds=seconds))


@pytest.mark.parametrize(
    ("window", "seconds", "most"),
    [
        pytest.param(FixedWindow, 1, 20, id="fixed-around-an-edge"),
        pytest.param(FixedWindow, 60, 20, id="fixed-in-a-period"),
        pytest.param(FixedWindow, 61, 30, id="fixed-beyond-a-period"),
        pytest.param(SlidingWindowCounter, 60, 20, id="counter-at-its-worst"),
        pytest.param(SlidingWindowLog, 1, 10, id="log-in-a-second"),
        pytest.param(SlidingWindowLog, 60, 10, id="log-in-a-period"),
        pytest.param(SlidingWindowLog, 61, 20, id="log-beyond-a-period"),
    ],
)
def test_a_window_promises_its_amount_for_each_period_that_is_touched(window, seconds, most):
    assert most == window(amount=10, period=MINUTE).most_allowed_in(timedelta(seconds=seconds))


@each_bucket
@given(
    amount=st.integers(1, MOST_AMOUNT),
    period_us=st.integers(1, LONGEST_PERIOD // timedelta(microseconds=1)),
)
def test_a_buckets_rate_is_the_exact_fraction_in_lowest_terms(bucket, amount, period_us):
    rule = bucket(amount=amount, period=timedelta(microseconds=period_us), capacity=1)

    refill, token = rule.rate

    assert amount * token == period_us * refill
    assert refill <= amount
    assert period_us == rule.period_us


def test_the_rate_of_a_hundred_a_minute_is_one_unit_in_600_thousand():
    assert (1, 600_000) == TokenBucket(amount=100, period=MINUTE, capacity=20).rate


@pytest.mark.parametrize(
    "numbers",
    [
        pytest.param({"algorithm": Algorithm.FIXED_WINDOW}, id="neither"),
        pytest.param({"algorithm": Algorithm.FIXED_WINDOW, "unit": CalendarUnit.DAY}, id="unit"),
        pytest.param({"algorithm": Algorithm.CALENDAR_QUOTA, "period": MINUTE}, id="period"),
    ],
)
def test_an_unlimited_rule_keeps_what_says_how_long(numbers):
    with pytest.raises(InvalidLimit, match="give a period, or for a calendar quota a unit"):
        Unlimited(**numbers)


def test_a_calendar_quota_with_a_unit_of_its_own_invention_is_refused():
    with pytest.raises(InvalidLimit, match="unit is 'decade': give one of day, week, month, year"):
        CalendarQuota(amount=1, unit="decade")


def test_a_period_is_whole_microseconds_inside_and_none_for_a_calendar_quota():
    blank_month = Unlimited(algorithm=Algorithm.CALENDAR_QUOTA, unit=CalendarUnit.MONTH)
    blank_log = Unlimited(algorithm=Algorithm.SLIDING_WINDOW_LOG, period=MINUTE)

    assert 60_000_000 == Concurrency(amount=1).period_us == blank_log.period_us
    assert 0 == blank_month.period_us


@each_algorithm
def test_a_rule_cannot_be_altered(algorithm):
    with pytest.raises(FrozenInstanceError):
        RULES[algorithm].amount = 11


def test_a_refused_rule_is_a_value_error_under_our_own_root():
    assert issubclass(InvalidLimit, ValueError)
    assert issubclass(InvalidLimit, QuotasError)
