"""A yes is good for what was asked, and for nothing else."""

from __future__ import annotations

import pytest
from django.urls import reverse

from quotas.models import PlanLimit, Tenant
from tests.admin.asking import YES, answered, text_of, yes_on
from tests.admin.browsers import client_of
from tests.admin.pages import act, change_url, form_of, list_url, submit
from tests.models.rows import a_limit, a_plan, a_tenant, a_user

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.admin.urls")]


@pytest.fixture
def limit():
    """200 a minute, of a plan that a tenant has."""
    limit = a_limit(amount=200)
    a_tenant(plan=limit.plan)
    return limit


def amounts():
    return list(PlanLimit.objects.order_by("pk").values_list("amount", flat=True))


def is_asked(page):
    return 'id="confirm_form"' in text_of(page)


def cut(client, row, **changes):
    """The question before 200 becomes 10."""
    name = "limits-0-amount" if row is not None and hasattr(row, "limits") else "amount"
    return submit(client, change_url(row), type(row), **{name: "10"}, **changes)


@pytest.mark.parametrize("of_plan", [True, False])
def test_a_yes_to_one_amount_is_none_to_another(staff, limit, of_plan):
    row = limit.plan if of_plan else limit
    yes = yes_on(cut(staff, row))
    name = "limits-0-amount" if of_plan else "amount"

    again = staff.post(change_url(row), {**yes, name: "1"})

    assert is_asked(again)
    assert [200] == amounts()
    assert 302 == answered(staff, change_url(row), again).status_code
    assert [1] == amounts()


@pytest.mark.parametrize("said", [YES, {"_confirmed": ""}, {"_confirmed": "0" * 64}])
def test_a_yes_that_nobody_was_asked_for_is_none(staff, limit, said):
    assert is_asked(cut(staff, limit, **said))
    assert is_asked(cut(staff, limit.plan, **said))
    assert is_asked(act(staff, PlanLimit, "set_amount", [limit], amount="10", **said))
    page = form_of(staff.get(list_url(PlanLimit)), "changelist-form")
    sent = {**page, "form-0-amount": "10", "_save": "Save", **said}
    assert is_asked(staff.post(list_url(PlanLimit), sent))
    assert [200] == amounts()


def test_a_yes_to_one_row_is_none_to_another_or_to_all(staff, limit):
    other = a_limit(limit.plan, name="other", amount=200)
    yes = yes_on(act(staff, PlanLimit, "set_amount", [limit], amount="10"))

    for more in ({"select_across": "1"}, {"_selected_action": [limit.pk, other.pk]}):
        assert is_asked(staff.post(list_url(PlanLimit), {**yes, **more}))
        assert [200, 200] == amounts()


def test_a_yes_to_all_is_none_to_a_row_that_was_added_or_edited_since(staff, limit):
    ask = {"amount": "10", "select_across": "1"}
    yes = yes_on(act(staff, PlanLimit, "set_amount", [limit], **ask))
    other = a_limit(limit.plan, name="other", amount=200)

    assert is_asked(staff.post(list_url(PlanLimit), yes))
    other.delete()
    PlanLimit.objects.update(amount=100_000)
    assert is_asked(staff.post(list_url(PlanLimit), yes))
    assert [100_000] == amounts()
    PlanLimit.objects.update(amount=200)
    assert 302 == staff.post(list_url(PlanLimit), yes).status_code
    assert [10] == amounts()


def test_a_yes_to_one_page_or_of_somebody_else_is_none(staff, limit):
    other = a_limit(a_plan(), amount=200)
    a_tenant(plan=other.plan)
    yes = yes_on(cut(staff, limit))
    yes.pop("seen")
    colleague = client_of(a_user("colleague", is_staff=True, is_superuser=True))

    for client, row in ((staff, other), (colleague, limit)):
        assert is_asked(client.post(change_url(row), yes))
    assert [200, 200] == amounts()


def test_a_yes_to_a_move_is_none_from_another_plan(staff, limit):
    low, high = a_plan("low"), a_plan("high")
    for plan in (low, high):
        a_limit(plan, amount=10 if plan is low else 100_000)
    tenant = Tenant.objects.get()
    url = reverse("admin:quotas_tenant_step", args=[tenant.pk, "plan"])
    yes = yes_on(staff.post(url, {"plan": low.pk, "reason": "a fair"}))
    Tenant.objects.update(plan=high)

    assert is_asked(staff.post(url, yes))
    assert high == Tenant.objects.get().plan


def test_a_yes_holds_however_the_browser_ends_its_lines(staff, limit):
    yes = yes_on(cut(staff, limit, title="a\nb"))

    assert 302 == staff.post(change_url(limit), {**yes, "title": "a\r\nb"}).status_code
    assert [10] == amounts()
