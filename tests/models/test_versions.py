from __future__ import annotations

import json

import pytest
from django.core.management import call_command
from django.db import IntegrityError, connection, transaction
from django.db.migrations.executor import MigrationExecutor
from django.db.models import F
from django.utils import timezone

from quotas.models import Cap, Override, Plan, PlanLimit, Tenant
from quotas.models.versions import acting, one_version
from tests.models.rows import a_limit, a_plan, a_tenant, a_user, an_override, limit_fields
from tests.models.test_migrations import FILES

pytestmark = pytest.mark.django_db


def told(model, field, **known):
    """The versions of some rows, oldest first: what each was, and one field."""
    rows = model.history.filter(**known).order_by("history_date")
    return [(row.history_type, getattr(row, field)) for row in rows]


def saved(row, **fields):
    for name, value in fields.items():
        setattr(row, name, value)
    row.save()


def loaded(row, tmp_path, **fields):
    values = {
        f.name: f.value_from_object(row) for f in row._meta.concrete_fields if not f.primary_key
    }
    fixture = tmp_path / "rows.json"
    content = [{"model": row._meta.label_lower, "pk": row.pk, "fields": {**values, **fields}}]
    fixture.write_text(json.dumps(content, default=str))
    call_command("loaddata", fixture, verbosity=0)


def bulk_updated(row):
    row.amount = 100
    PlanLimit.objects.bulk_update([row], ["amount"])


WRITES = {
    "save": lambda row: saved(row, amount=100),
    "save-of-one-field": lambda row: (
        setattr(row, "amount", 100),
        row.save(update_fields=["amount"]),
    ),
    "save-of-an-expression": lambda row: saved(row, amount=F("amount") * 10),
    "raw-save": lambda row: (setattr(row, "amount", 100), row.save_base(raw=True)),
    "update": lambda row: PlanLimit.objects.filter(pk=row.pk).update(amount=100),
    "update-by-an-expression": lambda _: PlanLimit.objects.update(amount=F("amount") * 10),
    "update-of-what-no-longer-matches": lambda _: PlanLimit.objects.filter(amount=10).update(
        amount=100
    ),
    "update-in-an-order": lambda _: PlanLimit.objects.order_by("amount").update(amount=100),
    "update-through-the-plan": lambda row: row.plan.limits.update(amount=100),
    "bulk-update": bulk_updated,
    "update-or-create": lambda row: PlanLimit.objects.update_or_create(
        plan=row.plan, scope=row.scope, name=row.name, defaults={"amount": 100}
    ),
    "upsert": lambda row: PlanLimit.objects.bulk_create(
        [PlanLimit(plan=row.plan, **limit_fields(amount=100))],
        update_conflicts=True,
        unique_fields=["plan", "scope", "name"],
        update_fields=["amount"],
    ),
    "base-manager": lambda row: PlanLimit._base_manager.filter(pk=row.pk).update(amount=100),
}


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
def test_every_way_to_change_a_row_keeps_one_version_with_what_is_stored(write):
    row = a_limit(amount=10)

    write(row)

    assert [("+", 10), ("~", 100)] == told(PlanLimit, "amount", id=row.pk)


def test_a_fixture_that_changes_a_row_keeps_a_version(tmp_path):
    row = a_tenant(time_zone="UTC")

    loaded(row, tmp_path, time_zone="Asia/Tokyo")

    assert [("+", "UTC"), ("~", "Asia/Tokyo")] == told(Tenant, "time_zone", id=row.pk)
    assert "loaddata" == Tenant.history.first().history_change_reason


def in_bulk(plan, **options):
    rows = [PlanLimit(plan=plan, **limit_fields(name=name)) for name in ("a", "b")]
    PlanLimit.objects.bulk_create(rows, **options)


MAKES = {
    "bulk": in_bulk,
    "through-the-plan": lambda plan: plan.limits.bulk_create(
        [PlanLimit(plan=plan, **limit_fields(name=name)) for name in ("a", "b")]
    ),
    "insert-or-ignore": lambda plan: in_bulk(plan, ignore_conflicts=True),
    "get-or-create": lambda plan: [
        PlanLimit.objects.get_or_create(
            plan=plan, scope="api", name=name, defaults=limit_fields(name=name)
        )
        for name in ("a", "b", "a")
    ],
}


@pytest.mark.parametrize("make", MAKES.values(), ids=MAKES)
def test_every_way_to_make_rows_keeps_one_version_of_each(make):
    a_limit()  # which is left as it is

    plan = a_plan()
    make(plan)

    assert [("+", "a"), ("+", "b")] == sorted(told(PlanLimit, "name", plan=plan))
    assert 3 == PlanLimit.history.count()


DELETES = {
    "plan": lambda plan: plan.delete(),
    "plans": lambda plan: Plan.objects.filter(pk=plan.pk).delete(),
    "limits": lambda plan: plan.limits.all().delete(),
    "limit": lambda plan: plan.limits.get().delete(),
}


@pytest.mark.parametrize("delete", DELETES.values(), ids=DELETES)
def test_a_limit_deleted_by_itself_or_with_its_plan_keeps_what_it_was(delete):
    row = a_limit(amount=10)
    row.amount = 99  # never saved

    delete(row.plan)

    assert [("+", 10), ("-", 10)] == told(PlanLimit, "amount", id=row.pk)


def test_a_deleted_row_that_comes_back_is_made_again():
    row = a_plan("gold")
    pk = row.pk
    row.delete()

    Plan.objects.create(pk=pk, key="gold", name="Gold")

    assert ["+", "-", "+"] == [kind for kind, _ in told(Plan, "key", id=pk)]


def test_overrides_and_caps_keep_versions_and_go_with_their_tenant():
    tenant = a_tenant()
    an_override(tenant, amount=20)
    Cap.objects.create(tenant=tenant, scope="api", name="minute", amount=5)

    tenant.delete()

    assert [("+", 20), ("-", 20)] == told(Override, "amount")
    assert [("+", 5), ("-", 5)] == told(Cap, "amount")


def test_a_write_that_changes_nothing_keeps_no_version():
    row = a_tenant()

    row.save()
    Tenant.objects.update(suspended=False)
    Tenant.objects.filter(key="nobody").update(suspended=True)

    assert [("+", row.key)] == told(Tenant, "key")


def test_a_change_that_is_rolled_back_leaves_no_version():
    row = a_tenant()

    with transaction.atomic():
        saved(row, suspended=True)
        Tenant.objects.update(name="New")
        transaction.set_rollback(True)

    assert ["+"] == [kind for kind, _ in told(Tenant, "key")]


@pytest.mark.django_db(transaction=True)
def test_without_its_version_a_row_is_not_saved_either(monkeypatch):
    row = a_tenant()

    def refuse(*args, **kwargs):
        raise IntegrityError

    monkeypatch.setattr(type(Tenant.history.all()), "bulk_create", refuse)
    monkeypatch.setattr("django.db.models.query.QuerySet.bulk_create", refuse)
    for write in (lambda: saved(row, name="New"), lambda: Tenant.objects.update(name="New")):
        with pytest.raises(IntegrityError):
            write()

    assert "New" != Tenant.objects.get().name


@pytest.mark.django_db(transaction=True)
def test_versions_begin_with_what_was_there_before_them():
    a_limit(amount=10)
    try:
        MigrationExecutor(connection).migrate([("quotas", "0017_alert_nobody")])
    finally:
        MigrationExecutor(connection).migrate([("quotas", FILES[-1].stem)])

    assert [("+", 10)] == told(PlanLimit, "amount")
    assert "versions begin" == Plan.history.get().history_change_reason


def test_what_is_written_several_times_in_one_step_is_one_version():
    row = a_limit(amount=10)

    with one_version("default"):
        PlanLimit.objects.update(amount=20)
        saved(row, amount=30)

    assert [("+", 10), ("~", 30)] == told(PlanLimit, "amount")


def test_versions_of_a_row_follow_one_another_whatever_the_clock_says():
    row = a_tenant()
    ahead = timezone.now().replace(microsecond=0) + timezone.timedelta(hours=1)
    Tenant.history.update(history_date=ahead)

    saved(row, name="New")

    assert Tenant.history.first().history_date > ahead
    assert "New" == Tenant.history.first().name


def test_ten_thousand_tenants_are_kept_in_batches(django_assert_max_num_queries):
    Tenant.objects.bulk_create(Tenant(key=f"t{n}", name="T") for n in range(1000))

    with django_assert_max_num_queries(
        50
    ):  # of which inserts most: SQLite takes few values at once
        Tenant.objects.update(suspended=True)

    assert 2000 == Tenant.history.count()


def test_a_version_names_who_acts_and_why_and_no_one_outside():
    staff = a_user()

    with acting(user=staff, reason="a trial"):
        row = a_tenant()
        with acting(reason="a better one"):
            saved(row, suspended=True)
    saved(row, suspended=False)

    rows = Tenant.history.order_by("history_date")
    assert [(staff.pk, "a trial"), (staff.pk, "a better one"), (None, "")] == [
        (each.history_user_id, each.history_change_reason) for each in rows
    ]


def test_a_dump_with_its_versions_is_loaded_without_doubling_them(tmp_path):
    row = a_limit(amount=10)
    tenant = a_tenant(plan=row.plan)
    saved(row, amount=20)
    saved(tenant, suspended=True)
    before = [told(model, "pk") for model in (Plan, PlanLimit, Tenant)]
    dump = tmp_path / "dump.json"
    call_command("dumpdata", "quotas", output=str(dump), verbosity=0)
    for model in (Tenant, Plan):
        model.objects.all().delete()
    for model in (Plan, PlanLimit, Tenant):
        model.history.all().delete()

    for _ in range(2):
        call_command("loaddata", dump, verbosity=0)

        assert before == [told(model, "pk") for model in (Plan, PlanLimit, Tenant)]
