"""Staff undo an edit from the history, and ask what applied once."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.urls import reverse
from playwright.sync_api import expect

from quotas.models import Plan, PlanLimit, Tenant

PHONE = {"width": 360, "height": 740}


def test_staff_undo_an_edit_of_a_plan_from_its_history(visit):
    staff = visit("staff")
    plan = Plan.objects.get(key="free")
    before = list(plan.limits.order_by("pk").values_list("amount", flat=True))
    PlanLimit.objects.filter(plan=plan).update(amount=7000)
    staff.open(f"/admin/quotas/plan/{plan.pk}/change/")
    staff.page.get_by_role("link", name="History").click()
    expect(staff.page.locator("#quotas-versions")).to_contain_text("→ 7000")

    staff.page.get_by_role("link", name="Return to this").first.click()
    expect(staff.page.locator("#return_form")).to_contain_text("7000 →")
    staff.page.get_by_label("Reason:").fill("too much")
    staff.page.get_by_role("button", name="Return to this version").click()

    expect(staff.page.locator(".messagelist .success")).to_be_visible()
    expect(staff.page.locator("#quotas-versions")).to_contain_text("too much")
    assert before == list(plan.limits.order_by("pk").values_list("amount", flat=True))


def test_staff_ask_what_applied_to_a_tenant(visit):
    staff = visit("staff")
    tenant = Tenant.objects.get(key="acme")
    staff.open(f"/admin/quotas/tenant/{tenant.pk}/change/")
    staff.page.get_by_role("link", name="What applied when").click()
    staff.page.get_by_label("At:").fill("2020-11-03T14:02:00")
    staff.page.get_by_role("button", name="Show").click()
    expect(staff.page.get_by_text("Not known")).to_be_visible()

    staff.open(applied_url(tenant))

    applied = staff.page.get_by_role("region", name="What applied at")
    expect(applied.get_by_role("table")).to_be_visible()


def applied_url(tenant):
    """The page that tells what applied when the last version was kept."""
    last = max(Tenant.history.latest().history_date, PlanLimit.history.latest().history_date)
    url = reverse("admin:quotas_tenant_applied", args=[tenant.pk])
    return f"{url}?at={last.isoformat()[:23]}Z"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_pages_break_no_rule_of_axe_and_fit_a_phone(visit, scheme):
    # Axe tries styles inline, which the policy would tell the console of.
    staff = visit("staff", color_scheme=scheme, viewport=PHONE, bypass_csp=True)
    tenant = Tenant.objects.get(key="acme")
    Tenant.objects.filter(pk=tenant.pk).update(suspended=True)
    names = [tenant.pk, "tenant", tenant.history.earliest().pk]
    for url in (
        reverse("admin:quotas_tenant_history", args=[tenant.pk]),
        reverse("admin:quotas_tenant_return", args=names),
        applied_url(tenant),
    ):
        assert 200 == staff.open(url)

        results = Axe().run(staff.page, context="#content")
        assert 0 == results.violations_count, results.generate_report()
        assert staff.page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
