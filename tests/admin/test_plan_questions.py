"""Whoever turns a plan off, deletes it, or names another default is told how many tenants move."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from quotas.models import Plan
from tests.admin.asking import NO, YES, answer, text_of
from tests.admin.pages import act, add_url, change_url, list_url, submit
from tests.models.rows import a_limit, a_plan, a_tenant

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.admin.urls")]

REFUSED = "They have no plan then: each of their calls is refused with 403 not_in_plan"


@pytest.fixture
def free():
    """The default plan, which two tenants have for want of another."""
    plan = a_plan("free", is_default=True)
    for _ in range(2):
        a_tenant()
    return plan


@pytest.fixture
def pro():
    """A plan that three tenants are on."""
    plan = a_plan("pro")
    for _ in range(3):
        a_tenant(plan=plan)
    return plan


def unticked(client, plan, name, **changes):
    page = client.get(change_url(plan))
    form = page.context["adminform"].form
    assert form.initial[name], "it is ticked"
    sent = {
        f"{inline.formset.prefix}-{field}": value
        for inline in page.context["inline_admin_formsets"]
        for field, value in inline.formset.management_form.initial.items()
    }
    sent |= {key: value for key, value in form.initial.items() if value not in (False, None)}
    sent.pop(name)
    return client.post(change_url(plan), {**sent, **changes})


def is_default(*plans):
    return [Plan.objects.get(pk=plan.pk).is_default for plan in plans]


def test_turning_a_plan_off_asks_and_a_yes_does_it(staff, free, pro):
    page = unticked(staff, pro, "active")

    text = text_of(page)
    assert "3 tenants get other limits by it." in text
    assert "<dd>Pro</dd>" in text
    assert "<dd>Free</dd>" in text
    assert REFUSED not in text
    assert 200 == answer(staff, change_url(pro), page, NO).status_code
    assert Plan.objects.get(pk=pro.pk).active
    assert 302 == answer(staff, change_url(pro), page, YES).status_code
    assert not Plan.objects.get(pk=pro.pk).active


def test_turning_off_a_plan_that_nobody_has_does_not_ask(staff, free):
    assert 302 == unticked(staff, a_plan(), "active").status_code


def test_a_default_plan_that_gives_it_up_leaves_its_tenants_without_one(staff, free, pro):
    page = unticked(staff, free, "is_default")

    assert "2 tenants get other limits by it." in text_of(page)
    assert REFUSED in text_of(page)
    assert [True] == is_default(free)


def test_a_first_default_plan_takes_nothing_away(staff, pro):
    a_tenant()

    assert 302 == submit(staff, change_url(pro), Plan, is_default="on").status_code
    assert [True] == is_default(pro)


def test_making_another_plan_the_default_asks_and_a_yes_does_it(staff, free, pro):
    a_tenant(plan=a_plan(active=False))

    page = act(staff, Plan, "make_default", [pro])

    assert "3 tenants get other limits by it." in text_of(page)
    assert [True, False] == is_default(free, pro)
    answer(staff, list_url(Plan), page, NO)
    assert [True, False] == is_default(free, pro)
    answer(staff, list_url(Plan), page, YES)
    assert [False, True] == is_default(free, pro)


def test_the_delete_pages_tell_it(staff, free, pro):
    url = change_url(free).replace("/change/", "/delete/")

    for page in (staff.get(url), act(staff, Plan, "delete_selected", [free])):
        assert "2 tenants get other limits by it." in text_of(page)
        assert REFUSED in text_of(page)
    assert 2 == Plan.objects.count()


def test_what_is_asked_of_the_plan_and_of_its_limits_is_one_page(staff, free):
    a_limit(free)

    page = submit(staff, change_url(free), Plan, **{"limits-0-amount": "5"})
    assert 1 == text_of(page).count("quotas-outlook")
    page = answer(staff, change_url(free), page, NO)
    assert "confirm_form" not in text_of(page)


def test_who_may_not_is_refused_whatever_is_confirmed(staff_who_may, free, pro):
    viewer = staff_who_may("view")

    assert 403 == viewer.post(change_url(pro), {"key": "pro", "name": "Pro", **YES}).status_code
    assert 403 == viewer.post(add_url(Plan), {"key": "x", "name": "X", **YES}).status_code
    assert 403 == act(viewer, Plan, "make_default", [pro], **YES).status_code

    assert [True, False] == is_default(free, pro)
    assert Plan.objects.get(pk=pro.pk).active


def test_a_question_takes_as_many_queries_for_many_tenants(staff, free, pro):
    counts = []
    for _ in range(3):  # the first finds nothing remembered
        with CaptureQueriesContext(connection) as queries:
            assert "confirm_form" in text_of(act(staff, Plan, "make_default", [pro]))
        counts.append(len(queries))
        for _ in range(5):
            a_tenant()

    assert counts[1] == counts[2]
