"""What the forms of bound staff offer, take, and answer to what belongs to another tenant."""

from __future__ import annotations

import pytest
from django.urls import reverse

from quotas.errors import StaffTenantsUnknown
from quotas.models import Membership, Override, Plan, PlanLimit, Tenant
from tests.admin.companies import MARK, OWN, stored
from tests.admin.pages import act, add_url, change_url, form_of, list_url, submit, texts_of
from tests.models.rows import a_membership, a_plan, a_user, an_override

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.admin.urls")]

ABSENT = 987_654


def step(tenant, name):
    return reverse("admin:quotas_tenant_step", args=[tenant.pk, name])


def offered(response, field):
    return [str(label) for _value, label in response.context[0][field].field.choices]


def choices_of(response, name):
    return {str(label) for _value, label in response.context["adminform"].form.fields[name].choices}


def test_a_tenant_may_be_moved_to_plans_of_the_own_tenants_and_the_default_one(
    bound, company, other
):
    a_plan("basic", name="Basic", is_default=True)
    theirs = {"---------", f"{OWN} plan", "Basic"}
    steps = bound.get(step(company.tenant, "plan")).context["form"].fields["plan"].choices

    assert theirs == choices_of(bound.get(change_url(company.tenant)), "plan")
    assert {f"{OWN} plan", "Basic"} == {str(label) for _value, label in steps} - {
        "(the default plan)"
    }


@pytest.mark.parametrize("where", ["form", "step"])
def test_anothers_plan_is_refused_like_one_that_is_not_there(bound, company, other, where):
    address = change_url(company.tenant) if where == "form" else step(company.tenant, "plan")
    said, before = [], stored()

    for pk in (other.row(Plan).pk, ABSENT):
        page = form_of(bound.get(address), "tenant_form" if where == "form" else "step_form")
        answer = bound.post(address, {**page, "plan": pk, "reason": "because"})
        form = answer.context["adminform"].form if where == "form" else answer.context["form"]
        said.append(form.errors)

    assert said[0] == said[1]
    assert ["plan"] == list(said[0])
    assert before == stored()


def test_members_are_chosen_among_those_of_the_own_tenants(bound, company, other):
    colleague = a_membership(company.tenant).user
    stranger = a_user("stranger")

    found = choices_of(bound.get(add_url(Membership)), "user")

    assert {"---------", f"{OWN}-member", str(colleague), "bound"} == found
    assert str(stranger) not in found


@pytest.mark.parametrize("field", ["user", "tenant"])
def test_a_membership_of_anothers_is_refused_like_one_of_nobody(bound, company, other, field):
    foreign = {"user": other.user.pk, "tenant": other.tenant.pk}[field]
    own = {"user": company.user.pk, "tenant": company.tenant.pk, "role": "viewer"}
    said, before = [], stored()

    for pk in (foreign, ABSENT):
        answer = bound.post(add_url(Membership), {**own, field: pk, "_save": "Save"})
        said.append(answer.context["adminform"].form.errors)
        assert MARK not in answer.content.decode()

    assert said[0] == said[1]
    assert [field] == list(said[0])
    assert before == stored()


@pytest.mark.parametrize("pk_of", ["other", "absent"])
def test_an_inline_row_of_another_tenant_is_not_changed(bound, company, other, pk_of):
    pk = other.row(Override).pk if pk_of == "other" else ABSENT
    page = form_of(bound.get(change_url(company.tenant)), "tenant_form")
    before = stored()

    answer = bound.post(
        change_url(company.tenant), {**page, "overrides-0-id": pk, "overrides-0-amount": "77"}
    )

    assert 200 == answer.status_code
    assert MARK not in answer.content.decode()
    assert before == stored()


def test_a_key_cannot_be_tried_out_to_learn_which_are_taken(bound, company, other):
    answer = submit(bound, change_url(company.tenant), Tenant, key=f"{MARK}-key", name="New")

    assert 302 == answer.status_code
    company.tenant.refresh_from_db()
    assert (f"{OWN}-key", "New") == (company.tenant.key, company.tenant.name)


def test_a_default_cannot_be_tried_out_to_learn_of_other_memberships(bound, company, other):
    both = a_membership(company.tenant, other.user)
    Membership.objects.filter(tenant=other.tenant).update(is_default=True)

    answer = submit(bound, change_url(both), Membership, is_default="on", role="manager")

    assert 302 == answer.status_code
    both.refresh_from_db()
    assert ("manager", False) == (both.role, both.is_default)


@pytest.mark.parametrize("model", [Plan, PlanLimit, Tenant])
def test_what_others_share_is_neither_added_nor_deleted(bound, company, model):
    row, before = company.row(model), stored()

    answers = [
        bound.get(add_url(model)),
        bound.post(change_url(row).replace("change", "delete"), {"post": "yes"}),
        act(bound, model, "delete_selected", [row], post="yes"),
    ]

    assert [403, 403, 403] == [each.status_code for each in answers]
    assert before == stored()


@pytest.mark.parametrize("model", [Plan, PlanLimit])
def test_plans_and_their_limits_are_looked_at_and_not_changed(bound, company, model):
    row, before = company.row(model), stored()

    shown = bound.get(change_url(row))
    posted = bound.post(change_url(row), {"name": "new", "_save": "Save"})

    assert 200 == shown.status_code
    assert 'name="_save"' not in shown.content.decode()
    assert 403 == posted.status_code
    assert before == stored()


def test_their_own_tenants_they_change_like_other_staff(bound, company):
    override = an_override(company.tenant)

    bound.post(step(company.tenant, "suspend"), {"reason": "unpaid"})
    act(bound, Override, "set_amount", [override], amount="77")
    act(bound, Override, "delete_selected", [company.row(Override)], post="yes")

    company.tenant.refresh_from_db()
    assert company.tenant.suspended
    assert [77] == list(company.tenant.overrides.values_list("amount", flat=True))


def test_actions_on_all_rows_reach_those_of_the_own_tenants(bound, company, other):
    answer = act(bound, Tenant, "suspend", [company.tenant], select_across="1")

    assert ["1 tenant was changed."] == texts_of(bound.get(answer.url))
    assert [f"{OWN}-key"] == [each.key for each in Tenant.objects.filter(suspended=True)]


def no_answer(user):
    raise LookupError("the directory of staff is away")


def test_while_the_project_cannot_tell_whose_staff_they_are_nothing_is_shown(
    settings, bound, company
):
    settings.QUOTAS_STAFF_TENANTS = f"{__name__}.no_answer"

    for address in (list_url(Tenant), change_url(company.tenant), list_url(Plan)):
        with pytest.raises(StaffTenantsUnknown, match="directory of staff is away"):
            bound.get(address)
