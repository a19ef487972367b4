"""A tenant's own cap is enforced from the next call on, anywhere, and never raises anything."""

from __future__ import annotations

from datetime import timedelta

import pytest

from quotas.domain.calendar import EPOCH
from quotas.engine.connection import link
from quotas.models import Cap
from quotas.services.caps import NotCapped, cappable, remove_cap, set_cap
from quotas.services.statement import statement_of
from quotas.testing import forget
from tests import START_US
from tests.models.rows import a_limit, a_plan, a_tenant, a_user, an_override
from tests.services.asking import allowed, ask, left, of_tenant, used

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clock")]

HOUR = timedelta(hours=1)
START = EPOCH + timedelta(microseconds=START_US)


@pytest.fixture
def plan(transactional_db):
    plan = a_plan("pro", is_default=True)
    a_limit(plan, amount=10, period=HOUR)
    return plan


@pytest.fixture
def tenant(plan):
    return a_tenant("acme")


def a_cap(tenant, amount, name="minute", scope="api"):
    set_cap(tenant.pk, scope, name, amount)


@pytest.mark.parametrize(
    "columns",
    [
        {"algorithm": "token_bucket", "capacity": 20},
        {"algorithm": "leaky_bucket", "capacity": 20},
        {"algorithm": "fixed_window"},
        {"algorithm": "sliding_window_counter"},
        {"algorithm": "sliding_window_log"},
        {"algorithm": "calendar_quota", "unit": "month", "period": None},
        {"algorithm": "concurrency", "period": None},
        {"algorithm": "fixed_window", "amount": None},
        {"algorithm": "token_bucket", "amount": None},
        {"algorithm": "calendar_quota", "unit": "month", "period": None, "amount": None},
    ],
    ids=lambda columns: "-".join(str(each) for each in columns.values()),
)
def test_no_more_than_the_cap_is_admitted(plan, tenant, columns):
    plan.limits.all().delete()
    a_limit(plan, **{"amount": 10, "period": HOUR, **columns})

    a_cap(tenant, 4)

    assert 4 == allowed(of_tenant(tenant), times=15)
    assert 10 <= allowed(of_tenant(a_tenant("other")), times=15)


def test_a_cap_set_and_removed_acts_on_the_next_call_and_keeps_what_was_used(tenant):
    assert {"minute": 9} == left(ask(of_tenant(tenant)))

    a_cap(tenant, 3)
    assert {"minute": 1} == left(ask(of_tenant(tenant)))
    a_cap(tenant, 2)
    assert not ask(of_tenant(tenant)).decision.allowed
    remove_cap(tenant.pk, "api", "minute")
    assert {"minute": 7} == left(ask(of_tenant(tenant)))


@pytest.mark.parametrize("cost", [1, 2])
def test_under_a_cap_a_bucket_is_remembered_until_it_is_full_without_it(plan, tenant, clock, cost):
    plan.limits.all().delete()
    a_limit(plan, algorithm="token_bucket", amount=10, capacity=30, period=HOUR)
    assert 30 == allowed(of_tenant(tenant), times=40)
    a_cap(tenant, 2)
    clock.tick(HOUR)
    client, key = link()

    ask(of_tenant(tenant), cost=cost)

    (state,) = client.scan_iter(key(f"{{t{tenant.pk}}}:c:*"))
    assert client.pttl(state) / 1000 == pytest.approx(3 * 3600, abs=60)
    remove_cap(tenant.pk, "api", "minute")
    assert {"minute": 2 - cost} == left(ask(of_tenant(tenant), cost=0))


def test_each_change_of_a_cap_acts_on_the_next_request_in_another_process(tenant, neighbour):
    assert ("allowed", {"minute": 9}) == neighbour.ask(tenant)

    a_cap(tenant, 3)
    assert ("allowed", {"minute": 1}) == neighbour.ask(tenant)
    Cap.objects.update(amount=2)
    assert ("denied", {"minute": 0}) == neighbour.ask(tenant)
    Cap.objects.all().delete()
    assert ("allowed", {"minute": 7}) == neighbour.ask(tenant)


def test_a_cap_lowers_the_override_in_force_too(tenant):
    an_override(tenant, amount=100, period=HOUR, starts_at=START)
    a_cap(tenant, 5)

    assert 5 == allowed(of_tenant(tenant), times=20)


def test_a_cap_above_a_limit_that_was_lowered_later_raises_nothing(plan, tenant):
    a_cap(tenant, 8)
    plan.limits.update(amount=3)
    forget()

    assert 3 == allowed(of_tenant(tenant), times=15)
    (line,) = statement_of("acme").usage.lines
    assert line.limit.cap is None


def test_an_amount_of_0_stays_0(plan, tenant):
    a_cap(tenant, 8)
    plan.limits.update(amount=0)
    forget()

    assert 0 == allowed(of_tenant(tenant), times=2)


def test_a_cap_of_one_limit_leaves_the_others_alone(plan, tenant):
    a_limit(plan, name="day", amount=7, period=HOUR)
    a_cap(tenant, 5)

    assert {"minute": 4, "day": 6} == left(ask(of_tenant(tenant)))


def test_the_statement_says_that_the_cap_is_the_tenants_own(tenant):
    a_cap(tenant, 4)

    (line,) = statement_of("acme").usage.lines

    assert (4, 4) == (line.limit.cap, line.limit.rule.amount)
    assert {"minute": 0} == used("acme")


@pytest.mark.parametrize(
    ("columns", "amount"),
    [
        ({}, 10),
        ({}, 11),
        ({}, 0),
        ({}, -1),
        ({"amount": 0}, 1),
        ({"amount": 1}, 1),
        ({"mode": "shadow"}, 5),
        ({"mode": "off"}, 5),
        ({"name": "other"}, 5),
    ],
)
def test_a_cap_that_is_not_lower_or_of_nothing_that_denies_is_not_set(
    plan, tenant, columns, amount
):
    plan.limits.all().delete()
    a_limit(plan, **{"amount": 10, "period": HOUR, **columns})

    with pytest.raises(NotCapped):
        a_cap(tenant, amount)

    assert not Cap.objects.exists()


def test_a_cap_is_held_against_the_amount_without_the_cap_before(tenant):
    a_cap(tenant, 3)

    a_cap(tenant, 9)

    assert 9 == Cap.objects.get().amount


def test_who_set_a_cap_and_when_is_kept(tenant):
    user = a_user()
    set_cap(tenant.pk, "api", "minute", 5, user_pk=user.pk)
    first = Cap.objects.get().set_at
    set_cap(tenant.pk, "api", "minute", 4, user_pk=user.pk)

    cap = Cap.objects.get()

    assert (4, user) == (cap.amount, cap.set_by)
    assert cap.set_at > first


def test_a_cap_whose_limit_is_gone_is_listed_so_that_it_can_be_removed(plan, tenant):
    a_cap(tenant, 3)
    plan.limits.update(name="renamed")
    forget()

    found = {(each.name, each.cap, each.limit is None) for each in cappable(tenant.pk)}

    assert {("minute", 3, True), ("renamed", None, False)} == found
    assert 10 == allowed(of_tenant(tenant), times=15)


def test_what_can_be_capped_is_asked_of_the_database_each_time(plan, tenant):
    cappable(tenant.pk)
    an_override(tenant, amount=100, period=HOUR, starts_at=START)

    (found,) = cappable(tenant.pk)

    assert 100 == found.amount


def test_of_a_tenant_that_is_gone_nothing_can_be_capped(tenant):
    assert [] == cappable(tenant.pk + 1)
