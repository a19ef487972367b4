from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from quotas.domain.edits import Edit
from quotas.domain.policies import Limit
from quotas.domain.words import SubjectKind
from quotas.models import UsageHour, UsageQuarter
from quotas.services.having import having
from quotas.services.outlook import outlooks, outlooks_among, plan_tenants, tenants_of
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


def a_quarter(tenant, units):
    where = {"tenant": tenant, "generation": 1, "units": units}
    UsageHour.objects.create(start=NOW.replace(minute=0) - HOUR, **where)
    UsageQuarter.objects.create(start=NOW - HOUR, scope="api", **where)


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


def test_hours_above_are_counted_once_whatever_the_generation():
    plan = a_plan()
    busy, other = a_tenant(plan=plan), a_tenant(plan=plan)
    for ago in range(3):
        an_hour(busy, 51, ago=ago)
    UsageHour.objects.create(
        tenant=busy, start=NOW.replace(minute=0), generation=2, peaks={"api/minute": [60, 100]}
    )
    an_hour(other, 70)

    (outlook,) = outlooks(plan, [a_cut()], now=NOW)

    assert (2, 4) == (outlook.above, outlook.hours)


def test_a_small_cut_asks_where_records_say_that_calls_would_have_been_denied():
    tenant = a_tenant(plan=a_plan())
    a_quarter(tenant, 1500)

    (outlook,) = outlooks(tenant.plan, [a_cut(to=99)], now=NOW)

    assert (15, True) == (outlook.hindsight.denied, outlook.asks)


@pytest.mark.parametrize(
    ("fields", "asks"),
    [
        pytest.param({"subject": SubjectKind.TENANT}, True, id="all-together"),
        pytest.param({"subject": SubjectKind.CREDENTIAL}, False, id="apart-as-before"),
    ],
)
def test_a_limit_of_each_user_that_becomes_one_of_all_asks_where_it_would_have_denied(fields, asks):
    tenant = a_tenant(plan=a_plan())
    a_quarter(tenant, 2000)
    before = replace(a_cut().before, subject=SubjectKind.USER)

    (outlook,) = outlooks(
        tenant.plan, [Edit(before=before, after=replace(before, **fields))], now=NOW
    )

    assert asks is outlook.asks


def test_what_is_raised_is_not_looked_up():
    tenant = a_tenant(plan=a_plan())
    an_hour(tenant, 90)

    (outlook,) = outlooks(tenant.plan, [a_cut(to=200)], now=NOW)

    assert (0, 0, None, None) == (outlook.above, outlook.hours, outlook.taken, outlook.hindsight)


def test_an_edit_takes_as_many_queries_for_one_tenant_as_for_many():
    counts = []
    for many in (1, 10):
        plan = a_plan()
        for _ in range(many):
            an_hour(a_tenant(plan=plan), 60)
        with CaptureQueriesContext(connection) as queries:
            (outlook,) = outlooks(plan, [a_cut()], now=NOW)
        assert many == outlook.above
        counts.append(len(queries))

    assert [9, 9] == counts


def test_of_many_edits_only_the_first_three_are_looked_up_and_others_ask_for_any_cut():
    tenant = a_tenant(plan=a_plan())
    cuts = [a_cut(name=f"n{number}", to=99) for number in range(5)]
    raised = a_cut(name="more", to=101)

    found = outlooks(tenant.plan, [raised, *cuts, raised], now=NOW)

    assert [False] * 4 + [True, True, False] == [each.asks for each in found]
    assert [True] * 4 + [False, False, True] == [each.told for each in found]


def test_edits_are_looked_up_where_anybody_has_the_limit():
    empty, tenant = a_plan(), a_tenant(plan=a_plan())
    cuts = [a_cut(name=f"n{number}") for number in range(4)]

    found = outlooks_among(
        [*((empty, each) for each in cuts), *((tenant.plan, each) for each in cuts)], now=NOW
    )

    assert [False] * 4 + [True] * 3 + [False] == [each.told for each in found]
    assert [0] * 4 + [1] * 4 == [each.tenants for each in found]


def test_hours_are_read_once_for_all_limits_and_others_than_the_first_cost_no_query():
    tenant = a_tenant(plan=a_plan())
    an_override(tenant, starts_at=NOW - HOUR, name="n4")
    an_hour(tenant, 60, label="api/n1")
    counts = []
    for many in (3, 5, 20):
        cuts = [a_cut(name=f"n{number}") for number in range(many)]
        with CaptureQueriesContext(connection) as queries:
            found = outlooks(tenant.plan, cuts, now=NOW)
        assert [0, 1, 0] == [each.above for each in found[:3]]
        assert [1, 1, 1, 1, 0, *[1] * 15][:many] == [each.tenants for each in found]
        assert 1 == sum('FROM "quotas_usagehour"' in each["sql"] for each in queries)
        counts.append(len(queries))

    assert counts[0] == counts[1] == counts[2]


@pytest.mark.parametrize("fields", [{}, {"is_default": True}, {"active": False}])
def test_tenants_are_counted_as_they_are_found(fields):
    plan, other = a_plan(**fields), a_plan(active=False)
    for each in (plan, plan, None, other, a_plan()):
        an_override(a_tenant(plan=each), starts_at=NOW - HOUR)
        a_tenant(plan=each)
    edit = a_cut()

    assert [plan_tenants(plan, edit, NOW).count()] == having([(plan, edit.before)], NOW)


def test_of_plans_and_tenants_together_each_edit_has_its_own():
    mine, other = a_tenant(plan=a_plan()), a_tenant(plan=a_plan())
    an_hour(mine, 60)
    an_hour(other, 70)

    found = outlooks_among([(mine.plan, a_cut()), (other, a_cut()), (mine, a_cut(to=65))], now=NOW)

    assert [(1, 1), (1, 1), (1, 0)] == [(each.tenants, each.above) for each in found]
