"""After saving, staff are told when the edit is in force, and how many workers have applied it."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Permission

from quotas.models import Plan, PlanLimit, Tenant
from quotas.services.in_force import of_tenants, without_an_answer
from tests.admin.browsers import client_of
from tests.admin.pages import act, add_url, change_url, list_url, submit, texts_of
from tests.engine.proxy import nobody
from tests.models.rows import a_limit, a_membership, a_plan, a_tenant, a_user, an_override
from tests.services.asking import ask, of_tenant

# The message follows the commit, as the notice to the workers does.
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.urls("tests.admin.urls")]

WITHIN = "In force on every worker within 1 second of saving (QUOTAS_PLAN_POLL)."
BUSY = "{} of 1 busy worker has applied the latest edit."
LOOK = '<a href="/admin/quotas/status/">Look again</a>'


@pytest.fixture
def away(settings):
    def go():
        entry = settings.CACHES["quotas"] | {"LOCATION": nobody()}
        settings.CACHES = settings.CACHES | {"quotas": entry}

    return go


def told(client, response):
    """What the page says that follows, besides that it was saved."""
    assert 302 == response.status_code
    texts = texts_of(client.get(response.url))
    return [text for text in texts if "uccessfully" not in text and "changed." not in text]


@pytest.mark.parametrize("button", ["_save", "_continue"])
def test_the_page_after_saving_a_plan_tells_which_workers_have_applied_it(staff, button):
    plan = a_limit(amount=1000).plan
    tenant = a_tenant(plan=plan)
    ask(of_tenant(tenant))

    response = submit(staff, change_url(plan), Plan, name="Newer", **{button: "1"})
    assert [f"{WITHIN} {BUSY.format(0)} {LOOK}"] == told(staff, response)
    ask(of_tenant(tenant))

    page = staff.get(change_url(plan)).content.decode()
    assert f"{WITHIN} {BUSY.format(1)}" in page
    assert [] == texts_of(staff.get(list_url(Plan)))


def test_workers_are_counted_when_the_page_that_follows_is_shown(staff):
    plan = a_limit(amount=1000).plan
    tenant = a_tenant(plan=plan)
    ask(of_tenant(tenant))
    response = submit(staff, change_url(plan), Plan, name="Newer")

    ask(of_tenant(tenant))

    assert [f"{WITHIN} {BUSY.format(1)} {LOOK}"] == told(staff, response)


def test_without_a_worker_that_is_said(staff):
    response = submit(staff, add_url(Plan), Plan, key="free", name="Free")

    assert [f"{WITHIN} No worker has decided by a plan in the last hour. {LOOK}"] == told(
        staff, response
    )


def test_the_page_of_a_plan_to_be_added_tells_nothing(staff):
    assert "in_force" not in staff.get(add_url(Plan)).content.decode()


def test_a_limit_tells_the_same_on_its_own_page_and_by_an_action(staff):
    limit = a_limit()

    saved = told(staff, submit(staff, change_url(limit), PlanLimit, amount="9"))
    acted = told(staff, act(staff, PlanLimit, "set_amount", [limit], amount="8"))
    deleted = told(staff, act(staff, PlanLimit, "delete_selected", [limit], post="yes"))

    assert 1 == len(saved)
    assert saved == acted == deleted
    assert saved[0].startswith(WITHIN)


@pytest.mark.parametrize(
    "make",
    [
        pytest.param(a_tenant, id="tenant"),
        pytest.param(an_override, id="override"),
        pytest.param(a_membership, id="membership"),
    ],
)
def test_an_edit_of_a_tenant_is_in_force_at_the_next_request(staff, make):
    row = make()

    response = submit(staff, change_url(row), type(row))

    assert [of_tenants()] == told(staff, response)


def test_an_action_on_many_tenants_tells_it_once(staff):
    rows = [a_tenant() for _ in range(3)]

    assert [of_tenants()] == told(staff, act(staff, Tenant, "suspend", rows))


def test_what_is_refused_or_changes_nothing_is_not_in_force(staff):
    limit = a_limit()

    refused = submit(staff, change_url(limit), PlanLimit, amount="-1")
    same = act(staff, PlanLimit, "set_amount", [limit], amount="10")

    assert 200 == refused.status_code
    assert [] == told(staff, same)


@pytest.mark.parametrize(
    "make", [pytest.param(a_plan, id="plan"), pytest.param(an_override, id="override")]
)
def test_without_redis_it_is_said_that_it_cannot_be_told(staff, make, away):
    row = make()
    away()

    response = submit(staff, change_url(row), type(row))

    assert [without_an_answer()] == told(staff, response)
    assert without_an_answer() in staff.get(change_url(a_plan())).content.decode()


def test_redis_that_went_away_after_saving_is_said_on_the_page_that_follows(staff, away):
    response = submit(staff, change_url(a_plan()), Plan, name="Newer")
    away()

    assert [f"{without_an_answer()} {LOOK}"] == told(staff, response)


def test_who_may_not_view_plans_is_not_led_to_the_status():
    limit, user = a_limit(), a_user(is_staff=True)
    may = Permission.objects.filter(codename__in=["view_planlimit", "change_planlimit"])
    user.user_permissions.set(may)
    client = client_of(user)

    (text,) = told(client, submit(client, change_url(limit), PlanLimit, amount="9"))

    assert text.startswith(WITHIN)
    assert "href" not in text


def test_view_only_staff_see_on_a_plans_page_what_is_in_force(staff_who_may):
    page = staff_who_may("view").get(change_url(a_plan())).content.decode()

    assert WITHIN in page
