"""An edit is seen to be in force, and the status page is there for everybody and every screen."""

from __future__ import annotations

import re

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from quotas.models import Plan

ADDRESS = "/admin/quotas/status/"


def test_staff_raise_a_limit_and_see_when_the_workers_have_applied_it(visit):
    staff = visit("staff")
    staff.call("acme")
    plan = Plan.objects.get(tenants__key="acme")
    staff.open(f"/admin/quotas/plan/{plan.pk}/change/")
    staff.page.locator("input[name$='-0-amount']").first.fill("7000")

    staff.page.get_by_role("button", name="Save", exact=True).first.click()
    told = staff.page.locator(".messagelist .info")
    expect(told).to_contain_text("0 of 1 busy worker has applied the latest edit.")
    staff.call("acme")
    told.get_by_role("link", name="Look again").click()

    expect(staff.page).to_have_url(re.compile(f"{ADDRESS}$"))
    expect(
        staff.page.get_by_text("1 of 1 busy worker has applied the latest edit.")
    ).to_be_visible()
    expect(staff.page.get_by_role("cell", name="current")).to_be_visible()


def test_the_index_leads_to_the_status_and_axe_finds_nothing_of_ours(visit):
    staff = visit("staff")
    staff.call("acme")
    staff.open("/admin/")
    staff.page.get_by_role("link", name="Status", exact=True).first.click()

    expect(staff.page.get_by_role("heading", level=1, name="Status")).to_be_visible()
    results = Axe().run(staff.page, context="#content-main")
    assert results.response["passes"]
    assert 0 == results.violations_count, results.generate_report()


def test_a_phone_scrolls_the_workers_alone(visit):
    staff = visit("staff", viewport={"width": 360, "height": 740})
    staff.call("acme")
    staff.open(ADDRESS)

    width = staff.page.evaluate("document.querySelector('#content-main').scrollWidth")
    assert width <= 360
    expect(staff.page.get_by_role("columnheader")).to_have_count(7)
