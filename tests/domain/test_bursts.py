from __future__ import annotations

from datetime import timedelta
from typing import get_args

import pytest

from quotas.domain.bursts import SAYINGS, worst_burst
from quotas.domain.limits import CalendarQuota, DenyAll, Rule, Unlimited
from quotas.domain.words import Algorithm, CalendarUnit
from tests.domain.calls import at, limit, rule

SPAN = timedelta(minutes=1)


def test_every_kind_of_rule_has_its_worst_burst():
    assert set(get_args(Rule)) == set(SAYINGS)


@pytest.mark.parametrize(
    ("judged", "sentence"),
    [
        (
            rule("token_bucket", 100, 60, capacity=20),
            "at most 20 in one instant, from a full bucket",
        ),
        (
            rule("leaky_bucket", 100, 60, capacity=20),
            "at most 20 in one instant, each told when its turn is",
        ),
        (rule("fixed_window", 20, 60), "at most 40 in one instant, around the window's edge"),
        (rule("sliding_window_counter", 20, 60), "at most 20 in one instant"),
        (rule("sliding_window_log", 2000, 60), "at most 2,000 in one instant"),
        (
            CalendarQuota(amount=20, unit=CalendarUnit.DAY),
            "at most 40 in one instant, around the period's edge",
        ),
        (rule("concurrency", 4, 60), "at most 4 in flight together"),
        (DenyAll(algorithm=Algorithm.CONCURRENCY), "nothing, at no instant"),
        (Unlimited(algorithm=Algorithm.FIXED_WINDOW, period=SPAN), "as many as come"),
    ],
)
def test_a_rule_says_the_most_that_comes_at_once(judged, sentence):
    assert sentence == worst_burst(judged)


@pytest.mark.parametrize(
    ("algorithm", "most"),
    [("fixed_window", 40), ("sliding_window_counter", 20), ("sliding_window_log", 20),
     ("token_bucket", 20), ("leaky_bucket", 20)],
)  # fmt: skip
def test_a_microsecond_on_each_side_of_an_edge_admits_what_is_said(algorithm, most):
    judged = limit(algorithm, 20, 60)
    edge = at(0) - at(0) % 60_000_000 + 60_000_000

    fit = [judged.consume(1, now).fits for now in [edge - 1] * 30 + [edge] * 30]

    assert most == sum(fit)
    assert f"{most} in one instant" in worst_burst(judged.rule)
