"""C1 and C2 as staff meet them in the admin's forms, and A3: rows of one page that collide."""

from __future__ import annotations

from datetime import timedelta

import pytest

from quotas.domain.limits import DenyAll, Unlimited
from quotas.models import Plan, PlanLimit
from tests.admin.browsers import client_of
from tests.admin.pages import add_url, change_url, form_of, list_url, submit
from tests.models.rows import a_limit, a_plan, a_user, limit_fields

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.admin.urls")]

MINUTE = timedelta(minutes=1)
NEW_LIMIT = {
    "scope": "api",
    "algorithm": "fixed_window",
    "amount": "10",
    "period": "60",
    "subject": "tenant",
    "mode": "enforce",
    "outage_policy": "allow",
    "warn_at": "80, 100",
}


@pytest.fixture
def staff(db):
    return client_of(a_user(is_staff=True, is_superuser=True))


def row(number, **fields):
    """What a new inline row of a plan's page sends."""
    return {f"limits-{number}-{name}": value for name, value in {**NEW_LIMIT, **fields}.items()}


def names_of(plan):
    return {limit.name: limit.amount for limit in PlanLimit.objects.filter(plan=plan)}


@pytest.mark.parametrize(
    ("text", "period"),
    [
        ("5m", 5 * MINUTE),
        ("2h", 120 * MINUTE),
        ("30s", MINUTE / 2),
        ("1 minute", MINUTE),
        ("60", MINUTE),
        ("00:01:00", MINUTE),
    ],
)
def test_c1_a_period_means_what_it_says(staff, text, period):
    given = {**NEW_LIMIT, "plan": a_plan().pk, "name": "burst", "period": text}

    assert 302 == submit(staff, add_url(PlanLimit), PlanLimit, **given).status_code
    assert period == PlanLimit.objects.get().period


@pytest.mark.parametrize(
    "text",
    ["month", "1 month", "0m", "m/", "ten", "-1", "5x", "10/5x", "0", "99999999999", "00:00:00"],
)
@pytest.mark.parametrize("where", ["alone", "inline"])
def test_c1_a_wrong_period_is_refused_with_the_field_and_the_text(staff, where, text):
    plan = a_plan()
    if where == "alone":
        given = {**NEW_LIMIT, "plan": plan.pk, "name": "burst", "period": text}
        page = submit(staff, add_url(PlanLimit), PlanLimit, **given)
        errors = page.context["adminform"].form.errors
    else:
        rows = {"limits-TOTAL_FORMS": 1, **row(0, name="burst", period=text)}
        page = submit(staff, change_url(plan), Plan, **rows)
        errors = page.context["inline_admin_formsets"][0].formset.forms[0].errors

    assert 200 == page.status_code
    assert ["period"] == list(errors)
    (message,) = errors["period"]
    assert message.startswith(f"Period is “{text}”:")
    assert not PlanLimit.objects.exists()


def test_c1_a_month_is_pointed_to_the_calendar_quota(staff):
    given = {**NEW_LIMIT, "plan": a_plan().pk, "name": "month", "period": "month"}

    page = submit(staff, add_url(PlanLimit), PlanLimit, **given)

    assert "choose the calendar quota" in page.context["adminform"].form.errors["period"][0]


@pytest.mark.parametrize("text", ["-1", "ten", "1.5"])
def test_c1_a_wrong_amount_is_refused_on_its_field(staff, text):
    given = {**NEW_LIMIT, "plan": a_plan().pk, "name": "burst", "amount": text}

    page = submit(staff, add_url(PlanLimit), PlanLimit, **given)

    assert ["amount"] == list(page.context["adminform"].form.errors)


@pytest.mark.parametrize(
    ("text", "amount", "kind"),
    [
        pytest.param("0", 0, DenyAll, id="zero-denies-all"),
        pytest.param("", None, Unlimited, id="blank-is-unlimited"),
    ],
)
@pytest.mark.parametrize("algorithm", ["fixed_window", "token_bucket", "sliding_window_log"])
def test_c2_zero_and_blank_stay_apart_through_saves(staff, algorithm, text, amount, kind):
    given = {**NEW_LIMIT, "plan": a_plan().pk, "name": "m", "amount": text, "algorithm": algorithm}
    submit(staff, add_url(PlanLimit), PlanLimit, **given)
    limit = PlanLimit.objects.get()

    submit(staff, change_url(limit), PlanLimit, title="saved again")
    page = form_of(staff.get(list_url(PlanLimit)), "changelist-form")
    staff.post(list_url(PlanLimit), {**page, "form-0-mode": "shadow", "_save": "Save"})

    limit.refresh_from_db()
    assert (amount, "saved again", "shadow") == (limit.amount, limit.title, limit.mode)
    assert isinstance(limit.rule, kind)


def test_a3_two_new_rows_of_one_scope_and_name_are_an_error_on_the_row(staff):
    plan = a_plan()
    rows = {"limits-TOTAL_FORMS": 2, **row(0, name="minute"), **row(1, name="minute")}

    page = submit(staff, change_url(plan), Plan, **rows)

    assert 200 == page.status_code
    forms = page.context["inline_admin_formsets"][0].formset.forms
    message = "Two rows are called minute in scope api: rename one of them."
    assert [[message], [message]] == [form.errors["name"] for form in forms]
    assert not PlanLimit.objects.exists()


def test_a3_a_new_row_like_an_old_one_is_an_error_on_the_row(staff):
    plan = a_limit(name="minute").plan
    rows = {"limits-TOTAL_FORMS": 2, **row(1, name="minute", amount="99")}

    page = submit(staff, change_url(plan), Plan, **rows)

    assert 200 == page.status_code
    assert "Two rows are called minute in scope api" in page.content.decode()
    assert {"minute": 10} == names_of(plan)


def test_a3_two_equal_rows_of_a_new_plan_are_an_error_on_the_row(staff):
    rows = {"limits-TOTAL_FORMS": 2, **row(0, name="minute"), **row(1, name="minute")}

    page = submit(staff, add_url(Plan), Plan, key="new", name="New", **rows)

    assert 200 == page.status_code
    assert not Plan.objects.exists()


def test_a3_swapping_the_names_of_two_rows_is_saved(staff):
    plan = a_plan()
    a_limit(plan, name="a", amount=1)
    a_limit(plan, name="b", amount=2)

    page = submit(staff, change_url(plan), Plan, **{"limits-0-name": "b", "limits-1-name": "a"})

    assert 302 == page.status_code
    assert {"b": 1, "a": 2} == names_of(plan)


def test_a3_a_circle_of_names_is_saved(staff):
    plan = a_plan()
    for amount, name in enumerate("abcd"):
        a_limit(plan, name=name, amount=amount)

    names = {f"limits-{number}-name": name for number, name in enumerate("bcda")}
    page = submit(staff, change_url(plan), Plan, **names)

    assert 302 == page.status_code
    assert {"b": 0, "c": 1, "d": 2, "a": 3} == names_of(plan)


def test_a3_swapping_the_scopes_of_two_rows_is_saved(staff):
    plan = a_plan()
    first = a_limit(plan, scope="a")
    second = a_limit(plan, scope="b")

    submit(staff, change_url(plan), Plan, **{"limits-0-scope": "b", "limits-1-scope": "a"})

    first.refresh_from_db()
    second.refresh_from_db()
    assert ("b", "a") == (first.scope, second.scope)


def test_a3_a_row_deleted_and_added_again_in_one_submit_is_saved(staff):
    plan = a_limit(name="minute").plan
    rows = {"limits-TOTAL_FORMS": 2, "limits-0-DELETE": "on", **row(1, name="minute", amount="7")}

    page = submit(staff, change_url(plan), Plan, **rows)

    assert 302 == page.status_code
    assert {"minute": 7} == names_of(plan)


def test_a3_a_row_takes_the_name_of_one_deleted_in_the_same_submit(staff):
    plan = a_plan()
    a_limit(plan, name="a", amount=1)
    a_limit(plan, name="b", amount=2)

    page = submit(staff, change_url(plan), Plan, **{"limits-0-name": "b", "limits-1-DELETE": "on"})

    assert 302 == page.status_code
    assert {"b": 1} == names_of(plan)


def test_a3_an_error_elsewhere_does_not_bring_a_deleted_row_back_as_a_duplicate(staff):
    plan = a_limit(name="minute").plan
    rows = {
        "limits-TOTAL_FORMS": 3,
        "limits-0-DELETE": "on",
        **row(1, name="minute"),
        **row(2, name="bad", amount="-1"),
    }

    page = submit(staff, change_url(plan), Plan, **rows)

    forms = page.context["inline_admin_formsets"][0].formset.forms
    assert [[], [], ["amount"]] == [list(form.errors) for form in forms]


def test_a3_a_row_that_somebody_else_added_meanwhile_is_an_error_on_the_row(staff):
    plan = a_limit(name="minute").plan
    page = form_of(staff.get(change_url(plan)), "plan_form")
    PlanLimit.objects.create(plan=plan, **limit_fields(name="hour"))

    rows = {"limits-TOTAL_FORMS": 2, **row(1, name="hour")}
    answer = staff.post(change_url(plan), {**page, **rows})

    assert 200 == answer.status_code
    assert "Somebody else has just added hour to scope api." in answer.content.decode()


def test_a3_a_row_that_somebody_else_deleted_meanwhile_is_a_message(staff):
    limit = a_limit(name="minute")
    page = form_of(staff.get(change_url(limit.plan)), "plan_form")
    plan = limit.plan
    limit.delete()

    answer = staff.post(change_url(plan), {**page, "limits-0-amount": "7"})

    assert 200 == answer.status_code
    assert {} == names_of(plan)


def test_a3_a_limit_like_another_of_its_plan_is_refused_on_its_own_page(staff):
    limit = a_limit(name="minute")
    given = {**NEW_LIMIT, "plan": limit.plan_id, "name": "minute"}

    page = submit(staff, add_url(PlanLimit), PlanLimit, **given)

    assert 200 == page.status_code
    assert "The plan has a limit of this scope and name already." in page.content.decode()
