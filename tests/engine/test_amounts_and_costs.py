"""What amounts of 0, blank and 1 mean, and costs of 0, below it, and above what ever fits."""

from __future__ import annotations

import pytest

from quotas.domain.words import Algorithm, Code, Outcome
from quotas.errors import InvalidCost
from tests.engine.asking import SHADOW, Asker, admitted, contents, limit, one

DAY = 86_400
algorithms = pytest.mark.parametrize(
    "algorithm", [pytest.param(each.value, id=each.value) for each in Algorithm]
)


@pytest.mark.parametrize("mode", ["enforced", "shadow"])
def test_a_limit_of_0_denies_all_but_a_cost_of_0_and_leaves_no_key(mode):
    nothing = (
        limit("token_bucket", 0, mode=SHADOW) if mode == "shadow" else limit("token_bucket", 0)
    )
    asker = Asker(nothing)

    asked, free = asker.consume(), asker.consume(0)

    assert (Outcome.SHADOW_DENIED if mode == "shadow" else Outcome.DENIED) is asked.outcome
    assert (0, None, Code.QUOTA_EXCEEDED) == (
        one(asked).remaining,
        one(asked).wait_us,
        one(asked).code,
    )
    assert Outcome.ALLOWED is free.outcome
    assert {} == contents()


@algorithms
def test_C2_a_limit_of_0_denies_the_first_call_and_its_usage_is_there_when_it_is_raised(algorithm):
    asker = Asker(limit(algorithm, 10, DAY))
    asker.consume()
    before = contents()

    asker.edit(limit(algorithm, 0, DAY))
    denied = asker.consume()

    assert (Outcome.DENIED, 0, None) == (denied.outcome, one(denied).remaining, denied.retry_after)
    assert before == contents()
    asker.edit(limit(algorithm, 10, DAY))
    assert 9 == one(asker.peek()).remaining


@algorithms
def test_C2_a_blank_limit_admits_1000_and_counts_them(algorithm):
    asker = Asker(limit(algorithm, None, DAY))

    assert all(asker.consume().allowed for _ in range(1000))
    verdict = one(asker.peek())
    assert (1000, None, None) == (verdict.used, verdict.remaining, verdict.reset_us)


@algorithms
def test_C2_a_limit_of_1_admits_the_first_and_denies_the_second(algorithm):
    assert [0] == admitted(Asker(limit(algorithm, 1, DAY)), [0, 0])


@pytest.mark.parametrize("algorithm", ["sliding_window_log", "token_bucket"])
def test_W5_costs_out_of_range_take_nothing(algorithm):
    asker = Asker(limit(algorithm, 10))

    assert 5 == one(asker.consume(5)).remaining
    above = asker.consume(100)
    assert (False, None, 5) == (above.allowed, above.retry_after, one(above).remaining)
    assert Code.COST_ABOVE_CAPACITY == one(above).code
    with pytest.raises(InvalidCost, match="-1"):
        asker.consume(-1)
    free = asker.consume(0)
    assert (True, 5) == (free.allowed, one(free).remaining)


@pytest.mark.parametrize("cost", [True, 1.0, "1", None], ids=repr)
def test_a_cost_that_is_no_whole_number_is_a_programming_error_and_takes_nothing(cost):
    asker = Asker(limit("token_bucket", 10))

    with pytest.raises(InvalidCost, match="whole number"):
        asker.consume([cost])
    assert {} == contents()


COUNTING_COSTS = [each.value for each in Algorithm if each is not Algorithm.CONCURRENCY]


@pytest.mark.parametrize("algorithm", COUNTING_COSTS)
@pytest.mark.parametrize("amount", [10**12, 10**12 - 1])
def test_a_cost_above_the_largest_amount_is_never_admitted(algorithm, amount):
    above = Asker(limit(algorithm, amount, DAY)).consume(amount + 1)

    assert (False, None) == (above.allowed, above.retry_after)


@algorithms
def test_a_cost_of_0_is_admitted_by_a_limit_used_up_and_writes_nothing(algorithm):
    asker = Asker(limit(algorithm, 1, DAY))
    asker.consume()
    before = contents()

    assert asker.consume(0, 1).allowed
    assert before == contents()


def test_a_call_is_one_call_in_flight_whatever_it_costs():
    asker = Asker(limit("concurrency", 3))

    assert [2, 1, 0] == [one(asker.consume(cost)).remaining for cost in (1, 50, 10**13)]
    assert not asker.consume(50).allowed
