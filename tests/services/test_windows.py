from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from quotas.domain.calendar import instant_at, microseconds
from quotas.domain.history import Grain, Span, Window
from quotas.services.windows import Extent, by_days, edges_of, extent, merged, start_of

BERLIN, NEW_YORK = ZoneInfo("Europe/Berlin"), ZoneInfo("America/New_York")
AT = datetime(2026, 10, 27, 12, 3, tzinfo=UTC)
HOUR_US = 3600 * 1_000_000


def cut(span, *, at=AT, zone=BERLIN, whole_days=False, **fields):
    """The grain, and the edges in the zone."""
    window = Window(span=span, zone=zone, **{"own_zone": zone, **fields})
    grain, edges = edges_of(extent(window, microseconds(at)), window, whole_days=whole_days)
    return grain, [instant_at(each, zone) for each in edges]


def chosen(since, until, **fields):
    since, until = (datetime.fromisoformat(text).replace(tzinfo=BERLIN) for text in (since, until))
    return cut(Span.CUSTOM, since=since, until=until, **fields)


@pytest.mark.parametrize(
    ("anchor_day", "first"),
    [
        pytest.param(1, date(2026, 10, 1), id="first"),
        pytest.param(15, date(2026, 10, 15), id="in-the-middle"),
        pytest.param(28, date(2026, 9, 28), id="still-the-month-before"),
        pytest.param(31, date(2026, 9, 30), id="clamped"),
    ],
)
def test_this_period_goes_from_the_anchor_day_to_the_end_of_today(anchor_day, first):
    grain, edges = cut(Span.PERIOD, anchor_day=anchor_day)

    assert grain is Grain.DAY
    assert datetime(first.year, first.month, first.day, tzinfo=BERLIN) == edges[0]
    assert datetime(2026, 10, 28, tzinfo=BERLIN) == edges[-1]


def test_a_period_that_has_just_begun_is_by_quarters():
    grain, edges = cut(Span.PERIOD, anchor_day=27)

    assert grain is Grain.QUARTER
    assert datetime(2026, 10, 27, tzinfo=BERLIN) == edges[0]
    assert datetime(2026, 10, 27, 12, 15, tzinfo=UTC) == edges[-1]


def test_in_utc_the_days_of_a_period_are_those_of_utc_and_its_edges_stay():
    window = Window(span=Span.PERIOD, zone=ZoneInfo("UTC"), own_zone=BERLIN)
    _, edges = edges_of(extent(window, microseconds(AT)), window, whole_days=False)

    found = [instant_at(each, UTC) for each in edges]
    assert datetime(2026, 9, 30, 22, tzinfo=UTC) == found[0]
    assert datetime(2026, 10, 1, tzinfo=UTC) == found[1]
    assert datetime(2026, 10, 28, tzinfo=UTC) == found[-1]


def test_in_utc_a_period_ends_with_the_tenants_own_even_if_today_is_longer():
    own = ZoneInfo("Asia/Tokyo")
    window = Window(span=Span.PERIOD, zone=ZoneInfo("UTC"), own_zone=own)

    span = extent(window, microseconds(datetime(2026, 10, 31, 14, tzinfo=UTC)))

    assert datetime(2026, 10, 31, 15, tzinfo=UTC) == instant_at(span.stop, UTC)


@pytest.mark.parametrize(
    ("until", "grain"),
    [
        pytest.param("2026-10-01T11:00", Grain.QUARTER, id="never-by-minutes"),
        pytest.param("2026-10-03T10:00", Grain.QUARTER, id="two-days"),
        pytest.param("2026-10-03T10:15", Grain.DAY, id="longer"),
    ],
)
def test_a_chosen_range_is_by_quarters_up_to_48_hours(until, grain):
    found, edges = chosen("2026-10-01T10:00", until)

    assert grain is found
    assert datetime(2026, 10, 1, 10, tzinfo=BERLIN) == edges[0]
    assert datetime.fromisoformat(until).replace(tzinfo=BERLIN) == edges[-1]


def test_a_chosen_range_is_of_whole_quarters():
    _, edges = chosen("2026-10-01T10:07", "2026-10-01T10:31")

    assert [0, 15, 30, 45] == [each.minute for each in edges]


def test_a_chosen_range_ends_with_the_quarter_or_the_day_under_way():
    _, short = chosen("2026-10-27", "2026-10-28")
    _, long = chosen("2026-10-01", "2027-03-01")

    assert datetime(2026, 10, 27, 12, 15, tzinfo=UTC) == short[-1]
    assert datetime(2026, 10, 28, tzinfo=BERLIN) == long[-1]


def test_where_only_whole_days_are_kept_a_chosen_range_is_of_whole_days():
    grain, edges = chosen("2026-08-01T10:00", "2026-08-02T09:00", whole_days=True)

    assert grain is Grain.DAY
    assert [1, 2, 3] == [each.day for each in edges]
    assert {0} == {each.hour for each in edges}


def test_chosen_days_of_utc_stay_what_they_are_where_whole_days_of_another_zone_are_kept():
    since, until = datetime(2026, 8, 1, tzinfo=UTC), datetime(2026, 8, 4, tzinfo=UTC)
    window = Window(
        span=Span.CUSTOM, zone=ZoneInfo("UTC"), own_zone=NEW_YORK, since=since, until=until
    )

    _, edges = edges_of(extent(window, microseconds(AT)), window, whole_days=True)

    assert [since, until] == [instant_at(each, UTC) for each in (edges[0], edges[-1])]
    assert 4 == len(edges)


def test_days_of_23_and_25_hours_are_one_bucket_each():
    for zone, day, hours in [
        (BERLIN, date(2026, 10, 25), 25),
        (BERLIN, date(2026, 3, 29), 23),
        (NEW_YORK, date(2026, 11, 1), 25),
    ]:
        start, stop = (start_of(day + timedelta(each), zone) for each in (0, 1))
        assert hours * HOUR_US == stop - start
        assert [start, stop] == by_days(Extent(start, stop), zone)


def test_a_date_that_a_zone_left_out_has_no_bucket():
    apia = ZoneInfo("Pacific/Apia")
    span = Extent(start_of(date(2011, 12, 28), apia), start_of(date(2012, 1, 2), apia))

    found = [instant_at(each, apia).date().day for each in by_days(span, apia)]

    assert [28, 29, 31, 1, 2] == found


def test_spans_that_touch_are_one():
    assert [(1, 9)] == merged(Extent(4, 9), Extent(1, 5))
    assert [(1, 9)] == merged(Extent(1, 9), Extent(3, 5))
    assert [(1, 2), (4, 5)] == merged(Extent(4, 5), Extent(1, 2))
