"""Django's admin under the policy of the demo: its own files are all that it needs."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from quotas.models import Plan, Tenant

LISTS = ["", "quotas/plan/", "quotas/tenant/", "quotas/override/", "auth/user/", "password_change/"]


@pytest.mark.parametrize("path", LISTS)
def test_a_page_of_the_admin_leaves_the_console_empty(visit, path):
    staff = visit("staff")

    assert 200 == staff.open(f"/admin/{path}")

    expect(staff.page.get_by_role("heading", level=1).first).to_be_visible()


@pytest.mark.parametrize("model", ["plan", "tenant", "override"])
def test_the_scripts_of_a_form_run(visit, model):
    staff = visit("staff")
    staff.open(f"/admin/quotas/{model}/add/")

    for inline, row in enumerate(staff.page.locator(".add-row a").all(), start=1):
        row.click()
        expect(staff.page.locator("[class*=dynamic-]")).to_have_count(inline)
    for calendar in staff.page.locator("a[id^=calendarlink]:visible").all():
        calendar.click()
        expect(staff.page.locator(".calendarbox:visible")).to_have_count(1)
        staff.page.keyboard.press("Escape")

    assert staff.page.evaluate("django.jQuery('form :input').length") > 5


def test_no_page_of_ours_is_wider_than_a_phone(visit):
    staff = visit("staff", viewport={"width": 390, "height": 844})
    staff.call_until_denied("acme")
    tenant, plan = Tenant.objects.get(key="acme"), Plan.objects.get(key="free")
    own = f"tenant/{tenant.pk}"

    for path in ("tenant/", f"{own}/change/", f"{own}/step/boost/", f"plan/{plan.pk}/change/"):
        staff.open(f"/admin/quotas/{path}")
        assert 390 == staff.page.evaluate("document.documentElement.scrollWidth"), path


def test_staff_edit_a_limit_and_it_is_in_the_history(visit):
    staff = visit("staff")
    plan = Plan.objects.get(key="free")
    staff.open(f"/admin/quotas/plan/{plan.pk}/change/")
    staff.page.locator("input[name$='-0-amount']").first.fill("7000")

    staff.page.get_by_role("button", name="Save", exact=True).first.click()
    expect(staff.page.locator(".messagelist .success")).to_be_visible()
    assert 200 == staff.open(f"/admin/quotas/plan/{plan.pk}/history/")

    expect(staff.page.locator("#change-history")).to_contain_text("staff")
    assert 7000 in plan.limits.values_list("amount", flat=True)


def test_staff_find_a_user_in_the_window_that_the_magnifying_glass_opens(visit):
    staff = visit("staff")
    tenant = Tenant.objects.get(key="acme")
    staff.open(f"/admin/quotas/tenant/{tenant.pk}/change/")
    staff.page.get_by_text("Add another Membership").click()
    glass = staff.page.locator("a.related-lookup:visible")

    with staff.page.expect_popup() as opened:
        glass.click()
    opened.value.get_by_role("link", name="bolt").click()

    field = glass.locator("xpath=preceding-sibling::input")
    expect(field).to_have_value(re.compile(r"\d+"))
