"""Who called, and how full each limit got: of the database and of Redis together."""

from __future__ import annotations

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from quotas.domain.calls import Calls
from quotas.engine.connection import link
from quotas.models import UsageHour
from quotas.services.calls import MOST_SHOWN, calls_of
from quotas.services.flush import flush
from quotas.services.usage import usage_of
from quotas.testing import frozen_clock
from tests import START_US
from tests.engine.asking import dumped
from tests.models.rows import a_limit, a_plan, a_tenant
from tests.services.asking import ask, of_tenant
from tests.services.counted import DAY, HOUR, START

pytestmark = pytest.mark.django_db(transaction=True)

HOUR_US = 3_600_000_000
BEGIN = START - timedelta(microseconds=START_US % HOUR_US)
UTC = ZoneInfo("UTC")


@pytest.fixture
def clock():
    with frozen_clock(START_US - START_US % HOUR_US) as frozen:
        yield frozen


@pytest.fixture
def plan(db, clock):
    return a_plan("pro", is_default=True)


@pytest.fixture
def tenant(plan):
    a_limit(plan, amount=10**6)
    return a_tenant("acme")


def found(tenant, start=BEGIN - DAY, end=BEGIN + DAY, zone=UTC, *, away=False):
    tallied = None if away else usage_of(tenant.pk).tallied
    return calls_of(tenant.pk, start, end, zone=zone, tallied=tallied)


def an_hour(tenant, start, **fields):
    """A row of the database alone."""
    return UsageHour.objects.create(tenant=tenant, start=start, generation=1, **fields)


def test_what_is_in_redis_and_what_is_copied_is_counted_once(tenant, clock):
    for step in ("copied", "copied and grown since", "in Redis alone"):
        if step == "in Redis alone":
            clock.tick(HOUR)
        ask(of_tenant(tenant, user=7), cost=2)
        if step == "copied":
            flush()

    calls = found(tenant)

    assert Calls(3, 0, 6, 0) == calls.total
    assert {"u7": Calls(3, 0, 6, 0)} == calls.callers
    assert [(BEGIN, 4), (BEGIN + HOUR, 2)] == [
        (each.start, each.used) for each in calls.peaks["api/minute"]
    ]


def test_with_redis_away_what_is_copied_is_shown(tenant):
    ask(of_tenant(tenant, user=7))
    flush()
    ask(of_tenant(tenant, user=7))

    assert {"u7": Calls(1, 0, 1, 0)} == found(tenant, away=True).callers


def test_what_was_counted_before_and_after_redis_lost_its_memory_adds_up(tenant, clock):
    ask(of_tenant(tenant, user=7))
    flush()
    link().client.flushdb()
    clock.tick(HOUR / 60)
    ask(of_tenant(tenant, user=7))

    assert {"u7": Calls(2, 0, 2, 0)} == found(tenant).callers


def test_the_ten_busiest_are_listed_and_the_rest_is_what_is_missing_to_the_sums(tenant):
    callers = {f"u{pk}": [pk, 1, 2 * pk, 1] for pk in range(1, 15)}
    an_hour(tenant, BEGIN, admitted=200, denied=30, units=500, early=20, callers=callers, peaks={})

    calls = found(tenant)

    assert MOST_SHOWN == len(calls.callers)
    assert [f"u{pk}" for pk in range(14, 4, -1)] == list(calls.callers)
    listed = range(5, 15)
    assert Calls(200 - sum(listed), 20, 500 - 2 * sum(listed), 10) == calls.rest


@pytest.mark.parametrize(
    ("hours", "fullest"),
    [
        pytest.param([(5, 10), (9, 10), (3, 20)], (9, 10), id="raised"),
        pytest.param([(50, 60), (20, 20)], (20, 20), id="lowered"),
        pytest.param([(60, 60), (5, 200), (120, 120)], (120, 120), id="twice-full"),
        pytest.param([(900, None), (1, 10)], (1, 10), id="unlimited-before"),
        pytest.param([(3, None), (9, None)], (9, None), id="unlimited"),
        pytest.param([(0, 10), (0, 20)], (0, 20), id="unused"),
    ],
)
def test_of_one_time_the_fullest_hour_is_told_with_what_fitted_then(tenant, hours, fullest):
    for day in range(8):
        for hour, (used, most) in reversed(list(enumerate(hours))):
            start = BEGIN.replace(hour=6) + day * DAY + hour * HOUR
            an_hour(tenant, start, admitted=1, peaks={"api/minute": [used, most]})

    calls = found(tenant, BEGIN.replace(hour=0), BEGIN.replace(hour=0) + 8 * DAY)

    assert [fullest] * 8 == [(each.used, each.most) for each in calls.peaks["api/minute"]]
    assert {DAY} == {each.end - each.start for each in calls.peaks["api/minute"]}


def test_every_hour_of_a_month_is_counted_once_with_those_in_redis_among_them(tenant, clock):
    ask(of_tenant(tenant, user_pk=1))
    flush()
    ask(of_tenant(tenant, user_pk=1))
    for hours in range(1, 24 * 20):
        an_hour(tenant, BEGIN - hours * HOUR, admitted=hours, callers={"u1": [hours, 0, 0, 0]})

    calls = found(tenant, BEGIN - 20 * DAY, BEGIN + DAY)

    assert sum(range(24 * 20)) + 2 == calls.total.admitted == calls.callers["u1"].admitted
    assert 0 == calls.rest.requests


def test_days_are_those_of_the_zone(tenant):
    zone = ZoneInfo("Europe/Berlin")
    for hour in (22, 23):
        an_hour(tenant, BEGIN.replace(hour=hour), admitted=1, peaks={"api/minute": [hour, 100]})

    calls = found(tenant, BEGIN - 4 * DAY, BEGIN + 4 * DAY, zone)

    assert [22, 23] == [each.used for each in calls.peaks["api/minute"]]
    assert {0} == {each.start.hour for each in calls.peaks["api/minute"]}


@pytest.mark.parametrize(
    ("zone", "day", "hours"),
    [("Europe/Berlin", 27, 169), ("Asia/Kolkata", 7, 169), ("Europe/Berlin", 7, 168)],
)
def test_a_week_is_by_the_hour_in_every_zone(tenant, zone, day, hours):
    zone = ZoneInfo(zone)
    start = datetime(2026, 10, day - 6, tzinfo=zone)
    end = datetime(2026, 10, day + 1, tzinfo=zone)
    an_hour(tenant, end - DAY, admitted=1, peaks={"api/minute": [1, 10]})

    calls = found(tenant, start, end, zone)

    assert hours * HOUR == calls.end.astimezone(UTC) - calls.start.astimezone(UTC)
    assert {HOUR} == {each.end - each.start for each in calls.peaks["api/minute"]}


def test_an_hour_that_the_span_touches_is_counted_whole_and_said_so(tenant):
    an_hour(tenant, BEGIN, admitted=5)
    an_hour(tenant, BEGIN - HOUR, admitted=70)

    calls = found(tenant, BEGIN + HOUR / 2, BEGIN + HOUR)

    assert (BEGIN, BEGIN + HOUR, 5) == (calls.start, calls.end, calls.total.admitted)


def test_a_span_longer_than_hours_are_kept_is_cut_to_its_end(tenant):
    an_hour(tenant, BEGIN - 300 * DAY, admitted=70)
    an_hour(tenant, BEGIN - 3 * DAY, admitted=5)

    calls = found(tenant, BEGIN - 365 * DAY, BEGIN)

    assert (BEGIN - 35 * DAY, 5) == (calls.start, calls.total.admitted)


def test_another_tenants_callers_are_its_own(tenant, plan):
    other = a_tenant("globex")
    ask(of_tenant(other, user=7))
    flush()

    assert ({}, {}) == (found(tenant).callers, found(tenant).peaks)


def test_it_takes_one_query_and_changes_nothing(tenant, django_assert_num_queries):
    ask(of_tenant(tenant, user=7))
    tallied = usage_of(tenant.pk).tallied
    before = dumped()

    with django_assert_num_queries(1):
        calls_of(tenant.pk, BEGIN - 31 * DAY, BEGIN, zone=UTC, tallied=tallied)

    assert before == dumped()
