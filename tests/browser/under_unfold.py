"""Staff in a browser with django-unfold; `test_unfold` runs this in a process of its own."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.urls import reverse
from playwright.sync_api import expect

from project import security
from quotas.models import Override, Plan, PlanLimit, Tenant
from tests.browser.test_plan_editor import AXE, field
from tests.browser.unfold_policy import UNFOLDED

STRICT = security.POLICY
REFUSED = """() => {
  window.refused = [];
  document.addEventListener("securitypolicyviolation", (each) => {
    const file = (each.sourceFile || "").split("/").pop();
    window.refused.push([each.effectiveDirective, each.blockedURI, file]);
  });
}"""
OURS = ".quotas-page, .quotas-section, .quotas-buttons, .quotas-promise, .quotas-outlook"
PHONE = {"width": 390, "height": 844}


@pytest.fixture(autouse=True)
def policy(monkeypatch):
    """``policy(text)``: the policy of every page from now on; at first the one for unfold."""

    def say(text):
        monkeypatch.setattr(security, "POLICY", text)

    say(UNFOLDED)
    return say


def places():
    """The address of each of our pages that is more than a list or form of unfold's."""
    tenant, plan = Tenant.objects.get(key="acme"), Plan.objects.get(key="free")
    limit = PlanLimit.objects.get(plan__key="pro", mode="shadow")
    PlanLimit.objects.filter(plan=plan, name="minute").update(capacity=6)
    then = [plan.pk, "plan", plan.history.earliest().pk]
    last = PlanLimit.history.latest().history_date.isoformat()[:23]
    return [
        "/admin/quotas/tenant/",
        f"/admin/quotas/tenant/{tenant.pk}/change/",
        f"/admin/quotas/tenant/{tenant.pk}/step/boost/",
        f"/admin/quotas/plan/{plan.pk}/change/",
        "/admin/quotas/planlimit/",
        "/admin/quotas/override/add/",
        "/admin/quotas/status/",
        f"/admin/quotas/planlimit/{limit.pk}/shadow/",
        f"/admin/quotas/planlimit/{limit.pk}/shadow/enforce/",
        f"/admin/quotas/planlimit/{limit.pk}/delete/",
        f"/admin/quotas/plan/{plan.pk}/history/",
        reverse("admin:quotas_plan_return", args=then),
        f"/admin/quotas/tenant/{tenant.pk}/applied/",
        f"/admin/quotas/tenant/{tenant.pk}/applied/?at={last}Z",
    ]


def said(page, row):
    """What stands under a row, however it is marked."""
    around = field(page, row, "scope").locator("xpath=ancestor::*[.//@data-promise][1]")
    return around.locator("[data-promise]")


def save(page):
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("successfully")).to_be_visible()


def test_staff_sign_in_and_make_a_plan_told_what_it_promises(visit):
    staff = visit()
    page = staff.page
    staff.open("/admin/")
    page.locator("#id_username").fill("staff")
    page.locator("#id_password").fill("staff")
    page.get_by_role("button", name="Log in").click()
    expect(page).to_have_url("/admin/")

    staff.open("/admin/quotas/plan/add/")
    page.locator("#id_key").fill("trial")
    page.locator("#id_name").fill("Trial")
    page.get_by_text("Add another Plan limit").click()
    field(page, 0, "scope").fill("reports")
    field(page, 0, "name").fill("minute")
    field(page, 0, "words").fill("3 per minute, bursts of 2")
    expect(said(page, 0)).to_contain_text("any 2 seconds at most 2, any minute at most 5")
    expect(field(page, 0, "capacity")).to_have_value("2")
    assert not Plan.objects.filter(key="trial").exists()
    save(page)

    Tenant.objects.filter(key="acme").update(plan=Plan.objects.get(key="trial"))
    Tenant.objects.get(key="acme").save()
    assert [200, 200, 429] == [staff.call("acme") for _ in range(3)]


def test_a_cut_is_asked_about_and_then_in_force(visit):
    staff = visit("staff")
    page = staff.page
    staff.call("acme")
    plan = Plan.objects.get(key="free")
    staff.open(f"/admin/quotas/plan/{plan.pk}/change/")
    row = page.locator("input[value='Reports per month']").get_attribute("name").split("-")[1]
    field(page, row, "amount").fill("1")

    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_text("A preview: nothing is saved yet.")).to_be_visible()
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("heading", name="Are you sure?")).to_be_visible()
    page.get_by_role("button", name="Yes, save it").click()

    expect(page.get_by_text("0 of 1 busy worker has applied the latest edit.")).to_be_visible()
    assert 1 == plan.limits.get(scope="reports", name="month").amount
    page.get_by_role("link", name="Look again").click()
    expect(page.get_by_role("heading", name="Status").last).to_be_visible()
    expect(page.get_by_role("columnheader")).to_have_count(7)


def test_a_limit_that_denies_is_found_in_the_list_and_boosted(visit):
    staff = visit("staff")
    page = staff.page
    staff.call_until_denied("acme")
    staff.open("/admin/quotas/tenant/?q=acme")
    expect(page.locator("#result_list")).to_contain_text("denying now")
    page.locator("#result_list").get_by_role("link", name="acme", exact=True).click()
    limits = page.get_by_role("region", name="Effective limits")
    expect(limits).to_contain_text("denying now")

    page.get_by_role("link", name="Boost until a date").click()
    chosen = page.get_by_label("Limit:")
    denying = chosen.locator("option", has_text="minute").first.get_attribute("value")
    chosen.select_option(denying)
    page.get_by_label("Amount:").fill("500")
    page.get_by_label("Until:").fill("2036-01-31T12:30")
    page.get_by_label("Reason:").fill("a trade fair")
    page.get_by_role("button", name="Boost until a date").click()

    expect(limits).to_contain_text("a trade fair")
    assert 500 == Override.objects.get(reason="a trade fair").amount


def test_an_action_with_an_amount_is_run_on_the_rows_that_were_chosen(visit):
    staff = visit("staff")
    page = staff.page
    staff.open("/admin/quotas/planlimit/?q=visitor")
    row = page.locator("#result_list tbody", has_text="Visitor")
    row.locator("input.action-select").check()
    page.get_by_label("Select action to run").select_option("set_amount")
    page.get_by_label("New amount:").fill("7")
    page.get_by_role("button", name="Run").click()

    expect(page.get_by_text("1 limit was changed.")).to_be_visible()
    assert [7] == list(Plan.objects.get(key="visitor").limits.values_list("amount", flat=True))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_our_parts_break_no_rule_of_axe(visit, scheme):
    staff = visit("staff", color_scheme=scheme)
    staff.call_until_denied("acme")

    for place in places():
        staff.open(place)
        if not staff.page.locator(OURS).count():
            continue
        found = Axe().run(staff.page, context=OURS, options=AXE)
        assert found.response["passes"]
        assert 0 == found.violations_count, found.generate_report()


def test_no_page_of_ours_is_wider_than_a_phone(visit):
    staff = visit("staff", viewport=PHONE)

    for place in places():
        staff.open(place)
        width = staff.page.evaluate("document.documentElement.scrollWidth")
        assert PHONE["width"] == width, place


def test_of_a_strict_policy_only_files_of_unfold_and_its_colours_are_in_the_way(visit, policy):
    staff = visit("staff")
    staff.page.context.add_init_script(f"({REFUSED})()")
    policy(STRICT)

    refused = set()
    for place in ["/admin/", *places()]:
        staff.open(place)
        staff.comes_to(lambda: staff.page.evaluate("window.refused.length > 2"))
        refused |= {tuple(each) for each in staff.page.evaluate("window.refused")}

    assert {
        ("script-src", "eval", "alpine.js"),
        ("style-src-elem", "inline", "htmx.js"),
        ("style-src-elem", "inline", ""),  # its colours, asserted below
    } == refused
    colours = staff.page.locator("body style").evaluate_all("(all) => all.map((each) => each.id)")
    assert ["unfold-theme-colors"] == colours
    staff.watch.troubles.clear()
