from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from quotas.models import Cap, Override, Plan, PlanLimit, Tenant
from quotas.services.applied import Applied, NotKnown, applied_to
from tests.models.rows import a_limit, a_plan, a_tenant, an_override

pytestmark = pytest.mark.django_db

BEGIN = datetime(2026, 11, 1, tzinfo=UTC)
DAY = timedelta(days=1)
VERSIONED = (Plan, PlanLimit, Tenant, Override, Cap)


@pytest.fixture
def day():
    """``day(2)``: what was written since the last call was written on the second day."""
    told = set()

    def date(number):
        for model in VERSIONED:
            for version in model.history.exclude(history_id__in=told).order_by("history_date"):
                at = BEGIN + number * DAY + timedelta(milliseconds=len(told))
                model.history.filter(pk=version.pk).update(history_date=at)
                told.add(version.pk)

    return date


def on(tenant, number):
    return applied_to(tenant.pk, BEGIN + number * DAY + DAY / 2)


def numbers(found):
    """Of each limit: its amount, whose it is, and those of the ones it took the place of."""
    return {
        each.limit.name: (
            each.limit.rule.amount,
            "cap" if each.limit.cap else each.limit.source.title,
            [one.rule.amount for one in each.beaten],
        )
        for each in found.limits
    }


def test_every_day_tells_what_applied_then(day):
    gold, silver = a_plan("gold"), a_plan("silver")
    limit = a_limit(gold, amount=100)
    a_limit(silver, amount=50)
    tenant = a_tenant(plan=silver)
    day(1)
    Tenant.objects.update(plan=gold, suspended=True, time_zone="Asia/Tokyo", anchor_day=5)
    day(2)
    PlanLimit.objects.filter(pk=limit.pk).update(amount=200)
    Tenant.objects.update(suspended=False)
    day(3)
    limit.delete()
    day(4)

    one, two, three, four = (on(tenant, number) for number in range(1, 5))

    assert {"minute": (50, "Silver", [])} == numbers(one)
    assert {"minute": (100, "Gold", [])} == numbers(two)
    assert {"minute": (200, "Gold", [])} == numbers(three)
    assert {} == numbers(four)
    assert ["silver", "gold"] == [one.plan.key, two.plan.key]
    assert (False, "UTC", 1) == (
        one.tenant.suspended,
        one.tenant.time_zone,
        one.tenant.anchor_day,
    )
    assert (True, "Asia/Tokyo", 5) == (
        two.tenant.suspended,
        two.tenant.time_zone,
        two.tenant.anchor_day,
    )


def test_an_override_held_from_its_start_to_its_end_and_a_cap_below_it(day):
    plan = a_plan("gold")
    a_limit(plan, amount=100)
    tenant = a_tenant(plan=plan)
    override = an_override(
        tenant, amount=500, starts_at=BEGIN + 2 * DAY, ends_at=BEGIN + 4 * DAY, reason="a fair"
    )
    day(1)
    Cap.objects.create(tenant=tenant, scope="api", name="minute", amount=20)
    day(3)
    Override.objects.filter(pk=override.pk).update(amount=600)
    Cap.objects.all().delete()
    day(5)

    assert {"minute": (100, "Gold", [])} == numbers(on(tenant, 1))
    assert {"minute": (500, "a fair", [100])} == numbers(on(tenant, 2))
    assert {"minute": (20, "cap", [500, 100])} == numbers(on(tenant, 3))
    assert {"minute": (20, "cap", [100])} == numbers(on(tenant, 4))
    assert {"minute": (100, "Gold", [])} == numbers(on(tenant, 5))


def test_without_a_plan_in_use_the_default_one_of_then_applied(day):
    basic, other = a_plan("basic", is_default=True), a_plan("other")
    tenant = a_tenant(plan=other)
    day(1)
    Plan.objects.filter(pk=other.pk).update(active=False)
    day(2)
    Plan.objects.filter(pk=basic.pk).update(is_default=False)
    day(3)

    assert [("other", False), ("basic", True)] == [
        (found.plan.key, found.by_default) for found in (on(tenant, 1), on(tenant, 2))
    ]
    assert (None, False) == (on(tenant, 3).plan, on(tenant, 3).by_default)


def test_an_override_is_of_the_tenant_that_it_belonged_to_then(day):
    tenant, other = a_tenant(), a_tenant()
    an_override(tenant, starts_at=BEGIN)
    day(1)
    Override.objects.update(tenant=other)
    day(2)

    assert [1, 0] == [len(on(tenant, number).limits) for number in (1, 2)]
    assert [0, 1] == [len(on(other, number).limits) for number in (1, 2)]


def test_before_its_first_version_a_tenant_is_not_known_and_after_its_end_neither(day):
    tenant = a_tenant()
    day(1)

    before = on(tenant, 0)
    assert isinstance(before, NotKnown)
    assert BEGIN + DAY == before.begins
    first = applied_to(tenant.pk, BEGIN + DAY)
    assert isinstance(first, Applied)
    pk = tenant.pk
    tenant.delete()
    day(2)
    assert NotKnown(begins=None) == applied_to(pk, BEGIN + 3 * DAY)


def test_asking_takes_six_queries_however_much_there_is(day, django_assert_num_queries):
    plan = a_plan()
    tenant = a_tenant(plan=plan)
    for number in range(5):
        a_limit(plan, name=f"n{number}")
        an_override(tenant, name=f"n{number}")
        an_override(a_tenant(), name=f"n{number}")
    PlanLimit.objects.update(amount=7)
    day(1)

    with django_assert_num_queries(5):
        assert 5 == len(on(tenant, 1).limits)
