"""Calendar quotas alert once in each of their own periods, and when their pace is too high."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from quotas.models import Tenant
from quotas.services.flush import flush
from quotas.testing import forget
from tests.models.rows import a_limit, a_membership, a_plan, a_tenant
from tests.services.alerting import alerts, an_hour, periods
from tests.services.asking import allowed, ask, of_tenant
from tests.services.counted import DAY, HOUR, START

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clock")]

PACE = {"name": "month", "algorithm": "calendar_quota", "unit": "month", "period": None}
MONTH = {**PACE, "warn_projected": False}
TODAY = (START, START + DAY)


@pytest.fixture
def plan(transactional_db):
    plan = a_plan("pro", is_default=True)
    a_limit(plan, amount=100)
    return plan


@pytest.fixture
def tenant(plan):
    tenant = a_tenant("acme")
    ask(of_tenant(tenant))
    return tenant


def test_a_calendar_quota_is_judged_by_what_was_used_in_its_period(plan, tenant):
    a_limit(plan, amount=10, **MONTH)
    forget()
    assert 9 == allowed(of_tenant(tenant), times=9)
    flush()

    assert [("month", "80", 9, 10)] == alerts()
    start = datetime(2026, 10, 1, tzinfo=UTC)
    assert [(start, datetime(2026, 11, 1, tzinfo=UTC))] == periods(tenant)
    allowed(of_tenant(tenant), times=1)
    an_hour(tenant, month=(10, 10))
    flush()
    assert [("month", "80", 9, 10), ("month", "100", 10, 10)] == alerts()
    assert {start} == {start for start, _ in periods(tenant)}


def test_what_filled_a_month_in_its_last_minute_is_told_in_the_next(plan, tenant, clock):
    a_limit(plan, amount=10, **MONTH)
    forget()
    clock.move_to(datetime(2026, 10, 31, 23, 59, tzinfo=UTC))
    allowed(of_tenant(tenant), times=10)
    an_hour(tenant, hours=5 * 24 - 1, month=(10, 10))
    clock.tick(120)

    flush()

    assert {(datetime(2026, 10, 1, tzinfo=UTC), datetime(2026, 11, 1, tzinfo=UTC))} == {
        *periods(tenant)
    }
    assert ["80", "100"] == [threshold for _, threshold, _, _ in alerts()]


@pytest.mark.parametrize(("before", "days"), [(2, [27]), (8, [26, 27])])
def test_an_hour_in_which_a_day_ended_is_told_of_the_day_that_was_used_up(
    plan, clock, before, days
):
    a_limit(plan, amount=10, **{**MONTH, "unit": "day"})
    tenant = a_tenant("nepal", time_zone="Asia/Kathmandu")
    clock.move_to(datetime(2026, 10, 27, 18, 5, tzinfo=UTC))
    allowed(of_tenant(tenant), times=before)
    clock.tick(20 * 60)
    flush()
    allowed(of_tenant(tenant), times=9)

    flush()

    assert {*days} == {start.day for start, _ in periods(tenant)}
    assert len(days) == len(periods(tenant))


def test_a_quota_whose_zone_has_changed_within_its_period_raises_one_alert(plan, clock):
    a_limit(plan, amount=10, **{**MONTH, "unit": "day"})
    tenant = a_tenant("mover")
    clock.tick(12 * 3600)
    allowed(of_tenant(tenant), times=9)
    an_hour(tenant, hours=12, month=(9, 10))
    flush()
    Tenant.objects.filter(pk=tenant.pk).update(time_zone="Asia/Tokyo")
    forget()
    clock.tick(4 * 3600)
    an_hour(tenant, hours=16, month=(9, 10))

    flush()

    assert [TODAY] == periods(tenant)


def test_the_fullest_member_is_judged_where_users_are_counted_apart(plan):
    a_limit(plan, amount=10, subject="user", **MONTH)
    tenant = a_tenant("acme")
    ada, bob = (a_membership(tenant).user for _ in range(2))
    allowed(of_tenant(tenant, user=ada), times=8)
    allowed(of_tenant(tenant, user=bob), times=9)

    flush()

    assert [("month", "80", 9, 10)] == alerts()


def test_a_pace_that_uses_up_the_period_is_projected_once(plan, clock):
    plan.limits.all().delete()
    a_limit(plan, amount=100, **PACE)
    tenant = a_tenant("acme")
    clock.move_to(datetime(2026, 11, 2, tzinfo=UTC))
    allowed(of_tenant(tenant), times=50)
    flush()
    assert [] == alerts()

    clock.move_to(datetime(2026, 11, 5, tzinfo=UTC))
    for _ in range(2):
        ask(of_tenant(tenant))
        flush()

    assert [("month", "projected", 51, 100)] == alerts()


def test_what_was_projected_is_told_again_when_it_is_come_to(plan, clock):
    plan.limits.all().delete()
    a_limit(plan, amount=100, **PACE)
    tenant = a_tenant("acme")
    for day, times in ((2, 50), (5, 1), (5, 29)):
        clock.move_to(datetime(2026, 11, day, tzinfo=UTC))
        allowed(of_tenant(tenant), times=times)
        flush()

    states = tenant.alerts.order_by("pk").values_list("threshold", "email_state")
    assert [("projected", "pending"), ("80", "pending")] == list(states)


def test_a_slow_pace_and_a_limit_that_does_not_want_it_are_not_projected(plan, clock):
    a_limit(plan, amount=100, **PACE)
    a_limit(plan, amount=60, **{**MONTH, "name": "quiet"})
    tenant = a_tenant("acme")
    clock.move_to(datetime(2026, 11, 16, tzinfo=UTC))
    allowed(of_tenant(tenant), times=47)

    flush()

    assert [] == alerts()


def test_what_is_used_up_is_not_projected_any_more(plan, clock):
    a_limit(plan, amount=10, **PACE)
    tenant = a_tenant("acme")
    clock.move_to(datetime(2026, 11, 16, tzinfo=UTC))
    allowed(of_tenant(tenant), times=10)

    flush()

    assert ["80", "100"] == [threshold for _, threshold, _, _ in alerts()]


@pytest.mark.parametrize("used", [8, 10])
@pytest.mark.parametrize("zone", ["UTC", "Asia/Kathmandu"])
def test_each_period_is_told_of_by_a_flush_that_comes_after_both(plan, clock, zone, used):
    a_limit(plan, amount=10, **{**MONTH, "unit": "day"})
    tenant = a_tenant("late", time_zone=zone)
    for hours in (12, 25):
        clock.move_to(START + hours * HOUR)
        assert used == allowed(of_tenant(tenant), times=used)

    flush()

    told = tenant.alerts.filter(threshold="80")
    assert 2 == len({each.period_start for each in told})
    assert {used} == {each.used for each in told}


def test_a_month_that_ended_is_told_of_when_the_next_one_is_used_up_too(plan, tenant, clock):
    a_limit(plan, amount=10, **MONTH)
    forget()
    for day, hour in ((31, 19), (1, 1)):
        clock.move_to(datetime(2026, 10 if day > 1 else 11, day, hour, tzinfo=UTC))
        allowed(of_tenant(tenant), times=10)

    flush()

    expected = [(month, each) for month in (10, 11) for each in ("80", "100")]
    found = tenant.alerts.order_by("period_start", "pk")
    assert expected == [(each.period_start.month, each.threshold) for each in found]
