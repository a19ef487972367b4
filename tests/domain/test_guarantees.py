from __future__ import annotations

from datetime import timedelta
from typing import get_args

import pytest

from quotas.domain.guarantees import SAYINGS, guarantee, spoken
from quotas.domain.limits import (
    CalendarQuota,
    Concurrency,
    DenyAll,
    FixedWindow,
    LeakyBucket,
    Rule,
    SlidingWindowCounter,
    SlidingWindowLog,
    TokenBucket,
    Unlimited,
)
from quotas.domain.words import Algorithm, CalendarUnit

SECOND = timedelta(seconds=1)
MINUTE = timedelta(minutes=1)
HOUR = timedelta(hours=1)
DAY = timedelta(days=1)


@pytest.mark.parametrize(
    ("rule", "sentence"),
    [
        (
            TokenBucket(amount=100, period=MINUTE, capacity=20),
            "any 2 seconds at most 23, any minute at most 120",
        ),
        (
            TokenBucket(amount=1000, period=DAY, capacity=50),
            "any 30 minutes at most 70, any day at most 1,050",
        ),
        (
            TokenBucket(amount=5, period=SECOND, capacity=2),
            "at once at most 2, any second at most 7",
        ),
        (
            LeakyBucket(amount=100, period=MINUTE, capacity=20),
            "starts are 0.6 seconds apart; nobody waits longer than 12 seconds",
        ),
        (
            LeakyBucket(amount=1, period=MINUTE, capacity=1),
            "starts are 1 minute apart; nobody waits longer than 1 minute",
        ),
        (
            LeakyBucket(amount=7, period=SECOND, capacity=1),
            "starts are 0.142857 seconds apart; nobody waits longer than 0.142858 seconds",
        ),
        (
            LeakyBucket(amount=10**12, period=SECOND, capacity=1),
            "starts are 0 seconds apart; nobody waits longer than 0.000001 seconds",
        ),
        (
            FixedWindow(amount=100, period=HOUR),
            "100 in each hour, up to 200 around an edge",
        ),
        (
            SlidingWindowCounter(amount=100, period=MINUTE),
            "about 100 in any minute, assuming even traffic",
        ),
        (
            SlidingWindowLog(amount=50000, period=90 * SECOND),
            "never more than 50,000 in any 90 seconds",
        ),
        (CalendarQuota(amount=50000, unit=CalendarUnit.MONTH), "50,000 in each civil month"),
        (CalendarQuota(amount=1, unit=CalendarUnit.DAY), "1 in each civil day"),
        (CalendarQuota(amount=1, unit=CalendarUnit.WEEK), "1 in each civil week"),
        (CalendarQuota(amount=1, unit=CalendarUnit.YEAR), "1 in each civil year"),
        (Concurrency(amount=4), "never more than 4 at once"),
        (DenyAll(algorithm=Algorithm.TOKEN_BUCKET), "denies all"),
        (Unlimited(algorithm=Algorithm.FIXED_WINDOW, period=MINUTE), "unlimited, but counted"),
    ],
)
def test_a_rule_says_what_it_promises_with_its_own_numbers(rule, sentence):
    assert sentence == guarantee(rule)


def test_every_kind_of_rule_has_its_sentence():
    assert set(get_args(Rule)) == set(SAYINGS)


@pytest.mark.parametrize(
    ("span", "text"),
    [
        (timedelta(weeks=1), "week"),
        (DAY, "day"),
        (30 * DAY, "30 days"),
        (25 * HOUR, "25 hours"),
        (90 * MINUTE, "90 minutes"),
        (3601 * SECOND, "3,601 seconds"),
        (SECOND / 2, "0.5 seconds"),
        (timedelta(seconds=61, microseconds=1), "61.000001 seconds"),
        (timedelta(0), "0 seconds"),
    ],
)
def test_a_span_is_said_in_the_largest_unit_that_holds_it_exactly(span, text):
    assert text == spoken(span)


def test_sentences_are_said_in_the_readers_language():
    class Upper:
        def gettext(self, message):
            return message.replace("never", "NIE")

        def ngettext(self, singular, plural, number):
            return "Minute" if number == 1 else plural

    rule = SlidingWindowLog(amount=5, period=MINUTE)

    assert "NIE more than 5 in any Minute" == guarantee(rule, Upper())
