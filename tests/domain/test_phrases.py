from __future__ import annotations

from contextlib import suppress
from datetime import timedelta

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from quotas.domain.limits import LONGEST_PERIOD, MOST_AMOUNT
from quotas.domain.phrases import (
    BUCKETS,
    EXAMPLES,
    Phrase,
    fields_said,
    fields_unsaid,
    phrase_text,
    read_phrase,
)
from quotas.domain.words import Algorithm, CalendarUnit
from quotas.errors import InvalidLimit, InvalidRate

SECOND = timedelta(seconds=1)
MINUTE = timedelta(minutes=1)
amounts = st.integers(1, MOST_AMOUNT)
periods = st.integers(1, LONGEST_PERIOD // SECOND).map(lambda seconds: seconds * SECOND)


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ("100 per minute", Phrase(amount=100, period=MINUTE)),
        ("100/minute", Phrase(amount=100, period=MINUTE)),
        ("100 / 5 m", Phrase(amount=100, period=5 * MINUTE)),
        ("100 per minute, bursts of 20", Phrase(amount=100, period=MINUTE, burst=20)),
        ("100/minute, burst of 2,000", Phrase(amount=100, period=MINUTE, burst=2000)),
        ("1 per 10 seconds", Phrase(amount=1, period=10 * SECOND)),
        ("10,000 per month", Phrase(amount=10_000, unit=CalendarUnit.MONTH)),
        ("10000 per Year", Phrase(amount=10_000, unit=CalendarUnit.YEAR)),
        ("7 per calendar day", Phrase(amount=7, unit=CalendarUnit.DAY)),
        ("7 per day", Phrase(amount=7, period=timedelta(days=1))),
        ("5 at once", Phrase(amount=5, at_once=True)),
        (" None ", Phrase(amount=0)),
        ("0 per minute", Phrase(amount=0, period=MINUTE)),
        ("Unlimited", Phrase(amount=None)),
        ("unlimited per hour", Phrase(amount=None, period=60 * MINUTE)),
    ],
)
def test_a_phrase_says_what_people_mean_by_it(text, phrase):
    assert phrase == read_phrase(text)


@pytest.mark.parametrize(
    "text",
    ["", "100", "minute", "ten per minute", "-1 per minute", "1.5 per minute", "1,00 per minute",
     "1,0000 per day", "100 per", "100 per minutes per hour", "100 per 0 seconds", "3 per 2 months",
     "10 per month, bursts of 3", "5 at once per minute", "100 per minute, bursts of 0",
     "100 per minute bursts", "100 per calendar hour", "100 per 2 calendar days", "100 per mo",
     "\uff11 per minute", "1 per wee\u212a", "1\tper minute", "100 per minute, 20", "9" * 200,
     "1000000000001 per day", "1 per 1831 days", "100perminute"],
)  # fmt: skip
def test_what_could_be_taken_for_something_else_is_refused_with_good_examples(text):
    with pytest.raises(InvalidRate) as refusal:
        read_phrase(text)

    assert repr(text[:100]) in str(refusal.value)
    assert all(repr(example) in str(refusal.value) for example in EXAMPLES)


@pytest.mark.parametrize("text", EXAMPLES)
def test_the_examples_are_good(text):
    assert read_phrase(text).amount


@given(text=st.text(max_size=120))
@example(text="1 per m")
def test_any_text_is_read_or_refused_in_one_way(text):
    with suppress(InvalidRate):
        assert isinstance(read_phrase(text), Phrase)


@given(
    algorithm=st.sampled_from(Algorithm),
    amount=st.one_of(st.none(), st.just(0), amounts),
    period=periods,
    unit=st.sampled_from(CalendarUnit),
    capacity=st.one_of(st.none(), amounts),
)
def test_the_words_of_numbers_read_back_to_the_same_numbers(
    algorithm, amount, period, unit, capacity
):
    calendar = algorithm is Algorithm.CALENDAR_QUOTA
    numbers = {
        "algorithm": algorithm,
        "amount": amount,
        "period": None if calendar else period,
        "unit": unit if calendar else None,
        "capacity": capacity if algorithm in BUCKETS else None,
    }

    phrase = read_phrase(phrase_text(**numbers))

    read = numbers | fields_unsaid(phrase, algorithm) | fields_said(phrase, algorithm)
    assert numbers == read | {"unit": read["unit"] or None}


def test_a_part_of_a_second_has_no_words():
    numbers = {"algorithm": Algorithm.FIXED_WINDOW, "amount": 1}

    assert "" == phrase_text(period=SECOND / 2, **numbers)


@pytest.mark.parametrize(
    ("text", "algorithm"),
    [
        ("100 per minute", Algorithm.CONCURRENCY),
        ("100 per minute", Algorithm.CALENDAR_QUOTA),
        ("100 per minute, bursts of 20", Algorithm.FIXED_WINDOW),
    ],
)
def test_words_that_leave_open_which_other_algorithm_is_meant_are_refused(text, algorithm):
    with pytest.raises(InvalidLimit, match=f"algorithm is {algorithm}"):
        fields_said(read_phrase(text), algorithm)


def test_a_calendar_quota_takes_a_day_for_the_civil_one():
    said = fields_said(read_phrase("7 per day"), Algorithm.CALENDAR_QUOTA)

    assert {"amount": 7, "unit": CalendarUnit.DAY} == said


@pytest.mark.parametrize(
    ("text", "lost"),
    [
        ("5 at once", {"capacity": None, "period": None, "unit": ""}),
        ("5 per month", {"capacity": None, "period": None}),
        ("5 per minute", {"capacity": None}),
        ("5 per minute, bursts of 2", {}),
        ("unlimited", {}),
    ],
)
def test_what_words_leave_unsaid_goes_only_where_it_would_not_fit(text, lost):
    assert lost == fields_unsaid(read_phrase(text), Algorithm.TOKEN_BUCKET)
