"""The history page: versions newest first, of an object and of what belongs to it."""

from __future__ import annotations

import pytest
from django.contrib.auth import get_user_model
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from quotas.models import Cap, Override, Plan, PlanLimit, Tenant
from quotas.models.versions import acting
from tests.admin.browsers import somebody_who_may
from tests.admin.pages import act, change_url, submit
from tests.models.rows import a_limit, a_plan, a_tenant, an_override
from tests.views.looking import Reading

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.admin.urls")]


def history_url(row):
    return reverse(f"admin:quotas_{type(row).__name__.lower()}_history", args=[row.pk])


def moments(response):
    """What the page tells of each moment: the words for its rows, each with its lines."""
    return [
        [(row.what, row.kind, row.lines) for row, _way in moment["rows"]]
        for moment in response.context["moments"]
    ]


def chief():
    return get_user_model().objects.get(username="chief")


def test_a_changed_field_is_told_before_and_after_with_who_when_and_why(staff):
    tenant = a_tenant("acme", plan=a_plan("bronze"))
    with acting(user=chief(), reason="they asked"):
        Tenant.objects.update(plan=a_plan("gold"), suspended=True)

    page = staff.get(history_url(tenant))

    assert [("Tenant acme", "changed", ["plan: Bronze → Gold", "suspended: no → yes"])] == moments(
        page
    )[0]
    assert ["made"] == [kind for _what, kind, _lines in moments(page)[1]]
    times = [each["datetime"] for each in Reading(page).all("time")]
    assert 2 == len(times)
    assert times == sorted(times, reverse=True)
    assert "they asked" in page.content.decode()
    assert "chief" in page.content.decode()


def test_a_plan_tells_of_its_limits_too_and_of_deleted_ones(staff):
    plan = a_plan("gold")
    limit = a_limit(plan, amount=10)
    PlanLimit.objects.update(amount=20)
    limit.delete()

    told = moments(staff.get(history_url(plan)))

    assert [
        ("Plan limit api/minute", "deleted"),
        ("Plan limit api/minute", "changed"),
        ("Plan limit api/minute", "made"),
        ("Plan Gold", "made"),
    ] == [(what, kind) for [(what, kind, _lines)] in told]
    assert ["amount: 10 → 20"] == told[1][0][2]
    assert ["scope: api", "name: minute", "algorithm: fixed window", "amount: 20"] == told[0][0][2][
        :4
    ]
    assert "period: 1 minute" in told[0][0][2]


def test_a_tenant_tells_of_its_overrides_and_caps_and_of_no_other_tenants(staff):
    tenant, other = a_tenant("acme"), a_tenant("globex")
    an_override(tenant, amount=20)
    an_override(other, amount=30)
    Cap.objects.create(tenant=tenant, scope="api", name="minute", amount=5)

    told = moments(staff.get(history_url(tenant)))

    assert ["Cap api/minute", "Override api/minute", "Tenant acme"] == [
        what for [(what, _kind, _lines)] in told
    ]


def test_an_override_that_comes_from_another_tenant_does_not_name_it(staff):
    tenant, other = a_tenant("acme"), a_tenant("globex")
    an_override(other)
    Override.objects.update(tenant=tenant)

    page = staff.get(history_url(tenant))

    assert "moved here" == moments(page)[0][0][1]
    assert "globex" not in page.content.decode()


def test_what_a_form_saves_with_its_inline_rows_is_one_moment(staff):
    plan = a_plan("gold")
    a_limit(plan, name="a", amount=1)
    a_limit(plan, name="b", amount=2)
    data = {"limits-0-name": "b", "limits-1-name": "a", "name": "Golden"}

    assert 302 == submit(staff, change_url(plan), Plan, **data).status_code

    assert [
        ("Plan Golden", ["name: Gold → Golden"]),
        ("Plan limit api/b", ["name: a → b"]),
        ("Plan limit api/a", ["name: b → a"]),
    ] == [(what, lines) for what, _kind, lines in moments(staff.get(history_url(plan)))[0]]
    assert {chief().pk} == set(
        PlanLimit.history.filter(history_type="~").values_list("history_user", flat=True)
    )


def test_what_two_write_at_the_same_instant_is_told_of_each(staff):
    plan = a_plan("gold")
    with acting(user=chief()):
        a_limit(plan)
    PlanLimit.history.update(history_date=Plan.history.get().history_date)

    page = staff.get(history_url(plan))

    assert {None, chief()} == {moment["by"] for moment in page.context["moments"]}
    assert [1, 1] == [len(rows) for rows in moments(page)]


def listed(client, row):
    data = {
        "form-TOTAL_FORMS": "1",
        "form-INITIAL_FORMS": "1",
        "form-0-id": row.pk,
        "form-0-amount": "100",
        "form-0-mode": "enforce",
        "_save": "Save",
    }
    return client.post(reverse("admin:quotas_planlimit_changelist"), data)


ROUTES = {
    "form": lambda client, row: submit(client, change_url(row), PlanLimit, amount="100"),
    "list": listed,
    "action": lambda client, row: act(client, PlanLimit, "set_amount", [row], amount="100"),
    "delete": lambda client, row: client.post(
        reverse("admin:quotas_planlimit_delete", args=[row.pk]), {"post": "yes"}
    ),
    "delete-selected": lambda client, row: act(
        client, PlanLimit, "delete_selected", [row], post="yes"
    ),
    "with-its-plan": lambda client, row: client.post(
        reverse("admin:quotas_plan_delete", args=[row.plan_id]), {"post": "yes"}
    ),
}


@pytest.mark.parametrize("route", ROUTES.values(), ids=ROUTES)
def test_every_route_of_the_admin_names_who_acts(staff, route):
    row = a_limit()

    assert 302 == route(staff, row).status_code

    last = PlanLimit.history.order_by("history_date").last()
    assert last.history_type in {"~", "-"}
    assert chief() == last.history_user


def test_a_step_keeps_its_reason(staff):
    tenant = a_tenant()

    staff.post(
        reverse("admin:quotas_tenant_step", args=[tenant.pk, "suspend"]), {"reason": "unpaid"}
    )

    last = Tenant.history.latest()
    assert (chief(), "unpaid") == (last.history_user, last.history_change_reason)


def queries_of(client, url):
    with CaptureQueriesContext(connection) as queries:
        client.get(url)
    return len(queries)


def test_the_page_takes_the_same_queries_for_few_versions_and_for_many(staff):
    plan = a_plan()
    limit = a_limit(plan)
    PlanLimit.objects.update(amount=1)
    staff.get(history_url(plan))  # what Django asks once, of the log of a plan, is asked
    few = queries_of(staff, history_url(plan))
    for amount in range(2, 40):
        PlanLimit.objects.filter(pk=limit.pk).update(amount=amount)
    for number in range(10):
        a_limit(plan, name=f"n{number}")

    assert few == queries_of(staff, history_url(plan))
    page = staff.get(history_url(plan) + "?versions=2")
    assert 25 == len(moments(page))
    assert ["amount: 23 → 24"] == moments(page)[0][0][2]
    assert 200 == staff.get(history_url(plan) + "?versions=nonsense").status_code


def test_view_only_staff_look_and_are_offered_no_way_back(staff_who_may):
    tenant = a_tenant()
    Tenant.objects.update(suspended=True)

    page = staff_who_may("view").get(history_url(tenant))

    assert 2 == len(moments(page))
    assert "Return to this" not in page.content.decode()
    assert 403 == staff_who_may("nothing").get(history_url(tenant)).status_code


def test_of_overrides_only_who_may_see_them_is_told(tenant_seen_by):
    assert [["Override api/minute"], ["Tenant acme"]] == tenant_seen_by(
        "view_tenant", "view_override"
    )
    assert [["Tenant acme"]] == tenant_seen_by("view_tenant")


@pytest.fixture
def tenant_seen_by(db):
    """Of which rows the page of a tenant with an override and a cap tells somebody who may."""
    tenant = a_tenant("acme")
    an_override(tenant)
    Cap.objects.create(tenant=tenant, scope="api", name="minute", amount=5)

    def look(*codenames):
        page = somebody_who_may(*codenames).get(history_url(tenant))
        return [[what for what, _kind, _lines in rows] for rows in moments(page)]

    return look
