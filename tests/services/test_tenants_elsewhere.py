"""An edit to a tenant or a membership acts on the next request in another process."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db.models import F

from quotas.models import Membership, Tenant
from tests.models.rows import a_limit, a_membership, a_plan, a_tenant

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clock")]

HOUR = timedelta(hours=1)
POLL = 1.001
"""Seconds: a little more than QUOTAS_PLAN_POLL."""


@pytest.fixture
def plan(transactional_db):
    made = a_plan("pro")
    a_limit(made, amount=5, period=HOUR)
    return made


@pytest.fixture
def tenant(plan):
    return a_tenant("acme", plan=plan)


@pytest.mark.parametrize("write", ["save", "update"])
def test_suspending_and_resuming_a_tenant_act_on_the_next_request_elsewhere(
    tenant, neighbour, write
):
    neighbour.ask(tenant)
    seen = []
    for suspended in (True, False):
        if write == "save":
            tenant.suspended = suspended
            tenant.save()
        else:
            Tenant.objects.update(suspended=suspended)
        seen.append(neighbour.ask(tenant)[0])

    assert ["tenant_suspended", "allowed"] == seen


def test_a_tenant_moved_to_another_plan_keeps_what_it_used_under_the_same_name(tenant, neighbour):
    assert ("allowed", {"minute": 4}) == neighbour.ask(tenant)
    tenant.plan = a_limit(amount=50, period=HOUR).plan
    tenant.save()
    neighbour.later(POLL)  # the plan is as new as the move

    assert ("allowed", {"minute": 48}) == neighbour.ask(tenant)


def test_a_tenant_moved_to_a_plan_that_is_known_has_it_on_the_next_request(tenant, neighbour):
    scale = a_limit(amount=50, period=HOUR).plan
    assert ("allowed", {"minute": 4}) == neighbour.ask(tenant)

    Tenant.objects.filter(pk=tenant.pk).update(plan=scale)

    assert ("allowed", {"minute": 48}) == neighbour.ask(tenant)


def test_counters_that_are_reset_are_reset_elsewhere_on_the_next_request(tenant, neighbour):
    for _ in range(5):
        neighbour.ask(tenant)
    assert "denied" == neighbour.ask(tenant)[0]

    Tenant.objects.filter(pk=tenant.pk).update(epoch=F("epoch") + 1)

    assert ("allowed", {"minute": 4}) == neighbour.ask(tenant)


def test_a_member_who_is_added_or_removed_acts_for_the_tenant_or_not_on_the_next_request(
    plan, tenant, neighbour
):
    membership = a_membership(tenant)
    user = membership.user
    a_limit(a_plan(is_anonymous=True), name="anonymous", subject="user", amount=9)
    assert ("allowed", {"minute": 4}) == neighbour.ask(user=user)

    membership.delete()
    assert ("allowed", {"anonymous": 8}) == neighbour.ask(user=user)
    membership = a_membership(tenant, user)
    assert ("allowed", {"minute": 3}) == neighbour.ask(user=user)
    Membership.objects.all().delete()
    assert ("allowed", {"anonymous": 7}) == neighbour.ask(user=user)


def test_a_member_who_is_removed_acts_for_the_tenant_no_more_whoever_asks_first(tenant, neighbour):
    """The other member's request reads the tenant under its new version, and nobody's memberships
    but its own."""
    ada, bob = (a_membership(tenant).user for _ in range(2))
    assert ["allowed"] * 2 == [neighbour.ask(user=each)[0] for each in (ada, bob)]

    Membership.objects.filter(user=bob).delete()

    assert ["allowed", "not_in_plan"] == [neighbour.ask(user=each)[0] for each in (ada, bob)]


def test_a_refusal_ends_with_the_edit_that_ends_its_reason(plan, tenant, neighbour):
    """Nothing was asked of Redis for it, so that the refusal itself has to look."""
    membership = a_membership(tenant)
    user = membership.user
    membership.delete()
    assert "not_in_plan" == neighbour.ask(user=user)[0]

    a_membership(tenant, user)
    assert "allowed" == neighbour.ask(user=user)[0]
    a_membership(a_tenant("bolt", plan=plan), user)
    assert "tenant_required" == neighbour.ask(user=user)[0]
    Membership.objects.filter(tenant=tenant).update(is_default=True)
    assert "allowed" == neighbour.ask(user=user)[0]


def test_a_users_default_tenant_that_moves_acts_on_the_next_request(plan, tenant, neighbour):
    bolt = a_tenant("bolt", plan=plan)
    first = a_membership(tenant, is_default=True)
    second = a_membership(bolt, first.user)
    assert ("allowed", {"minute": 4}) == neighbour.ask(user=first.user)
    assert ("allowed", {"minute": 3}) == neighbour.ask(user=first.user)

    first.is_default, second.is_default = False, True
    first.save()
    second.save()

    assert ("allowed", {"minute": 4}) == neighbour.ask(user=first.user)


def test_a_deleted_tenant_is_none_on_the_next_request(tenant, neighbour):
    user = a_membership(tenant).user
    assert "allowed" == neighbour.ask(user=user)[0]

    tenant.delete()

    assert "not_in_plan" == neighbour.ask(user=user)[0]
    assert "not_in_plan" == neighbour.ask(4711)[0]
