"""Several limits are one decision: charged all, or none; shadow limits deny nobody."""

from __future__ import annotations

from itertools import permutations

import pytest

from quotas.domain.words import Algorithm, Code, Outcome
from tests.engine.asking import SHADOW, Asker, admitted, contents, limit, remaining

DAY = 86_400
algorithms = pytest.mark.parametrize(
    "algorithm", [pytest.param(each.value, id=each.value) for each in Algorithm]
)


def every_algorithm(amount, **options):
    return [
        limit(each.value, amount, DAY, name=each.value.replace("_", "-"), **options)
        for each in Algorithm
    ]


@algorithms
def test_a_denied_call_consumes_nothing_anywhere(algorithm):
    tight = limit(algorithm, 1, DAY, name="tight")
    asker = Asker(*every_algorithm(10), tight)
    asker.consume(1, 0)
    before = contents()

    denied = asker.consume(1, 1)

    assert Outcome.DENIED is denied.outcome
    assert ["tight"] == [verdict.limit.name for verdict in denied.denying]
    assert [9] * len(Algorithm) + [0] == remaining(denied)
    assert before == contents()


@algorithms
def test_a_denied_call_has_no_turn(algorithm):
    asker = Asker(limit("leaky_bucket", 10, name="queue"), limit(algorithm, 1, DAY, name="tight"))
    asker.consume()

    denied = asker.consume()

    assert not denied.allowed
    assert 0 == denied.delay_us


def test_a_denial_by_the_first_charges_none_that_follows_and_by_the_last_none_before():
    three = [
        limit("token_bucket", 10, name="a"),
        limit("fixed_window", 1, name="b"),
        limit("sliding_window_log", 10, name="c"),
    ]
    for turn, order in enumerate(permutations(three)):
        asker = Asker(*order, tag=f"t{turn}")

        outcomes = [asker.consume().outcome for _ in range(3)]

        assert [Outcome.ALLOWED, Outcome.DENIED, Outcome.DENIED] == outcomes
        left = {verdict.limit.name: verdict.remaining for verdict in asker.peek(0).verdicts}
        assert {"a": 9, "b": 0, "c": 9} == left


@pytest.mark.parametrize("algorithm", ["sliding_window_log", "token_bucket"])
@pytest.mark.parametrize("first", ["day", "burst"])
def test_M1_the_daily_allowance_is_not_spent_by_what_the_burst_limit_refuses(algorithm, first):
    day = limit("sliding_window_log", 5, DAY, name="day")
    burst = limit(algorithm, 2, 60, name="burst")
    asker = Asker(*([day, burst] if first == "day" else [burst, day]))

    def used_of_day(seconds):
        verdicts = asker.peek(0, seconds).verdicts
        return next(each.used for each in verdicts if each.limit is day)

    assert [0, 1] == admitted(asker, range(5))
    assert 2 == used_of_day(4)
    assert [70, 71] == admitted(asker, [70, 71, 72])
    assert 4 == used_of_day(72)
    assert [140] == admitted(asker, [140, 141, 142])
    assert ["day"] == [each.limit.name for each in asker.consume(1, 200).denying]


def test_H7_the_endpoint_limit_denies_and_the_tenant_is_charged_two_not_three():
    tenant = limit("sliding_window_log", 20, scope="*", name="tenant")
    endpoint = limit("sliding_window_log", 2, scope="reports", name="endpoint")
    asker = Asker(tenant, endpoint)

    decisions = [asker.consume() for _ in range(3)]

    assert [[19, 1], [18, 0], [18, 0]] == [remaining(each) for each in decisions]
    assert ["endpoint"] == [verdict.limit.name for verdict in decisions[2].denying]
    assert "endpoint" == decisions[2].longest.limit.name
    assert 18 == asker.peek().verdicts[0].remaining


def test_each_limit_is_charged_its_own_cost():
    asker = Asker(
        limit("token_bucket", 10, name="a"),
        limit("sliding_window_log", 10, name="b"),
        limit("fixed_window", 10, scope="*", name="c"),
    )

    assert [7, 6, 10] == remaining(asker.consume([3, 4, 0]))


def test_the_longest_wait_of_those_that_deny_is_told_and_never_is_the_longest():
    short, long = (
        limit("fixed_window", 1, 60, name="short"),
        limit("fixed_window", 1, 3600, name="long"),
    )
    asker = Asker(short, long)
    asker.consume()

    assert 3600 == asker.consume().retry_after_seconds
    assert asker.consume([1, 2]).retry_after_seconds is None
    assert Code.COST_ABOVE_CAPACITY == asker.consume([1, 2]).longest.code


@algorithms
def test_a_shadow_limit_denies_nobody_and_is_not_charged_for_what_it_would_deny(algorithm):
    asker = Asker(
        limit("fixed_window", 5, DAY, name="enforced"),
        limit(algorithm, 1, DAY, name="shadow", mode=SHADOW),
    )

    outcomes = [asker.consume().outcome for _ in range(3)]

    assert [Outcome.ALLOWED, Outcome.SHADOW_DENIED, Outcome.SHADOW_DENIED] == outcomes
    assert [2, 0] == remaining(asker.peek(0))
    assert () == asker.consume().denying


def test_when_an_enforced_limit_denies_the_shadow_limit_is_charged_nothing():
    asker = Asker(
        limit("fixed_window", 1, DAY, name="enforced"),
        limit("token_bucket", 10, DAY, name="shadow", mode=SHADOW),
    )

    outcomes = [asker.consume().outcome for _ in range(3)]

    assert [Outcome.ALLOWED, Outcome.DENIED, Outcome.DENIED] == outcomes
    assert [0, 9] == remaining(asker.peek(0))


def test_a_shadow_limit_that_would_deny_is_not_in_the_wait():
    asker = Asker(
        limit("fixed_window", 1, 60, name="enforced"),
        limit("fixed_window", 1, 3600, name="shadow", mode=SHADOW),
    )
    asker.consume()

    assert 60 == asker.consume().retry_after_seconds


def test_no_limit_at_all_is_an_answer_too():
    decision = Asker().consume([])

    assert (Outcome.ALLOWED, ()) == (decision.outcome, decision.verdicts)
