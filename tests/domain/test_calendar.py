from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quotas.domain.calendar import Period, edges_around, period_at, zone_named, zone_names
from quotas.domain.words import CalendarUnit
from quotas.errors import InvalidLimit

DAY, WEEK, MONTH, YEAR = CalendarUnit
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
LONDON = ZoneInfo("Europe/London")
TOKYO = ZoneInfo("Asia/Tokyo")
ZULU = ZoneInfo("UTC")

units = st.sampled_from(CalendarUnit)
zones = st.sampled_from(sorted(zone_names())).map(ZoneInfo)
anchors = st.integers(1, 31)
instants = st.datetimes(datetime(1850, 1, 1), datetime(2400, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001


def utc(text):
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def us(instant):
    return (instant - EPOCH) // MICROSECOND


def chain(unit, instant, count, **place):
    """``count`` periods in a row, from the one around ``instant``."""
    periods = [period_at(unit, instant, **place)]
    while len(periods) < count:
        periods.append(period_at(unit, periods[-1].end, **place))
    return periods


@pytest.mark.parametrize(
    ("anchor", "starts"),
    [
        pytest.param(
            date(2027, 1, 31),
            ["2027-01-31", "2027-02-28", "2027-03-31", "2027-04-30", "2027-05-31"],
            id="common-year",
        ),
        pytest.param(
            date(2028, 1, 31),
            ["2028-01-31", "2028-02-29", "2028-03-31", "2028-04-30", "2028-05-31"],
            id="leap-year",
        ),
    ],
)
def test_t1_months_from_the_31st_are_clamped_and_never_drift(anchor, starts):
    first = datetime(anchor.year, anchor.month, anchor.day, tzinfo=UTC)

    periods = chain(MONTH, first, len(starts), zone=ZULU, anchor=anchor.day)

    assert [utc(start) for start in starts] == [period.start for period in periods]


def test_t1_a_used_up_month_ends_with_its_last_minute():
    opened = period_at(MONTH, utc("2027-01-31"), zone=ZULU, anchor=31)

    assert opened == period_at(MONTH, utc("2027-02-27T23:59"), zone=ZULU, anchor=31)
    assert opened.end == utc("2027-02-28")
    assert opened.end == period_at(MONTH, utc("2027-02-28"), zone=ZULU, anchor=31).start


def test_t3_a_day_ends_at_the_tenants_midnight():
    used_up = utc("2026-09-08T14:30")

    today = period_at(DAY, used_up, zone=TOKYO)
    tomorrow = period_at(DAY, utc("2026-09-08T15:00"), zone=TOKYO)

    assert timedelta(seconds=1800) == today.end - used_up
    assert today.end == tomorrow.start
    assert date(2026, 9, 8) == today.start.astimezone(TOKYO).date()
    assert date(2026, 9, 9) == tomorrow.start.astimezone(TOKYO).date()


def test_t3_a_tenant_elsewhere_on_the_same_plan_has_a_day_of_its_own():
    day = period_at(DAY, utc("2026-09-08T14:30"), zone=ZULU)

    assert day == period_at(DAY, utc("2026-09-08T15:00"), zone=ZULU)
    assert day == Period(start=utc("2026-09-08"), end=utc("2026-09-09"))


@pytest.mark.parametrize(
    ("zone", "instant", "start", "hours"),
    [
        pytest.param("Europe/Berlin", "2024-03-31T12", "2024-03-30T23", 23, id="spring"),
        pytest.param("Europe/Berlin", "2024-10-27T12", "2024-10-26T22", 25, id="autumn"),
        pytest.param("Australia/Lord_Howe", "2024-10-06T02", "2024-10-05T13:30", 23.5, id="half"),
        pytest.param("America/Santiago", "2024-09-08T16", "2024-09-08T04", 23, id="santiago"),
        pytest.param("Africa/Cairo", "2024-04-26T10", "2024-04-25T22", 23, id="cairo"),
        pytest.param("America/Sao_Paulo", "2018-11-04T15", "2018-11-04T03", 23, id="sao-paulo"),
        pytest.param("Asia/Beirut", "2024-03-31T10", "2024-03-30T22", 23, id="beirut"),
        pytest.param("America/Toronto", "1919-03-31T16", "1919-03-31T04:30", 23.5, id="mid-jump"),
        pytest.param("America/Havana", "2024-11-03T17", "2024-11-03T04", 25, id="midnight-twice"),
        pytest.param("America/St_Johns", "2010-11-07T16", "2010-11-07T02:30", 25, id="one-minute"),
        pytest.param("America/St_Johns", "2010-11-07T03", "2010-11-07T02:30", 25, id="eve-again"),
        pytest.param("America/Santiago", "2024-04-06T16", "2024-04-06T03", 25, id="evening-twice"),
    ],
)
def test_a_civil_day_lasts_from_its_first_instant_to_that_of_the_next(zone, instant, start, hours):
    day = period_at(DAY, utc(instant), zone=ZoneInfo(zone))

    assert utc(start) == day.start
    assert timedelta(hours=hours) == day.end - day.start


@pytest.mark.parametrize(
    ("zone", "skipped"),
    [
        pytest.param("Pacific/Apia", date(2011, 12, 30), id="apia"),
        pytest.param("Pacific/Kwajalein", date(1993, 8, 21), id="kwajalein"),
    ],
)
def test_a_date_that_a_zone_left_out_leaves_no_gap_between_its_neighbours(zone, skipped):
    zone = ZoneInfo(zone)
    noon = datetime(skipped.year, skipped.month, skipped.day, 12, tzinfo=zone)
    eve = noon - timedelta(days=1)

    before, after = chain(DAY, eve, 2, zone=zone)
    edges = edges_around(DAY, after.start_us, zone=zone)

    assert skipped - timedelta(days=1) == before.start.astimezone(zone).date()
    assert skipped + timedelta(days=1) == after.start.astimezone(zone).date()
    assert (before.start_us, after.start_us, after.end_us) == edges[:3]


def test_a_month_whose_anchor_was_left_out_starts_on_the_date_after_it():
    apia = ZoneInfo("Pacific/Apia")

    month = period_at(MONTH, utc("2012-01-05"), zone=apia, anchor=30)

    assert date(2011, 12, 31) == month.start.astimezone(apia).date()
    assert date(2012, 1, 30) == month.end.astimezone(apia).date()


@pytest.mark.parametrize(
    ("unit", "anchor", "start", "end"),
    [
        pytest.param(WEEK, 1, "2024-03-25T00", "2024-03-31T23", id="week-from-monday"),
        pytest.param(MONTH, 1, "2024-03-01T00", "2024-03-31T23", id="month"),
        pytest.param(MONTH, 15, "2024-03-15T00", "2024-04-14T23", id="month-from-the-15th"),
        pytest.param(YEAR, 1, "2024-01-01T00", "2025-01-01T00", id="year"),
        pytest.param(YEAR, 15, "2024-01-01T00", "2025-01-01T00", id="year-whatever-the-anchor"),
    ],
)
def test_longer_periods_follow_the_tenants_clocks_too(unit, anchor, start, end):
    period = period_at(unit, utc("2024-03-30T12:00"), zone=LONDON, anchor=anchor)

    assert Period(start=utc(start), end=utc(end)) == period


def test_an_instant_is_the_same_in_whatever_zone_it_is_written():
    instant = utc("2026-09-08T15:00")

    written = instant.astimezone(timezone(timedelta(hours=-7)))

    assert period_at(DAY, instant, zone=TOKYO) == period_at(DAY, written, zone=TOKYO)


def test_microseconds_are_exact_before_the_epoch_and_far_after():
    start = datetime(2399, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC)

    period = Period(start=EPOCH - MICROSECOND, end=start)

    assert -1 == period.start_us
    assert 13_569_465_599_999_999 == period.end_us


@settings(deadline=None)
@given(unit=units, zone=zones, instant=instants, anchor=anchors)
def test_every_instant_lies_in_exactly_one_period(unit, zone, instant, anchor):
    period = period_at(unit, instant, zone=zone, anchor=anchor)

    assert period.start <= instant < period.end
    for other in (period.start, period.end - MICROSECOND):
        assert period == period_at(unit, other, zone=zone, anchor=anchor)
    assert period.end == period_at(unit, period.end, zone=zone, anchor=anchor).start
    before = period_at(unit, period.start - MICROSECOND, zone=zone, anchor=anchor)
    assert period.start == before.end


@settings(deadline=None)
@given(unit=units, zone=zones, instant=instants, anchor=anchors)
def test_edges_are_those_of_three_periods_in_a_row(unit, zone, instant, anchor):
    edges = edges_around(unit, us(instant), zone=zone, anchor=anchor)

    first = EPOCH + edges[0] * MICROSECOND
    periods = chain(unit, first, 3, zone=zone, anchor=anchor)

    assert edges == (*[period.start_us for period in periods], periods[-1].end_us)
    assert sorted(set(edges)) == list(edges)
    assert edges[1] <= us(instant) < edges[2]


@settings(deadline=None)
@given(unit=units, zone=zones, instant=instants)
def test_a_period_starts_with_the_first_instant_of_its_first_date(unit, zone, instant):
    start = period_at(unit, instant, zone=zone).start

    day = start.astimezone(zone).date()
    eve = (start - MICROSECOND).astimezone(zone).date()

    assert eve < day
    opening = {
        DAY: True,
        WEEK: day.isocalendar()[:2] != eve.isocalendar()[:2],
        MONTH: (day.year, day.month) != (eve.year, eve.month),
        YEAR: day.year != eve.year,
    }
    assert opening[unit]


@pytest.mark.parametrize("anchor", [0, 32, -1, True, 1.0, "1", None], ids=repr)
def test_an_anchor_that_is_no_day_of_a_month_is_refused(anchor):
    with pytest.raises(InvalidLimit, match=r"anchor day is .+: give a whole number from 1 to 31"):
        edges_around(MONTH, 0, zone=ZULU, anchor=anchor)


def test_a_unit_may_be_the_text_that_a_row_holds_and_no_other():
    assert period_at(MONTH, EPOCH, zone=ZULU) == period_at("month", EPOCH, zone=ZULU)
    with pytest.raises(InvalidLimit, match="unit is 'decade': give one of day, week, month, year"):
        period_at("decade", EPOCH, zone=ZULU)


def test_an_instant_without_a_zone_is_refused():
    with pytest.raises(ValueError, match="give an aware datetime"):
        period_at(DAY, EPOCH.replace(tzinfo=None), zone=ZULU)


@pytest.mark.parametrize(
    ("start", "end", "reason"),
    [
        pytest.param(EPOCH, EPOCH, "give an instant after the start", id="empty"),
        pytest.param(EPOCH.replace(tzinfo=None), EPOCH, "start is .+ in UTC", id="naive"),
        pytest.param(EPOCH, EPOCH.astimezone(TOKYO), "end is .+ in UTC", id="not-utc"),
    ],
)
def test_a_period_that_is_none_is_refused(start, end, reason):
    with pytest.raises(ValueError, match=reason):
        Period(start=start, end=end)


@pytest.mark.parametrize("name", ["Europe/Berlin", "UTC", "America/Argentina/Ushuaia", "Etc/GMT+5"])
def test_a_zone_is_known_by_its_name_in_the_iana_database(name):
    assert ZoneInfo(name) is zone_named(name)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("", id="empty"),
        pytest.param("../etc", id="climbing"),
        pytest.param("/etc/passwd", id="absolute"),
        pytest.param("Europe/../UTC", id="roundabout"),
        pytest.param("Europe", id="folder"),
        pytest.param("zone.tab", id="other-file"),
        pytest.param("localtime", id="whatever-the-server-has"),
        pytest.param("right/UTC", id="leap-seconds"),
        pytest.param("europe/berlin", id="lower-case"),
        pytest.param("Europe/Berlin ", id="space"),
        pytest.param("UTC\0", id="nul"),
        pytest.param("\ud800", id="surrogate"),
        pytest.param("東京", id="unicode"),
        pytest.param("x" * 4000, id="long"),
        pytest.param(None, id="none"),
    ],
)
def test_any_other_name_of_a_zone_is_refused_in_a_short_message(name):
    with pytest.raises(
        InvalidLimit, match=r"time zone is '.*', which is not known here"
    ) as refusal:
        zone_named(name)

    assert len(str(refusal.value)) < 250
    assert str(refusal.value).isprintable()


def test_a_misspelt_zone_is_answered_with_the_nearest_one():
    with pytest.raises(InvalidLimit, match=r"Did you mean Europe/Berlin\?"):
        zone_named("Europe/Berlim")
