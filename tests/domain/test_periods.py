from __future__ import annotations

from datetime import timedelta

import pytest

from quotas.domain.periods import read_period, written_period
from quotas.errors import InvalidRate

SECOND, DAY = timedelta(seconds=1), timedelta(days=1)


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("1 minute", 60 * SECOND),
        ("minute", 60 * SECOND),
        ("60", 60 * SECOND),
        ("1h", 3600 * SECOND),
        ("2 hours", 7200 * SECOND),
        ("00:01:00", 60 * SECOND),
        ("36:00:00", 36 * 3600 * SECOND),
        ("5m", 300 * SECOND),
        ("30 days", 30 * 86400 * SECOND),
        ("1w", 7 * 86400 * SECOND),
        ("0.5", SECOND / 2),
        ("0.000001", timedelta(microseconds=1)),
        ("90.25", 90.25 * SECOND),
        ("0.5 seconds", SECOND / 2),
        ("90.25s", 90.25 * SECOND),
        ("158111999.999999", 1830 * DAY - timedelta(microseconds=1)),
    ],
)
def test_a_period_is_read_as_people_say_it_and_written_so_that_it_is_read_again(text, span):
    assert span == read_period(text)
    assert span == read_period(written_period(span))


@pytest.mark.parametrize(
    "text",
    ["10/5x", "5x", "ten", "-1", "-1 minute", "1:30", "00:60:00", "1 minute 5", "1.5 minutes",
     "0.5 s 5", "5 m m", "1e3", "\uff16\uff10", "P1D", "1.2345678", "0m", "1831 days",
     "minute/5", "NaN", "inf"],
)  # fmt: skip
def test_what_could_be_taken_for_something_else_is_no_period(text):
    with pytest.raises(InvalidRate):
        read_period(text)


@pytest.mark.parametrize(
    ("span", "text"),
    [
        (SECOND, "1 second"),
        (90 * SECOND, "90 seconds"),
        (DAY, "1 day"),
        (14 * DAY, "2 weeks"),
        (SECOND / 2, "0.5 seconds"),
        (timedelta(microseconds=1), "0.000001 seconds"),
    ],
)
def test_a_period_is_written_with_its_unit(span, text):
    assert text == written_period(span)
