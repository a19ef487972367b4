"""Calendar quotas of a tenant: its own zone, its own anchor day."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from quotas.services.usage import usage_of
from quotas.testing import forget
from tests.models.rows import a_limit, a_plan, a_tenant
from tests.services.asking import allowed, ask, left, of_tenant, used

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clock")]


def a_quota(amount, unit, **fields):
    plan = a_plan()
    a_limit(
        plan,
        name="quota",
        algorithm="calendar_quota",
        amount=amount,
        unit=unit,
        period=None,
        **fields,
    )
    return plan


def utc(*fields):
    return datetime(*fields, tzinfo=UTC)


def test_T1_months_from_the_31st_are_clamped_and_do_not_drift(clock):
    tenant = of_tenant(a_tenant(plan=a_quota(100, "month"), anchor_day=31))
    clock.move_to(utc(2027, 2, 27, 23, 59))
    assert 100 == allowed(tenant, times=100)
    assert 60 == ask(tenant).decision.retry_after_seconds

    clock.move_to(utc(2027, 2, 28))
    assert {"quota": 99} == left(ask(tenant))
    for edge in (utc(2027, 3, 31), utc(2027, 4, 30), utc(2027, 5, 31)):
        clock.move_to(edge)
        clock.tick(-0.000_001)
        ask(tenant, cost=99)
        denied = ask(tenant).decision
        assert (False, 1) == (denied.allowed, denied.retry_after_us)
        clock.move_to(edge)
        assert {"quota": 99} == left(ask(tenant))


def test_T1_in_a_leap_year_the_second_month_from_the_31st_starts_on_the_29th(clock):
    tenant = of_tenant(a_tenant(plan=a_quota(100, "month"), anchor_day=31))
    clock.move_to(utc(2028, 2, 28, 23, 59))
    ask(tenant, cost=100)
    assert 60 == ask(tenant).decision.retry_after_seconds

    clock.move_to(utc(2028, 2, 29))

    assert {"quota": 99} == left(ask(tenant))


def test_T3_a_day_is_that_of_the_tenant_and_not_the_servers(clock):
    plan = a_quota(10, "day")
    tokyo = of_tenant(a_tenant("tokyo", plan=plan, time_zone="Asia/Tokyo"))
    elsewhere = of_tenant(a_tenant("utc", plan=plan))
    clock.move_to(utc(2026, 9, 8, 14, 30))
    assert [10, 10] == [allowed(each, times=10) for each in (tokyo, elsewhere)]
    assert [1800, 34_200] == [ask(each).decision.retry_after_seconds for each in (tokyo, elsewhere)]

    clock.move_to(utc(2026, 9, 8, 15, 0))

    assert {"quota": 9} == left(ask(tokyo))
    assert not ask(elsewhere).decision.allowed
    assert {"quota": 1} == used("tokyo")


def test_days_of_23_and_25_hours_are_civil_days(clock):
    berlin = ZoneInfo("Europe/Berlin")
    tenant = of_tenant(a_tenant(plan=a_quota(1, "day"), time_zone="Europe/Berlin"))
    waits = []
    for day in (datetime(2027, 3, 28, tzinfo=berlin), datetime(2027, 10, 31, tzinfo=berlin)):
        clock.move_to(day)
        ask(tenant)
        waits.append(ask(tenant).decision.retry_after_seconds // 3600)

    assert [23, 25] == waits


def test_a_changed_zone_or_anchor_is_in_force_from_the_next_period_on(
    clock, django_capture_on_commit_callbacks
):
    row = a_tenant(plan=a_quota(10, "day"))
    clock.move_to(utc(2026, 9, 8, 12))
    ask(of_tenant(row), cost=10)

    with django_capture_on_commit_callbacks(execute=True):
        row.time_zone = "Asia/Tokyo"
        row.save()

    assert 12 * 3600 == ask(of_tenant(row)).decision.retry_after_seconds
    clock.move_to(utc(2026, 9, 9))
    assert {"quota": 0} == left(ask(of_tenant(row), cost=10))
    assert 15 * 3600 == ask(of_tenant(row)).decision.retry_after_seconds


def test_a_process_that_sleeps_over_many_periods_decides_in_the_current_one(clock):
    """Its packed policy is stale then: the script says so, and is asked once more."""
    tenant = of_tenant(a_tenant(plan=a_quota(10, "day")))
    ask(tenant, cost=10)

    for days in (1, 2, 3, 40, 400):
        clock.tick(days * 86_400)
        assert {"quota": 9} == left(ask(tenant))


def test_a_clock_that_is_put_back_hands_nothing_out_again(clock):
    tenant = of_tenant(a_tenant(plan=a_quota(10, "day")))
    clock.move_to(utc(2026, 9, 8, 12))
    ask(tenant, cost=10)

    clock.move_to(utc(2026, 9, 7, 12))
    assert not ask(tenant).decision.allowed
    clock.move_to(utc(2026, 9, 1, 12))
    assert not ask(tenant).decision.allowed
    clock.move_to(utc(2026, 9, 9))
    assert ask(tenant).decision.allowed


@pytest.mark.parametrize("unit", ["day", "week", "month", "year"])
def test_the_usage_page_and_the_decision_agree_on_the_end_of_the_period(clock, unit):
    row = a_tenant("acme", plan=a_quota(5, unit), time_zone="America/New_York", anchor_day=15)
    clock.move_to(utc(2026, 11, 1, 3, 30))
    ask(of_tenant(row), cost=5)
    forget()

    (line,) = usage_of("acme").lines
    denied = ask(of_tenant(row)).decision
    assert line.next_admission_us == denied.retry_after_us == line.verdict.reset_us
    clock.tick(denied.retry_after)
    assert {"quota": 0} == used("acme")
    assert {"quota": 4} == left(ask(of_tenant(row)))
