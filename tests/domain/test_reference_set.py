"""Several limits judged together: charged all, or none; shadow limits deny nobody."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quotas.domain.reference import ReferenceSet
from quotas.domain.words import Mode, Outcome
from quotas.errors import InvalidCost, InvalidLimit
from tests.domain.calls import START_US, at, limit
from tests.domain.drawn import calls, fresh, rules, unhurried

MODES = st.sampled_from([Mode.ENFORCE, Mode.SHADOW])


def test_all_are_charged_each_its_own_cost():
    both = ReferenceSet([limit("fixed_window", 10, 60), limit("token_bucket", 10, 60)])

    judgements, outcome = both.consume([3, 4], at(0))

    assert outcome is Outcome.ALLOWED
    assert [7, 6] == [judgement.remaining for judgement in judgements]


def test_an_enforced_denial_charges_nothing_and_says_what_is_left_now():
    roomy, tight, shadow = (limit("fixed_window", amount, 60) for amount in (10, 1, 10))
    several = ReferenceSet([roomy, tight, shadow], modes=[Mode.ENFORCE, Mode.ENFORCE, Mode.SHADOW])

    judgements, outcome = several.consume([2, 2, 2], at(0))

    assert outcome is Outcome.DENIED
    assert [True, False, True] == [judgement.fits for judgement in judgements]
    assert [10, 1, 10] == [judgement.remaining for judgement in judgements]
    assert [10, 1, 10] == [one.judge(0, at(0)).remaining for one in (roomy, tight, shadow)]


def test_a_shadow_limit_that_would_deny_denies_nobody_and_is_not_charged():
    enforced, shadow = limit("fixed_window", 10, 60), limit("fixed_window", 3, 60)
    both = ReferenceSet([enforced, shadow], modes=[Mode.ENFORCE, Mode.SHADOW])

    outcomes = [both.consume([2, 2], at(0))[1] for _ in range(3)]

    assert [Outcome.ALLOWED, Outcome.SHADOW_DENIED, Outcome.SHADOW_DENIED] == outcomes
    assert (4, 1) == (enforced.judge(0, at(0)).remaining, shadow.judge(0, at(0)).remaining)


def test_a_denial_comes_before_a_shadow_denial():
    both = ReferenceSet(
        [limit("fixed_window", 1, 60), limit("fixed_window", 1, 60)],
        modes=[Mode.SHADOW, Mode.ENFORCE],
    )

    assert both.consume([2, 2], at(0))[1] is Outcome.DENIED


def test_no_limit_allows():
    assert ReferenceSet([]).consume([], START_US) == ([], Outcome.ALLOWED)


def test_a_call_denied_elsewhere_takes_no_slot_and_has_no_turn():
    slots, queue, tight = (
        limit("concurrency", 1, 60),
        limit("leaky_bucket", 1, 1, capacity=9),
        limit("fixed_window", 5, 60),
    )
    several = ReferenceSet([slots, queue, tight])

    several.consume([1, 4, 4], at(0), slot="first")
    slots.release("first")
    judgements, outcome = several.consume([1, 4, 4], at(0))

    assert outcome is Outcome.DENIED
    assert [1, 5, 1] == [judgement.remaining for judgement in judgements]
    assert judgements[1].delay_us == 0


def test_a_wrong_cost_charges_nothing():
    first, second = limit("fixed_window", 10, 60), limit("fixed_window", 10, 60)

    with pytest.raises(InvalidCost):
        ReferenceSet([first, second]).consume([1, -1], at(0))

    assert first.judge(0, at(0)).remaining == 10


@pytest.mark.parametrize("modes", [[Mode.OFF], [], [Mode.ENFORCE, Mode.SHADOW]])
def test_a_limit_that_is_off_and_a_mode_too_many_are_refused(modes):
    with pytest.raises(InvalidLimit, match="give one each"):
        ReferenceSet([limit("fixed_window", 10, 60)], modes=modes)


@unhurried
@given(data=st.data())
def test_together_is_as_alone_when_each_is_charged_by_the_common_outcome(data):
    ruled = data.draw(st.lists(rules(), min_size=1, max_size=3))
    modes = [data.draw(MODES) for _ in ruled]
    together = ReferenceSet([fresh(rule) for rule in ruled], modes=modes)
    apart = [fresh(rule) for rule in ruled]

    for cost, now_us in data.draw(calls(ruled[0])):
        alone = [one.judge(cost, now_us) for one in apart]
        judgements, outcome = together.consume([cost] * len(ruled), now_us)

        denied = any(
            mode is Mode.ENFORCE and not judgement.fits
            for mode, judgement in zip(modes, alone, strict=True)
        )
        assert denied == (outcome is Outcome.DENIED)
        assert [one.fits for one in alone] == [one.fits for one in judgements]
        assert [one.wait_us for one in alone] == [one.wait_us for one in judgements]
        for one, judgement in zip(apart, alone, strict=True):
            if judgement.fits and not denied:
                one.charge(cost, now_us)
        now = [one.judge(0, now_us) for one in apart]
        assert [one.remaining for one in now] == [one.remaining for one in judgements]
