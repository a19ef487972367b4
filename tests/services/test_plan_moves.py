"""How many tenants get another plan by a change of plans, before it is made."""

from __future__ import annotations

import pytest

from quotas.models import Plan
from quotas.services.plan_moves import Move, plan_moves
from tests.models.rows import a_plan, a_tenant

pytestmark = pytest.mark.django_db


@pytest.fixture
def plans():
    """Free by default for one tenant without a plan and one of a plan that is off; two on pro."""
    free, pro, old = a_plan("free", is_default=True), a_plan("pro"), a_plan("old", active=False)
    for plan in (None, old, pro, pro, free):
        a_tenant(plan=plan)
    return free, pro, old


def changed(plan, **fields):
    row = Plan.objects.get(pk=plan.pk)
    for name, value in fields.items():
        setattr(row, name, value)
    return row


def test_tenants_of_a_plan_that_is_turned_off_have_the_default_one(plans):
    _free, pro, _old = plans

    assert [Move(before="Pro", after="Free", tenants=2)] == plan_moves([changed(pro, active=False)])


def test_tenants_of_a_plan_that_is_turned_on_leave_the_default_one(plans):
    _free, _pro, old = plans

    assert [Move(before="Free", after="Old", tenants=1)] == plan_moves([changed(old, active=True)])


def test_another_default_plan_is_given_to_those_without_their_own(plans):
    free, pro, _old = plans

    moves = plan_moves([changed(free, is_default=False), changed(pro, is_default=True)])

    assert [Move(before="Free", after="Pro", tenants=2)] == moves


def test_a_default_plan_that_is_gone_leaves_none(plans):
    free, _pro, _old = plans

    assert [Move(before="Free", after=None, tenants=3)] == plan_moves([], {free.pk})


def test_what_only_renames_a_plan_moves_nobody(plans):
    _free, pro, _old = plans

    assert [] == plan_moves([changed(pro, name="Professional")])


def test_it_takes_two_queries_however_many(plans, django_assert_num_queries):
    rows = [changed(plan, active=False, is_default=False) for plan in plans]
    for _ in range(9):
        a_tenant(plan=a_plan())

    with django_assert_num_queries(2):
        assert plan_moves(rows)
