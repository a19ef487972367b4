"""Staff try a limit in shadow, see whom it would have denied, and enforce it from there."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Permission
from django.utils import timezone
from playwright.sync_api import expect

from quotas.models import PlanLimit, Tenant
from quotas.services.flush import flush

# The admin's style sheets import one another, which axe would copy into the page.
AXE = {"preload": False}
PHONE = {"width": 390, "height": 844}


def a_limit_in_shadow(staff, tenant):
    """A limit of two a minute, made in the admin."""
    staff.open("/admin/quotas/planlimit/add/")
    page = staff.page
    page.locator("#id_plan").select_option(str(Tenant.objects.get(key=tenant).plan_id))
    page.locator("#id_scope").fill("reports")
    page.locator("#id_name").fill("tight")
    page.locator("#id_algorithm").select_option("fixed_window")
    page.locator("#id_amount").fill("2")
    page.locator("#id_period").fill("1 minute")
    page.locator("#id_mode").select_option("shadow")
    page.get_by_role("button", name="Save", exact=True).first.click()
    expect(page.locator(".messagelist .success")).to_be_visible()
    return PlanLimit.objects.get(name="tight")


def test_a_limit_is_tried_in_shadow_and_enforced_from_there(visit, demo):
    demo.move_to(timezone.now())
    staff = visit("staff")
    page = staff.page
    a_limit_in_shadow(staff, "acme")
    assert [200] * 4 == [staff.call("acme") for _ in range(4)]
    flush()

    staff.open("/admin/quotas/planlimit/?mode__exact=shadow")
    page.get_by_role("row").filter(has_text="reports/tight").locator(".field-in_shadow a").click()
    row = page.get_by_role("row").filter(has_text="acme")
    expect(row).to_contain_text("50 %")
    expect(row.get_by_role("cell").first).to_have_text("2")
    expect(row.get_by_role("meter")).to_have_attribute("value", "50")
    expect(page.locator("#content-main")).to_contain_text("Counted from")

    page.get_by_role("link", name="Enforce it").click()
    expect(page.locator("#step_form")).to_contain_text("denied 2 of 4 calls, of 1 tenant.")
    page.get_by_label("Reason:").fill("nobody minds")
    page.get_by_role("button", name="Enforce it").click()

    expect(page.locator(".messagelist .success")).to_contain_text("Enforce it: done")
    expect(page.locator(".messagelist")).to_contain_text("In force on every worker")
    expect(page.locator("#content-main")).to_contain_text("Enforced since")
    demo.tick(1)
    assert 429 == staff.call("acme")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_breaks_no_rule_of_axe_and_is_no_wider_than_a_phone(visit, demo, scheme):
    demo.move_to(timezone.now())
    staff = visit("staff", color_scheme=scheme, viewport=PHONE)
    limit = a_limit_in_shadow(staff, "acme")
    for _ in range(4):
        staff.call("acme")
    flush()

    for part in ("", "enforce/"):
        assert 200 == staff.open(f"/admin/quotas/planlimit/{limit.pk}/shadow/{part}")
        assert PHONE["width"] == staff.page.evaluate("document.documentElement.scrollWidth")
        found = Axe().run(staff.page, context="#content", options=AXE)
        assert 0 == found.violations_count, found.generate_report()


def test_view_only_staff_find_no_way_out_of_shadow(visit, demo):
    limit = PlanLimit.objects.first()
    PlanLimit.objects.filter(pk=limit.pk).update(mode="shadow")
    staff = visit("staff")
    staff.open(f"/admin/quotas/planlimit/{limit.pk}/shadow/")
    expect(staff.page.get_by_role("link", name="Enforce it")).to_be_visible()

    user = get_user_model().objects.get(username="staff")
    user.is_superuser = False
    user.save()
    user.user_permissions.set(Permission.objects.filter(codename__startswith="view_"))
    staff.page.reload()

    expect(staff.page.get_by_role("heading", level=1)).to_be_visible()
    expect(staff.page.get_by_role("link", name="Enforce it")).to_have_count(0)
    assert 403 == staff.open(f"/admin/quotas/planlimit/{limit.pk}/shadow/enforce/")
    staff.watch.expect("answer: 403", "console: Failed to load resource")
