"""A tenant whose time zone changes is not told twice of the same, and is told of what is new."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from quotas.models import PlanLimit, Tenant
from quotas.services.flush import flush
from quotas.testing import forget
from tests.models.rows import a_limit, a_plan, a_tenant
from tests.services.alerting import an_alert, an_hour, periods
from tests.services.asking import allowed, ask, of_tenant
from tests.services.counted import DAY, HOUR, START

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clock")]

TODAY = (START, START + DAY)


@pytest.fixture
def plan(transactional_db):
    plan = a_plan("pro", is_default=True)
    a_limit(plan, amount=100)
    return plan


@pytest.fixture
def tenant(plan):
    tenant = a_tenant("mover")
    ask(of_tenant(tenant))
    return tenant


def move(tenant, time_zone="Asia/Kolkata"):
    Tenant.objects.filter(pk=tenant.pk).update(time_zone=time_zone)
    forget()


def test_a_zone_that_changes_raises_no_second_alert_of_the_same_hours(tenant):
    an_hour(tenant, minute=(85, 100))
    flush()
    move(tenant)

    flush()

    assert [TODAY] == periods(tenant)


def test_the_first_day_that_begins_after_the_alerts_day_raises_it_anew(tenant, clock):
    an_hour(tenant, minute=(85, 100))
    flush()
    move(tenant)
    for hours in (20, 44):
        clock.move_to(START + hours * HOUR)
        an_hour(tenant, hours=hours, minute=(85, 100))
        flush()

    start = datetime(2026, 10, 28, 18, 30, tzinfo=UTC)
    assert [TODAY, (start, start + DAY)] == periods(tenant)


def test_another_threshold_is_told_after_the_zone_has_changed(tenant):
    an_hour(tenant, minute=(85, 100))
    flush()
    move(tenant)
    an_hour(tenant, minute=(100, 100))

    flush()

    assert ["80", "100"] == [each.threshold for each in tenant.alerts.order_by("pk")]


def test_an_alert_of_a_month_keeps_none_of_a_limit_by_the_minute_that_took_its_name(tenant):
    an_alert(tenant, period_start=START - 20 * DAY, period_end=START + 10 * DAY)
    an_hour(tenant, minute=(85, 100))

    flush()

    assert 2 == tenant.alerts.count()


@pytest.fixture
def a_quota_of_keys(plan):
    """A quota of each credential: known by its peaks alone, no balance is kept of it."""
    PlanLimit.objects.all().delete()
    a_limit(
        plan,
        name="day",
        amount=10,
        algorithm="calendar_quota",
        unit="day",
        period=None,
        subject="credential",
        warn_at=[80],
        warn_projected=False,
    )
    forget()


@pytest.mark.usefixtures("a_quota_of_keys")
def test_of_a_quota_of_credentials_the_period_under_way_is_told_once(plan, clock):
    tenant = a_tenant("keys")
    clock.tick(12 * HOUR)
    assert 9 == allowed(of_tenant(tenant, credential="key"), times=9)
    flush()
    move(tenant, "Asia/Tokyo")
    clock.tick(4 * HOUR)  # a new day there; the quota's own goes on
    assert 1 == allowed(of_tenant(tenant, credential="key"), times=3)

    flush()

    assert [TODAY] == periods(tenant)


@pytest.mark.usefixtures("a_quota_of_keys")
def test_of_a_quota_of_credentials_the_next_period_is_told_anew(plan, clock):
    tenant = a_tenant("keys")
    clock.tick(12 * HOUR)
    allowed(of_tenant(tenant, credential="key"), times=9)
    flush()
    move(tenant, "Asia/Tokyo")
    clock.tick(13 * HOUR)
    assert 9 == allowed(of_tenant(tenant, credential="key"), times=9)

    flush()

    start = datetime(2026, 10, 27, 15, tzinfo=UTC)
    assert [TODAY, (start, start + DAY)] == periods(tenant)


def test_of_a_quota_with_a_balance_an_hour_before_the_change_is_told_of_its_own_period(plan, clock):
    PlanLimit.objects.all().delete()
    a_limit(
        plan,
        name="day",
        amount=10,
        algorithm="calendar_quota",
        unit="day",
        period=None,
        warn_projected=False,
    )
    tenant = a_tenant("member")
    clock.tick(20 * HOUR)
    allowed(of_tenant(tenant), times=9)
    flush()
    move(tenant, "Asia/Tokyo")
    clock.tick(5 * HOUR)
    ask(of_tenant(tenant))

    flush()

    assert [TODAY] == periods(tenant)
