"""What a process holds of a policy is as new as it says, whatever threads and transactions do."""

from __future__ import annotations

from contextlib import contextmanager
from types import SimpleNamespace
from unittest.mock import patch
from uuid import uuid4

import pytest
from django.db import transaction

from quotas.domain.keys import tenant_tag
from quotas.engine import owners
from quotas.engine.connection import link
from quotas.errors import EngineUnavailable, NotInPlan, TenantSuspended
from quotas.models import Plan, PlanLimit, Tenant
from quotas.services import laying_out
from quotas.services.attempt import Attempt
from quotas.services.store import SETTLE_SECONDS, store
from quotas.services.tenancy import READ_AGAIN_SECONDS
from tests.models.rows import a_limit, a_membership, a_plan, a_tenant, a_user
from tests.services.asking import allowed, ask, left, of_tenant, of_user


def refused_in_a_transaction_that_is_rolled_back(tenant):
    try:
        with transaction.atomic():
            Tenant.objects.update(suspended=True)
            ask(of_tenant(tenant))
    except TenantSuspended as refusal:
        return refusal


@contextmanager
def notices_lost():
    """Edits are made here, and Redis is told of none."""
    with patch.object(owners, "bump", side_effect=EngineUnavailable("away")):
        yield


@pytest.fixture
def tenant(transactional_db):
    a_limit(a_plan("free", is_default=True), scope="api", name="minute", amount=3)
    return a_tenant("acme")


def test_a_plan_edited_while_its_limits_are_laid_out_is_in_force_at_the_next_request(
    tenant, monkeypatch, settings
):
    settings.QUOTAS_PLAN_POLL = 0
    usual, edits = laying_out.pack, [lambda: PlanLimit.objects.update(amount=100)]

    def pack_after_an_edit(*args, **options):
        packed = usual(*args, **options)
        while edits:
            edits.pop()()
            ask(of_tenant(tenant))  # another thread's request, which sees the edit
        return packed

    monkeypatch.setattr(laying_out, "pack", pack_after_an_edit)
    ask(of_tenant(tenant))

    assert 5 == allowed(of_tenant(tenant), times=5)


@pytest.mark.django_db(transaction=True)
def test_rows_that_were_rolled_back_are_forgotten_within_a_second(later):
    a_limit(a_plan("free", is_default=True), scope="api", name="minute", amount=3)
    tenant = a_tenant("acme")
    refused = refused_in_a_transaction_that_is_rolled_back(tenant)
    assert isinstance(refused, TenantSuspended)

    later(SETTLE_SECONDS)

    assert ask(of_tenant(tenant)).decision.allowed


@pytest.mark.django_db(transaction=True)
def test_what_was_read_in_a_transaction_and_held_true_is_not_read_again_and_again(
    later, django_assert_num_queries
):
    a_limit(a_plan("free", is_default=True), scope="api", name="minute", amount=100)
    tenant = a_tenant("acme")
    with transaction.atomic():
        ask(of_tenant(tenant))
        later(SETTLE_SECONDS)
        ask(of_tenant(tenant))
        later(SETTLE_SECONDS)

        with django_assert_num_queries(0):
            ask(of_tenant(tenant))


def test_an_edit_just_before_redis_loses_its_memory_is_not_missed(tenant):
    ask(of_tenant(tenant))
    Tenant.objects.bulk_update([Tenant(pk=tenant.pk, suspended=True)], ["suspended"])

    link().client.flushdb()

    with pytest.raises(TenantSuspended):
        ask(of_tenant(tenant))


def test_a_first_request_leaves_a_version_that_the_loss_of_memory_takes_away(tenant):
    ask(of_tenant(tenant))

    before = owners.version_of(tenant_tag(tenant.pk))
    link().client.flushdb()

    assert owners.NO_VERSION != before
    assert owners.NO_VERSION == owners.version_of(tenant_tag(tenant.pk))


@pytest.mark.parametrize(
    "pk",
    ["abc", 2**80, uuid4(), ["no", "text"]],
    ids=["text", "huge", "uuid", "unhashable"],
)
def test_a_user_whom_the_table_of_users_cannot_hold_belongs_to_no_tenant(db, pk):
    with pytest.raises(NotInPlan, match="without a tenant"):
        ask(of_user(SimpleNamespace(pk=pk)))


def test_the_key_of_a_renamed_tenant_is_anothers_at_once(tenant):
    ask(of_tenant("acme"))
    Tenant.objects.filter(pk=tenant.pk).update(key="apex")
    other = a_tenant("acme")

    assert other.pk == ask(of_tenant("acme")).tenant.pk
    assert tenant.pk == ask(of_tenant("apex")).tenant.pk


def test_a_renamed_tenant_is_named_by_its_new_key_and_wrong_names_cost_no_query_each(
    tenant, later, django_assert_num_queries
):
    other, user = a_tenant("bolt"), a_user()
    a_membership(tenant, user, is_default=True)
    a_membership(other, user)
    ask(of_user(user, "bolt"))
    Tenant.objects.filter(pk=other.pk).update(key="bolts")

    later(READ_AGAIN_SECONDS)

    assert other.pk == ask(of_user(user, "bolts")).tenant.pk
    assert tenant.pk == ask(of_user(user, "nobody")).tenant.pk
    ask(of_user(user, "bolts"))
    with django_assert_num_queries(0):
        ask(of_user(user, "nobody"))
        later(READ_AGAIN_SECONDS)
        ask(of_user(user, "bolts"))


def test_more_limits_than_a_byte_counts_are_judged_all(db):
    plan = a_plan("free", is_default=True)
    for number in range(300):
        a_limit(plan, scope="api", name=f"limit-{number}", amount=300 - number)
    tenant = a_tenant("acme")

    answer = ask(of_tenant(tenant))

    assert list(range(299, -1, -1)) == [each.remaining for each in answer.decision.verdicts]
    assert not ask(of_tenant(tenant)).decision.allowed


def test_a_tenant_moved_to_a_plan_whose_notice_was_lost_has_its_limits_at_once(tenant):
    ask(of_tenant(tenant))
    with notices_lost():
        scale = a_limit(a_plan("scale"), scope="api", name="minute", amount=50).plan

    Tenant.objects.filter(pk=tenant.pk).update(plan=scale)

    answer = ask(of_tenant(tenant))
    assert ("scale", {"minute": 48}) == (answer.plan_key, left(answer))


def test_a_tenant_on_a_plan_that_is_off_takes_no_query_in_steady_state(
    tenant, settings, django_assert_num_queries
):
    settings.QUOTAS_PLAN_POLL = 0
    ask(of_tenant(tenant))
    Tenant.objects.filter(pk=tenant.pk).update(plan=a_plan("gone", active=False))
    ask(of_tenant(tenant))

    with django_assert_num_queries(0):
        answer = ask(of_tenant(tenant))

    assert ("free", {"minute": 0}) == (answer.plan_key, left(answer))


def test_what_is_laid_out_for_one_tenant_is_bounded_and_laid_out_anew_it_counts_on(
    tenant, monkeypatch
):
    monkeypatch.setattr(laying_out, "MOST_LAID_OUT", 3)
    a_limit(Plan.objects.get(key="free"), scope="*", name="all", amount=10)
    scopes = ["api", *(f"scope-{number}" for number in range(7)), "api"]

    seen = []
    for scope in scopes:
        answer = ask(of_tenant(tenant), scope)
        laid_out = store.policy(tenant.pk, Attempt()).laid_out
        seen.append((len(laid_out) <= 3, left(answer)["all"]))

    assert [(True, 9 - turn) for turn in range(9)] == seen
    assert {"minute": 0, "all": 0} == left(ask(of_tenant(tenant)))
