"""Since when a limit has had its mode is right, whatever wrote the mode."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.models import Case, F, TextField, Value, When
from django.utils import timezone

from quotas.models import Override, PlanLimit
from tests.models.rows import a_limit, a_plan, an_override, limit_fields
from tests.models.test_migrations import FILES

pytestmark = pytest.mark.django_db

LONG_AGO = datetime(2026, 3, 1, 12, tzinfo=UTC)
BOTH = {"plan-limit": a_limit, "override": an_override}


@pytest.fixture(params=BOTH.values(), ids=BOTH)
def row(request, db):
    """A limit enforced for long."""
    return settled(request.param())


def settled(row):
    rows_of(row).update(mode_since=LONG_AGO)
    row.refresh_from_db()
    return row


def rows_of(row):
    return type(row).objects.filter(pk=row.pk)


def since(row):
    return rows_of(row).get().mode_since


def saved(row, options=None, **fields):
    for name, value in fields.items():
        setattr(row, name, value)
    row.save(**(options or {}))


def bulk_saved(row, mode):
    row.mode = mode
    type(row).objects.bulk_update([row], ["mode"])


def merged(row, mode):
    row.mode = mode
    type(row).objects.bulk_create(
        [row], update_conflicts=True, update_fields=["mode"], unique_fields=["id"]
    )


def made_again(row, mode):
    values = {field.attname: getattr(row, field.attname) for field in row._meta.concrete_fields}
    type(row)(**{**values, "mode": mode, "mode_since": timezone.now()}).save()


def by_case(mode):
    return Case(When(scope="api", then=Value(mode)), default=F("mode"), output_field=TextField())


WRITES = {
    "save": lambda row, mode: saved(row, mode=mode),
    "save-of-the-mode": lambda row, mode: saved(row, {"update_fields": ["mode"]}, mode=mode),
    "save-of-what-was-read-in-part": lambda row, mode: saved(
        rows_of(row).only("mode").get(), mode=mode
    ),
    "save-of-what-was-read-without-it": lambda row, mode: saved(
        rows_of(row).defer("mode_since").get(), mode=mode
    ),
    "save-by-hand": made_again,
    "update": lambda row, mode: rows_of(row).update(mode=mode),
    "update-by-an-expression": lambda row, mode: rows_of(row).update(mode=by_case(mode)),
    "update-or-create": lambda row, mode: type(row).objects.update_or_create(
        pk=row.pk, defaults={"mode": mode}
    ),
    "bulk-update": bulk_saved,
    "bulk-create-over-what-is-there": merged,
}
each_write = pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)


@each_write
def test_another_mode_is_from_now_on(row, write):
    before = timezone.now()

    write(row, "shadow")

    row.refresh_from_db()
    assert "shadow" == row.mode
    assert before <= row.mode_since <= timezone.now()


@each_write
def test_the_same_mode_once_more_is_no_change(row, write):
    write(row, "enforce")

    assert LONG_AGO == since(row)


def test_a_limit_that_is_known_by_its_plan_scope_and_name_is_met_in_bulk():
    row, staying = settled(a_limit()), settled(a_limit(mode="shadow"))
    others = settled(a_limit(row.plan, name="hour"))
    rows = [
        PlanLimit(plan=each.plan, **limit_fields(mode="shadow", amount=7))
        for each in (row, staying)
    ]

    PlanLimit.objects.bulk_create(
        rows,
        update_conflicts=True,
        update_fields=["mode", "amount"],
        unique_fields=["plan", "scope", "name"],
    )

    assert [7, 7] == [rows_of(each).get().amount for each in (row, staying)]
    assert LONG_AGO < since(row)
    assert LONG_AGO == since(staying) == since(others)


def test_of_several_turned_at_once_only_those_that_turn_begin_anew():
    turning, staying = settled(a_limit()), settled(a_limit(mode="shadow"))

    PlanLimit.objects.update(mode="shadow")

    assert LONG_AGO == since(staying)
    assert LONG_AGO < since(turning)


def test_what_others_turned_meanwhile_is_not_put_back(row):
    stale = rows_of(row).get()
    saved(row, mode="shadow")
    turned = since(row)

    saved(stale, mode="shadow", amount=7)

    assert turned == since(row) == stale.mode_since


def test_other_edits_leave_it_alone(row):
    saved(row, amount=7)
    saved(row, {"update_fields": ["amount"]}, amount=8, mode="off")
    rows_of(row).update(amount=9)

    assert LONG_AGO == since(row)


def test_whoever_knows_better_may_say_it_in_bulk(row):
    earlier = LONG_AGO - timedelta(days=9)

    rows_of(row).update(mode="shadow", mode_since=earlier)

    assert earlier == since(row)


def test_a_new_limit_begins_now():
    before = timezone.now()

    made = [
        a_limit(mode="shadow"),
        *PlanLimit.objects.bulk_create([PlanLimit(plan=a_plan(), **limit_fields())]),
    ]

    assert all(before <= each.mode_since <= timezone.now() for each in made)


def test_a_fixture_restores_what_it_was_dumped_with(row, tmp_path):
    dump = tmp_path / "dump.json"
    call_command("dumpdata", row._meta.label_lower, output=str(dump), verbosity=0)
    row.delete()

    call_command("loaddata", dump, verbosity=0)

    assert LONG_AGO == type(row).objects.get().mode_since


def test_a_fixture_without_it_begins_anew_only_where_it_turns_the_mode(tmp_path):
    row, fixture = settled(a_limit()), tmp_path / "rows.json"

    def load(**fields):
        fields |= limit_fields(plan=row.plan_id, amount=7, period="60")
        content = [{"model": "quotas.planlimit", "pk": row.pk, "fields": fields}]
        fixture.write_text(json.dumps(content, default=str))
        call_command("loaddata", fixture, verbosity=0)

    load(mode="enforce")
    assert (7, LONG_AGO) == (rows_of(row).get().amount, since(row))
    load(mode="shadow")
    assert LONG_AGO < since(row)


@pytest.mark.django_db(transaction=True)
def test_limits_from_before_have_their_mode_from_the_migration_on():
    a_limit(mode="shadow")
    an_override()
    before = timezone.now()
    try:
        MigrationExecutor(connection).migrate([("quotas", "0017_alert_nobody")])
    finally:
        MigrationExecutor(connection).migrate([("quotas", FILES[-1].stem)])

    assert before <= PlanLimit.objects.get().mode_since
    assert before <= Override.objects.get().mode_since
