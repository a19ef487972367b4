"""A Redis that has lost its memory does not hand out the month again."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.db import OperationalError

from quotas.domain.calendar import EPOCH
from quotas.domain.keys import subject_text
from quotas.domain.words import Outcome, SubjectKind
from quotas.engine.connection import link
from quotas.models import CalendarBalance
from quotas.services import seeding
from quotas.testing import forget
from tests import START_US
from tests.engine.asking import dumped
from tests.engine.watching import watching
from tests.models.rows import a_limit, a_plan, a_tenant
from tests.services.asking import allowed, ask, left, of_tenant, used

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clock")]

START = EPOCH + timedelta(microseconds=START_US)  # Tuesday, 27 October 2026
PERIODS = {
    "day": (datetime(2026, 10, 27, tzinfo=UTC), datetime(2026, 10, 28, tzinfo=UTC)),
    "week": (datetime(2026, 10, 26, tzinfo=UTC), datetime(2026, 11, 2, tzinfo=UTC)),
    "month": (datetime(2026, 10, 1, tzinfo=UTC), datetime(2026, 11, 1, tzinfo=UTC)),
    "year": (datetime(2026, 1, 1, tzinfo=UTC), datetime(2027, 1, 1, tzinfo=UTC)),
}
units = pytest.mark.parametrize("unit", list(PERIODS))


@pytest.fixture
def plan(db):
    made = a_plan("pro")
    for unit in PERIODS:
        a_limit(made, scope=unit, name="quota", algorithm="calendar_quota", unit=unit, period=None)
    return made


@pytest.fixture
def tenant(plan):
    return a_tenant("acme", plan=plan)


def a_balance(tenant, unit="month", used=8, **fields):
    start, end = PERIODS[unit]
    values = {
        "scope": unit,
        "name": "quota",
        "unit": unit,
        "period_start": start,
        "period_end": end,
    }
    return CalendarBalance.objects.create(tenant=tenant, used=used, **{**values, **fields})


@units
def test_a_quota_goes_on_from_its_balance(tenant, unit):
    a_balance(tenant, unit)

    assert [{"quota": 1}, {"quota": 0}] == [left(ask(of_tenant(tenant), unit)) for _ in range(2)]
    assert not ask(of_tenant(tenant), unit).decision.allowed


@units
def test_the_usage_page_knows_the_balance_before_any_call(tenant, unit):
    a_balance(tenant, unit)

    assert {"quota": 8} == used("acme", scope=unit)
    assert {} == dumped()
    ask(of_tenant(tenant), unit)
    assert {"quota": 9} == used("acme", scope=unit)


def test_a_wiped_redis_gives_back_what_was_used_since_the_last_copy_and_no_more(tenant):
    assert 6 == allowed(of_tenant(tenant), "month", times=6)
    a_balance(tenant, used=5)

    link().client.flushdb()

    assert {"quota": 4} == left(ask(of_tenant(tenant), "month"))
    assert {"quota": 6} == used("acme", scope="month")


def test_a_balance_copied_while_redis_remembers_changes_nothing(tenant):
    ask(of_tenant(tenant), "month", cost=3)
    a_balance(tenant, used=9)
    forget()

    assert {"quota": 6} == left(ask(of_tenant(tenant), "month"))


def test_without_any_balance_a_quota_is_unused(tenant):
    assert {"quota": 0} == used("acme", scope="month")
    assert {"quota": 9} == left(ask(of_tenant(tenant), "month"))


def test_after_the_first_call_a_wiped_redis_costs_no_query_and_no_round_trip_more(
    tenant, redis_url, django_assert_num_queries, settings
):
    settings.QUOTAS_PLAN_POLL = 60
    a_balance(tenant)
    ask(of_tenant(tenant), "day")
    link().client.flushdb()
    ask(of_tenant(tenant), "month")

    with django_assert_num_queries(0), watching(redis_url) as watched:
        for _ in range(5):
            ask(of_tenant(tenant), "month")
            ask(of_tenant(tenant), "week")

    assert ["EVALSHA"] * 10 == watched.names


def test_each_subject_goes_on_from_its_own_balance(plan, tenant):
    plan.limits.filter(scope="month").update(subject="user")
    a_balance(tenant, used=3)
    a_balance(tenant, used=8, subject=subject_text(SubjectKind.USER, 7))

    assert {"quota": 8} == used("acme", user_pk=7, scope="month")
    assert {"quota": 1} == left(ask(of_tenant(tenant, user=7), "month"))
    assert {"quota": 9} == left(ask(of_tenant(tenant, user=8), "month"))


def test_another_tenants_balance_is_not_ones_own(plan, tenant):
    a_balance(a_tenant("bolt", plan=plan), used=10)

    assert {"quota": 9} == left(ask(of_tenant(tenant), "month"))


def test_a_balance_of_before_the_last_reset_is_not_resumed(tenant):
    a_balance(tenant, used=10, epoch=0)
    type(tenant).objects.update(epoch=1)

    assert {"quota": 0} == used("acme", scope="month")
    assert {"quota": 9} == left(ask(of_tenant(tenant), "month"))


def test_a_balance_of_a_period_that_is_over_is_not_resumed(tenant):
    start, _ = PERIODS["month"]
    a_balance(tenant, used=10, period_start=start - timedelta(days=30), period_end=start)

    assert {"quota": 0} == used("acme", scope="month")
    assert {"quota": 9} == left(ask(of_tenant(tenant), "month"))


def test_a_balance_ends_with_its_period(tenant, clock):
    a_balance(tenant, used=10)
    assert not ask(of_tenant(tenant), "month").decision.allowed

    clock.move_to(PERIODS["month"][1])

    assert {"quota": 0} == used("acme", scope="month")
    assert {"quota": 9} == left(ask(of_tenant(tenant), "month"))


def test_of_two_periods_that_have_not_ended_the_earlier_is_resumed(tenant):
    _, end = PERIODS["month"]
    a_balance(tenant, used=8)
    a_balance(tenant, used=3, period_start=end, period_end=datetime(2026, 12, 1, tzinfo=UTC))

    assert {"quota": 8} == used("acme", scope="month")
    assert {"quota": 1} == left(ask(of_tenant(tenant), "month"))


def test_a_balance_of_another_unit_is_not_resumed(plan, tenant):
    """The limit was changed from a month to a day since it was copied."""
    a_balance(tenant, "month", used=10, scope="day")

    assert {"quota": 0} == used("acme", scope="day")
    assert {"quota": 9} == left(ask(of_tenant(tenant), "day"))


def test_todays_page_does_not_show_yesterdays_balance(tenant, clock):
    """The last decision was yesterday, and the copy is of yesterday."""
    a_balance(tenant, "day", used=8)
    ask(of_tenant(tenant), "day")
    clock.move_to(PERIODS["day"][1])
    link().client.flushdb()

    assert {"quota": 0} == used("acme", scope="day")


def test_what_the_page_shows_without_the_mark_is_what_a_call_is_charged_on(tenant):
    for unit in PERIODS:
        a_balance(tenant, unit, used=7)

    for unit in PERIODS:
        assert {"quota": 7} == used("acme", scope=unit)
        assert {"quota": 2} == left(ask(of_tenant(tenant), unit))


def test_with_the_mark_a_missing_state_is_zero_for_page_and_call_alike(tenant):
    a_balance(tenant, "day", used=8)
    ask(of_tenant(tenant), "month")  # the mark is there from now on
    (state,) = [key for key in link().client.scan_iter() if b":day:" in key]
    link().client.delete(state)
    forget()

    shown = used("acme", scope="day")["quota"]
    assert {"quota": 9 - shown} == left(ask(of_tenant(tenant), "day"))


@pytest.mark.parametrize("policy", ["allow", "deny"])
def test_when_neither_redis_nor_the_database_knows_it_is_an_outage(
    plan, tenant, monkeypatch, policy
):
    plan.limits.update(outage_policy=policy)
    ask(of_tenant(tenant), "month")

    def fail(*_):
        raise OperationalError("gone away")

    monkeypatch.setattr(seeding, "balances", fail)
    link().client.flushdb()

    expected = {"allow": Outcome.ALLOWED_ON_OUTAGE, "deny": Outcome.DENIED_ON_OUTAGE}[policy]
    assert expected is ask(of_tenant(tenant), "month").decision.outcome
    monkeypatch.undo()
    assert {"quota": 9} == left(ask(of_tenant(tenant), "month"))


def test_an_unlimited_quota_goes_on_counting_from_its_balance(plan, tenant):
    plan.limits.filter(scope="month").update(amount=None)
    a_balance(tenant, used=500)

    ask(of_tenant(tenant), "month")

    assert {"quota": 501} == used("acme", scope="month")
