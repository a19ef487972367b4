"""A limit edited while it is in use: what changes at once, what is kept, what starts anew."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from quotas.domain.calendar import microseconds
from quotas.domain.words import Algorithm
from quotas.engine import limiter
from tests.engine.asking import Asker, admitted, at, limit, one

DAY = 86_400
WINDOWS = ["fixed_window", "sliding_window_counter", "sliding_window_log", "calendar_quota"]
PAIRS = [
    pytest.param(before.value, after.value, id=f"{before}-to-{after}")
    for before in Algorithm
    for after in Algorithm
    if before is not after
]
KEPT_APART = {"calendar_quota", "concurrency"}


@pytest.mark.parametrize("algorithm", WINDOWS)
def test_windows_keep_their_usage_in_both_directions(algorithm):
    asker = Asker(limit(algorithm, 5, DAY))
    asker.consume(5)

    asker.edit(limit(algorithm, 100, DAY))
    assert 94 == one(asker.consume()).remaining
    asker.edit(limit(algorithm, 4, DAY))
    assert (False, 0) == (asker.consume().allowed, one(asker.peek(0)).remaining)
    asker.edit(limit(algorithm, 150, DAY))
    assert 143 == one(asker.consume()).remaining


def test_a_bucket_emptied_at_5_and_raised_to_100_is_still_denied_then_refilled_at_the_new_rate():
    asker = Asker(limit("token_bucket", 5, 3600))
    asker.consume(5)

    asker.edit(limit("token_bucket", 100, 3600))

    denied = asker.consume()
    assert (False, 36) == (denied.allowed, denied.retry_after_seconds)
    assert [36, 72] == admitted(asker, [35, 36, 71, 72])


def test_a_bucket_of_4_tokens_lowered_to_2_holds_2():
    asker = Asker(limit("token_bucket", 5, 3600))
    asker.consume(1)

    asker.edit(limit("token_bucket", 2, 3600))

    assert 2 == one(asker.peek(0)).remaining
    asker.edit(limit("token_bucket", 2, 3600, capacity=5))
    assert 4 == one(asker.peek(0)).remaining  # nothing was admitted meanwhile


def test_a_bucket_clamped_by_an_admitted_call_stays_so():
    asker = Asker(limit("token_bucket", 5, 3600))
    asker.consume(1)
    asker.edit(limit("token_bucket", 5, 3600, capacity=2))
    asker.consume(1)

    asker.edit(limit("token_bucket", 5, 3600, capacity=5))

    assert 1 == one(asker.peek(0)).remaining


def test_a_raised_capacity_lifts_no_bucket_that_is_in_use():
    asker = Asker(limit("token_bucket", 5, 3600, capacity=5))
    asker.consume(2)

    asker.edit(limit("token_bucket", 5, 3600, capacity=50))

    assert 3 == one(asker.peek(0)).remaining


def test_a_queue_keeps_the_turns_it_has_promised_when_its_length_is_lowered():
    asker = Asker(limit("leaky_bucket", 1, 10, capacity=5))
    assert [0, 10, 20, 30] == [asker.consume().delay_us // 10**6 for _ in range(4)]

    asker.edit(limit("leaky_bucket", 1, 10, capacity=2))

    denied = asker.consume()
    assert (False, 30) == (denied.allowed, denied.retry_after_seconds)
    admitted_then = asker.consume(1, 30)
    assert (True, 10_000_000) == (admitted_then.allowed, admitted_then.delay_us)


def test_a_part_of_a_token_outlives_another_rate():
    asker = Asker(limit("token_bucket", 1, 10))
    asker.consume()

    asker.edit(limit("token_bucket", 1, 4))
    asker.consume(1, 4)
    asker.edit(limit("token_bucket", 1, 7))

    assert 7 == asker.consume(1, 4).retry_after_seconds


@pytest.mark.parametrize(("before", "after"), PAIRS)
def test_another_algorithm_starts_anew(before, after):
    asker = Asker(limit(before, 5, DAY))
    asker.consume(5)

    asker.edit(limit(after, 5, DAY))
    assert 4 == one(asker.consume()).remaining
    if KEPT_APART.isdisjoint({before, after}):  # these two find again what they had in use
        asker.edit(limit(before, 5, DAY))
        assert 4 == one(asker.consume()).remaining


@pytest.mark.parametrize("algorithm", ["fixed_window", "sliding_window_counter"])
def test_another_period_of_a_window_starts_anew(algorithm):
    asker = Asker(limit(algorithm, 5, 3600))
    asker.consume(5)

    asker.edit(limit(algorithm, 5, 7200))

    assert 4 == one(asker.consume()).remaining


def test_each_unit_of_a_calendar_quota_is_counted_by_itself_and_found_again():
    asker = Asker(limit("calendar_quota", 5, unit="day"))
    asker.consume(5)

    asker.edit(limit("calendar_quota", 5, unit="month"))

    assert 4 == one(asker.consume()).remaining
    asker.edit(limit("calendar_quota", 7, unit="day"))
    assert 2 == one(asker.peek(0)).remaining


def test_an_edit_taken_back_before_a_call_comes_has_had_no_effect():
    asker = Asker(limit("fixed_window", 5, 3600))
    asker.consume(3)

    asker.edit(limit("fixed_window", 5, 60))
    assert 5 == one(asker.peek(0)).remaining
    asker.edit(limit("fixed_window", 5, 3600))

    assert 2 == one(asker.peek(0)).remaining


def test_a_log_keeps_its_entries_over_a_change_of_period():
    asker = Asker(limit("sliding_window_log", 5, 3600))
    for second in (0, 100, 200):
        asker.consume(1, second)

    asker.edit(limit("sliding_window_log", 5, 150))
    assert 3 == one(asker.peek(0, 201)).remaining
    asker.edit(limit("sliding_window_log", 5, 7200))

    assert 2 == one(asker.peek(0, 4000)).remaining


def test_H1_a_limit_lowered_below_its_usage_tells_the_wait_until_enough_has_left():
    asker = Asker(limit("sliding_window_log", 10))
    assert list(range(10)) == admitted(asker, range(10))

    asker.edit(limit("sliding_window_log", 4))

    denied = asker.consume(1, 10)
    assert (False, 56, 0) == (denied.allowed, denied.retry_after_seconds, one(denied).remaining)
    late = asker.consume(1, 65.9)
    assert (False, 1) == (late.allowed, late.retry_after_seconds)
    assert asker.consume(1, 66).allowed


def test_H1_five_used_and_lowered_to_4_waits_for_two_to_leave():
    asker = Asker(limit("sliding_window_log", 10))
    assert list(range(5)) == admitted(asker, range(5))

    asker.edit(limit("sliding_window_log", 4))

    assert 56 == asker.consume(1, 5).retry_after_seconds


@pytest.mark.parametrize("algorithm", WINDOWS)
def test_P2_denials_before_a_raise_take_nothing_of_it(algorithm):
    asker = Asker(limit(algorithm, 10, DAY))
    assert 10 == sum(asker.consume().allowed for _ in range(50))

    asker.edit(limit(algorithm, 20, DAY))

    assert [True] * 10 + [False] == [asker.consume().allowed for _ in range(11)]


def test_a_changed_time_zone_is_in_force_from_the_next_period_on():
    noon = at(12 * 3600)
    asker = Asker(limit("calendar_quota", 10), zone="UTC")
    asker.consume(10, now_us=noon)

    moved = Asker(limit("calendar_quota", 10), zone="Asia/Tokyo")  # its day ends at 15:00 UTC

    assert 12 * 3600 == moved.consume(now_us=noon).retry_after_seconds
    assert not moved.consume(now_us=at(15 * 3600)).allowed
    assert moved.consume(now_us=at(24 * 3600)).allowed
    assert 15 * 3600 == moved.consume(10, now_us=at(24 * 3600)).retry_after_seconds


def test_a_lowered_lease_frees_no_slot_early_and_a_raised_one_holds_none_longer():
    asker = Asker(limit("concurrency", 2, 60))
    asker.consume(1, 0)

    asker.edit(limit("concurrency", 2, 10))
    asker.consume(1, 1)
    assert [0, 0, 1, 1, 2] == [
        one(asker.peek(0, second)).remaining for second in (1, 10.9, 11, 59, 60)
    ]
    asker.edit(limit("concurrency", 2, 3600))

    assert [1, 2] == [one(asker.peek(0, second)).remaining for second in (59, 60)]


@pytest.mark.parametrize("month", [9, 10, 11])
def test_a_quotas_period_is_that_of_the_call_wherever_the_policys_edges_were_found(month):
    starts = [microseconds(datetime(2026, each, 1, tzinfo=UTC)) for each in (9, 10, 11, 12)]
    asker = Asker(limit("calendar_quota", 10, unit="month"))
    bundle = asker.bundle(at(0))  # in October
    start, end = starts[month - 9 : month - 7]

    for now_us in (start, end - 1):
        found = one(limiter.peek(bundle, {"tenant": asker.subject}, [1], now_us=now_us))
        assert (start, end) == found.period
