from __future__ import annotations

from contextlib import contextmanager
from datetime import timedelta

import pytest
from django.db import transaction
from django.db.models.signals import pre_save
from hypothesis import given, settings

from quotas.errors import BadPlansFile, PlansChanged
from quotas.models import Plan, PlanLimit
from quotas.services.plans_file.entries import PlansFile
from quotas.services.plans_file.importing import look, write
from quotas.services.plans_file.reading import read_plans
from quotas.services.plans_file.stored import stored_plans, tenants_by_plan
from quotas.services.plans_file.writing import written
from tests.models.conftest import Heard
from tests.models.rows import a_limit, a_plan, a_tenant
from tests.services.planning import PATH, a_limit_entry, a_plan_entry, imported, plans, read

pytestmark = pytest.mark.django_db

few = settings(max_examples=40, deadline=None)


def a_file(*entries):
    return PlansFile(path=PATH, plans=entries)


def put(*entries):
    """Put these plans into force; gives what it changed."""
    file = a_file(*entries)
    differences = look(file)
    write(file, differences)
    return differences


@contextmanager
def undone():
    """Each example begins with what the last one began with."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


def exported():
    return written(stored_plans().entries)


def rows():
    return list(Plan.objects.order_by("pk").values()), list(
        PlanLimit.objects.order_by("pk").values()
    )


@few
@given(plans())
def test_an_export_that_is_imported_changes_nothing(drawn):
    with undone():
        put(*drawn)
        before, text = rows(), exported()

        file = read_plans(text, PATH)
        differences = look(file)
        write(file, differences)

        assert drawn == stored_plans().entries == file.plans
        assert ([], before, text) == (differences.changed, rows(), exported())


@few
@given(plans(), plans())
def test_whatever_was_there_an_import_makes_it_what_the_file_says(before, wanted):
    keys = {plan.key for plan in wanted}
    left = [plan for plan in before if plan.key not in keys]
    if any(plan.default or plan.anonymous for plan in left):
        left, before = [], wanted  # roles that the file cannot take from plans that it leaves
    with undone():
        put(*before)

        put(*wanted)

        assert sorted([*left, *wanted], key=lambda plan: plan.key) == list(stored_plans().entries)
        assert [] == put(*wanted).changed


def test_an_import_that_changes_nothing_announces_nothing(hearing):
    a_limit(a_plan("free", name="Free"))
    file = read_plans(exported(), PATH)

    with hearing() as heard:
        write(file, look(file))

    assert Heard() == heard


def test_an_import_announces_after_its_commit_as_a_save_does(hearing):
    a_limit(a_plan("free", name="Free"))

    with hearing() as heard:
        put(a_plan_entry("free", a_limit_entry(amount=11)))

    assert (True, {PlanLimit}) == (heard.plans, heard.senders)


def test_a_limit_that_stays_keeps_its_row_and_the_fields_that_did_not_change():
    limit = a_limit(a_plan("free", name="Free"), title="Calls")

    put(a_plan_entry("free", a_limit_entry(title="Calls", amount=0)))

    assert (limit.pk, 0, "Calls") == PlanLimit.objects.values_list("pk", "amount", "title").get()


def test_limits_that_the_file_does_not_have_are_removed_and_its_other_plans_left_alone():
    a_limit(a_plan("free", name="Free"), name="gone")
    kept = a_limit(a_plan("pro"))

    differences = put(a_plan_entry("free", a_limit_entry()))

    assert ["pro"] == differences.left_alone
    assert {kept.name, "minute"} == set(PlanLimit.objects.values_list("name", flat=True))
    assert kept.pk in PlanLimit.objects.values_list("pk", flat=True)


def test_two_plans_swap_both_roles():
    a_plan("free", name="Free", is_default=True)
    a_plan("open", name="Open", is_anonymous=True)

    put(a_plan_entry("free", anonymous=True), a_plan_entry("open", default=True))

    assert [("free", False, True), ("open", True, False)] == list(
        Plan.objects.values_list("key", "is_default", "is_anonymous")
    )


def test_a_new_plan_takes_a_role_over():
    a_plan("free", name="Free", is_default=True)

    put(a_plan_entry("free", active=False), a_plan_entry("basic", default=True))

    assert "basic" == Plan.objects.get(is_default=True).key
    assert not Plan.objects.get(key="free").active


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("amount = -1", "line 4: plan free, limit api/minute: amount is -1: Ensure this value"),
        ("amount = 9_999_999_999_999", "limit api/minute: amount is 9_999_999_999_999: Ensure"),
        ("amount = 1\ncapacity = 5", "capacity is 5: Only a bucket has a capacity: leave it blank"),
        ('amount = 1\nunit = "day"', 'unit is "day": Only a calendar quota has a calendar unit'),
        ("amount = 1\nwarn_at = [100, 80]", "warn_at is [100, 80]: "),
        ('amount = 1\nperiod = ""', 'period is "": write "1 minute"'),
    ],
)  # fmt: skip
def test_what_the_admin_refuses_is_refused_with_its_place_and_value(text, said):
    period = "" if "period" in text else '\nperiod = "1s"'
    limit = f'scope="api"\nname="minute"\nalgorithm="fixed_window"\n{text}{period}'

    with pytest.raises(BadPlansFile) as caught:
        imported(f'[plans.free]\nname = "Free"\n[[plans.free.limits]]\n{limit}')

    assert said in str(caught.value)
    assert not Plan.objects.exists()


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        (a_plan_entry("no slug"), 'plan no slug: key is "no slug": Enter a valid'),
        (a_plan_entry(name=""), "plan free: name is blank: This field cannot be blank."),
        (a_plan_entry(default=True, active=False), "active is false: The default plan must be"),
        (a_plan_entry("f", a_limit_entry(period=None)), "api/minute: period is blank: Give a"),
        (a_plan_entry("f", a_limit_entry("ö")), "limit api/ö: name is"),
        (a_plan_entry("f", a_limit_entry(scope="a b")), 'a b/minute: scope is "a b": Give letters'),
        (a_plan_entry("f", a_limit_entry(title="x" * 101)), "title is"),
    ],
)
def test_so_is_what_only_the_models_know(entry, said):
    with pytest.raises(BadPlansFile) as caught:
        put(entry)

    assert said in str(caught.value)


@pytest.mark.parametrize("role", ["default", "anonymous"])
def test_a_role_of_two_plans_is_refused(role):
    a_plan("old", **{f"is_{role}": True})
    text = "".join(f'[plans.{key}]\nname = "A"\n{role} = true\n' for key in ("a", "b"))

    with pytest.raises(BadPlansFile) as caught:
        look(read(text))

    both, one = caught.value.complaints
    assert both == (
        f"plans.toml, line 2: plan a; plans.toml, line 5: plan b: {role} is true in each: leave it "
        "to one of them."
    )
    assert one == (
        f"plans.toml, line 2: plan a: {role} is true: so it is in plan old, which is not in the "
        f"file. Add that plan to the file without {role}, or take it away in the admin."
    )


def test_one_plan_that_is_wrong_keeps_all_others_from_being_written():
    with pytest.raises(BadPlansFile):
        put(a_plan_entry("free"), a_plan_entry("pro", a_limit_entry(amount=-1)))

    assert not Plan.objects.exists()


@contextmanager
def meanwhile(do):
    """Does something just before the plan called new is saved."""

    def hear(*, instance, **_):
        if instance.key == "new" and instance.name != "Other":
            do()

    pre_save.connect(hear, sender=Plan)
    try:
        yield
    finally:
        pre_save.disconnect(hear, sender=Plan)


def die():
    raise RuntimeError("killed")


def add_it_too():
    Plan.objects.create(key="new", name="Other")


@pytest.mark.parametrize(("do", "error"), [(die, RuntimeError), (add_it_too, PlansChanged)])
def test_what_fails_half_way_writes_nothing(do, error, hearing):
    a_limit(a_plan("free", name="Free"))
    file = a_file(a_plan_entry("free", a_limit_entry(amount=11)), a_plan_entry("new"))
    differences = look(file)

    with hearing() as heard, meanwhile(do), pytest.raises(error):
        write(file, differences)

    assert (10, 0) == (PlanLimit.objects.get().amount, heard.times)
    assert ["free"] == list(Plan.objects.values_list("key", flat=True))


def test_what_nobody_looked_at_is_not_written():
    limit = a_limit(a_plan("free", name="Free"))
    file = a_file(a_plan_entry("free", a_limit_entry(amount=11)))
    differences = look(file)
    limit.amount = 500
    limit.save()

    with pytest.raises(PlansChanged, match="Nothing was written"):
        write(file, differences)

    assert 500 == PlanLimit.objects.get().amount


def test_tenants_are_counted_by_the_plan_that_they_name():
    plan = a_plan("free")
    for _ in range(2):
        a_tenant(plan=plan)
    a_tenant()

    assert {"free": 2, None: 1} == tenants_by_plan()


def test_looking_takes_two_queries_however_many_limits(django_assert_num_queries):
    plan = a_plan("free", name="Free")
    for number in range(20):
        a_limit(plan, name=f"n{number}", period=timedelta(hours=1))

    with django_assert_num_queries(2):
        look(a_file(a_plan_entry("free"), a_plan_entry("pro", a_limit_entry())))
