"""Keyboards, screen readers, and browsers without JavaScript."""

from __future__ import annotations

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from tests.browser.pages import PLACES, USAGE, look

SOMETHING = re.compile(r"\S")


@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.name)
def test_a_page_breaks_no_rule_of_axe(visit, place):
    visitor = look(visit, place)

    results = Axe().run(visitor.page)

    assert results.response["passes"]
    assert 0 == results.violations_count, results.generate_report()


@pytest.mark.parametrize("place", USAGE, ids=lambda place: place.name)
def test_every_table_meter_chart_and_part_has_a_name(visit, place):
    page = look(visit, place).page

    named = page.locator("table, meter, svg[role], nav, section, [role=region]").all()
    assert named or place.status == 404
    for each in named:
        expect(each).to_have_accessible_name(SOMETHING)


def test_the_keyboard_alone_leads_to_every_span(visit):
    visitor = look(visit, USAGE[0])

    for name, span in (("7 days", "week"), ("31 days", "month"), ("Last hour", "hour")):
        visitor.tab_to(name)
        visitor.page.keyboard.press("Enter")
        visitor.page.wait_for_url(f"**/quotas/acme/?span={span}#history")
        current = visitor.page.locator("[aria-current]")
        expect(current).to_have_text(name)


def test_the_first_tab_leads_past_the_header(visit):
    visitor = visit("acme")

    visitor.page.keyboard.press("Tab")
    visitor.page.keyboard.press("Enter")

    expect(visitor.page.locator("#content")).to_be_focused()


def test_without_javascript_everything_is_there_and_no_button_is_dead(visit):
    without = visit(java_script_enabled=False)
    without.log_in("acme")
    with_it = visit("acme")
    without.call_until_denied("acme")

    texts = []
    for visitor in (without, with_it):
        visitor.open("/quotas/acme/?span=day")
        texts.append(visitor.page.locator("main").inner_text())
    assert "Denying now: Reports per minute." in texts[0]
    assert texts[0] == texts[1].replace(" Pause", "").replace("Pause", "")
    assert 5 == without.page.locator("[data-refresh=limits] meter").count()
    assert {"history", "month", "peaks", "callers", "denials"} == {
        each.evaluate("table => table.closest('[data-refresh]').dataset.refresh")
        for each in without.page.locator("table").all()
    }
    buttons = without.page.get_by_role("button").all()
    assert ["Log out"] == [each.inner_text() for each in buttons]
