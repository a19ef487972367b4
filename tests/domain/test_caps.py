from __future__ import annotations

from datetime import timedelta

import pytest

from quotas.domain.caps import capped
from quotas.domain.keys import record_kind
from quotas.domain.limits import (
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
from quotas.domain.policies import Limit
from quotas.domain.words import Algorithm, CalendarUnit, Mode
from quotas.errors import InvalidLimit

MINUTE = timedelta(minutes=1)
MONTH = CalendarUnit.MONTH


def a_limit(rule, **fields):
    return Limit(scope="api", name="only", rule=rule, **fields)


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        (
            TokenBucket(amount=100, period=MINUTE, capacity=200),
            TokenBucket(amount=50, period=MINUTE, capacity=50),
        ),
        (
            TokenBucket(amount=100, period=MINUTE, capacity=20),
            TokenBucket(amount=50, period=MINUTE, capacity=20),
        ),
        (
            LeakyBucket(amount=10, period=MINUTE, capacity=60),
            LeakyBucket(amount=10, period=MINUTE, capacity=50),
        ),
        (FixedWindow(amount=100, period=MINUTE), FixedWindow(amount=50, period=MINUTE)),
        (
            SlidingWindowCounter(amount=100, period=MINUTE),
            SlidingWindowCounter(amount=50, period=MINUTE),
        ),
        (SlidingWindowLog(amount=100, period=MINUTE), SlidingWindowLog(amount=50, period=MINUTE)),
        (CalendarQuota(amount=100, unit=MONTH), CalendarQuota(amount=50, unit=MONTH)),
        (Concurrency(amount=100), Concurrency(amount=50)),
    ],
)
def test_a_cap_lowers_amount_and_capacity_and_keeps_the_kind_of_state(rule, expected):
    limit = capped(a_limit(rule), 50)

    assert (expected, 50, rule.amount) == (limit.rule, limit.cap, limit.uncapped)
    assert record_kind(rule) == record_kind(limit.rule)


@pytest.mark.parametrize(
    "rule",
    [
        TokenBucket(amount=50, period=MINUTE, capacity=20),
        FixedWindow(amount=50, period=MINUTE),
        FixedWindow(amount=10, period=MINUTE),
        CalendarQuota(amount=1, unit=MONTH),
        DenyAll(algorithm=Algorithm.FIXED_WINDOW),
    ],
)
def test_a_cap_never_raises_and_is_not_told_of_where_it_lowers_nothing(rule):
    limit = a_limit(rule)

    assert limit is capped(limit, 50)
    assert (None, None) == (limit.cap, limit.uncapped)


@pytest.mark.parametrize("algorithm", list(Algorithm))
def test_an_unlimited_limit_becomes_one_of_the_caps_amount(algorithm):
    calendar = algorithm is Algorithm.CALENDAR_QUOTA
    rule = Unlimited(
        algorithm=algorithm, period=None if calendar else MINUTE, unit=MONTH if calendar else None
    )

    limit = capped(a_limit(rule), 50)

    assert (algorithm, 50, 50) == (limit.rule.algorithm, limit.rule.amount, limit.cap)
    assert (50, None) == (limit.rule.most_at_once, limit.uncapped)


def test_all_else_of_a_limit_stays():
    limit = a_limit(
        FixedWindow(amount=100, period=MINUTE), title="Calls", mode=Mode.SHADOW, warn_at=(80,)
    )

    found = capped(limit, 50)

    assert ("Calls", Mode.SHADOW, (80,)) == (found.title, found.mode, found.warn_at)


@pytest.mark.parametrize("most", [0, -1])
def test_a_cap_below_one_is_refused(most):
    with pytest.raises(InvalidLimit):
        capped(a_limit(FixedWindow(amount=100, period=MINUTE)), most)


def test_a_capped_token_bucket_says_how_long_it_takes_to_fill_without_the_cap():
    slow = TokenBucket(amount=7, period=MINUTE, capacity=100)

    assert -(-100 * 60_000_000 // 7) == capped(a_limit(slow), 5).kept_us
    assert 0 == capped(a_limit(slow), 100).kept_us
    assert 0 == capped(a_limit(FixedWindow(amount=9, period=MINUTE)), 5).kept_us
