"""Staff who are bound to a tenant read and bring back what is, was and went of their own alone."""

from __future__ import annotations

import pytest
from django.urls import reverse

from quotas.models import Override, Plan, PlanLimit, Tenant
from tests.admin.companies import GONE, MARK, OWN, an_entry, stored
from tests.admin.pages import form_of, list_url

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.admin.urls")]


def address(model, page, *args):
    return reverse(f"admin:quotas_{model.__name__.lower()}_{page}", args=args)


def way_back(row):
    version = Override.history.filter(id=row.pk + GONE).latest()
    return address(Override, "bring_back", version.history_id)


@pytest.mark.parametrize("model", [Plan, PlanLimit, Tenant])
def test_what_was_deleted_of_all_is_closed_to_them(bound, company, model):
    version = model.history.filter(id=company.row(model).pk + GONE).latest()
    page, before = address(model, "bring_back", version.history_id), stored()

    answers = [bound.get(address(model, "deleted")), bound.get(page), bound.post(page)]

    assert [403, 403, 403] == [each.status_code for each in answers]
    assert before == stored()
    assert address(model, "deleted") not in bound.get(list_url(model)).content.decode()


def test_deleted_overrides_of_their_tenants_they_see_and_bring_back(bound, company, other):
    page = bound.get(address(Override, "deleted"))
    assert [f"{OWN} gone"] == [
        row["moment"].versions[0].after.reason for row in page.context["rows"]
    ]
    assert MARK not in page.content.decode().lower()
    way = way_back(company.row(Override))

    sent = form_of(bound.get(way), "bring_back_form")

    assert 302 == bound.post(way, {**sent, "reason": "because"}).status_code
    assert company.tenant == Override.objects.get(pk=company.row(Override).pk + GONE).tenant


def test_anothers_deleted_override_is_not_there(bound, other):
    way, before = way_back(other.row(Override)), stored()

    assert 404 == bound.get(way).status_code
    assert 404 == bound.post(way, {"reason": "because"}).status_code
    assert before == stored()


@pytest.fixture
def moved(company, other):
    """An override of the company that was another's when it was made."""
    row = other.row(Override)
    an_entry(row, other.user, MARK)
    own = {"scope": "s", "name": "n", "title": OWN, "reason": OWN, "created_by": None}
    Override.objects.filter(pk=row.pk).update(tenant=company.tenant, **own)
    return row


@pytest.mark.parametrize("of_tenant", [True, False], ids=["tenant", "override"])
def test_an_override_that_was_anothers_tells_nothing_of_that_time(
    bound, staff, company, moved, of_tenant
):
    row = company.tenant if of_tenant else moved
    page = address(type(row), "history", row.pk)
    first = Override.history.filter(id=moved.pk).earliest()
    way = address(type(row), "return", row.pk, "override", first.history_id)

    shown = bound.get(page)

    assert "moved here" in shown.content.decode()
    assert MARK not in shown.content.decode().lower()
    assert 404 == bound.get(way).status_code
    assert 404 == bound.post(way, {"reason": "because", "seen": ""}).status_code
    assert of_tenant or MARK in staff.get(page).content.decode()


def test_an_override_that_is_anothers_now_is_told_as_it_was_here(bound, company, other):
    row = company.row(Override)
    own = Override.history.filter(id=row.pk).earliest()
    Override.objects.filter(pk=row.pk).update(
        tenant=other.tenant, scope=MARK, name=MARK, title=MARK, reason=MARK
    )
    way = address(Tenant, "return", company.tenant.pk, "override", own.history_id)

    for page in (address(Tenant, "history", company.tenant.pk), way):
        assert MARK not in bound.get(page).content.decode().lower()
    assert MARK not in bound.post(way, {"reason": "r", "seen": ""}).content.decode().lower()


def test_a_limit_that_was_in_anothers_plan_tells_nothing_of_that_time(bound, company, other):
    row = other.row(PlanLimit)
    PlanLimit.objects.filter(pk=row.pk).update(
        plan=company.row(Plan), scope="s", name="n", title=OWN
    )

    shown = bound.get(address(PlanLimit, "history", row.pk)).content.decode()

    assert "moved here" in shown
    assert MARK not in shown.lower()


def test_no_return_leads_to_a_plan_that_they_may_not_choose(bound, staff, company, other):
    own, tenant = company.row(Plan), company.tenant
    Tenant.objects.filter(pk=tenant.pk).update(plan=other.row(Plan))
    then = Tenant.history.filter(id=tenant.pk).latest()
    Tenant.objects.filter(pk=tenant.pk).update(plan=own)
    way = address(Tenant, "return", tenant.pk, "tenant", then.history_id)
    sent = {**form_of(staff.get(way), "return_form"), "reason": "because"}

    answers = [bound.get(way), bound.post(way, sent)]

    said = ["plan: what it was then is not among those that you may choose."]
    assert [said, said] == [each.context["wrong"] for each in answers]
    assert own == Tenant.objects.get(pk=tenant.pk).plan
    assert 302 == staff.post(way, sent).status_code


def return_of_the_tenant(client, tenant, then):
    """The page that returns it to that version, and the answer to its form."""
    way = address(Tenant, "return", tenant.pk, "tenant", then.history_id)
    page = client.get(way)
    return page, client.post(way, {**form_of(page, "return_form"), "reason": "because"})


def test_a_return_leaves_what_their_form_holds(bound, company, other):
    tenant = company.tenant
    then = Tenant.history.filter(id=tenant.pk).latest()
    Tenant.objects.filter(pk=tenant.pk).update(key="now", anchor_day=9)
    Tenant.objects.filter(pk=other.tenant.pk).update(key=tenant.key)  # of which nothing is told

    page, answer = return_of_the_tenant(bound, tenant, then)

    assert ["anchor day: 9 → 1"] == [
        line for each in page.context["returns"] for line in each.lines
    ]
    assert "You may not change this, so it stays as it is: key." in page.content.decode()
    assert 302 == answer.status_code
    now = Tenant.objects.get(pk=tenant.pk)
    assert ("now", 1) == (now.key, now.anchor_day)


def test_where_all_is_held_nothing_is_returned(bound, company):
    tenant = company.tenant
    then = Tenant.history.filter(id=tenant.pk).latest()
    Tenant.objects.filter(pk=tenant.pk).update(key="now")
    before = stored()

    answers = return_of_the_tenant(bound, tenant, then)

    said = ["Nothing would change but what you may not change: key."]
    assert [said, said] == [each.context["wrong"] for each in answers]
    assert before == stored()


@pytest.mark.parametrize("gone", [True, False], ids=["gone", "anothers"])
def test_a_plan_that_they_may_not_see_has_no_name_in_the_history(
    bound, staff, company, other, gone
):
    tenant, plan = company.tenant, other.row(Plan)
    Tenant.objects.filter(pk=tenant.pk).update(plan=plan)
    Tenant.objects.filter(pk=tenant.pk).update(plan=company.row(Plan))
    an_entry(tenant, company.user, f"plan: {plan} → Ownco,")
    if gone:
        Tenant.objects.filter(pk=other.tenant.pk).update(plan=None)
        plan.delete()
    page = address(Tenant, "history", tenant.pk)

    shown = bound.get(page).content.decode()

    assert "plan: one that is gone, or that you may not see → ownco plan" in shown
    assert MARK not in shown.lower()
    assert MARK in staff.get(page).content.decode().lower()


def test_the_log_of_a_tenant_whose_plans_they_see_is_shown(bound, company):
    page = address(Tenant, "history", company.tenant.pk)

    assert f"{OWN} history" in bound.get(page).content.decode()


def test_what_applied_to_their_tenant_tells_nothing_of_another(bound, company, moved):
    made = Override.history.filter(id=moved.pk).earliest().history_date
    page = address(Tenant, "applied", company.tenant.pk)

    for at in (made, Tenant.history.filter(id=company.tenant.pk).latest().history_date):
        assert MARK not in bound.get(page, {"at": at.isoformat()}).content.decode().lower()
