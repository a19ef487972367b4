"""What a decision comes to without the engine, and what it tells when several limits deny."""

from __future__ import annotations

from datetime import timedelta

import pytest

from quotas.domain.decisions import Decision, Verdict, on_outage
from quotas.domain.policies import Limit
from quotas.domain.rules import build_rule
from quotas.domain.words import Mode, OutagePolicy, Outcome


def limit(amount=5, *, algorithm="fixed_window", **fields):
    rule = build_rule(algorithm=algorithm, amount=amount, period=timedelta(minutes=1))
    return Limit(scope="api", name="only", rule=rule, **fields)


DENYING = {"outage_policy": OutagePolicy.DENY}


@pytest.mark.parametrize(
    ("limits", "costs", "outcome"),
    [
        pytest.param([limit()], [1], Outcome.ALLOWED_ON_OUTAGE, id="allow"),
        pytest.param(
            [limit(), limit(**DENYING)], [1, 1], Outcome.DENIED_ON_OUTAGE, id="one-denies"
        ),
        pytest.param(
            [limit(mode=Mode.SHADOW, **DENYING)], [1], Outcome.ALLOWED_ON_OUTAGE, id="shadow"
        ),
        pytest.param([limit(**DENYING)], [0], Outcome.ALLOWED_ON_OUTAGE, id="cost-0"),
        pytest.param([limit(0)], [1], Outcome.DENIED, id="amount-0"),
        pytest.param([limit(0)], [0], Outcome.ALLOWED_ON_OUTAGE, id="amount-0-cost-0"),
        pytest.param(
            [limit(0, mode=Mode.SHADOW)], [1], Outcome.ALLOWED_ON_OUTAGE, id="amount-0-in-shadow"
        ),
    ],
)
def test_each_limit_says_what_an_outage_means_and_none_of_0_admits(limits, costs, outcome):
    decision = on_outage(limits, costs)

    assert outcome == decision.outcome
    assert decision.retry_after_seconds is None


@pytest.mark.parametrize(("slot", "held"), [(b"8 bytes!", True), (bytes(8), False), (b"", False)])
def test_a_place_that_a_lost_answer_may_have_taken_is_given_back(slot, held):
    assert held == on_outage([limit()], [1], slot).holds_slots


def test_a_full_flight_is_told_as_one_second_beside_a_longer_wait():
    flight = Verdict(limit(algorithm="concurrency"), 1, False, 60_000_000, 0, 0, 5, 60_000_000)
    window = Verdict(limit(), 1, False, 30_000_001, 0, 0, 5, 0)

    decision = Decision(Outcome.DENIED, (flight, window), 1)

    assert window is decision.longest
    assert 31 == decision.retry_after_seconds
    assert 1 == Decision(Outcome.DENIED, (flight,), 1).retry_after_seconds
