"""Staff are asked before a list of limits takes something away, and told what goes with one."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from quotas.models import PlanLimit

# The admin's style sheets import one another, which axe would copy into the page.
AXE = {"preload": False}


@pytest.fixture
def staff(visit):
    return visit("staff")


def test_the_editable_list_asks_and_a_no_keeps_what_was_written(staff):
    page = staff.page
    limit = PlanLimit.objects.get(plan__key="free", scope="reports", name="month")
    staff.open(f"/admin/quotas/planlimit/?plan__id__exact={limit.plan_id}&q=month")
    amount = page.locator("input[name='form-0-amount']")
    amount.fill("1")
    page.get_by_role("button", name="Save", exact=True).click()

    expect(page.get_by_role("heading", level=1)).to_have_text("Are you sure?")
    expect(page.locator(".quotas-outlook")).to_contain_text("It concerns")
    assert 0 == Axe().run(page, options=AXE).violations_count
    page.get_by_role("button", name="No, back to the form").click()
    expect(amount).to_have_value("1")
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_role("button", name="Yes, save it").click()

    expect(page.locator(".messagelist .success")).to_be_visible()
    limit.refresh_from_db()
    assert 1 == limit.amount


def test_the_delete_page_says_who_loses_the_limit(staff):
    page = staff.page
    limit = PlanLimit.objects.get(plan__key="free", scope="reports", name="month")

    staff.open(f"/admin/quotas/planlimit/{limit.pk}/delete/")

    expect(
        page.get_by_text("tenant loses it").or_(page.get_by_text("tenants lose it"))
    ).to_be_visible()
    assert 0 == Axe().run(page, options=AXE).violations_count
