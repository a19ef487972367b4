"""Calls in flight: a slot is held until it is given back, or until its lease runs out."""

from __future__ import annotations

import pytest

from quotas.domain.words import Code
from quotas.engine.connection import link
from tests.engine.asking import SHADOW, Asker, admitted, every_key, limit, one, remaining


def test_never_more_than_the_amount_are_in_flight_at_once():
    asker = Asker(limit("concurrency", 3))

    decisions = [asker.consume() for _ in range(5)]

    assert [True] * 3 + [False] * 2 == [each.allowed for each in decisions]
    assert [2, 1, 0, 0, 0] == [one(each).remaining for each in decisions]
    assert {Code.TOO_MANY_IN_FLIGHT} == {one(each).code for each in decisions[3:]}


def test_a_full_limit_says_to_come_back_in_a_second():
    asker = Asker(limit("concurrency", 1, 3600))
    asker.consume()

    assert 1 == asker.consume().retry_after_seconds


def test_a_slot_given_back_is_free_at_once_and_only_once():
    asker = Asker(limit("concurrency", 2))
    first, _ = asker.consume(), asker.consume()
    assert not asker.consume().allowed

    for _ in range(3):
        asker.give_back(first)

    assert 1 == one(asker.peek(0)).remaining
    assert [True, False] == [asker.consume().allowed for _ in range(2)]


def test_a_slot_of_another_subject_is_not_given_back():
    mine, theirs = (Asker(limit("concurrency", 1), tag=tag) for tag in ("t1", "t2"))
    held = mine.consume()
    theirs.consume()

    theirs.give_back(held)

    assert not theirs.consume().allowed
    assert not mine.consume().allowed


def test_slots_taken_at_one_instant_are_told_apart():
    asker = Asker(limit("concurrency", 50))

    slots = {asker.consume().slot for _ in range(50)}

    assert 50 == len(slots)
    assert 0 == one(asker.peek(0)).remaining


def test_a_lease_that_has_run_out_frees_its_slot():
    asker = Asker(limit("concurrency", 2, 60))

    assert [0, 10, 60, 70] == admitted(asker, [0, 10, 20, 59.999_999, 60, 69, 70])


def test_the_wait_of_a_full_limit_is_until_its_next_lease_runs_out():
    asker = Asker(limit("concurrency", 2, 60))
    asker.consume(1, 0)
    asker.consume(1, 10)

    assert 39_500_000 == one(asker.consume(1, 20.5)).wait_us


def test_a_slot_given_back_after_its_lease_takes_no_other_with_it():
    asker = Asker(limit("concurrency", 1, 60))
    late = asker.consume(1, 0)
    asker.consume(1, 60)

    asker.give_back(late)

    assert not asker.consume(1, 61).allowed


def test_a_denied_call_holds_nothing_to_give_back():
    asker = Asker(limit("concurrency", 1, name="slots"), limit("fixed_window", 1, name="window"))
    asker.give_back(asker.consume())

    denied = asker.consume()

    assert not denied.allowed
    assert not denied.holds_slots
    assert [1, 0] == remaining(asker.peek(0))
    asker.give_back(denied)
    assert [1, 0] == remaining(asker.peek(0))


def test_one_call_takes_one_slot_of_each_limit_and_gives_all_back():
    asker = Asker(
        limit("concurrency", 5, scope="reports", name="a"),
        limit("concurrency", 9, scope="*", name="a"),
        limit("concurrency", 1, name="shadow", mode=SHADOW),
    )
    first, second = asker.consume(), asker.consume()
    assert [3, 7, 0] == remaining(asker.peek(0))

    asker.give_back(second)
    assert [4, 8, 0] == remaining(asker.peek(0))
    asker.give_back(first)

    assert [5, 9, 1] == remaining(asker.peek(0))


def test_a_call_that_costs_nothing_takes_no_slot():
    asker = Asker(limit("concurrency", 1))

    free = asker.consume(0)

    assert (True, False) == (free.allowed, free.holds_slots)
    assert [] == every_key()


def test_a_lowered_amount_denies_until_enough_have_ended():
    asker = Asker(limit("concurrency", 5))
    held = [asker.consume() for _ in range(4)]

    asker.edit(limit("concurrency", 2))

    assert (False, 0) == (asker.consume().allowed, one(asker.peek(0)).remaining)
    for each in held[:2]:
        asker.give_back(each)
        assert not asker.consume().allowed
    asker.give_back(held[2])
    assert asker.consume().allowed


def test_the_wait_after_a_lowered_amount_is_until_enough_leases_have_run_out():
    asker = Asker(limit("concurrency", 5, 60))
    for seconds in (0, 10, 20, 30):
        asker.consume(1, seconds)

    asker.edit(limit("concurrency", 2, 60))

    assert 50_000_000 == one(asker.consume(1, 30)).wait_us
    assert [80] == admitted(asker, [79, 80])


@pytest.mark.parametrize("period", [10, 3600])
def test_a_changed_lease_is_that_of_later_calls_only(period):
    asker = Asker(limit("concurrency", 1, 60))
    asker.consume(1, 0)

    asker.edit(limit("concurrency", 1, period))

    assert [60, 60 + period] == admitted(asker, [9, 11, 59, 60, 59 + period, 60 + period])


def test_leases_that_have_run_out_are_swept_by_the_next_call():
    asker = Asker(limit("concurrency", 100, 60))
    for seconds in range(50):
        asker.consume(1, seconds)
    asker.consume(1, 1000)

    (slots,) = [name for name in asker.key_names() if ":s:" in name]
    assert 1 == link().client.zcard(slots)


def test_a_clock_that_steps_back_frees_nothing_and_holds_nothing_longer():
    asker = Asker(limit("concurrency", 2, 60))
    asker.consume(1, 100)
    asker.consume(1, 50)

    assert [160] == admitted(asker, [40, 100, 159, 160])
