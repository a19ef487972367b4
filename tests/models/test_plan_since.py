"""Since when a tenant has been on its plan is right, whatever wrote the plan."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.models import BigIntegerField, Case, F, OuterRef, Subquery, Value, When
from django.utils import timezone

from quotas.models import Plan, Tenant
from tests.models.rows import a_plan, a_tenant
from tests.models.test_migrations import FILES

pytestmark = pytest.mark.django_db

LONG_AGO = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
def plan(db):
    return a_plan("team")


@pytest.fixture
def tenant(plan):
    """On its plan for long."""
    return settled(a_tenant("acme", plan=plan))


def settled(tenant):
    Tenant.objects.filter(pk=tenant.pk).update(plan_since=LONG_AGO)
    tenant.refresh_from_db()
    return tenant


def since(tenant):
    return Tenant.objects.get(pk=tenant.pk).plan_since


def saved(tenant, **fields):
    options = fields.pop("options", {})
    for name, value in fields.items():
        setattr(tenant, name, value)
    tenant.save(**options)


def rows_of(tenant):
    return Tenant.objects.filter(pk=tenant.pk)


def loaded(tenant, plan, folder, **fields):
    fixture = folder / "rows.json"
    fields |= {"key": tenant.key, "name": "Loaded", "plan": plan and plan.pk}
    content = [{"model": "quotas.tenant", "pk": tenant.pk, "fields": fields}]
    fixture.write_text(json.dumps(content, default=str))
    call_command("loaddata", fixture, verbosity=0)


def bulk_saved(tenant, plan):
    tenant.plan = plan
    Tenant.objects.bulk_update([tenant], ["plan"])


def merged(tenant, plan):
    row = Tenant(key=tenant.key, name="Merged", plan=plan)
    Tenant.objects.bulk_create(
        [row], update_conflicts=True, update_fields=["plan", "name"], unique_fields=["key"]
    )


def by_case(plan):
    moved = When(key="acme", then=Value(plan and plan.pk))
    return Case(moved, default=F("plan_id"), output_field=BigIntegerField())


WRITES = {
    "save": lambda tenant, plan: saved(tenant, plan=plan),
    "save-of-the-plan": lambda tenant, plan: saved(
        tenant, plan=plan, options={"update_fields": ["plan"]}
    ),
    "save-by-its-column": lambda tenant, plan: saved(
        tenant, plan_id=plan and plan.pk, options={"update_fields": ["plan_id"]}
    ),
    "save-of-what-was-read-in-part": lambda tenant, plan: saved(
        rows_of(tenant).only("plan").get(), plan=plan
    ),
    "save-of-what-was-read-without-it": lambda tenant, plan: saved(
        rows_of(tenant).defer("plan_since").get(), plan=plan
    ),
    "save-by-hand": lambda tenant, plan: Tenant(pk=tenant.pk, key="acme", plan=plan).save(),
    "update": lambda tenant, plan: rows_of(tenant).update(plan=plan),
    "update-by-its-key": lambda tenant, plan: rows_of(tenant).update(plan=plan and plan.pk),
    "update-by-its-column": lambda tenant, plan: rows_of(tenant).update(plan_id=plan and plan.pk),
    "update-by-an-expression": lambda tenant, plan: rows_of(tenant).update(plan=by_case(plan)),
    "update-by-a-query": lambda tenant, plan: rows_of(tenant).update(
        plan=Subquery(
            Plan.objects.filter(key=plan.key if plan else "", active=True)
            .exclude(pk=OuterRef("epoch"))
            .values("pk")[:1]
        )
    ),
    "update-or-create": lambda tenant, plan: Tenant.objects.update_or_create(
        key=tenant.key, defaults={"plan": plan}
    ),
    "bulk-update": bulk_saved,
    "bulk-create-over-what-is-there": merged,
}


@pytest.mark.parametrize("other", ["another", "none"])
@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
def test_a_move_is_from_now_on(tenant, write, other):
    plan = a_plan("gold") if other == "another" else None
    before = timezone.now()

    write(tenant, plan)

    tenant.refresh_from_db()
    assert plan == tenant.plan
    assert before <= tenant.plan_since <= timezone.now()


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
def test_the_same_plan_once_more_is_no_move(tenant, write):
    write(tenant, tenant.plan)

    assert LONG_AGO == since(tenant)


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
def test_from_no_plan_to_none_is_no_move_and_to_one_it_is(plan, write):
    tenant = settled(a_tenant("acme"))

    write(tenant, None)
    assert LONG_AGO == since(tenant)
    write(tenant, plan)
    assert LONG_AGO < since(tenant)


def test_plans_that_take_tenants_say_since_when(tenant):
    other, staying = a_plan("gold"), settled(a_tenant("stays", plan=tenant.plan))

    other.tenants.add(tenant)
    assert LONG_AGO < since(tenant)
    settled(tenant)
    other.tenants.set([tenant])
    assert LONG_AGO == since(tenant)
    other.tenants.remove(tenant)
    assert LONG_AGO < since(tenant)
    assert LONG_AGO == since(staying)


def test_of_several_moved_at_once_only_those_that_move_begin_anew(tenant):
    other = a_plan("gold")
    already = settled(a_tenant("already", plan=other))

    Tenant.objects.update(plan=other)

    assert LONG_AGO == since(already)
    assert LONG_AGO < since(tenant)


def test_what_others_moved_meanwhile_is_not_put_back(tenant):
    stale = Tenant.objects.get(pk=tenant.pk)
    other = a_plan("gold")
    saved(tenant, plan=other)
    moved = since(tenant)

    saved(stale, plan=other, name="Renamed")

    assert moved == since(tenant) == stale.plan_since


def test_other_edits_leave_it_alone(tenant):
    saved(tenant, name="Renamed", suspended=True)
    saved(tenant, name="Again", plan=a_plan("gold"), options={"update_fields": ["name"]})
    rows_of(tenant).update(name="Third")

    assert LONG_AGO == since(tenant)


def test_whoever_knows_better_may_say_it_in_bulk(tenant):
    earlier = LONG_AGO - timedelta(days=9)

    rows_of(tenant).update(plan=a_plan("gold"), plan_since=earlier)

    assert earlier == since(tenant)


def test_a_new_tenant_begins_now(plan):
    before = timezone.now()

    made = [
        a_tenant(plan=plan),
        *Tenant.objects.bulk_create([Tenant(key="bulk", name="Bulk", plan=plan)]),
    ]

    assert all(before <= each.plan_since <= timezone.now() for each in made)


def test_a_fixture_restores_what_it_was_dumped_with(tenant, plan, tmp_path):
    dump = tmp_path / "dump.json"
    call_command("dumpdata", "quotas.tenant", output=str(dump), verbosity=0)
    tenant.delete()

    call_command("loaddata", dump, verbosity=0)

    assert LONG_AGO == Tenant.objects.get(key="acme").plan_since


def test_a_fixture_without_it_moves_only_whom_it_moves(tenant, plan, tmp_path):
    loaded(tenant, plan, tmp_path)
    assert ("Loaded", LONG_AGO) == (Tenant.objects.get().name, since(tenant))

    loaded(tenant, a_plan("gold"), tmp_path)
    assert LONG_AGO < since(tenant)
    settled(tenant)
    loaded(tenant, a_plan("silver"), tmp_path, plan_since=LONG_AGO)
    assert LONG_AGO < since(tenant)


@pytest.mark.django_db(transaction=True)
def test_tenants_from_before_are_on_their_plan_since_they_were_made():
    a_tenant("acme", created=LONG_AGO)
    try:
        MigrationExecutor(connection).migrate([("quotas", "0007_anonymous_quarters")])
    finally:
        MigrationExecutor(connection).migrate([("quotas", FILES[-1].stem)])

    assert LONG_AGO == Tenant.objects.get().plan_since
