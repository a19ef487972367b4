"""What was deleted is listed, and comes back with what went with it: whole, or not at all."""

from __future__ import annotations

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth import get_user_model
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from quotas.models import Cap, Membership, Override, Plan, PlanLimit, Tenant
from quotas.models.versions import acting
from tests.admin.deleting import (
    ROWS,
    back_url,
    bring_back,
    deleted_url,
    each_model,
    gone,
    listed,
    refused,
)
from tests.admin.pages import form_of, list_url
from tests.models.rows import a_limit, a_membership, a_plan, a_tenant, an_override

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.admin.urls")]


@each_model
def test_the_list_leads_to_what_was_deleted_and_there_to_the_way_back(staff, model):
    row = gone(ROWS[model]())

    assert f'href="{deleted_url(model)}"' in staff.get(list_url(model)).content.decode()
    page = staff.get(deleted_url(model)).content.decode()
    assert f'href="{back_url(row)}"' in page


def test_what_was_deleted_is_told_newest_first_with_what_it_was_who_and_why(staff):
    gold, chief = a_plan("gold"), get_user_model().objects.get(username="chief")
    with acting(user=chief, reason="too many"):
        a_limit(gold, name="a", amount=7).delete()
    a_limit(gold, name="b").delete()
    a_limit(gold, name="c")

    page = staff.get(deleted_url(PlanLimit))

    assert ["Plan limit api/b", "Plan limit api/a"] == listed(page)
    told = page.context["rows"][1]
    assert (chief, "too many") == (told["moment"].by, told["moment"].reason)
    assert "amount: 7" in told["said"].lines
    assert ("Gold", True) == told["of"]


def test_what_is_there_again_is_not_listed_and_what_was_deleted_twice_is_once(staff):
    again, twice = gone(a_plan("again")), gone(a_plan("twice"))
    bring_back(staff, again)
    bring_back(staff, twice)
    Plan.objects.get(key="twice").delete()

    assert ["Plan Twice"] == listed(staff.get(deleted_url(Plan)))


def test_a_plan_comes_back_with_the_limits_that_went_with_it_and_no_others(staff):
    plan = a_plan("gold")
    a_limit(plan, name="earlier").delete()
    limits = {(a_limit(plan, name=name, amount=n).pk, name, n) for n, name in enumerate("ab")}
    gone(plan)

    assert 302 == bring_back(staff, plan).status_code

    again = Plan.objects.get()
    assert (plan.pk, "gold") == (again.pk, again.key)
    assert limits == set(again.limits.values_list("pk", "name", "amount"))
    assert ["+", "-", "+"] == list(
        again.history.order_by("history_date").values_list("history_type", flat=True)
    )
    assert again.history.latest().history_change_reason.endswith("; a mistake")
    assert again.history.latest().history_user.username == "chief"
    [entry] = LogEntry.objects.all()
    assert (str(plan.pk), True) == (entry.object_id, "reason: a mistake" in entry.change_message)


def test_plans_deleted_at_once_come_back_each_with_its_own_limits(staff):
    first, other = a_limit(name="a").plan, a_limit(name="b").plan
    Plan.objects.all().delete()

    bring_back(staff, first)

    assert ["a"] == list(PlanLimit.objects.values_list("name", flat=True))
    bring_back(staff, other)
    assert {(first.pk, "a"), (other.pk, "b")} == set(PlanLimit.objects.values_list("plan", "name"))


def test_a_tenant_comes_back_with_its_overrides_and_caps_and_without_members(staff):
    tenant = a_tenant("acme", plan=a_plan(), anchor_day=5)
    override = an_override(tenant, amount=20)
    an_override(tenant, name="earlier").delete()
    cap = Cap.objects.create(tenant=tenant, scope="api", name="minute", amount=5)
    a_membership(tenant)
    gone(tenant)

    assert "Its members" in staff.get(back_url(tenant)).content.decode()
    assert 302 == bring_back(staff, tenant).status_code

    again = Tenant.objects.get()
    assert (tenant.pk, "acme", 5) == (again.pk, again.key, again.anchor_day)
    assert [(override.pk, 20)] == list(again.overrides.values_list("pk", "amount"))
    assert [(cap.pk, 5)] == list(again.caps.values_list("pk", "amount"))
    assert not Membership.objects.exists()


def test_a_tenant_counts_under_an_epoch_that_it_never_had(staff):
    tenant = a_tenant("acme")
    Tenant.objects.update(epoch=3)
    gone(tenant)
    bring_back(staff, tenant)
    assert 4 == Tenant.objects.get().epoch
    Tenant.objects.get().delete()

    bring_back(staff, tenant)

    assert 5 == Tenant.objects.get().epoch


@pytest.mark.parametrize("model", [PlanLimit, Override])
def test_a_row_comes_back_under_its_number(staff, model):
    row = gone(ROWS[model](amount=7))

    assert 302 == bring_back(staff, row).status_code

    assert (row.pk, 7) == model.objects.values_list("pk", "amount").get()


def test_a_key_that_another_has_now_is_an_error(staff):
    tenant = gone(a_tenant("acme"))
    a_tenant("acme")

    assert ["Tenant with this Key already exists."] == refused(staff.get(back_url(tenant)))
    assert ["Tenant with this Key already exists."] == refused(
        staff.post(back_url(tenant), {"reason": "r"})
    )
    assert 1 == Tenant.objects.count()


def test_a_tenant_whose_plan_was_deleted_too_waits_for_it(staff):
    plan = a_plan("gold")
    tenant = gone(a_tenant(plan=plan))
    gone(plan)
    said = ["plan Gold has been deleted too: bring that back first."]

    assert said == refused(staff.post(back_url(tenant), {"reason": "r"}))
    assert not Tenant.objects.exists()
    bring_back(staff, plan)
    assert 302 == bring_back(staff, tenant).status_code
    assert plan == Tenant.objects.get().plan


def test_a_limit_that_went_with_its_plan_waits_for_it(staff):
    limit = a_limit(a_plan("gold"))
    gone(limit.plan)

    [row] = staff.get(deleted_url(PlanLimit)).context["rows"]
    assert ("Gold", False) == row["of"]
    assert ["plan Gold has been deleted too: bring that back first."] == refused(
        staff.get(back_url(limit))
    )


def test_of_what_does_not_fit_nothing_comes_back(staff):
    plan = a_limit(amount=1).plan
    a_limit(plan, name="other")
    gone(plan)
    PlanLimit.history.filter(name="other").update(amount=-5)  # as no form would write it

    said = refused(staff.post(back_url(plan), {"reason": "r"}))

    assert any("greater than or equal to 0" in each for each in said)
    assert not Plan.objects.exists()
    assert not PlanLimit.objects.exists()
    assert not LogEntry.objects.exists()


def test_brought_back_twice_it_is_said_that_it_is_there(staff):
    plan = gone(a_plan("gold"))
    url = back_url(plan)
    sent = form_of(staff.get(url), "bring_back_form")
    said = ["It is there already: somebody has brought it back, or used its number anew."]
    assert 302 == staff.post(url, {**sent, "reason": "r"}).status_code

    assert said == refused(staff.post(url, {**sent, "reason": "r"}))

    assert said == refused(staff.get(url))
    assert 1 == LogEntry.objects.count()
    Plan.objects.get().delete()
    assert [
        "It was there again and was deleted once more: bring back what it was then."
    ] == refused(staff.post(url, {**sent, "reason": "r"}))


@pytest.mark.parametrize("reason", ["", " ", "x" * 151])
def test_without_a_reason_nothing_comes_back(staff, reason):
    plan = gone(a_plan())

    assert 200 == bring_back(staff, plan, reason=reason).status_code

    assert not Plan.objects.exists()


def test_no_other_version_is_a_way_back(staff):
    plan, tenant = a_plan(), gone(a_tenant())
    made = plan.history.latest()
    name = "admin:quotas_plan_bring_back"

    for version in (made, Tenant.history.filter(id=tenant.pk).latest()):
        url = reverse(name, args=[version.history_id])
        assert 404 == staff.get(url).status_code
        assert 404 == staff.post(url, {"reason": "r"}).status_code


@each_model
def test_the_list_is_only_looked_at(staff, model):
    assert 405 == staff.post(deleted_url(model)).status_code
    assert "Nothing was deleted" in staff.get(deleted_url(model)).content.decode()


@each_model
def test_the_list_takes_the_same_queries_for_few_rows_and_for_many(staff, model):
    def queries():
        with CaptureQueriesContext(connection) as found:
            staff.get(deleted_url(model))
        return len(found)

    for _ in range(2):
        gone(ROWS[model]())
    few = queries()
    for _ in range(30):
        gone(ROWS[model]())

    assert few == queries()
    assert 25 == len(listed(staff.get(deleted_url(model))))
    assert 7 == len(listed(staff.get(deleted_url(model) + "?page=2")))
    assert 200 == staff.get(deleted_url(model) + "?page=nonsense").status_code
