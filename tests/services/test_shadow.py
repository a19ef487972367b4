"""What a limit in shadow would have denied is known by tenant, from when it was put there."""

from __future__ import annotations

from dataclasses import astuple
from datetime import UTC, date, datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from quotas.models import AnonymousQuarter, PlanLimit, Tenant, UsageDay, UsageQuarter
from quotas.services.anonymous import anonymous as process
from quotas.services.flush import flush
from quotas.services.shadow import Back, shadow_of
from tests.models.rows import a_limit, a_plan, a_tenant, an_override
from tests.services.asking import allowed, anonymous, ask, of_tenant
from tests.services.counted import DAY, HOUR, QUARTER, START

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 12, 1, 9, 30, tzinfo=UTC)
LONG = NOW - timedelta(days=90)


@pytest.fixture
def plan(db):
    return a_plan()


@pytest.fixture
def limit(plan):
    """In shadow for ten days."""
    return a_shadow(plan)


def a_shadow(plan, since=NOW - 10 * DAY, **fields):
    row = a_limit(plan, mode="shadow", **fields)
    PlanLimit.objects.filter(pk=row.pk).update(mode_since=since)
    return PlanLimit.objects.get(pk=row.pk)


def a_settled_tenant(plan, **fields):
    return a_tenant(plan=plan, plan_since=LONG, **fields)


def a_quarter(tenant, would=0, *, ago=HOUR, label="api/minute", **fields):
    values = {"scope": "api", "generation": 1, "admitted": 10, "shadow_denied": would} | fields
    limits = {label: [0, would], "x/y": [50, 50]}
    return UsageQuarter.objects.create(
        tenant=tenant, start=NOW - ago, **{"limits": limits, **values}
    )


def a_day(tenant, would, day, **fields):
    values = {"scope": "api", "admitted": 10, "shadow_denied": would} | fields
    limits = {"api/minute": [0, would]}
    return UsageDay.objects.create(tenant=tenant, day=day, **{"limits": limits, **values})


def told(found):
    """(tenant, admitted, denied by others, would have denied) of the rows, in their order."""
    return [(pk, *astuple(sums)[:3]) for pk, sums in found.rows]


def test_calls_that_were_admitted_are_counted_as_what_would_have_been_denied(plan, clock):
    since = START + QUARTER
    limit = a_shadow(plan, since, amount=3)
    a_limit(plan, name="hour", amount=9, period=HOUR)
    busy, calm, idle = (a_settled_tenant(plan) for _ in range(3))
    clock.tick(2 * QUARTER)
    assert 9 == allowed(of_tenant(busy), times=12)
    assert 2 == allowed(of_tenant(calm), times=2)
    flush(clock.now_us)

    found = shadow_of(limit)

    assert [(busy.pk, 9, 3, 6)] == told(found)
    assert (11, 3, 6) == astuple(found.sums)[:3]
    assert (3, 2) == (found.tenants, found.called)
    assert idle.pk not in [row.tenant_pk for row in found.rows]
    assert (since, START + 2 * QUARTER) == (found.start, found.copied_at)
    assert not found.whole_days


def test_those_who_would_have_been_denied_most_come_first(plan, limit):
    few, most, none = (a_settled_tenant(plan) for _ in range(3))
    a_quarter(few, 2)
    for number in range(3):
        a_quarter(most, 3, ago=(1 + number) * HOUR)
    a_quarter(none, 0, denied=4)

    found = shadow_of(limit, now=NOW)

    assert [(most.pk, 30, 0, 9), (few.pk, 10, 0, 2)] == told(found)
    assert (50, 4, 11, 3) == (*astuple(found.sums)[:3], found.called)


def test_generations_of_one_quarter_and_quarters_and_days_add_up(plan):
    limit, tenant = a_shadow(plan, NOW - 60 * DAY), a_settled_tenant(plan)
    a_quarter(tenant, 1)
    a_quarter(tenant, 2, generation=2)
    a_quarter(tenant, 4, ago=20 * DAY)
    a_day(tenant, 8, (NOW - 40 * DAY).date())
    a_day(tenant, 16, (NOW - 60 * DAY).date())
    a_day(tenant, 32, (NOW - 61 * DAY).date())

    found = shadow_of(limit, now=NOW)

    assert [(tenant.pk, 50, 0, 31)] == told(found)
    assert found.whole_days


def test_the_first_day_is_that_of_each_tenants_zone(plan):
    limit = a_shadow(plan, datetime(2026, 10, 1, 20, tzinfo=UTC))
    east = a_settled_tenant(plan, time_zone="Asia/Tokyo")
    west = a_settled_tenant(plan, time_zone="America/New_York")
    for tenant in (east, west):
        a_day(tenant, 1, date(2026, 10, 1))
        a_day(tenant, 2, date(2026, 10, 2))

    found = shadow_of(limit, now=NOW)

    assert {(east.pk, 2), (west.pk, 3)} == {(pk, sums.shadow_denied) for pk, sums in found.rows}


@pytest.mark.parametrize(
    ("back", "would"), [(Back.SINCE, 7), (Back.WEEK, 3), (Back.DAY, 1)], ids=lambda value: value
)
def test_a_span_looks_back_so_far_and_no_further(plan, limit, back, would):
    tenant = a_settled_tenant(plan)
    a_quarter(tenant, 1, ago=23 * HOUR)
    a_quarter(tenant, 2, ago=2 * DAY)
    a_quarter(tenant, 4, ago=8 * DAY)
    a_quarter(tenant, 8, ago=11 * DAY)

    assert would == shadow_of(limit, back=back, now=NOW).sums.shadow_denied


def test_no_span_goes_behind_the_quarter_in_which_it_was_put_in_shadow(plan):
    limit, tenant = a_shadow(plan, NOW - 2 * HOUR - QUARTER / 3), a_settled_tenant(plan)
    a_quarter(tenant, 1, ago=2 * HOUR + QUARTER)
    a_quarter(tenant, 2, ago=2 * HOUR + 2 * QUARTER)

    found = shadow_of(limit, back=Back.WEEK, now=NOW)

    assert (1, NOW - 2 * HOUR - QUARTER) == (found.sums.shadow_denied, found.start)


def test_what_it_denied_itself_before_that_in_the_same_quarter_was_no_other_limit(plan):
    limit, tenant = a_shadow(plan, NOW - HOUR), a_settled_tenant(plan)
    a_quarter(tenant, 1, denied=9, limits={"api/minute": [6, 1], "api/day": [3, 0]})

    assert [(tenant.pk, 10, 3, 1)] == told(shadow_of(limit, now=NOW))


def test_other_scopes_and_other_limits_in_shadow_are_left_out(plan, limit):
    tenant = a_settled_tenant(plan)
    a_quarter(tenant, 5, label="api/day")
    a_quarter(tenant, 5, scope="exports", label="exports/minute")

    found = shadow_of(limit, now=NOW)

    assert [] == told(found)
    assert 10 == found.sums.admitted


@pytest.mark.parametrize("name", ["minute", "0"])
def test_a_limit_of_every_scope_counts_in_any(plan, name):
    limit, tenant = a_shadow(plan, scope="*", name=name), a_settled_tenant(plan)
    a_quarter(tenant, 5, label=f"*/{name}")
    a_quarter(tenant, 6, scope="exports", label=f"*/{name}")

    assert [(tenant.pk, 20, 0, 11)] == told(shadow_of(limit, now=NOW))


def test_a_tenant_with_an_override_in_its_place_is_not_concerned(plan, limit):
    own, past, other = (a_settled_tenant(plan) for _ in range(3))
    an_override(own, starts_at=NOW - HOUR)
    an_override(past, starts_at=NOW - 2 * DAY, ends_at=NOW - DAY)
    an_override(other, starts_at=NOW - HOUR, name="other")
    for tenant in (own, past, other):
        a_quarter(tenant, 1)

    found = shadow_of(limit, now=NOW)

    assert [past.pk, other.pk] == [row.tenant_pk for row in found.rows]
    assert (2, 1, 2) == (found.tenants, found.overridden, found.called)


def test_the_default_plan_counts_tenants_without_an_active_one_too():
    default, gone = a_plan(is_default=True), a_plan(active=False)
    theirs = [a_settled_tenant(each) for each in (default, None, gone)]
    for tenant in (*theirs, a_settled_tenant(a_plan())):
        a_quarter(tenant, 1)

    found = shadow_of(a_shadow(default), now=NOW)

    assert [tenant.pk for tenant in theirs] == [row.tenant_pk for row in found.rows]
    assert 0 == shadow_of(a_shadow(gone), now=NOW).tenants


def test_what_a_tenant_had_on_the_plan_before_does_not_count_here(plan):
    limit = a_shadow(plan, NOW - 60 * DAY)
    moved = NOW - 2 * HOUR - timedelta(seconds=1)
    tenant = a_tenant(plan=plan, plan_since=moved)
    a_quarter(tenant, 1, ago=2 * HOUR + QUARTER)
    a_quarter(tenant, 2, ago=2 * HOUR + 2 * QUARTER)
    a_day(tenant, 4, (NOW - 40 * DAY).date())

    assert [(tenant.pk, 10, 0, 1)] == told(shadow_of(limit, now=NOW))


def test_an_override_in_shadow_is_of_its_tenant_alone_from_when_it_began(plan):
    tenant = a_settled_tenant(plan)
    row = an_override(tenant, mode="shadow", starts_at=NOW - 2 * HOUR)
    type(row).objects.update(mode_since=NOW - 9 * HOUR)
    row.refresh_from_db()
    a_quarter(tenant, 1)
    a_quarter(tenant, 2, ago=3 * HOUR)
    a_quarter(a_settled_tenant(plan), 4)

    found = shadow_of(row, now=NOW)

    assert [(tenant.pk, 10, 0, 1)] == told(found)
    assert (1, 0) == (found.tenants, found.overridden)


def test_callers_without_a_tenant_are_told_of_their_plan_and_of_no_other(plan, limit):
    AnonymousQuarter.objects.create(
        scope="api",
        start=NOW - HOUR,
        generation=1,
        admitted=10,
        shadow_denied=4,
        limits={"api/minute": [0, 3], "api/day": [0, 1]},
    )
    theirs = a_shadow(a_plan(is_anonymous=True))

    assert (10, 0, 3) == astuple(shadow_of(theirs, now=NOW).nobody)[:3]
    assert shadow_of(limit, now=NOW).nobody is None


def test_callers_without_a_tenant_are_counted_as_they_call(clock):
    limit = a_shadow(a_plan(is_anonymous=True), START, amount=1, subject="address")
    for _ in range(3):
        assert ask(anonymous()).decision.allowed
    clock.tick(2)
    process.add()
    flush(clock.now_us)

    found = shadow_of(limit)

    assert 2 == found.nobody.shadow_denied
    assert START + timedelta(seconds=2) == found.copied_at


def test_only_tenants_that_one_may_see_are_counted(plan, limit):
    mine, other = (a_settled_tenant(plan) for _ in range(2))
    for tenant in (mine, other):
        a_quarter(tenant, 1)

    found = shadow_of(limit, among=Tenant.objects.filter(pk=mine.pk), now=NOW)

    assert ([(mine.pk, 10, 0, 1)], 1, 1) == (told(found), found.tenants, found.called)


def test_it_takes_the_same_few_queries_whatever_is_counted(plan):
    limit = a_shadow(plan, NOW - 60 * DAY)

    def queries():
        with CaptureQueriesContext(connection) as found:
            shadow_of(limit, now=NOW)
        return len(found)

    few = queries()
    for number in range(9):
        tenant = a_settled_tenant(plan, time_zone="UTC" if number % 2 else "Asia/Tokyo")
        a_quarter(tenant, 1)
        a_day(tenant, 1, (NOW - 40 * DAY).date())
        an_override(a_settled_tenant(plan), starts_at=LONG)

    assert few == queries()
    assert few <= 8
