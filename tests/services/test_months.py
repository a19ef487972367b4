from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from quotas.domain.history import Span, Window
from quotas.domain.keys import tenant_tag
from quotas.engine.tallies import tallies_of
from quotas.models import UsageDay, UsageQuarter
from quotas.services.history import history_of
from tests.models.rows import a_limit, a_plan, a_tenant
from tests.services.asking import ask, of_tenant

pytestmark = pytest.mark.django_db

BERLIN = ZoneInfo("Europe/Berlin")


@pytest.fixture
def tenant():
    plan = a_plan()
    a_limit(plan=plan, scope="*", name="hour", amount=1000, period=timedelta(hours=1))
    return a_tenant(plan=plan)


def months(tenant, clock, zone=BERLIN, **fields):
    window = Window(span=Span.HOUR, zone=zone, **{"own_zone": BERLIN, **fields})
    [tallied] = tallies_of([tenant_tag(tenant.pk)])
    return history_of(tenant.pk, window, clock.now_us, tallied=tallied)[1]


def used(tenant, start, units):
    UsageQuarter.objects.create(
        tenant=tenant, start=start, scope="api", generation=1, admitted=1, units=units
    )


def test_a_month_runs_from_the_anchor_day_in_the_tenants_zone(tenant, clock):
    clock.move_to(datetime(2026, 10, 27, 12, tzinfo=UTC))

    found = months(tenant, clock, anchor_day=31)

    assert datetime(2026, 8, 31, tzinfo=BERLIN) == found.last.start
    assert datetime(2026, 9, 30, tzinfo=BERLIN) == found.last.end == found.this.start
    assert datetime(2026, 10, 31, tzinfo=BERLIN) == found.this.end
    assert (30, 31) == (len(found.last.buckets) - 1, len(found.this.buckets))


def test_what_was_used_is_told_by_the_same_point_of_the_last_month(tenant, clock):
    clock.move_to(datetime(2026, 10, 9, 22, 7, tzinfo=UTC))  # 10 October in Berlin
    used(tenant, datetime(2026, 8, 31, 21, 45, tzinfo=UTC), 1)
    used(tenant, datetime(2026, 8, 31, 22, tzinfo=UTC), 2)
    used(tenant, datetime(2026, 9, 9, 21, 45, tzinfo=UTC), 4)
    used(tenant, datetime(2026, 9, 9, 22, 0, tzinfo=UTC), 8)
    used(tenant, datetime(2026, 9, 30, 21, 45, tzinfo=UTC), 16)
    used(tenant, datetime(2026, 9, 30, 22, tzinfo=UTC), 32)
    ask(of_tenant(tenant), cost=64)

    found = months(tenant, clock)

    assert datetime(2026, 9, 9, 22, tzinfo=UTC) == found.same_point
    assert 2 + 4 == found.then.units
    assert 2 + 4 + 8 + 16 == found.last.sums.units
    assert 32 + 64 == found.this.sums.units


def test_a_month_longer_than_the_last_one_has_all_of_it_as_the_same_point(tenant, clock):
    clock.move_to(datetime(2027, 3, 31, 12, tzinfo=UTC))
    used(tenant, datetime(2027, 2, 28, 22, 45, tzinfo=UTC), 5)

    found = months(tenant, clock)

    assert found.last.end == found.same_point
    assert 5 == found.then.units


def test_days_that_are_summed_up_are_in_their_month(tenant, clock):
    clock.move_to(datetime(2026, 10, 9, 12, tzinfo=UTC))
    for day, units in [(date(2026, 8, 31), 1), (date(2026, 9, 1), 2), (date(2026, 9, 30), 4)]:
        UsageDay.objects.create(tenant=tenant, day=day, scope="api", units=units)

    found = months(tenant, clock)

    assert (6, 2, 0) == (found.last.sums.units, found.then.units, found.this.sums.units)


def test_in_utc_months_have_the_same_edges_and_other_days(tenant, clock):
    clock.move_to(datetime(2026, 10, 9, 12, tzinfo=UTC))
    used(tenant, datetime(2026, 9, 30, 22, tzinfo=UTC), 3)

    found = months(tenant, clock, zone=ZoneInfo("UTC"))

    assert datetime(2026, 9, 30, 22, tzinfo=UTC) == found.this.start
    first, second = found.this.buckets[:2]
    assert (3, timedelta(hours=2)) == (first.sums.units, first.end - first.start)
    assert datetime(2026, 10, 1, tzinfo=UTC) == second.start
