"""Each flush keeps how the tenants stand, so that thousands can be filtered and sorted."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from quotas.models import TenantSnapshot
from quotas.services.flush import flush
from quotas.services.keeping import SNAPSHOTS, keep
from tests.models.rows import a_limit, a_plan, a_tenant
from tests.services.asking import allowed, ask, of_tenant
from tests.services.counted import DAY, HOUR, START

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clock")]

MINUTE = timedelta(minutes=1)


@pytest.fixture
def plan(transactional_db):
    plan = a_plan("pro", is_default=True)
    a_limit(plan, amount=10)
    return plan


@pytest.fixture
def tenant(plan):
    return a_tenant("acme")


def snapshot(tenant):
    return TenantSnapshot.objects.get(tenant=tenant)


def test_a_snapshot_tells_the_closest_limit_and_when_the_tenant_was_seen(plan, tenant, clock):
    a_limit(plan, name="day", algorithm="calendar_quota", period=None, unit="day", amount=100)
    clock.tick(90)
    allowed(of_tenant(tenant), times=4)
    clock.tick(200)

    flush()

    found = snapshot(tenant)
    assert (40, "api/minute") == (found.percent, found.label)
    assert (False, 0) == (found.denying, found.denied)
    assert START + MINUTE == found.last_seen
    assert START + timedelta(seconds=290) == found.taken_at


def test_a_tenant_that_never_called_has_none(tenant):
    a_tenant("idle")
    ask(of_tenant(tenant))

    flush()

    assert [tenant.pk] == list(TenantSnapshot.objects.values_list("pk", flat=True))


@pytest.mark.parametrize(
    "limit",
    [
        pytest.param({"mode": "shadow", "amount": 1}, id="shadow"),
        pytest.param({"amount": None}, id="unlimited"),
        pytest.param({"mode": "off", "amount": 1}, id="off"),
    ],
)
def test_a_limit_that_never_denies_is_none_to_be_near_to(plan, tenant, limit):
    a_limit(plan, name="other", **limit)
    allowed(of_tenant(tenant), times=2)

    flush()

    assert (20, "api/minute") == (snapshot(tenant).percent, snapshot(tenant).label)


def test_denials_count_for_now_a_few_minutes_and_for_the_day_24_hours(tenant, clock):
    assert 10 == allowed(of_tenant(tenant), times=13)
    flush()
    assert (100, True, 3) == (
        snapshot(tenant).percent,
        snapshot(tenant).denying,
        snapshot(tenant).denied,
    )

    clock.tick(6 * MINUTE)
    flush()
    assert (False, 3) == (snapshot(tenant).denying, snapshot(tenant).denied)

    clock.tick(DAY)
    flush()
    assert (False, 0) == (snapshot(tenant).denying, snapshot(tenant).denied)


def test_a_day_of_denials_runs_out_hour_by_hour_without_new_calls(tenant, clock):
    allowed(of_tenant(tenant), times=12)
    flush()
    clock.tick(10 * HOUR)
    allowed(of_tenant(tenant), times=11)
    flush()
    assert 3 == snapshot(tenant).denied

    clock.tick(15 * HOUR)
    flush()

    assert 1 == snapshot(tenant).denied
    assert START + 10 * HOUR == snapshot(tenant).last_seen


def test_the_use_of_a_window_is_forgotten_and_that_of_a_calendar_kept_to_its_end(
    plan, tenant, clock
):
    a_limit(plan, name="day", algorithm="calendar_quota", period=None, unit="day", amount=50)
    allowed(of_tenant(tenant), times=9)
    flush()
    assert (90, "api/minute") == (snapshot(tenant).percent, snapshot(tenant).label)

    clock.tick(2 * HOUR)
    flush()
    assert (18, "api/day") == (snapshot(tenant).percent, snapshot(tenant).label)

    clock.tick(21 * HOUR)
    flush()
    assert 18 == snapshot(tenant).percent

    clock.tick(HOUR)
    flush()
    assert (None, "") == (snapshot(tenant).percent, snapshot(tenant).label)


def test_an_older_snapshot_never_takes_the_place_of_a_later_one(tenant, clock):
    ask(of_tenant(tenant))
    flush()
    late = (tenant.pk, 99, "api/minute", START, True, 7, START, START - MINUTE)

    keep(SNAPSHOTS, [late], "default")

    assert (10, START) == (snapshot(tenant).percent, snapshot(tenant).taken_at)


def test_snapshots_of_a_page_take_the_same_queries_whatever_its_length(tenant):
    def queries():
        with CaptureQueriesContext(connection) as found:
            flush()
        return [each["sql"] for each in found if "tenantsnapshot" in each["sql"]]

    ask(of_tenant(tenant))
    few = len(queries())
    for _ in range(12):
        ask(of_tenant(a_tenant()))

    assert few == len(queries())
    assert few <= 4
