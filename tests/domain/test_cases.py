"""Faults reported in public, at the level of the algorithms, by their ids and figures."""

from __future__ import annotations

from itertools import count, takewhile

import pytest

from quotas.domain.reference import ReferenceSet
from quotas.domain.words import Outcome
from quotas.errors import InvalidCost
from tests.domain.calls import START_US, admitted, at, limit, retry_after, rule, us

LOG_AND_BUCKET = pytest.mark.parametrize("algorithm", ["sliding_window_log", "token_bucket"])


def test_r2_calls_of_one_instant_are_counted_apart():
    window = limit("sliding_window_log", 5, 60)

    judgements = [window.consume(1, at(1000)) for _ in range(8)]

    assert [True] * 5 + [False] * 3 == [judgement.fits for judgement in judgements]
    assert judgements[-1].remaining == 0


def test_w1_polling_faster_than_the_refill_loses_no_part_of_a_token():
    bucket = limit("token_bucket", 1, 1, capacity=1)

    fitting = admitted(bucket, [half / 2 for half in range(21)])

    assert list(range(11)) == fitting


def test_w3_an_older_instant_does_not_refill_the_bucket_again():
    bucket = limit("token_bucket", 5, 1, capacity=5)
    seconds = [1000] * 5 + [999, 1000, 1000.2, 1000.2]

    answers = [bucket.consume(1, at(second)).fits for second in seconds]

    assert [True] * 5 + [False, False, True, False] == answers


@LOG_AND_BUCKET
def test_w5_a_cost_above_the_limit_is_denied_for_ever_and_a_negative_one_is_an_error(algorithm):
    quota = limit(algorithm, 10, 60)

    assert quota.consume(5, START_US).remaining == 5
    above = quota.consume(100, START_US)
    assert (False, None, 5) == (above.fits, retry_after(above), above.remaining)
    with pytest.raises(InvalidCost, match="cost is -1"):
        quota.consume(-1, START_US)
    nothing = quota.consume(0, START_US)
    assert (True, 5) == (nothing.fits, nothing.remaining)


def test_w7_a_call_leaves_the_window_exactly_one_period_later():
    window = limit("sliding_window_log", 3, 10)
    admitted(window, [0, 1, 2])

    early = window.consume(1, at(9.999))

    assert (False, 1) == (early.fits, retry_after(early))
    assert window.consume(1, at(10)).fits


def test_w8_a_slow_bucket_is_not_full_before_its_time():
    bucket = limit("token_bucket", 1, 15, capacity=3)
    admitted(bucket, [0, 0, 0])

    denied = bucket.consume(1, at(7))
    assert (False, 8) == (denied.fits, retry_after(denied))
    assert bucket.judge(0, at(44.999_999)).remaining == 2
    assert bucket.judge(0, at(45)).remaining == 3
    assert bucket.consume(1, at(15)).fits
    denied = bucket.consume(1, at(16))
    assert (False, 14) == (denied.fits, retry_after(denied))


def test_w9_denied_retries_do_not_keep_the_caller_out():
    window = limit("sliding_window_log", 10, 600)

    fitting = admitted(window, range(0, 1171, 30))

    assert [*range(0, 271, 30), *range(600, 871, 30)] == fitting


def test_h1_a_limit_lowered_below_its_use_names_the_wait_until_it_is_met():
    window = limit("sliding_window_log", 10, 60)
    admitted(window, range(10))

    window.edit(rule("sliding_window_log", 4, 60))

    denied = window.consume(1, at(10))
    assert (False, 56, 0) == (denied.fits, retry_after(denied), denied.remaining)
    denied = window.consume(1, at(65.9))
    assert (False, 1) == (denied.fits, retry_after(denied))
    assert window.consume(1, at(66)).fits


def test_h1_a_limit_lowered_by_one_waits_for_two_calls_to_leave():
    window = limit("sliding_window_log", 10, 60)
    admitted(window, range(5))

    window.edit(rule("sliding_window_log", 4, 60))

    denied = window.consume(1, at(5))
    assert (False, 56) == (denied.fits, retry_after(denied))


def test_h3_a_client_that_waits_retry_after_is_admitted():
    bucket = limit("token_bucket", 2, 3, capacity=1)
    bucket.consume(1, at(0))

    denied = bucket.consume(1, at(0.2))

    assert (us(1.3), 2) == (denied.wait_us, retry_after(denied))
    assert bucket.consume(1, at(2.2)).fits


def test_h3_a_wait_below_a_second_is_one_second():
    bucket = limit("token_bucket", 10, 1, capacity=1)
    bucket.consume(1, at(0))

    denied = bucket.consume(1, at(0.01))

    assert (us(0.09), 1) == (denied.wait_us, retry_after(denied))


def test_h5_the_wait_is_for_the_oldest_call():
    window = limit("sliding_window_log", 2, 60)
    admitted(window, [0, 10])

    denied = window.consume(1, at(20))

    assert (False, 40) == (denied.fits, retry_after(denied))
    assert not window.consume(1, at(59.9)).fits
    assert window.consume(1, at(60)).fits


@pytest.mark.parametrize("day_is_first", [True, False])
def test_m1_a_call_that_one_limit_denies_is_charged_to_none(day_is_first):
    day = limit("sliding_window_log", 5, 86_400)
    minute = limit("sliding_window_log", 2, 60)
    both = ReferenceSet([day, minute] if day_is_first else [minute, day])

    def allowed(*seconds):
        outcomes = [both.consume([1, 1], at(second))[1] for second in seconds]
        return [outcome is Outcome.ALLOWED for outcome in outcomes]

    assert [True, True, False, False, False] == allowed(0, 1, 2, 3, 4)
    assert day.judge(0, at(4)).remaining == 3
    assert [True, True, False] == allowed(70, 71, 72)
    assert day.judge(0, at(72)).remaining == 1
    assert [True, False, False] == allowed(140, 141, 142)
    assert (0, 1) == (day.judge(0, at(142)).remaining, minute.judge(0, at(142)).remaining)


@pytest.mark.parametrize(
    "algorithm", ["fixed_window", "sliding_window_counter", "sliding_window_log"]
)
def test_p2_calls_denied_before_an_upgrade_do_not_count_after_it(algorithm):
    quota = limit(algorithm, 10, 3600)

    assert len(admitted(quota, range(50))) == 10
    quota.edit(rule(algorithm, 20, 3600))

    fitting = takewhile(lambda second: quota.consume(1, at(second)).fits, count(50))
    assert len(list(fitting)) == 10
