from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from quotas.domain.limits import LONGEST_PERIOD, MOST_AMOUNT
from quotas.domain.rates import Rate, parse_rate, rate_text, slug_of
from quotas.errors import InvalidLimit, InvalidRate

SECOND, MINUTE, HOUR, DAY, WEEK = 1, 60, 3_600, 86_400, 604_800

amounts = st.integers(0, MOST_AMOUNT)
lengths = st.integers(1, LONGEST_PERIOD // timedelta(seconds=1))


def rate(amount, seconds):
    return Rate(amount=amount, period=timedelta(seconds=seconds))


@pytest.mark.parametrize(
    ("text", "amount", "seconds"),
    [
        pytest.param("10/5m", 10, 300, id="five-minutes"),
        pytest.param("1/2h", 1, 7_200, id="two-hours"),
        pytest.param("5/30s", 5, 30, id="thirty-seconds"),
    ],
)
def test_c1_a_number_of_units_is_that_many_units(text, amount, seconds):
    assert rate(amount, seconds) == parse_rate(text)


@pytest.mark.parametrize("unit", ["month", "months", "mo", "2months", "year", "yr", "y", "1y"])
def test_c1_a_month_is_refused_and_never_a_minute(unit):
    with pytest.raises(InvalidRate, match=r"has no fixed length: for one, make a calendar quota"):
        parse_rate(f"100/{unit}")


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("10/0m", id="period-of-nothing"),
        pytest.param("10/", id="no-period"),
        pytest.param("ten/m", id="amount-in-words"),
        pytest.param("-1/m", id="negative"),
        pytest.param("10/5x", id="unknown-unit"),
        pytest.param("", id="empty"),
        pytest.param(" ", id="blank"),
        pytest.param("10", id="amount-alone"),
        pytest.param("/m", id="period-alone"),
        pytest.param("10/5", id="number-without-unit"),
        pytest.param("10/m/h", id="two-periods"),
        pytest.param("10 per minute", id="no-slash"),
        pytest.param("10/m,20/h", id="two-rates"),
        pytest.param("1.5/m", id="fraction"),
        pytest.param("1/1.5m", id="fraction-of-a-unit"),
        pytest.param("1e3/m", id="exponent"),
        pytest.param("1_000/m", id="underscore"),
        pytest.param("1,000/m", id="comma"),
        pytest.param("+5/m", id="sign"),
        pytest.param("10/-5m", id="negative-period"),
        pytest.param("0x10/m", id="hexadecimal"),
        pytest.param("\uff11\uff10/m", id="full-width-digits"),
        pytest.param("\u0661\u0660/m", id="arabic-digits"),
        pytest.param("10/\uff15m", id="full-width-period"),
        pytest.param("10/\uff4d", id="full-width-unit"),
        pytest.param("10/monkey", id="first-letter-of-a-minute"),
        pytest.param("10/dayz", id="first-letter-of-a-day"),
        pytest.param("10/ms", id="milliseconds"),
        pytest.param("10/M", id="upper-case"),
        pytest.param("10/m\n", id="line-feed"),
        pytest.param("10\t/m", id="tab"),
        pytest.param("10/m\0", id="nul"),
        pytest.param("1 0/m", id="space-in-a-number"),
        pytest.param("9" * 5_000 + "/m", id="endless-amount"),
        pytest.param("1/" + "9" * 5_000 + "m", id="endless-period"),
        pytest.param("1/" + "9" * 50 + "w", id="period-beyond-timedelta"),
        pytest.param("1000000000001/m", id="amount-beyond-the-most"),
        pytest.param("1/1831d", id="period-beyond-the-longest"),
    ],
)
def test_c1_a_text_that_is_no_rate_is_refused_with_setting_text_and_way_out(text):
    with pytest.raises(InvalidRate) as refusal:
        parse_rate(text, setting="DEFAULT_THROTTLE_RATES['user']")

    message = str(refusal.value)
    assert message.startswith(f"DEFAULT_THROTTLE_RATES['user'] is {repr(text)[:60]}")
    assert 'write an amount and a period, such as "100/minute", "10/5m" or "1/2h"' in message
    assert len(message) < 300
    assert message.isprintable()


@pytest.mark.parametrize("value", [None, 10, 1.5, True, b"10/m", ("10", "m")], ids=repr)
def test_c1_a_rate_that_is_no_text_is_refused_likewise(value):
    with pytest.raises(InvalidRate) as refusal:
        parse_rate(value, setting="ReportThrottle.rate")

    assert str(refusal.value).startswith(f"ReportThrottle.rate is {value!r}: write an amount")


@pytest.mark.parametrize(
    ("spellings", "seconds"),
    [
        pytest.param("s sec secs second seconds", SECOND, id="second"),
        pytest.param("m min mins minute minutes", MINUTE, id="minute"),
        pytest.param("h hr hrs hour hours", HOUR, id="hour"),
        pytest.param("d day days", DAY, id="day"),
        pytest.param("w week weeks", WEEK, id="week"),
    ],
)
def test_a_unit_is_read_by_letter_abbreviation_and_word(spellings, seconds):
    for unit in spellings.split():
        assert rate(100, seconds) == parse_rate(f"100/{unit}")
        assert rate(100, 3 * seconds) == parse_rate(f"100/3{unit}")


@pytest.mark.parametrize("text", ["100 / minute", " 100/minute ", "100/ 1 minute", "0100/01m"])
def test_spaces_and_leading_zeros_change_nothing(text):
    assert rate(100, MINUTE) == parse_rate(text)


def test_an_amount_of_zero_is_a_rate_that_denies_all():
    assert rate(0, MINUTE) == parse_rate("0/m")


def test_the_largest_amount_and_the_longest_period_are_still_rates():
    assert Rate(amount=MOST_AMOUNT, period=LONGEST_PERIOD) == parse_rate("1000000000000/1830d")


@given(text=st.text(st.characters(codec="utf-8"), max_size=80))
@example(text="10/m")
def test_any_text_is_either_read_or_refused_in_one_way(text):
    try:
        read = parse_rate(text)
    except InvalidRate as refusal:
        assert str(refusal).startswith("rate is ")  # noqa: PT017
    else:
        assert read == parse_rate(rate_text(read.amount, read.period))


@pytest.mark.parametrize(
    ("amount", "seconds", "text"),
    [
        pytest.param(100, 60, "100/minute", id="minute"),
        pytest.param(10, 300, "10/5m", id="five-minutes"),
        pytest.param(1, 90, "1/90s", id="no-whole-minutes"),
        pytest.param(5, 1, "5/second", id="second"),
        pytest.param(1, 3_600, "1/hour", id="hour"),
        pytest.param(0, 86_400, "0/day", id="day"),
        pytest.param(7, 7 * 86_400, "7/week", id="week"),
        pytest.param(7, 30 * 86_400, "7/30d", id="thirty-days"),
    ],
)
def test_numbers_have_one_text_in_the_largest_unit_that_holds_them(amount, seconds, text):
    assert text == rate_text(amount, timedelta(seconds=seconds))


@given(amount=amounts, seconds=lengths)
def test_a_rates_text_reads_back_to_the_same_numbers(amount, seconds):
    written = rate(amount, seconds)

    assert written == parse_rate(rate_text(written.amount, written.period))


@pytest.mark.parametrize(
    ("amount", "period"),
    [
        pytest.param(-1, timedelta(seconds=1), id="negative-amount"),
        pytest.param(True, timedelta(seconds=1), id="truth-for-an-amount"),
        pytest.param(1.5, timedelta(seconds=1), id="fraction"),
        pytest.param(MOST_AMOUNT + 1, timedelta(seconds=1), id="amount-beyond-the-most"),
        pytest.param(1, timedelta(0), id="no-period"),
        pytest.param(1, timedelta(seconds=-1), id="negative-period"),
        pytest.param(1, timedelta(milliseconds=1_500), id="part-of-a-second"),
        pytest.param(1, LONGEST_PERIOD + timedelta(seconds=1), id="period-beyond-the-longest"),
    ],
)
def test_numbers_that_no_text_can_say_make_no_rate(amount, period):
    with pytest.raises(InvalidRate, match=r"(amount|period) is .+: give .*whole"):
        rate_text(amount, period)


@pytest.mark.parametrize(
    ("text", "slug"),
    [
        pytest.param("100/minute", "100-minute", id="word"),
        pytest.param(" 10 / 5m ", "10-5m", id="spaces"),
        pytest.param("Nightly: 1/Day", "nightly-1-day", id="any-text"),
        pytest.param("東京 5/s", "5-s", id="ascii-only"),
    ],
)
def test_a_slug_holds_lower_case_ascii_letters_digits_and_hyphens(text, slug):
    assert slug == slug_of(text)


@pytest.mark.parametrize("text", ["", "/", "東京"])
def test_a_text_that_leaves_no_slug_is_refused(text):
    with pytest.raises(InvalidLimit, match="give some ASCII letters or digits"):
        slug_of(text)


@given(amount=amounts, seconds=lengths, other=lengths)
def test_rates_with_other_numbers_have_other_slugs(amount, seconds, other):
    one = slug_of(rate_text(amount, timedelta(seconds=seconds)))

    assert (one == slug_of(rate_text(amount, timedelta(seconds=other)))) == (seconds == other)
