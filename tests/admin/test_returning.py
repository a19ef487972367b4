"""The way back: a page that shows what would change, asks why, and acts by POST."""

from __future__ import annotations

import pytest
from django.contrib.admin.models import LogEntry
from django.urls import reverse

from quotas.models import Cap, Override, Plan, PlanLimit, Tenant
from tests.admin.browsers import somebody_who_may
from tests.admin.pages import form_of
from tests.models.rows import a_limit, a_plan, a_tenant, an_override

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.admin.urls")]


def return_url(row, version, of=None):
    admin = type(row).__name__.lower()
    names = [row.pk, type(of or row).__name__.lower(), version.history_id]
    return reverse(f"admin:quotas_{admin}_return", args=names)


def first(row):
    return type(row).history.filter(id=row.pk).earliest()


def back(client, url, **fields):
    """Open the page and send its form."""
    sent = form_of(client.get(url), "return_form")
    return client.post(url, {**sent, "reason": "a mistake", **fields})


def shown(response):
    return [(row.what, row.kind, row.lines) for row in response.context["returns"]]


def limits(plan):
    return {(row.pk, row.scope, row.name, row.amount) for row in plan.limits.all()}


def test_a_tenant_goes_back_and_what_counts_by_itself_does_not(staff):
    bronze = a_plan("bronze")
    tenant = a_tenant("acme", plan=bronze, anchor_day=5)
    Tenant.objects.update(plan=a_plan("gold"), suspended=True, anchor_day=1, epoch=3)
    url = return_url(tenant, first(tenant))

    assert [
        (
            "Tenant acme",
            "changes",
            ["anchor day: 1 → 5", "plan: Gold → Bronze", "suspended: yes → no"],
        )
    ] == shown(staff.get(url))
    assert Tenant.objects.get().suspended
    assert 302 == back(staff, url).status_code

    now = Tenant.objects.get()
    assert (bronze, False, 5, 3) == (now.plan, now.suspended, now.anchor_day, now.epoch)
    assert now.history.latest().history_change_reason.endswith("; a mistake")
    assert "~" == now.history.latest().history_type
    assert LogEntry.objects.get().change_message.endswith("reason: a mistake")


def test_a_plan_goes_back_with_all_its_limits_as_they_were(staff):
    plan = a_plan("gold")
    changed, gone = a_limit(plan, name="a", amount=1), a_limit(plan, name="b", amount=2)
    a_limit(amount=7)  # of another plan, left alone
    before = limits(plan)
    version = gone.history.latest()
    Plan.objects.filter(pk=plan.pk).update(name="Golden")
    PlanLimit.objects.filter(pk=changed.pk).update(amount=100)
    gone.delete()
    a_limit(plan, name="c")
    url = return_url(plan, version, of=a_limit())

    assert [
        ("Plan limit api/c", "is deleted"),
        ("Plan Golden", "changes"),
        ("Plan limit api/a", "changes"),
        ("Plan limit api/b", "is made again"),
    ] == [(what, kind) for what, kind, _lines in shown(staff.get(url))]
    assert 302 == back(staff, url).status_code

    plan.refresh_from_db()
    assert "Gold" == plan.name
    assert before == limits(plan)
    moment = {PlanLimit.history.get(id=changed.pk, amount=1, history_type="~").history_date}
    assert moment == {Plan.history.latest().history_date}


def test_limits_that_swapped_their_names_swap_back(staff):
    plan = a_plan()
    a, b = a_limit(plan, name="a", amount=1), a_limit(plan, name="b", amount=2)
    before, version = limits(plan), b.history.latest()
    PlanLimit.objects.filter(pk=a.pk).update(name="x")
    PlanLimit.objects.filter(pk=b.pk).update(name="a")
    PlanLimit.objects.filter(pk=a.pk).update(name="b")

    assert 302 == back(staff, return_url(plan, version, of=b)).status_code

    assert before == limits(plan)
    assert not PlanLimit.history.filter(name__startswith="~").exists()


def test_a_return_can_be_returned_from(staff):
    plan = a_plan()
    limit = a_limit(plan, amount=1)
    PlanLimit.objects.update(amount=2)
    later = limit.history.latest()

    back(staff, return_url(plan, first(limit), of=limit))
    assert 1 == PlanLimit.objects.get().amount
    back(staff, return_url(plan, later, of=limit))

    assert 2 == PlanLimit.objects.get().amount


def test_what_the_form_shows_without_letting_it_change_stays(staff, monkeypatch):
    from quotas.admin import TenantAdmin

    tenant = a_tenant(anchor_day=5)
    Tenant.objects.update(suspended=True, anchor_day=1)
    held = [*TenantAdmin.readonly_fields, "anchor_day"]
    monkeypatch.setattr(TenantAdmin, "readonly_fields", held)

    assert 302 == back(staff, return_url(tenant, first(tenant))).status_code

    now = Tenant.objects.get()
    assert (False, 1) == (now.suspended, now.anchor_day)


def test_a_deleted_override_is_made_again_on_its_tenants_page(staff):
    tenant = a_tenant()
    override = an_override(tenant, amount=20)
    version = first(override)
    Override.objects.all().delete()

    assert 302 == back(staff, return_url(tenant, version, of=override)).status_code

    again = Override.objects.get()
    assert (override.pk, 20, "chief") == (again.pk, again.amount, again.created_by.username)
    assert ["+", "-", "+"] == list(
        Override.history.order_by("history_date").values_list("history_type", flat=True)
    )


def test_a_cap_goes_back_on_its_tenants_page(staff):
    tenant = a_tenant()
    cap = Cap.objects.create(tenant=tenant, scope="api", name="minute", amount=5)
    Cap.objects.update(amount=6)

    assert 302 == back(staff, return_url(tenant, first(cap), of=cap)).status_code

    assert 5 == Cap.objects.get().amount


def refused(response):
    assert 200 == response.status_code
    return [*response.context["wrong"], *response.context["form"].non_field_errors()]


def test_a_plan_that_is_gone_is_an_error(staff):
    gone = a_plan("gone")
    tenant = a_tenant(plan=gone)
    Tenant.objects.update(plan=a_plan("gold"))
    gone.delete()

    assert ["plan: what it was then has been deleted."] == refused(
        back(staff, return_url(tenant, first(tenant)))
    )
    assert "gold" == Tenant.objects.get().plan.key


def test_a_role_that_another_plan_has_now_is_an_error_and_nothing_is_saved(staff):
    plan = a_plan("old", is_default=True)
    limit = a_limit(plan, amount=1)
    version = limit.history.latest()
    Plan.objects.update(is_default=False)
    PlanLimit.objects.update(amount=2)
    a_plan("new", is_default=True)

    assert ["Another plan is the default: take that away first."] == refused(
        back(staff, return_url(plan, version, of=limit))
    )
    assert 2 == PlanLimit.objects.get().amount


def test_a_row_that_belongs_to_another_now_is_left_there(staff):
    tenant = a_tenant()
    override = an_override(tenant)
    Override.objects.update(tenant=a_tenant())

    response = staff.get(return_url(tenant, first(override), of=override))

    assert ["api/minute belongs to another now: move it back first, on its own page."] == refused(
        response
    )


def test_what_somebody_changed_meanwhile_is_looked_at_first(staff):
    tenant = a_tenant()
    Tenant.objects.update(suspended=True)
    url = return_url(tenant, first(tenant))
    sent = form_of(staff.get(url), "return_form")
    Tenant.objects.update(anchor_day=9)

    response = staff.post(url, {**sent, "reason": "r"})

    assert ["Somebody has changed it meanwhile: look at what would change now."] == refused(
        response
    )
    assert Tenant.objects.get().suspended
    again = form_of(response, "return_form")
    assert 302 == staff.post(url, again).status_code
    assert not Tenant.objects.get().suspended


def test_without_a_reason_nothing_is_returned(staff):
    tenant = a_tenant()
    Tenant.objects.update(suspended=True)

    back(staff, return_url(tenant, first(tenant)), reason=" ")

    assert Tenant.objects.get().suspended


def test_nothing_to_return_is_said(staff):
    tenant = a_tenant()

    assert ["Nothing would change: it is as it was then."] == refused(
        staff.get(return_url(tenant, first(tenant)))
    )


def test_a_version_of_another_object_is_not_found(staff):
    tenant, other = a_tenant(), a_tenant()
    foreign = an_override(other)
    plan = a_plan()

    for url in (
        return_url(tenant, first(other)),
        return_url(tenant, first(foreign), of=foreign),
        return_url(tenant, first(plan), of=plan),
    ):
        assert 404 == staff.get(url).status_code
        assert 404 == staff.post(url, {"reason": "r", "seen": "s"}).status_code


@pytest.mark.parametrize(
    "may",
    [
        pytest.param(["view_plan", "view_planlimit"], id="view-only"),
        pytest.param(["view_plan", "change_planlimit", "add_planlimit"], id="not-the-plan"),
        pytest.param(["change_plan", "change_planlimit"], id="not-to-make-a-limit"),
        pytest.param([], id="nothing"),
    ],
)
def test_by_hand_nobody_returns_what_they_may_not_change(may):
    plan = a_plan()
    limit = a_limit(plan)
    version = first(limit)
    limit.delete()
    url = return_url(plan, version, of=limit)
    client = somebody_who_may(*may)

    seen = plan.history.latest().history_date.isoformat()
    assert 403 == client.get(url).status_code
    assert 403 == client.post(url, {"reason": "r", "seen": seen}).status_code
    assert not PlanLimit.objects.exists()
