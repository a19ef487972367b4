from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth import get_user_model
from django.db import IntegrityError

from quotas.admin.fields import PercentagesField, PeriodField
from quotas.admin.plans import PlanAdmin
from quotas.models import Membership, Override, Plan, PlanLimit, Tenant
from tests.admin.asking import YES, answer
from tests.admin.pages import add_url, change_url, list_url, submit, texts_of
from tests.models.rows import a_limit, a_membership, a_plan, a_tenant, a_user, an_override

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.admin.urls")]

SECOND = timedelta(seconds=1)
A_LIMIT = {"scope": "api", "name": "minute", "algorithm": "fixed_window", "amount": "10"}


def test_a_period_that_was_not_touched_has_not_changed():
    field = PeriodField()

    assert not field.has_changed(90 * SECOND, field.prepare_value(90 * SECOND))
    assert not field.has_changed(60 * SECOND, "00:01:00")
    assert not field.has_changed(None, "")
    assert field.has_changed(60 * SECOND, "61")


@pytest.mark.parametrize(
    ("text", "percentages"),
    [("80, 100", [80, 100]), ("100,80,80", [80, 100]), ("80 %", [80]), ("", []), (" ", [])],
)
def test_percentages_are_read_between_commas(text, percentages):
    assert percentages == PercentagesField(required=False).clean(text)


def test_a_limit_is_added_as_people_say_it(staff):
    plan = a_plan()

    response = submit(
        staff,
        add_url(PlanLimit),
        PlanLimit,
        plan=plan.pk,
        period="1 hour",
        warn_at="50, 90",
        **A_LIMIT,
    )

    assert 302 == response.status_code
    row = PlanLimit.objects.get()
    assert (3600 * SECOND, [50, 90]) == (row.period, row.warn_at)


@pytest.mark.parametrize(
    ("field", "text"),
    [
        pytest.param("warn_at", "eighty", id="no-number"),
        pytest.param("warn_at", "80;100", id="no-comma"),
        pytest.param("warn_at", "0", id="nothing"),
        pytest.param("warn_at", "101", id="more-than-all"),
        pytest.param("warn_at", "[80, 100]", id="json"),
        pytest.param("amount", "9" * 5000, id="thousands-of-digits"),
        pytest.param("amount", "1.5", id="fraction"),
        pytest.param("algorithm", "guesswork", id="no-algorithm"),
        pytest.param("capacity", "5", id="capacity-of-a-window"),
        pytest.param("unit", "month", id="unit-of-a-window"),
        pytest.param("name", "分", id="no-slug"),
        pytest.param("scope", "a\x00b", id="nul"),
    ],
)
def test_what_is_no_limit_is_refused_on_its_field(staff, field, text):
    plan = a_plan()
    given = {**A_LIMIT, "plan": plan.pk, "period": "60", field: text}

    response = submit(staff, add_url(PlanLimit), PlanLimit, **given)

    assert 200 == response.status_code
    assert [field] == list(response.context["adminform"].form.errors)
    assert not PlanLimit.objects.exists()


def test_an_override_names_who_made_it_and_a_change_does_not_rename(staff, staff_who_may):
    tenant = a_tenant()
    given = {**A_LIMIT, "tenant": tenant.pk, "period": "60", "reason": "a trial"}

    submit(staff, add_url(Override), Override, **given)
    override = Override.objects.get()
    other = staff_who_may("view", "change")
    submit(other, change_url(override), Override, reason="longer")

    override.refresh_from_db()
    assert ("longer", "chief") == (override.reason, override.created_by.username)


def test_an_override_is_given_on_the_tenants_page(staff):
    tenant = a_tenant()
    rows = {f"overrides-0-{name}": value for name, value in A_LIMIT.items()}
    rows |= {
        "overrides-TOTAL_FORMS": 1,
        "overrides-0-period": "60",
        "overrides-0-subject": "tenant",
        "overrides-0-mode": "enforce",
        "overrides-0-outage_policy": "allow",
        "overrides-0-reason": "a trial",
        "overrides-0-starts_at_0": "2027-01-01",
        "overrides-0-starts_at_1": "00:00:00",
    }

    response = submit(staff, change_url(tenant), Tenant, **rows)

    assert 302 == response.status_code
    assert "chief" == Override.objects.get().created_by.username


def test_a_members_user_is_chosen_once(staff):
    member, other = a_membership(), a_user()

    submit(
        staff,
        change_url(member.tenant),
        Tenant,
        **{"memberships-0-user": other.pk, "memberships-0-role": "manager"},
    )

    row = Membership.objects.get()
    assert (member.user_id, "manager") == (row.user_id, row.role)


def test_a_second_default_tenant_of_a_user_is_refused_with_a_message(staff):
    user = a_user()
    a_membership(user=user, is_default=True)
    second = a_membership(user=user)

    response = submit(
        staff, change_url(second.tenant), Tenant, **{"memberships-0-is_default": "on"}
    )

    assert 200 == response.status_code
    assert "Another tenant is the default of this user" in response.content.decode()


def test_a_user_who_is_a_member_twice_on_one_page_is_an_error_of_the_row(staff):
    tenant, user = a_tenant(), a_user()
    rows = {f"memberships-{n}-user": user.pk for n in range(2)}
    rows |= {f"memberships-{n}-role": "viewer" for n in range(2)}

    response = submit(staff, change_url(tenant), Tenant, **{"memberships-TOTAL_FORMS": 2, **rows})

    assert 200 == response.status_code
    assert not Membership.objects.exists()


def test_a_member_deleted_and_added_again_in_one_submit_is_saved(staff):
    member = a_membership()
    rows = {
        "memberships-TOTAL_FORMS": 2,
        "memberships-0-DELETE": "on",
        "memberships-1-user": member.user_id,
        "memberships-1-role": "manager",
    }

    response = submit(staff, change_url(member.tenant), Tenant, **rows)

    assert 302 == response.status_code
    assert ["manager"] == list(Membership.objects.values_list("role", flat=True))


def test_a_second_default_plan_is_refused_with_a_message(staff):
    a_plan(is_default=True)

    response = submit(staff, add_url(Plan), Plan, key="new", name="New", is_default="on")

    assert 200 == response.status_code
    assert "Another plan is the default" in response.content.decode()


def test_a_key_of_any_script_is_kept_through_a_save(staff):
    tenant = a_tenant("{東京} 支店")

    assert 302 == submit(staff, change_url(tenant), Tenant, name="Tokyo").status_code
    assert "Tokyo" == Tenant.objects.get(key="{東京} 支店").name


def test_the_history_keeps_old_and_new_values_of_a_change(staff):
    free, pro = a_plan("free"), a_plan("pro")
    tenant = a_tenant(plan=free)
    limit = a_limit(free)

    asked = submit(staff, change_url(tenant), Tenant, plan=pro.pk, suspended="on")
    answer(staff, change_url(tenant), asked, YES)
    submit(staff, change_url(limit), PlanLimit, period="1 hour", amount="")
    submit(staff, change_url(free), Plan, **{"name": "Basic", "limits-0-amount": "7"})

    said = [entry.get_change_message() for entry in LogEntry.objects.order_by("pk")]
    assert [
        "plan: Free → Pro; suspended: no → yes",
        "amount: 10 → blank; period: 1 minute → 1 hour",
        "name: Free → Basic; api/minute amount: blank → 7",
    ] == said


def test_a_collision_with_somebody_else_is_a_message_not_an_error(staff, monkeypatch):
    plan = a_plan()

    def beaten(*_args):
        raise IntegrityError("UNIQUE constraint failed")

    monkeypatch.setattr(PlanAdmin, "save_model", beaten)

    response = submit(staff, change_url(plan), Plan, name="New")

    assert change_url(plan) == response.url
    assert any("Nothing was saved" in text for text in texts_of(staff.get(response.url)))


def test_a_plan_in_use_is_not_deleted(staff):
    plan = a_tenant(plan=a_plan()).plan

    response = staff.post(change_url(plan).replace("change", "delete"), {"post": "yes"})

    assert 200 == response.status_code
    assert [plan] == list(Plan.objects.all())


def test_a_deleted_user_leaves_no_trace_in_the_lists(staff):
    override, member = an_override(created_by=a_user("gone")), a_membership()
    get_user_model().objects.filter(username="gone").delete()
    member.user.delete()

    assert 200 == staff.get(change_url(override)).status_code
    assert [] == list(staff.get(list_url(Membership)).context["cl"].result_list)
