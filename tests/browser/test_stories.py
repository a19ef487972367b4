from __future__ import annotations

import pytest
from playwright.sync_api import expect

SPANS = ["Last hour", "24 hours", "7 days", "31 days"]


def test_a_member_logs_in_and_sees_her_limits_with_meters(visit):
    page = visit("acme").page

    expect(page).to_have_url("/quotas/acme/")
    expect(page.get_by_role("heading", level=1)).to_have_text("Acme Kites")
    meters = page.get_by_role("meter")
    expect(meters).to_have_count(5)
    month = page.get_by_role("meter", name="Reports per month")
    expect(month).to_be_visible()
    assert "0" == month.get_attribute("value")


def test_a_wrong_password_is_said_so(visit):
    someone = visit()
    someone.open("/login/")
    someone.page.get_by_label("Log-in").fill("acme")
    someone.page.get_by_label("Password").fill("bolt")
    someone.page.get_by_role("button", name="Log in").click()

    expect(someone.page.get_by_role("alert")).to_be_visible()


def test_calls_until_the_first_429_are_on_the_page(visit):
    acme = visit("acme")
    acme.call_until_denied("acme")

    acme.page.get_by_role("link", name="Read again").click()

    page = acme.page
    expect(page.get_by_role("status")).to_have_text("Denying now: Reports per minute.")
    limit = page.get_by_role("listitem").filter(has_text="Reports per minute")
    expect(limit).to_contain_text("denying now")
    expect(limit).to_contain_text("5 of 5 used")
    expect(page.get_by_role("region", name="Denied by limit")).to_contain_text("Reports per minute")
    for name in SPANS:
        page.get_by_role("link", name=name).click()
        expect(page.locator("[aria-current]")).to_have_text(name)
        expect(page.locator(".q-totals dd").first).to_have_text("6")


@pytest.mark.parametrize("path", ["bolt", "nobody"])
def test_a_stranger_gets_404_whether_or_not_there_is_such_a_tenant(visit, path):
    acme = visit("acme")

    assert 404 == acme.open(f"/quotas/{path}/")

    expect(acme.page.get_by_role("heading", level=1)).to_have_text("Not found")
    expect(acme.page.get_by_text("Bolt Parcels")).to_have_count(0)
    acme.watch.expect("answer: 404", "console: Failed to load resource")


def test_somebody_without_a_login_is_led_to_it_and_back(visit):
    someone = visit()
    someone.open("/quotas/cyan/?span=week")
    someone.page.get_by_label("Log-in").fill("cyan")
    someone.page.get_by_label("Password").fill("cyan")
    someone.page.get_by_role("button", name="Log in").click()

    expect(someone.page).to_have_url("/quotas/cyan/?span=week")
    someone.page.get_by_role("button", name="Log out").click()
    expect(someone.page.get_by_role("link", name="Log in")).to_be_visible()
