from __future__ import annotations

from datetime import timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quotas.domain.limits import CalendarQuota, DenyAll, Unlimited
from quotas.domain.reference import Reference
from quotas.domain.words import Algorithm, CalendarUnit
from quotas.errors import InvalidCost, InvalidLimit
from tests.domain.calls import START_US, at, days_of, limit, us
from tests.domain.drawn import DAY_HOURS, calls, fresh, limits_in_use, rules, unhurried

COUNTED_IN_UNITS = [algorithm for algorithm in Algorithm if algorithm is not Algorithm.CONCURRENCY]
LONG_AFTER_US = us(864_000)
BOUNDED_IN_ANY_SPAN = [
    Algorithm.TOKEN_BUCKET,
    Algorithm.LEAKY_BUCKET,
    Algorithm.SLIDING_WINDOW_LOG,
    Algorithm.SLIDING_WINDOW_COUNTER,
    Algorithm.FIXED_WINDOW,
]


@unhurried
@given(data=st.data())
def test_any_span_admits_at_most_what_the_rule_promises(data):
    rule = data.draw(rules(BOUNDED_IN_ANY_SPAN))
    reference = Reference(rule)
    admitted = []
    for cost, now_us in data.draw(calls(rule)):
        judgement = reference.consume(cost, now_us)
        if judgement.fits and cost:
            admitted.append((judgement.at_us, cost))

    for first, (since_us, _) in enumerate(admitted):
        total = 0
        for until_us, cost in admitted[first:]:
            total += cost
            # Both ends count here, and a promise is for a span without its beginning.
            span = timedelta(microseconds=until_us - since_us + 1)
            if rule.algorithm in {Algorithm.TOKEN_BUCKET, Algorithm.LEAKY_BUCKET}:
                span = timedelta(microseconds=until_us - since_us)
            assert total <= rule.most_allowed_in(span)


@unhurried
@given(data=st.data())
def test_a_denied_call_changes_no_later_answer(data):
    rule = data.draw(rules())
    with_denials, without = fresh(rule), fresh(rule)

    for cost, now_us in data.draw(calls(rule)):
        expected = without.judge(cost, now_us)
        assert expected == with_denials.consume(cost, now_us)
        if expected.fits:
            without.charge(cost, now_us)


@unhurried
@given(used=limits_in_use(), cost=st.integers(1, 21), later=st.integers(0, 10**7))
def test_waiting_as_told_admits_the_same_cost_and_a_microsecond_less_does_not(used, cost, later):
    reference, now_us = used

    judgement = reference.judge(cost, now_us + later)

    if judgement.wait_us is None:
        assert cost > reference.rule.most_at_once
        assert reference.rule.algorithm is not Algorithm.CONCURRENCY
    else:
        ready_us = now_us + later + judgement.wait_us
        assert reference.judge(cost, ready_us).fits
        assert judgement.fits or not reference.judge(cost, ready_us - 1).fits


@unhurried
@given(used=limits_in_use(COUNTED_IN_UNITS), data=st.data())
def test_as_many_calls_as_remain_are_admitted_however_spread_until_the_reset(used, data):
    reference, now_us = used
    judgement = reference.consume(data.draw(st.integers(0, 1)), now_us)
    spread = st.integers(0, judgement.reset_us)
    offsets = sorted(data.draw(spread) for _ in range(judgement.remaining))

    answers = [reference.consume(1, max(now_us, judgement.at_us) + offset) for offset in offsets]

    assert all(answer.fits for answer in answers)


@unhurried
@given(used=limits_in_use(COUNTED_IN_UNITS))
def test_one_call_more_than_remains_is_denied_at_once(used):
    reference, now_us = used
    remaining = reference.judge(0, now_us).remaining

    answers = [reference.consume(1, now_us) for _ in range(remaining + 1)]

    assert [True] * remaining + [False] == [answer.fits for answer in answers]
    assert list(range(remaining)) == [answer.remaining for answer in reversed(answers[:-1])]


@unhurried
@given(used=limits_in_use(), cost=st.integers(1, 21))
def test_what_a_judgement_foretells_is_so_after_the_charge(used, cost):
    reference, now_us = used

    foretold = reference.consume(cost, now_us)

    now = reference.judge(0, now_us)
    assert (foretold.remaining, foretold.reset_us) == (now.remaining, now.reset_us)


@unhurried
@given(data=st.data())
def test_an_older_instant_is_taken_for_that_of_the_last_admitted_call(data):
    reference, now_us = data.draw(limits_in_use())
    admitted = reference.consume(1, now_us + LONG_AFTER_US)
    older = data.draw(st.integers(0, LONG_AFTER_US))

    judgement = reference.judge(1, now_us + older)

    assert admitted.fits
    lag = admitted.at_us - (now_us + older)
    then = reference.judge(1, admitted.at_us)
    assert (then.fits, then.remaining, then.at_us) == (
        judgement.fits,
        judgement.remaining,
        judgement.at_us,
    )
    assert (then.wait_us and then.wait_us + lag) == judgement.wait_us
    assert (then.reset_us is not None and then.reset_us + lag) == (judgement.reset_us or False)


@unhurried
@given(data=st.data())
def test_the_turns_of_a_leaky_bucket_are_apart_and_nobody_waits_longer_than_promised(data):
    # What is told is rounded up to a microsecond, hence the ones.
    rule = data.draw(rules([Algorithm.LEAKY_BUCKET]))
    reference = Reference(rule)
    turns = []
    for _, now_us in data.draw(calls(rule)):
        judgement = reference.consume(1, now_us)
        if judgement.fits:
            promised_us = now_us + judgement.delay_us
            waited_us = promised_us - judgement.at_us
            assert (waited_us - 1) * rule.amount < rule.capacity * rule.period_us
            turns.append(promised_us)

    for turn, next_turn in pairwise(turns):
        assert (next_turn - turn + 1) * rule.amount >= rule.period_us


@unhurried
@given(data=st.data())
def test_never_more_calls_are_in_flight_than_the_amount(data):
    rule = data.draw(rules([Algorithm.CONCURRENCY]))
    reference = Reference(rule)
    ends = []
    for number, (_, now_us) in enumerate(data.draw(calls(rule))):
        judgement = reference.consume(1, now_us, slot=str(number))
        if judgement.fits:
            ends.append(judgement.at_us + rule.period_us)
        assert sum(end > judgement.at_us for end in ends) <= rule.amount
        assert judgement.reset_us is None


@pytest.mark.parametrize("cost", [-1, True, False, 1.0, "1", None])
@pytest.mark.parametrize("amount", [0, 1, None])
def test_a_cost_that_is_no_whole_number_of_units_is_an_error_of_the_caller(amount, cost):
    reference = limit("token_bucket", amount, 60)

    for use in (reference.judge, reference.charge, reference.consume):
        with pytest.raises(InvalidCost, match="give a whole number"):
            use(cost, START_US)


@unhurried
@given(used=limits_in_use())
def test_cost_0_fits_even_in_a_full_limit_and_writes_nothing(used):
    reference, now_us = used
    while reference.consume(1, now_us).fits:
        pass
    before = reference.judge(1, now_us)

    nothing = reference.consume(0, now_us + 1)

    assert (True, 0, 0) == (nothing.fits, nothing.wait_us, nothing.delay_us)
    assert before == reference.judge(1, now_us)


def test_amount_0_denies_for_ever_but_admits_cost_0():
    nothing = Reference(DenyAll(algorithm=Algorithm.TOKEN_BUCKET))

    denied = nothing.consume(1, START_US)

    assert (False, None, 0, None) == (
        denied.fits,
        denied.wait_us,
        denied.remaining,
        denied.reset_us,
    )
    assert nothing.consume(0, START_US).fits


@pytest.mark.parametrize("algorithm", list(Algorithm))
def test_a_blank_amount_admits_everything(algorithm):
    calendar = algorithm is Algorithm.CALENDAR_QUOTA
    rule = Unlimited(
        algorithm=algorithm,
        period=None if calendar else timedelta(minutes=1),
        unit=CalendarUnit.DAY if calendar else None,
    )
    reference = Reference(rule, edges=days_of(DAY_HOURS))

    judgements = [reference.consume(10**6, START_US) for _ in range(1000)]

    assert all(judgement.fits for judgement in judgements)
    assert {None} == {judgement.remaining for judgement in judgements}


def test_a_calendar_quota_begins_anew_at_the_end_of_its_civil_period():
    quota = limit_of_a_day(10)
    start_us = days_of(DAY_HOURS)(START_US)[1]
    quota.consume(10, start_us + us(3600))

    denied = quota.consume(1, start_us + us(23 * 3600))

    assert (us(3600), us(3600)) == (denied.wait_us, denied.reset_us)
    assert not quota.judge(1, start_us + us(86_400) - 1).fits
    assert quota.consume(1, start_us + us(86_400)).remaining == 9


def test_a_calendar_quota_without_its_civil_periods_is_refused():
    quota = Reference(limit_of_a_day(10).rule)

    with pytest.raises(InvalidLimit, match="give edges"):
        quota.judge(1, START_US)


def test_a_slot_given_back_is_free_at_once():
    slots = limit("concurrency", 2, 60)
    slots.consume(1, at(0), slot="a")
    slots.consume(1, at(1), slot="b")
    denied = slots.consume(1, at(2), slot="c")

    slots.release("b")
    slots.release("unknown")
    assert (False, us(58)) == (denied.fits, denied.wait_us)
    assert slots.judge(0, at(2)).remaining == 1
    slots.release()
    assert slots.judge(0, at(2)).remaining == 2
    slots.release()
    assert slots.consume(7, at(2)).remaining == 1


def test_only_a_concurrency_limit_has_slots_to_give_back():
    window = limit("fixed_window", 2, 60)
    window.consume(2, at(0))

    window.release()

    assert window.judge(0, at(0)).remaining == 0


def limit_of_a_day(amount):
    return fresh(CalendarQuota(amount=amount, unit=CalendarUnit.DAY))
