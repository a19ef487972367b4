from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from quotas.domain.edits import Edit
from quotas.domain.policies import Limit
from quotas.models import UsageHour
from quotas.services.outlook import outlooks, tenants_of
from tests.domain.calls import rule
from tests.models.rows import a_plan, a_tenant, an_override

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 12, 1, 9, 30, tzinfo=UTC)
HOUR = timedelta(hours=1)


def a_cut(scope="api", name="minute", *, to=50):
    before = Limit(scope=scope, name=name, rule=rule("fixed_window", 100, 60))
    return Edit(before=before, after=replace(before, rule=rule("fixed_window", to, 60)))


def an_hour(tenant, used, *, ago=0, label="api/minute", most=100):
    start = NOW.replace(minute=0) - ago * HOUR
    return UsageHour.objects.create(
        tenant=tenant, start=start, generation=1, peaks={label: [used, most], "x/y": [999, 999]}
    )


def test_tenants_are_counted_and_those_who_used_more_in_the_last_day():
    plan = a_plan()
    calm, busy, once, long_ago, idle = (a_tenant(plan=plan) for _ in range(5))
    an_hour(calm, 50)
    for ago in range(3):
        an_hour(busy, 51 + ago, ago=ago)
    an_hour(once, 90, ago=24, most=None)
    an_hour(long_ago, 90, ago=26)
    an_hour(idle, 0)
    an_hour(a_tenant(plan=a_plan()), 90)

    (outlook,) = outlooks(plan, [a_cut()], now=NOW)

    assert (5, 2, True) == (outlook.tenants, outlook.above, outlook.asks)


@pytest.mark.parametrize(("scope", "name"), [("a.b", "x__y"), ("*", "0"), ("api", "minute")])
def test_a_peak_is_found_whatever_the_limit_is_called(scope, name):
    tenant = a_tenant(plan=a_plan())
    an_hour(tenant, 51, label=f"{scope}/{name}")

    (outlook,) = outlooks(tenant.plan, [a_cut(scope, name)], now=NOW)

    assert 1 == outlook.above


def test_a_tenant_with_an_override_in_force_is_not_concerned():
    plan = a_plan()
    mine, past = a_tenant(plan=plan), a_tenant(plan=plan)
    an_override(mine, starts_at=NOW - HOUR)
    an_override(past, starts_at=NOW - 2 * HOUR, ends_at=NOW - HOUR)
    an_override(past, starts_at=NOW - HOUR, name="other")
    an_hour(mine, 90)

    (outlook,) = outlooks(plan, [a_cut()], now=NOW)

    assert (1, 0) == (outlook.tenants, outlook.above)


def test_the_default_plan_also_concerns_tenants_without_an_active_one():
    default, gone, other = a_plan(is_default=True), a_plan(active=False), a_plan()
    theirs = [a_tenant(plan=default), a_tenant(), a_tenant(plan=gone)]
    apart = a_tenant(plan=other)

    assert theirs == list(tenants_of(default).order_by("pk"))
    assert [apart] == list(tenants_of(other))
    assert [] == list(tenants_of(gone))


@pytest.mark.parametrize(
    ("to", "used", "asks"),
    [
        pytest.param(95, 95, False, id="little-and-enough"),
        pytest.param(95, 96, True, id="below-what-was-used"),
        pytest.param(89, 1, True, id="more-than-a-tenth"),
        pytest.param(200, 150, False, id="raised"),
    ],
)
def test_a_cut_asks_when_it_is_large_or_below_what_was_used(to, used, asks):
    tenant = a_tenant(plan=a_plan())
    an_hour(tenant, used)

    (outlook,) = outlooks(tenant.plan, [a_cut(to=to)], now=NOW)

    assert asks is outlook.asks


def test_a_cut_that_concerns_nobody_does_not_ask():
    (outlook,) = outlooks(a_plan(), [a_cut(to=1)], now=NOW)

    assert not outlook.asks


def test_an_edit_takes_two_queries_however_many_the_tenants():
    plan = a_plan()
    for _ in range(10):
        an_hour(a_tenant(plan=plan), 60)

    with CaptureQueriesContext(connection) as queries:
        (outlook,) = outlooks(plan, [a_cut()], now=NOW)

    assert (2, 10) == (len(queries), outlook.above)
