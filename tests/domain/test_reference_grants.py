"""Units given back at once: never more than were taken, and nothing else moves."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quotas.domain.limits import gives_at_once
from quotas.domain.words import Algorithm
from tests.domain.calls import at, limit
from tests.domain.drawn import fresh, limits_in_use, unhurried

GIVING = [
    Algorithm.TOKEN_BUCKET,
    Algorithm.LEAKY_BUCKET,
    Algorithm.SLIDING_WINDOW_COUNTER,
    Algorithm.SLIDING_WINDOW_LOG,
    Algorithm.CONCURRENCY,
]


@unhurried
@given(in_use=limits_in_use(tuple(GIVING)), units=st.integers(1, 30))
def test_what_is_left_grows_by_what_was_given_and_ends_at_the_whole(in_use, units):
    reference, now_us = in_use
    before = reference.judge(0, now_us).remaining
    whole = fresh(reference.rule).judge(0, now_us).remaining

    given_units = reference.grant(units, now_us)

    after = reference.judge(0, now_us).remaining
    assert 0 <= given_units <= units
    assert after == min(whole, before + given_units)
    assert given_units == units or after == whole


@unhurried
@given(in_use=limits_in_use(tuple(GIVING)))
def test_a_limit_that_was_given_everything_answers_as_one_never_used(in_use):
    reference, now_us = in_use
    reference.grant(10**12, now_us)

    assert reference.grant(1, now_us) == 0
    untouched = fresh(reference.rule)
    now_us = max(now_us, reference.judge(0, now_us).at_us)
    for cost in (0, 1, reference.rule.most_at_once, reference.rule.most_at_once + 1):
        assert untouched.judge(cost, now_us) == reference.judge(cost, now_us)


def test_a_granted_log_forgets_its_newest_entries():
    log = limit("sliding_window_log", 10, 60)
    for seconds, cost in ((0, 3), (10, 4), (20, 3)):
        log.consume(cost, at(seconds))

    assert log.grant(5, at(30)) == 5

    left = [log.judge(0, at(seconds)).remaining for seconds in (30, 59, 60, 69, 70)]
    assert left == [5, 5, 8, 8, 10]


def test_a_granted_counter_forgets_this_window_first():
    counter = limit("sliding_window_counter", 100, 60)
    counter.consume(80, at(15))
    counter.consume(30, at(75))

    assert counter.grant(40, at(75)) == 40
    assert counter.judge(0, at(75)).remaining == 50
    assert counter.grant(99, at(75)) == 50
    assert counter.judge(0, at(75)).remaining == 100


def test_only_what_counts_down_by_itself_gives_at_once():
    for algorithm in set(Algorithm) - {Algorithm.CALENDAR_QUOTA}:
        reference = limit(algorithm, 5, 60)
        reference.consume(1, at(0))
        assert gives_at_once(reference.rule) == (algorithm in GIVING)
        assert reference.grant(1, at(0)) == int(algorithm in GIVING)


@pytest.mark.parametrize("amount", [0, None])
@pytest.mark.parametrize("algorithm", GIVING)
def test_where_nothing_or_everything_fits_there_is_nothing_to_give(algorithm, amount):
    reference = limit(algorithm, amount, 60)
    reference.consume(1, at(0))

    assert not gives_at_once(reference.rule)
    assert reference.grant(1, at(0)) == 0


def test_a_grant_gives_one_of_two_flights_that_nobody_named():
    flights = limit("concurrency", 2, 60)
    for _ in range(2):
        flights.consume(1, at(0))

    assert flights.grant(1, at(1)) == 1

    assert flights.judge(0, at(1)).remaining == 1
