"""Limits that are edited while in use: what is kept, what is clamped, what begins anew."""

from __future__ import annotations

from datetime import timedelta

import pytest

from quotas.domain.limits import CalendarQuota, DenyAll, Unlimited
from quotas.domain.reference import Reference
from quotas.domain.rules import build_rule
from quotas.domain.words import Algorithm, CalendarUnit
from tests.domain.calls import START_US, admitted, at, days_of, limit, rule, us

WINDOWS = pytest.mark.parametrize(
    "algorithm", ["fixed_window", "sliding_window_counter", "sliding_window_log"]
)
DAY = CalendarQuota(amount=10, unit=CalendarUnit.DAY)


def in_us(algorithm, amount, period_us, capacity):
    period = timedelta(microseconds=period_us)
    return build_rule(algorithm=algorithm, amount=amount, period=period, capacity=capacity)


@WINDOWS
def test_a_window_keeps_its_use_in_both_directions(algorithm):
    window = limit(algorithm, 5, 3600)
    admitted(window, range(5))

    window.edit(rule(algorithm, 100, 3600))
    assert window.consume(1, at(10)).remaining == 94
    window.edit(rule(algorithm, 0, 3600))
    assert not window.consume(1, at(11)).fits
    window.edit(rule(algorithm, 3, 3600))
    assert window.judge(1, at(12)).remaining == 0
    window.edit(rule(algorithm, 150, 3600))
    assert window.consume(1, at(13)).remaining == 143


def test_a_raised_bucket_is_not_lifted_and_then_refills_at_the_new_rate():
    bucket = limit("token_bucket", 5, 60, capacity=5)
    bucket.consume(5, at(0))

    bucket.edit(rule("token_bucket", 100, 60, capacity=100))

    denied = bucket.consume(1, at(0))
    assert (False, us(0.6), 0) == (denied.fits, denied.wait_us, denied.remaining)
    assert bucket.judge(0, at(30)).remaining == 50


def test_a_lowered_bucket_is_clamped():
    bucket = limit("token_bucket", 5, 3600, capacity=5)
    bucket.consume(1, at(0))

    bucket.edit(rule("token_bucket", 2, 3600, capacity=2))

    assert bucket.judge(0, at(0)).remaining == 2
    assert bucket.consume(3, at(0)).wait_us is None
    assert bucket.consume(2, at(0)).fits


def test_an_edit_that_is_taken_back_before_an_admitted_call_has_no_effect():
    bucket = limit("token_bucket", 5, 3600, capacity=5)
    bucket.consume(1, at(0))

    bucket.edit(rule("token_bucket", 2, 3600, capacity=2))
    bucket.consume(3, at(0))
    bucket.edit(rule("token_bucket", 5, 3600, capacity=5))

    assert bucket.judge(0, at(0)).remaining == 4


def test_an_edited_rate_rounds_the_part_of_a_token_down_to_its_own_parts():
    bucket = Reference(in_us("token_bucket", 1, 3, capacity=2))
    bucket.consume(2, START_US)
    bucket.consume(1, START_US + 5)  # 2 of 3 parts stay

    bucket.edit(in_us("token_bucket", 1, 7, capacity=2))

    # floor(2 / 3 x 7) = 4 of 7 parts are there
    assert bucket.judge(1, START_US + 5).wait_us == 3


def test_an_edited_rate_rounds_the_part_of_a_queued_unit_down_too():
    queue = Reference(in_us("leaky_bucket", 1, 3, capacity=2))
    queue.consume(1, START_US)
    queue.consume(1, START_US + 1)  # the queue: one unit and 2 of 3 parts

    queue.edit(in_us("leaky_bucket", 1, 7, capacity=2))

    # one unit and 4 of 7 parts
    judgement = queue.judge(1, START_US + 1)
    assert (False, 4) == (judgement.fits, judgement.wait_us)
    assert queue.consume(1, START_US + 5).delay_us == 7


def test_what_was_refilled_before_an_edit_is_reckoned_at_the_new_rate():
    bucket = limit("token_bucket", 60, 60, capacity=100)
    bucket.consume(100, at(0))

    bucket.edit(rule("token_bucket", 120, 60, capacity=100))

    assert bucket.judge(0, at(10)).remaining == 20


def test_a_lowered_leaky_bucket_keeps_every_turn_that_it_promised():
    queue = limit("leaky_bucket", 1, 1, capacity=5)
    queue.consume(5, at(0))

    queue.edit(rule("leaky_bucket", 1, 1, capacity=2))

    denied = queue.consume(1, at(0))
    assert (us(4), 0, us(4)) == (denied.wait_us, denied.remaining, denied.reset_us)
    assert queue.consume(1, at(4)).delay_us == us(1)


def test_a_raised_leaky_bucket_has_its_places_at_once():
    queue = limit("leaky_bucket", 1, 1, capacity=2)
    queue.consume(2, at(0))

    queue.edit(rule("leaky_bucket", 1, 1, capacity=5))

    admitted_last = queue.consume(3, at(0))
    assert (True, us(2), 0) == (
        admitted_last.fits,
        admitted_last.delay_us,
        admitted_last.remaining,
    )


def test_a_log_keeps_its_entries_over_a_change_of_period():
    window = limit("sliding_window_log", 5, 60)
    admitted(window, [0, 50])

    window.edit(rule("sliding_window_log", 5, 20))
    assert window.judge(0, at(60)).remaining == 4
    window.edit(rule("sliding_window_log", 5, 100))
    assert window.judge(0, at(60)).remaining == 3


def test_an_entry_that_an_admitted_call_dropped_does_not_come_back():
    window = limit("sliding_window_log", 5, 60)
    admitted(window, [0, 50])

    window.edit(rule("sliding_window_log", 5, 20))
    window.consume(1, at(60))
    window.edit(rule("sliding_window_log", 5, 100))

    assert window.judge(0, at(60)).remaining == 3


@pytest.mark.parametrize("algorithm", ["fixed_window", "sliding_window_counter"])
def test_a_changed_period_of_a_fixed_window_or_counter_begins_anew(algorithm):
    window = limit(algorithm, 5, 3600)
    window.consume(5, at(0))

    window.edit(rule(algorithm, 5, 7200))

    assert window.consume(1, at(0)).remaining == 4


@pytest.mark.parametrize("algorithm", ["fixed_window", "leaky_bucket", "concurrency"])
def test_a_changed_algorithm_begins_anew_and_so_does_the_way_back(algorithm):
    quota = limit("sliding_window_log", 5, 3600)
    quota.consume(5, at(0))

    quota.edit(rule(algorithm, 5, 3600))
    assert quota.consume(1, at(0)).remaining == 4
    quota.edit(rule("sliding_window_log", 5, 3600))
    assert quota.consume(1, at(0)).remaining == 4


def test_use_is_still_there_after_a_while_at_amount_0():
    bucket = limit("token_bucket", 5, 3600, capacity=5)
    bucket.consume(3, at(0))

    bucket.edit(DenyAll(algorithm=Algorithm.TOKEN_BUCKET))
    bucket.consume(1, at(0))
    bucket.consume(0, at(0))
    bucket.charge(1, at(0))
    bucket.edit(rule("token_bucket", 5, 3600, capacity=5))

    assert bucket.judge(0, at(0)).remaining == 2


@pytest.mark.parametrize(
    "windowed",
    [rule("fixed_window", 10, 3600), rule("sliding_window_counter", 10, 3600), DAY],
    ids=lambda windowed: windowed.algorithm,
)
def test_a_window_left_blank_goes_on_counting_where_it_was(windowed):
    quota = Reference(windowed, edges=days_of(24))
    quota.consume(5, at(0))

    quota.edit(blank(windowed))
    quota.consume(2, at(1))
    quota.edit(windowed)

    assert quota.judge(0, at(2)).remaining == 3


def test_calls_in_flight_stay_so_whatever_the_limit_was_in_between():
    slots = limit("concurrency", 2, 3600)
    slots.consume(1, at(0))

    slots.edit(rule("fixed_window", 10, 3600))
    slots.consume(1, at(1))
    slots.edit(rule("concurrency", 2, 3600))

    assert slots.judge(0, at(2)).remaining == 1
    assert slots.judge(0, at(3600)).remaining == 2


@pytest.mark.parametrize("algorithm", ["token_bucket", "leaky_bucket", "sliding_window_log"])
def test_another_limit_left_blank_counts_as_a_fixed_window_and_begins_anew(algorithm):
    ruled = rule(algorithm, 10, 3600)
    quota = Reference(ruled)
    quota.consume(5, at(0))

    quota.edit(blank(ruled))
    quota.consume(2, at(1))
    quota.consume(2, at(2))
    quota.edit(rule("fixed_window", 10, 3600))
    assert quota.judge(0, at(3)).remaining == 6
    quota.edit(ruled)
    assert quota.judge(0, at(3)).remaining == 10


def test_a_changed_time_zone_is_in_force_from_the_next_period_on():
    quota = Reference(DAY, edges=days_of(24))
    midnight_us = days_of(24)(START_US)[2]
    quota.consume(10, midnight_us - us(7200))

    quota.edit(DAY, edges=shifted(days_of(24), us(3600)))

    assert quota.judge(1, midnight_us - us(7200)).wait_us == us(7200)
    fresh = quota.consume(1, midnight_us)
    # The new zone's day begins an hour later: the day that begins now is cut short.
    assert (9, us(3600)) == (fresh.remaining, fresh.reset_us)
    assert quota.consume(1, midnight_us + us(3600)).remaining == 9


def test_a_calendar_quota_counts_each_unit_by_itself_and_finds_it_again():
    quota = Reference(DAY, edges=days_of(24))
    quota.consume(10, at(0))

    quota.edit(CalendarQuota(amount=10, unit=CalendarUnit.WEEK), edges=days_of(24 * 7))

    assert quota.consume(1, at(0)).remaining == 9
    quota.edit(rule("fixed_window", 4, 60))
    assert quota.consume(1, at(0)).remaining == 3
    quota.edit(CalendarQuota(amount=12, unit=CalendarUnit.DAY), edges=days_of(24))
    assert quota.judge(1, at(0)).remaining == 1


def test_a_lowered_concurrency_limit_waits_for_the_leases_above_it():
    slots = limit("concurrency", 3, 60)
    admitted(slots, [0, 10, 20])

    slots.edit(rule("concurrency", 2, 5))

    denied = slots.consume(1, at(30))
    assert (us(40), 0) == (denied.wait_us, denied.remaining)
    assert slots.consume(1, at(70)).fits
    assert slots.judge(0, at(75)).remaining == 1


def blank(ruled):
    unit = getattr(ruled, "unit", None)
    period = None if unit else ruled.period
    return Unlimited(algorithm=ruled.algorithm, period=period, unit=unit)


def shifted(edges, later_us):
    return lambda now_us: tuple(edge + later_us for edge in edges(now_us - later_us))
