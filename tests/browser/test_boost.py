"""A tenant is denied, staff boost the limit, and the next call is admitted."""

from __future__ import annotations

from playwright.sync_api import expect

from quotas.models import Override, Tenant


def test_staff_boost_a_limit_that_denies_and_the_next_call_is_admitted(visit, demo):
    acme, staff = visit("acme"), visit("staff")
    acme.call_until_denied("acme")
    tenant = Tenant.objects.get(key="acme")
    assert 200 == staff.open("/admin/quotas/tenant/?q=acme")
    expect(staff.page.locator("#result_list")).to_contain_text("denying now")
    staff.page.locator("#result_list").get_by_role("link", name="acme", exact=True).click()
    limits = staff.page.get_by_role("region", name="Effective limits")
    expect(limits).to_contain_text("denying now")

    staff.page.get_by_role("link", name="Boost until a date").click()
    chosen = staff.page.get_by_label("Limit:")
    denying = chosen.locator("option", has_text="minute").first.get_attribute("value")
    chosen.select_option(denying)
    staff.page.get_by_label("Amount:").fill("500")
    staff.page.get_by_label("Until:").fill("2036-01-31T12:30")
    staff.page.get_by_label("Reason:").fill("a trade fair")
    staff.page.get_by_role("button", name="Boost until a date").click()

    expect(staff.page.locator(".messagelist .success")).to_be_visible()
    expect(limits).to_contain_text("a trade fair")
    expect(limits.locator("s").first).to_be_visible()
    assert 500 == Override.objects.get(tenant=tenant, reason="a trade fair").amount
    demo.tick(1)
    assert 200 == acme.call("acme")
