from __future__ import annotations

import json

import pytest
from django.core.management import call_command
from django.db import models
from django.db.models import F

from quotas.models import CalendarBalance, Membership, Override, Plan, PlanLimit, Tenant
from tests.models.conftest import Heard
from tests.models.rows import (
    a_limit,
    a_membership,
    a_plan,
    a_tenant,
    a_user,
    an_override,
    limit_fields,
)

pytestmark = pytest.mark.django_db


def saved(row, **fields):
    for name, value in fields.items():
        setattr(row, name, value)
    row.save()


def added_to_another_plan(row):
    a_plan().limits.add(row)


def added_to_a_plan(row):
    a_plan().tenants.add(row)


def loaded(row, tmp_path):
    fields = {
        f.name: f.value_from_object(row) for f in row._meta.concrete_fields if not f.primary_key
    }
    fixture = tmp_path / "rows.json"
    content = [{"model": row._meta.label_lower, "pk": row.pk, "fields": fields}]
    fixture.write_text(json.dumps(content, default=str))
    call_command("loaddata", fixture, verbosity=0)


PLAN_WRITES = {
    "save": lambda row: saved(row, amount=100),
    "save-of-one-field": lambda row: row.save(update_fields=["amount"]),
    "delete": lambda row: row.delete(),
    "queryset-delete": lambda row: PlanLimit.objects.filter(pk=row.pk).delete(),
    "queryset-update": lambda row: PlanLimit.objects.filter(pk=row.pk).update(amount=100),
    "update-by-an-expression": lambda row: row.plan.limits.update(amount=F("amount") + 1),
    "update-through-the-plan": lambda row: row.plan.limits.update(amount=100),
    "update-of-locked-rows": lambda row: row.plan.limits.select_for_update().update(amount=1),
    "bulk-create": lambda row: PlanLimit.objects.bulk_create(
        [PlanLimit(plan=row.plan, **limit_fields(name="hour"))]
    ),
    "bulk-create-through-the-plan": lambda row: row.plan.limits.bulk_create(
        [PlanLimit(plan=row.plan, **limit_fields(name="hour"))]
    ),
    "bulk-update": lambda row: PlanLimit.objects.bulk_update([row], ["amount"]),
    "update-or-create": lambda row: PlanLimit.objects.update_or_create(
        plan=row.plan, scope=row.scope, name=row.name, defaults={"amount": 100}
    ),
    "get-or-create": lambda row: PlanLimit.objects.get_or_create(
        plan=row.plan, scope="api", name="hour", defaults=limit_fields(name="hour")
    ),
    "raw-save": lambda row: row.save_base(raw=True),
    "added-to-another-plan": added_to_another_plan,
    "plan-saved": lambda row: row.plan.save(),
    "plan-switched-off": lambda row: Plan.objects.filter(pk=row.plan_id).update(active=False),
    "plan-deleted-with-its-limits": lambda row: Plan.objects.filter(pk=row.plan_id).delete(),
}


@pytest.mark.parametrize("write", PLAN_WRITES.values(), ids=PLAN_WRITES)
def test_p4_every_write_to_a_plan_or_its_limits_is_announced_after_the_commit(hearing, write):
    row = a_limit()

    with hearing() as heard:
        write(row)

    assert heard.plans
    assert heard.senders <= {Plan, PlanLimit}
    assert (set(), set()) == (heard.tenants, heard.users)


TENANT_WRITES = {
    "save": lambda row: saved(row, suspended=True),
    "delete": lambda row: row.delete(),
    "queryset-delete": lambda row: Tenant.objects.filter(pk=row.pk).delete(),
    "queryset-update": lambda row: Tenant.objects.filter(key=row.key).update(suspended=True),
    "what-was-matched-before": lambda row: Tenant.objects.filter(key=row.key).update(key="new"),
    "epoch": lambda row: Tenant.objects.filter(pk=row.pk).update(epoch=F("epoch") + 1),
    "annotated-update": lambda row: (
        Tenant.objects.annotate(n=models.Count("overrides"))
        .filter(n=0, pk=row.pk)
        .update(suspended=True)
    ),
    "bulk-update": lambda row: Tenant.objects.bulk_update([row], ["plan"]),
    "plan-moved": lambda row: Tenant.objects.filter(pk=row.pk).update(plan=a_plan()),
    "added-to-a-plan": added_to_a_plan,
    "taken-from-a-plan": lambda row: row.plan.tenants.remove(row),
    "plan-emptied": lambda row: row.plan.tenants.clear(),
    "upsert": lambda row: Tenant.objects.bulk_create(
        [Tenant(key=row.key, name="New")],
        update_conflicts=True,
        unique_fields=["key"],
        update_fields=["name"],
    ),
    "insert-or-ignore": lambda row: Tenant.objects.bulk_create(
        [Tenant(key=row.key, name="New")], ignore_conflicts=True
    ),
    "override-given": an_override,
    "override-in-bulk": lambda row: Override.objects.bulk_create(
        [Override(tenant=row, reason="r", **limit_fields())]
    ),
    "member-given": a_membership,
}


@pytest.mark.parametrize("write", TENANT_WRITES.values(), ids=TENANT_WRITES)
def test_p4_every_write_that_concerns_a_tenant_names_it_and_no_other(hearing, write):
    tenant = a_tenant(plan=a_plan())
    pk = tenant.pk
    a_tenant()

    with hearing() as heard:
        write(tenant)

    assert {pk} == heard.tenants


def test_an_update_of_no_row_says_nothing(hearing):
    a_tenant()
    a_limit()

    with hearing() as heard:
        Tenant.objects.filter(key="nobody").update(suspended=True)
        PlanLimit.objects.filter(name="nothing").update(amount=1)
        Tenant.objects.bulk_create([])

    assert Heard() == heard


OVERRIDE_MOVES = {
    "save": lambda row, to: saved(row, tenant=to),
    "queryset-update": lambda row, to: Override.objects.filter(pk=row.pk).update(tenant=to),
    "update-by-column": lambda row, to: row.tenant.overrides.update(tenant_id=to.pk),
    "bulk-update": lambda row, to: (
        setattr(row, "tenant", to),
        Override.objects.bulk_update([row], ["tenant"]),
    ),
    "related-add": lambda row, to: to.overrides.add(row),
    "built-by-hand": lambda row, to: Override(
        pk=row.pk, tenant=to, reason="r", **limit_fields()
    ).save(),
    "upsert": lambda row, to: Override.objects.bulk_create(
        [Override(pk=row.pk, tenant=to, reason="r", **limit_fields())],
        update_conflicts=True,
        unique_fields=["id"],
        update_fields=["tenant"],
    ),
}


@pytest.mark.parametrize("move", OVERRIDE_MOVES.values(), ids=OVERRIDE_MOVES)
def test_an_override_moved_to_another_tenant_names_both(hearing, move):
    row, to = an_override(), a_tenant()
    before = row.tenant_id

    with hearing() as heard:
        move(row, to)

    assert {before, to.pk} == heard.tenants
    assert to == Override.objects.get(pk=row.pk).tenant


@pytest.mark.parametrize(
    "delete",
    [
        pytest.param(lambda row: row.delete(), id="by-itself"),
        pytest.param(lambda row: row.tenant.delete(), id="with-its-tenant"),
    ],
)
def test_a_deleted_override_names_its_tenant(hearing, delete):
    row = an_override()
    before = row.tenant_id

    with hearing() as heard:
        delete(row)

    assert {before} == heard.tenants


MEMBERSHIP_WRITES = {
    "save": lambda row: saved(row, role="manager"),
    "delete": lambda row: row.delete(),
    "queryset-delete": lambda row: Membership.objects.filter(pk=row.pk).delete(),
    "queryset-update": lambda row: Membership.objects.filter(pk=row.pk).update(is_default=True),
    "bulk-update": lambda row: Membership.objects.bulk_update([row], ["role"]),
    "upsert": lambda row: Membership.objects.bulk_create(
        [Membership(user=row.user, tenant=row.tenant, role="manager")],
        update_conflicts=True,
        unique_fields=["user", "tenant"],
        update_fields=["role"],
    ),
    "user-deleted": lambda row: row.user.delete(),
    "users-deleted": lambda row: type(row.user).objects.filter(pk=row.user_id).delete(),
    "tenant-deleted": lambda row: row.tenant.delete(),
}


@pytest.mark.parametrize("write", MEMBERSHIP_WRITES.values(), ids=MEMBERSHIP_WRITES)
def test_a_membership_names_its_user_and_every_tenant_of_that_user(hearing, write):
    user = a_user()
    elsewhere = a_membership(user=user)
    row = a_membership(user=user)
    expected = {row.tenant_id, elsewhere.tenant_id}
    user_pk = user.pk
    a_membership()

    with hearing() as heard:
        write(row)

    assert expected == heard.tenants
    assert {user_pk} == heard.users


def test_a_membership_handed_to_another_user_names_both_users(hearing):
    row, other = a_membership(), a_membership()
    users = {row.user_id, other.user_id}

    with hearing() as heard:
        saved(row, user=other.user)

    assert users == heard.users
    assert {row.tenant_id, other.tenant_id} == heard.tenants


MODELS = {"tenant": a_tenant, "override": an_override, "membership": a_membership}


@pytest.mark.parametrize("make", MODELS.values(), ids=MODELS)
def test_loaded_data_names_its_tenants(hearing, tmp_path, make):
    row = make()

    with hearing() as heard:
        loaded(row, tmp_path)

    assert {getattr(row, "tenant_id", row.pk)} == heard.tenants


@pytest.mark.parametrize("make", [a_plan, a_limit], ids=["plan", "plan-limit"])
def test_loaded_plans_are_announced(hearing, tmp_path, make):
    row = make()

    with hearing() as heard:
        loaded(row, tmp_path)

    assert heard.plans


def test_a_balance_announces_nothing(hearing):
    tenant = a_tenant()
    start, end = "2027-01-01T00:00Z", "2027-02-01T00:00Z"

    with hearing() as heard:
        row = CalendarBalance.objects.create(
            tenant=tenant,
            scope="api",
            name="month",
            unit="month",
            period_start=start,
            period_end=end,
        )
        CalendarBalance.objects.update(used=5)
        row.delete()

    assert Heard() == heard


def test_a_template_cannot_update_or_create_in_bulk():
    assert Tenant.objects.update.alters_data
