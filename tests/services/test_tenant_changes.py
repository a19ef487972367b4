"""What applies to a tenant before and after a change of its plan or overrides, at its instants."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from quotas.models import Override
from quotas.services.tenant_changes import lost_in, of_overrides, of_plan
from tests.models.rows import a_limit, a_plan, a_tenant, an_override, limit_fields

pytestmark = pytest.mark.django_db

NOW = timezone.now()
DAY = timedelta(days=1)


@pytest.fixture
def tenant():
    return a_tenant("acme", plan=a_limit(a_plan("pro")).plan)


def unsaved(tenant, **fields):
    values = {"starts_at": NOW, "reason": "a trial", **limit_fields(**fields)}
    return Override(tenant=tenant, **values)


def amounts(changes):
    return [
        (edit.before.rule.amount, edit.after.rule.amount)
        for change in changes
        for edit in change.edits
    ]


def test_a_new_override_takes_the_place_of_the_plans_limit(tenant):
    assert [(10, 5)] == amounts(of_overrides([tenant], [], [unsaved(tenant, amount=5)], now=NOW))


def test_of_two_that_begin_at_once_the_new_one_acts(tenant):
    an_override(tenant, amount=7, starts_at=NOW)

    assert [(7, 5)] == amounts(of_overrides([tenant], [], [unsaved(tenant, amount=5)], now=NOW))


def test_an_override_that_another_has_taken_the_place_of_changes_nothing(tenant):
    an_override(tenant, amount=7, starts_at=NOW)
    beaten = an_override(tenant, amount=100, starts_at=NOW - DAY)

    assert [] == amounts(of_overrides([tenant], [beaten.pk], now=NOW))


def test_one_to_come_is_looked_at_when_it_begins(tenant):
    an_override(tenant, amount=7, starts_at=NOW - DAY, ends_at=NOW + DAY)
    later = unsaved(tenant, amount=5, starts_at=NOW + 2 * DAY)

    assert [(10, 5)] == amounts(of_overrides([tenant], [], [later], now=NOW))


def test_a_limit_with_none_in_its_place_is_lost(tenant):
    other = a_tenant()
    wanted = [(tenant, {"scope": "more"}), (other, {}), (other, {"name": "hour"})]
    rows = [an_override(whose, starts_at=NOW - DAY, **fields) for whose, fields in wanted]

    lost = lost_in(of_overrides([tenant, other], [row.pk for row in rows[:2]], now=NOW))

    assert [("more", "acme", True), ("api", str(other), False)] == [
        (each.limit.scope, each.limit.source.title, each.last) for each in lost
    ]


def test_a_move_keeps_what_overrides_hold_and_falls_back_to_the_default_plan(tenant):
    a_limit(a_limit(a_plan(is_default=True), amount=4).plan, name="hour")
    a_limit(tenant.plan, name="hour", amount=9)
    an_override(tenant, name="hour", amount=8, starts_at=NOW - DAY)

    changes = of_plan(tenant, None, now=NOW)

    assert [(10, 4)] == amounts(changes)
    assert [] == lost_in(changes)


def test_it_takes_as_many_queries_for_many_tenants(tenant, django_assert_num_queries):
    for many in (1, 9):
        rows = [an_override(a_tenant(plan=tenant.plan), amount=99) for _ in range(many)]
        tenants, pks = [row.tenant for row in rows], [row.pk for row in rows]
        with django_assert_num_queries(5):
            assert many == len(amounts(of_overrides(tenants, pks, now=NOW)))
