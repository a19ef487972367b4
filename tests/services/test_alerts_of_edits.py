"""A limit that is edited while it is in use: each alert tells of an amount as it was used."""

from __future__ import annotations

import pytest

from quotas.models import PlanLimit
from quotas.services.caps import set_cap
from quotas.services.flush import flush
from quotas.testing import forget
from tests.models.rows import a_limit, a_plan, a_tenant, an_override
from tests.services.alerting import alerts
from tests.services.asking import allowed, of_tenant
from tests.services.counted import HOUR, START, hour_of

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clock")]

ALGORITHMS = (
    "token_bucket",
    "leaky_bucket",
    "fixed_window",
    "sliding_window_log",
    "sliding_window_counter",
)


def by_a_cap(tenant, amount):
    set_cap(tenant.pk, "api", "minute", amount)


def in_the_plan(tenant, amount):
    PlanLimit.objects.update(amount=amount)
    forget()


def by_an_override(tenant, amount):
    algorithm = PlanLimit.objects.get().algorithm
    an_override(tenant, amount=amount, algorithm=algorithm, starts_at=START)
    forget()


@pytest.fixture(params=ALGORITHMS)
def tenant(request, transactional_db):
    a_limit(a_plan("pro", is_default=True), amount=100, algorithm=request.param)
    return a_tenant("acme")


@pytest.mark.parametrize("edit", [by_a_cap, in_the_plan, by_an_override])
def test_what_was_used_before_a_limit_was_lowered_is_not_told_of_the_new_amount(
    tenant, clock, edit
):
    allowed(of_tenant(tenant), cost=60)
    flush()
    clock.tick(120)
    edit(tenant, 50)
    assert 1 == allowed(of_tenant(tenant))
    for _ in range(2):
        flush()
    assert [] == alerts()

    allowed(of_tenant(tenant), times=49)
    flush()

    assert [("minute", "80", 50, 50), ("minute", "100", 50, 50)] == alerts()


def test_a_call_that_a_lowered_limit_can_never_admit_does_not_use_it_up(tenant, clock):
    allowed(of_tenant(tenant), cost=60)
    clock.tick(120)
    in_the_plan(tenant, 50)
    assert 0 == allowed(of_tenant(tenant), cost=51)

    flush()

    assert [] == alerts()


def test_a_limit_that_is_raised_after_it_was_used_up_is_told_of_all_the_same(tenant):
    in_the_plan(tenant, 5)
    assert 5 == allowed(of_tenant(tenant), times=6)
    in_the_plan(tenant, 100)
    allowed(of_tenant(tenant))

    flush()

    assert [("minute", "80", 5, 5), ("minute", "100", 5, 5)] == alerts()


def test_a_limit_that_was_unlimited_is_judged_by_what_is_used_of_its_amount(tenant, clock):
    in_the_plan(tenant, None)
    allowed(of_tenant(tenant), times=60)
    clock.tick(120)
    in_the_plan(tenant, 50)
    allowed(of_tenant(tenant), times=41)

    flush()

    assert [("minute", "80", 41, 50)] == alerts()


def test_a_period_of_a_quota_that_began_within_an_hour_is_judged_by_its_own_amount(
    transactional_db, clock
):
    plan = a_plan("pro", is_default=True)
    a_limit(plan, amount=100, algorithm="calendar_quota", unit="day", period=None)
    tenant = a_tenant("nepal", time_zone="Asia/Kathmandu")
    clock.move_to(START.replace(hour=18, minute=5))
    allowed(of_tenant(tenant), cost=60)
    flush()
    clock.tick(20 * 60)
    in_the_plan(tenant, 50)
    allowed(of_tenant(tenant), times=1)

    flush()

    assert [] == alerts()


def test_calls_in_flight_are_judged_by_the_limit_that_admitted_them(transactional_db, clock):
    a_limit(a_plan("pro", is_default=True), amount=10, algorithm="concurrency")
    tenant = a_tenant("acme")
    allowed(of_tenant(tenant), times=6)
    clock.tick(HOUR.total_seconds() / 30)
    in_the_plan(tenant, 5)
    allowed(of_tenant(tenant), times=1)

    flush()

    assert [] == alerts()


def test_what_was_denied_alone_is_no_peak(tenant):
    in_the_plan(tenant, 5)
    allowed(of_tenant(tenant), times=5)
    used = {each.label: each.used for each in hour_of(tenant).peaks}

    assert 0 == allowed(of_tenant(tenant), times=3)

    assert used == {each.label: each.used for each in hour_of(tenant).peaks}


@pytest.mark.parametrize(
    "before",
    [
        pytest.param({"algorithm": "calendar_quota", "unit": "day", "period": None}, id="unit"),
        pytest.param({"algorithm": "fixed_window"}, id="algorithm"),
    ],
)
def test_what_was_used_under_another_unit_or_algorithm_is_not_told_of_the_new_one(
    transactional_db, before
):
    month = {"algorithm": "calendar_quota", "unit": "month", "period": None}
    limit = a_limit(a_plan("pro", is_default=True), amount=100, **before)
    tenant = a_tenant("acme")
    allowed(of_tenant(tenant), cost=85)
    PlanLimit.objects.filter(pk=limit.pk).update(**month)
    forget()
    assert 1 == allowed(of_tenant(tenant))
    for _ in range(2):
        flush()
    assert [] == alerts()

    allowed(of_tenant(tenant), cost=80)
    flush()

    assert [("minute", "80", 81, 100)] == alerts()
