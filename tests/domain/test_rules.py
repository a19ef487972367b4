from __future__ import annotations

import json
from datetime import timedelta

import pytest

from quotas.domain.limits import (
    LONGEST_PERIOD,
    CalendarQuota,
    Concurrency,
    DenyAll,
    FixedWindow,
    TokenBucket,
    Unlimited,
)
from quotas.domain.rules import rule_from_json
from quotas.domain.words import Algorithm, CalendarUnit
from quotas.errors import InvalidLimit

MINUTE = timedelta(minutes=1)


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        pytest.param(
            '{"algorithm": "token_bucket", "amount": 100, "period": 60, "capacity": 20}',
            TokenBucket(amount=100, period=MINUTE, capacity=20),
            id="bucket",
        ),
        pytest.param(
            '{"algorithm": "calendar_quota", "amount": 5, "unit": "month"}',
            CalendarQuota(amount=5, unit=CalendarUnit.MONTH),
            id="calendar",
        ),
        pytest.param(
            '{"algorithm": "concurrency", "amount": 5}', Concurrency(amount=5), id="slots"
        ),
        pytest.param(
            '{"algorithm": "fixed_window", "amount": 5, "period": 0.1, "unit": null}',
            FixedWindow(amount=5, period=timedelta(microseconds=100_000)),
            id="part-of-a-second",
        ),
        pytest.param(
            '{"algorithm": "fixed_window", "amount": 0, "period": 60}',
            DenyAll(algorithm=Algorithm.FIXED_WINDOW),
            id="zero",
        ),
        pytest.param(
            '{"algorithm": "fixed_window", "amount": null, "period": 60}',
            Unlimited(algorithm=Algorithm.FIXED_WINDOW, period=MINUTE),
            id="null",
        ),
    ],
)
def test_a_json_object_makes_the_rule_that_it_names(text, rule):
    assert rule == rule_from_json(json.loads(text))


@pytest.mark.parametrize(
    "value",
    [
        pytest.param("fixed_window", id="text"),
        pytest.param(None, id="null"),
        pytest.param([["algorithm", "fixed_window"]], id="list"),
        pytest.param({}, id="empty"),
        pytest.param({"amount": 1, "period": 60}, id="no-algorithm"),
        pytest.param({"algorithm": "fixed_window", "period": 60}, id="no-amount"),
        pytest.param({"algorithm": "fixed_window", "amout": 1, "period": 60}, id="misspelt"),
        pytest.param({"algorithm": "fixed_window", "amount": 1, "burst": 60}, id="unknown"),
    ],
)
def test_a_json_value_with_other_fields_is_refused_so_that_no_slip_is_a_default(value):
    with pytest.raises(InvalidLimit, match="give an object with algorithm and amount") as refusal:
        rule_from_json(value)

    assert "nothing else but period, unit, capacity" in str(refusal.value)


@pytest.mark.parametrize("period", [True, "60", [60], float("nan"), float("inf"), 10**400])
def test_a_json_period_that_is_no_number_of_seconds_is_refused(period):
    with pytest.raises(InvalidLimit, match=r"period is .+: give seconds"):
        rule_from_json({"algorithm": "fixed_window", "amount": 1, "period": period})


@pytest.mark.parametrize("period", [0, -1, 1e-7, LONGEST_PERIOD.total_seconds() + 1])
def test_a_json_period_out_of_bounds_is_refused(period):
    with pytest.raises(InvalidLimit, match=r"period is .+: give a duration above 0 and at most"):
        rule_from_json({"algorithm": "fixed_window", "amount": 1, "period": period})
