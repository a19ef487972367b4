"""The list of tenants: what needs somebody to look at it is found, sorted and read live."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from django.utils.formats import date_format

from quotas.models import Tenant, TenantSnapshot
from tests.admin.pages import list_url
from tests.engine.watching import watching
from tests.models.rows import a_limit, a_plan, a_tenant, an_override
from tests.services.asking import allowed, ask, of_tenant

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.admin.urls")]

NOW = timezone.now()
DAY, HOUR = timedelta(days=1), timedelta(hours=1)


@pytest.fixture
def plan(db):
    plan = a_plan("pro", is_default=True)
    a_limit(plan, amount=10, period=HOUR)
    return plan


def a_snapshot(key, **fields):
    tenant = a_tenant(key)
    values = {"last_seen": NOW - HOUR, "taken_at": NOW, **fields}
    return TenantSnapshot.objects.create(tenant=tenant, **values).tenant


def listed(client, **asked):
    return [row.key for row in client.get(list_url(Tenant), asked).context["cl"].result_list]


def test_the_closest_limit_is_read_live_with_its_number_and_in_words(staff, plan):
    tenant = a_tenant("acme")
    assert 10 == allowed(of_tenant(tenant), times=12)

    page = staff.get(list_url(Tenant)).content.decode()

    assert "<strong>100\xa0%</strong> api/minute <em>denying now</em>" in page


def test_the_live_number_is_that_of_the_closest_of_several_limits(staff, plan):
    a_limit(plan, name="day", algorithm="calendar_quota", period=None, unit="day", amount=5)
    a_limit(plan, name="tried", amount=1, mode="shadow")
    allowed(of_tenant(a_tenant("acme")), times=2)

    page = staff.get(list_url(Tenant)).content.decode()

    assert "<strong>40\xa0%</strong> api/day <em></em>" in page


@pytest.mark.parametrize("rows", [20, 100])
def test_a_page_takes_the_same_queries_and_one_round_trip_whatever_its_length(
    staff, plan, redis_url, rows
):
    for number in range(rows):
        an_override(a_snapshot(f"t{number}", percent=number), name="own")
    staff.get(list_url(Tenant))

    with CaptureQueriesContext(connection) as queries, watching(redis_url) as watched:
        page = staff.get(list_url(Tenant))

    assert rows == len(page.context["cl"].result_list)
    assert 13 == len(queries)
    assert ["SCRIPT", *["EVALSHA"] * rows] == watched.names


def test_without_redis_the_list_shows_the_snapshot_and_says_so(staff, plan, private_server, caplog):
    a_snapshot("acme", percent=83, label="api/minute", taken_at=timezone.now() - HOUR)
    private_server.stop()

    page = staff.get(list_url(Tenant)).content.decode()

    assert "Redis gives no answer" in page
    assert "<strong>83\xa0%</strong> api/minute, 1\xa0hour ago" in page


def test_the_age_of_the_snapshot_is_shown(staff):
    assert "There is no snapshot yet" in staff.get(list_url(Tenant)).content.decode()

    a_snapshot("old", taken_at=timezone.now() - 3 * HOUR)
    a_snapshot("new", taken_at=timezone.now() - 2 * HOUR)

    assert "taken 2\xa0hours ago" in staff.get(list_url(Tenant)).content.decode()


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        pytest.param({"near": "near"}, ["full", "near"], id="near"),
        pytest.param({"near": "full"}, ["full"], id="used-up"),
        pytest.param({"denied": "now"}, ["full"], id="denied-now"),
        pytest.param({"denied": "day"}, ["full", "near"], id="denied-in-24-hours"),
        pytest.param({"traffic": "none"}, ["quiet", "silent"], id="no-traffic"),
        pytest.param({"traffic": "never"}, ["silent"], id="never-any"),
        pytest.param({"near": "near", "denied": "now"}, ["full"], id="both"),
        pytest.param({"q": "near"}, ["near"], id="search"),
    ],
)
def test_tenants_are_filtered_by_their_snapshots(staff, asked, expected):
    a_snapshot("full", percent=100, denying=True, denied=7)
    a_snapshot("near", percent=80, denied=1)
    a_snapshot("far", percent=79)
    a_snapshot("quiet", last_seen=NOW - 2 * DAY)
    a_tenant("silent")

    assert expected == listed(staff, **asked)


def test_overrides_are_counted_with_the_first_end_among_them(staff):
    tenant = a_tenant("acme")
    for ends_at in (None, NOW + 2 * DAY, NOW + DAY):
        an_override(tenant, starts_at=NOW - DAY, ends_at=ends_at)
    an_override(tenant, starts_at=NOW - 2 * DAY, ends_at=NOW - DAY)

    page = staff.get(list_url(Tenant)).content.decode()

    assert f"3, the first ends {date_format(NOW + DAY, 'SHORT_DATETIME_FORMAT')}" in page


@pytest.mark.parametrize(
    ("kind", "expected"), [("soon", ["ending"]), ("any", ["ending", "lasting", "later"])]
)
def test_tenants_are_filtered_by_when_their_overrides_end(staff, kind, expected):
    for key, ends_at in {
        "ending": NOW + 6 * DAY,
        "lasting": None,
        "later": NOW + 8 * DAY,
        "over": NOW - DAY,
    }.items():
        an_override(a_tenant(key), starts_at=NOW - 9 * DAY, ends_at=ends_at)

    assert expected == listed(staff, override=kind)


def test_tenants_with_a_limit_in_shadow_are_found_whichever_row_brings_it(staff, plan):
    tried = a_plan("tried")
    a_limit(tried, name="tried", mode="shadow")
    a_tenant("of-plan", plan=tried)
    a_tenant("without", plan=plan)
    a_tenant("of-default")
    an_override(a_tenant("of-override", plan=plan), mode="shadow")
    an_override(a_tenant("over", plan=plan), mode="shadow", starts_at=NOW - DAY, ends_at=NOW)

    assert ["of-override", "of-plan"] == listed(staff, shadow="any")

    a_limit(plan, name="tried", mode="shadow")
    assert ["of-default", "of-override", "of-plan", "over", "without"] == listed(
        staff, shadow="any"
    )


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        ("closest", ["low", "high", "none"]),
        ("denied", ["low", "high", "none"]),
        ("last_seen", ["low", "high", "none"]),
        ("own_limits", ["low", "high", "none"]),
    ],
)
def test_rows_without_a_number_come_last_whichever_way_a_column_is_sorted(staff, column, expected):
    high = a_snapshot("high", percent=90, denied=9, last_seen=NOW)
    low = a_snapshot("low", percent=10, denied=1, last_seen=NOW - HOUR)
    an_override(low, ends_at=NOW + DAY)
    an_override(high, ends_at=NOW + 2 * DAY)
    a_tenant("none")
    shown = staff.get(list_url(Tenant)).context["cl"].list_display
    number = shown.index(column)

    assert expected == listed(staff, o=str(number))
    assert [*expected[1::-1], "none"] == listed(staff, o=f"-{number}")


def test_looking_at_the_list_consumes_and_creates_nothing(staff, plan):
    tenant = a_tenant("acme")
    ask(of_tenant(tenant))

    for _ in range(3):
        staff.get(list_url(Tenant))

    assert 9 == allowed(of_tenant(tenant), times=12)
