"""Staff make a plan in the admin, told what it promises before they save it."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from quotas.models import Plan, PlanLimit, Tenant
from tests.models.rows import MINUTE

# The admin's style sheets import one another, which axe would copy into the page.
AXE = {"preload": False}


def field(page, row, name):
    return page.locator(f"#id_limits-{row}-{name}")


def said(page, row):
    """What stands under a row."""
    return page.locator(f"#limits-{row} [data-promise]")


def add_row(page):
    """A new row of the page that is open: its number."""
    before = page.locator(".dynamic-limits").count()
    page.get_by_role("button", name="Add another Plan limit").click()
    expect(page.locator(".dynamic-limits")).to_have_count(before + 1)
    return before


def save(page):
    page.get_by_role("button", name="Save", exact=True).first.click()
    expect(page.locator(".messagelist .success")).to_be_visible()


def editor_of(visit, key, **options):
    staff = visit(**options)
    staff.log_in("staff")
    staff.open(f"/admin/quotas/plan/{Plan.objects.get(key=key).pk}/change/")
    return staff


def test_a_plan_is_made_seen_saved_hit_raised_and_in_force(visit):
    staff = visit("staff")
    page = staff.page
    staff.open("/admin/quotas/plan/add/")
    page.locator("#id_key").fill("trial")
    page.locator("#id_name").fill("Trial")
    row = add_row(page)
    field(page, row, "scope").fill("reports")
    field(page, row, "name").fill("minute")
    field(page, row, "words").fill("3 per minute, bursts of 2")

    expect(said(page, row)).to_contain_text("any 2 seconds at most 2, any minute at most 5")
    expect(said(page, row)).to_contain_text("at most 2 in one instant")
    expect(field(page, row, "capacity")).to_have_value("2")
    assert not Plan.objects.filter(key="trial").exists()
    save(page)

    plan = Plan.objects.get(key="trial")
    tenant = Tenant.objects.get(key="acme")
    tenant.plan = plan
    tenant.save()
    assert [200, 200, 429] == [staff.call("acme") for _ in range(3)]

    staff.open(f"/admin/quotas/plan/{plan.pk}/change/")
    expect(field(page, 0, "words")).to_have_value("3 per minute, bursts of 2")
    field(page, 0, "words").fill("unlimited")
    expect(said(page, 0)).to_contain_text("unlimited, but counted")
    save(page)
    assert [200] * 5 == [staff.call("acme") for _ in range(5)]


def test_words_and_numbers_fill_one_another_while_they_are_written(visit):
    page = editor_of(visit, "free").page
    row = add_row(page)

    field(page, row, "words").fill("10,000 per month")
    expect(field(page, row, "algorithm")).to_have_value("calendar_quota")
    expect(field(page, row, "unit")).to_have_value("month")
    field(page, row, "amount").fill("500")
    expect(field(page, row, "words")).to_have_value("500 per month")
    field(page, row, "words").fill("5 at once")
    expect(field(page, row, "algorithm")).to_have_value("concurrency")
    expect(field(page, row, "amount")).to_have_value("5")
    expect(said(page, row)).to_contain_text("never more than 5 at once")
    field(page, row, "words").fill("ten a day")
    expect(said(page, row)).to_contain_text("In words is “ten a day”: write such as")

    assert not PlanLimit.objects.filter(amount=500).exists()


def test_what_is_odd_beside_another_row_is_said_while_it_is_written(visit):
    plan = Plan.objects.create(key="pair", name="Pair")
    for name, amount, period in (("hour", 100, 60 * MINUTE), ("minute", 10, MINUTE)):
        PlanLimit.objects.create(
            plan=plan,
            scope="reports",
            name=name,
            algorithm="fixed_window",
            amount=amount,
            period=period,
        )
    page = editor_of(visit, "pair").page
    expect(page.locator("#quotas-missing")).to_contain_text("batches, exports")
    expect(page.locator("[data-promise] .quotas-flag")).to_have_count(0)

    field(page, 0, "words").fill("600 per hour")

    expect(said(page, 0)).to_contain_text("Warning: It never denies anything by itself")
    expect(said(page, 1).locator(".quotas-flag")).to_have_count(0)


def test_without_javascript_a_button_says_it_and_saves_nothing(visit):
    page = editor_of(visit, "free", java_script_enabled=False).page
    before = list(PlanLimit.objects.values_list("pk", "amount"))
    field(page, 0, "amount").fill("7000")

    page.get_by_role("button", name="Preview").click()

    expect(page.get_by_text("A preview: nothing is saved yet.")).to_be_visible()
    expect(said(page, 0)).to_contain_text("7,000")
    expect(field(page, 0, "amount")).to_have_value("7000")
    assert before == list(PlanLimit.objects.values_list("pk", "amount"))
    save(page)
    assert 7000 in PlanLimit.objects.values_list("amount", flat=True)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_what_stands_under_a_row_breaks_no_rule_of_axe(visit, scheme):
    page = editor_of(visit, "free", color_scheme=scheme).page
    field(page, 0, "words").fill("ten a day")
    expect(said(page, 0).locator(".quotas-flag")).to_be_visible()

    found = Axe().run(page, context="[data-promise]", options=AXE)

    assert 0 == found.violations_count, found.generate_report()


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no-scripts"])
def test_a_cut_is_asked_about_by_keyboard_with_and_without_javascript(visit, scripts):
    page = editor_of(visit, "free", java_script_enabled=scripts).page
    limit = PlanLimit.objects.get(plan__key="free", scope="reports", name="month")
    row = page.locator("input[value='Reports per month']").get_attribute("name").split("-")[1]
    field(page, row, "amount").fill("1")
    page.keyboard.press("Enter")

    expect(page.get_by_role("heading", level=1)).to_have_text("Are you sure?")
    expect(page.get_by_role("region", name="reports/month")).to_contain_text("It concerns")
    if scripts:
        assert 0 == Axe().run(page, options=AXE).violations_count
    page.get_by_role("button", name="No, back to the form").click()
    expect(field(page, row, "amount")).to_have_value("1")
    page.get_by_role("button", name="Save", exact=True).first.click()
    yes = page.get_by_role("button", name="Yes, save it")
    yes.focus()
    page.keyboard.press("Enter")

    expect(page.locator(".messagelist .success")).to_be_visible()
    limit.refresh_from_db()
    assert 1 == limit.amount
