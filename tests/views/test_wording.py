from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from quotas.domain.rules import build_rule
from quotas.domain.words import Algorithm, CalendarUnit
from quotas.views import wording

SECOND_US = 1_000_000
HOUR = timedelta(hours=1)


@pytest.mark.parametrize(
    ("span_us", "words"),
    [
        pytest.param(1, "1 second", id="never-too-early"),
        pytest.param(SECOND_US, "1 second", id="one-second"),
        pytest.param(SECOND_US + 1, "2 seconds", id="rounded-up"),
        pytest.param(60 * SECOND_US, "1 minute", id="one-minute"),
        pytest.param(200 * SECOND_US, "3 minutes 20 seconds", id="two-units"),
        pytest.param(3600 * SECOND_US, "1 hour", id="one-hour"),
        pytest.param(3601 * SECOND_US, "1 hour 1 minute", id="hours-count-minutes"),
        pytest.param(86_399 * SECOND_US, "1 day", id="up-to-a-day"),
        pytest.param(86_401 * SECOND_US, "1 day 1 hour", id="days-count-hours"),
        pytest.param(2000 * 86_400 * SECOND_US, "2,000 days", id="many-days"),
    ],
)
def test_a_span_is_told_in_its_two_largest_units_rounded_up(span_us, words):
    assert words == wording.lasting(span_us)


@pytest.mark.parametrize(
    ("numbers", "words"),
    [
        ({"algorithm": "token_bucket"}, "1,200 per hour, up to 50 at once"),
        ({"algorithm": "leaky_bucket"}, "1,200 per hour, up to 50 queued"),
        ({"algorithm": "fixed_window"}, "1,200 per hour"),
        ({"algorithm": "sliding_window_counter"}, "1,200 per hour"),
        ({"algorithm": "sliding_window_log"}, "1,200 in any hour"),
        ({"algorithm": "concurrency"}, "1,200 at once"),
        ({"algorithm": "calendar_quota", "unit": "week"}, "1,200 per week"),
        ({"algorithm": "fixed_window", "amount": 0}, "none at all"),
        ({"algorithm": "fixed_window", "amount": None}, "unlimited, but counted"),
    ],
)
def test_every_rule_has_its_amount_in_short(numbers, words):
    if "bucket" in numbers["algorithm"]:
        numbers = {"capacity": 50, **numbers}
    if "unit" not in numbers:
        numbers = {"period": HOUR, **numbers}

    assert words == wording.rate(build_rule(**{"amount": 1200, **numbers}))


def test_every_unit_and_algorithm_has_its_words():
    assert set(CalendarUnit) == set(wording.PER_UNIT)
    for algorithm in Algorithm:
        calendar = algorithm is Algorithm.CALENDAR_QUOTA
        span = {"unit": "day"} if calendar else {"period": HOUR}
        rule = build_rule(algorithm=algorithm, amount=3, **span)
        assert wording.rate(rule)
        assert wording.promise(rule).endswith(".")
        assert "2 of 3" in wording.taken(rule, 2)


def test_an_instant_is_short_on_the_day_it_is_seen():
    noon = datetime(2026, 10, 27, 12, tzinfo=UTC)

    assert "12:00:05" == wording.instant(noon + timedelta(seconds=5), seen_at=noon)
    assert "28 Oct 2026, 12:00:00" == wording.instant(noon + timedelta(days=1), seen_at=noon)
    assert "27 Oct 2026, 12:00:00" == wording.instant(noon)
