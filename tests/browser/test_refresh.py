"""The script that reads a usage page again: everything in place, and nothing said in vain."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from quotas.models import Membership

TURN = 10_000
AFTER_ERROR = 60_000
SAID = """() => {
  window.said = [];
  const heard = (changes) => changes.forEach(({ target }) => {
    const live = (target.parentElement ?? target).closest("[role=status], [aria-live]");
    if (live) window.said.push(live.textContent.trim());
  });
  new MutationObserver(heard).observe(
    document.body, { subtree: true, childList: true, characterData: true },
  );
}"""


@pytest.fixture
def acme(visit):
    """A member of Acme who looks at a page whose time the test moves; one call was made."""
    visitor = visit("acme")
    visitor.call("acme")
    visitor.page.clock.install(time="2026-10-27T10:59:49Z")
    visitor.page.clock.pause_at("2026-10-27T10:59:50Z")
    visitor.open("/quotas/acme/?span=day")
    return visitor


def turn(visitor, milliseconds=TURN):
    """Let time pass, and the page read itself again."""
    with visitor.page.expect_response(lambda answer: "/quotas/acme/" in answer.url):
        visitor.page.clock.run_for(milliseconds)


def readings(visitor):
    """A list of the times that the page reads itself from now on."""
    found = []

    def note(request):
        if "/quotas/acme/" in request.url and not request.redirected_from:
            found.append(request.url)

    visitor.page.on("request", note)
    return found


def month(visitor):
    """What is used of the month, as the page shows it."""
    limit = visitor.page.get_by_role("listitem").filter(has_text="Reports per month")
    return limit.locator(".q-use-words strong")


def test_the_page_comes_to_say_that_it_denies_by_itself(acme):
    notice = acme.page.get_by_role("status")
    expect(notice).to_have_text("No limit denies now.")
    acme.call_until_denied("acme")

    turn(acme)

    expect(notice).to_have_text("Denying now: Reports per minute.")
    expect(month(acme)).to_have_text("5 of 200 used")
    assert ["5", "5"] == [
        acme.page.get_by_role("meter", name="Reports per minute").get_attribute(name)
        for name in ("value", "max")
    ]


def test_focus_open_details_and_scroll_position_stay(acme):
    page = acme.page
    page.set_viewport_size({"width": 800, "height": 500})
    page.locator("[data-refresh=history] .q-details summary").click()
    page.get_by_role("link", name="7 days").focus()
    page.evaluate("scrollTo(0, 700)")
    top = page.evaluate("scrollY")
    acme.call("acme")

    turn(acme)

    expect(month(acme)).to_have_text("2 of 200 used")
    expect(page.get_by_role("link", name="7 days")).to_be_focused()
    expect(page.locator("[data-refresh=history] .q-details table")).to_be_visible()
    assert top == page.evaluate("scrollY") > 0


def test_only_what_has_changed_is_another_element(acme):
    acme.page.evaluate("document.querySelectorAll('main *').forEach(each => { each.known = true })")
    acme.call("acme")

    turn(acme)

    expect(month(acme)).to_have_text("2 of 200 used")
    assert acme.page.evaluate("[...document.querySelectorAll('main *')].every(each => each.known)")


def test_a_screen_reader_hears_of_the_summary_alone_and_only_when_it_changes(acme):
    acme.page.evaluate(SAID)
    acme.call("acme")
    turn(acme)
    expect(month(acme)).to_have_text("2 of 200 used")
    assert [] == acme.page.evaluate("said")

    acme.call_until_denied("acme")
    turn(acme)

    expect(month(acme)).to_have_text("5 of 200 used")
    assert {"Denying now: Reports per minute."} == set(acme.page.evaluate("said"))


def test_a_page_that_is_paused_reads_nothing_until_it_goes_on(acme):
    read = readings(acme)
    acme.tab_to("Pause")
    acme.page.keyboard.press("Enter")
    acme.call("acme")
    acme.page.clock.run_for(20 * TURN)
    assert [] == read

    expect(acme.page.get_by_role("button", name="Go on")).to_be_focused()
    with acme.page.expect_response("**/quotas/acme/**"):
        acme.page.keyboard.press("Enter")
        acme.page.clock.run_for(1)

    expect(month(acme)).to_have_text("2 of 200 used")
    expect(acme.page.get_by_role("button", name="Pause")).to_be_visible()


def test_a_page_that_nobody_sees_reads_nothing_and_at_once_when_it_is_seen(acme):
    read = readings(acme)
    see = "state => { Object.defineProperty(document, 'visibilityState', { value: state, "
    see += "configurable: true }); document.dispatchEvent(new Event('visibilitychange')) }"
    acme.page.evaluate(see, "hidden")
    acme.page.clock.run_for(20 * TURN)
    assert [] == read

    acme.call("acme")
    with acme.page.expect_response("**/quotas/acme/**"):
        acme.page.evaluate(see, "visible")
        acme.page.clock.run_for(1)

    expect(month(acme)).to_have_text("2 of 200 used")


@pytest.mark.parametrize("fault", [503, "no answer", "another page"])
def test_after_an_error_it_says_since_when_and_waits_a_minute(acme, fault):
    page = acme.page
    read = readings(acme)

    def fail(route):
        if fault == "no answer":
            route.abort()
        else:
            route.fulfill(status=503 if fault == 503 else 200, body="<p>Soon</p>")

    page.route("**/quotas/acme/**", fail)
    page.clock.run_for(TURN)
    trouble = page.get_by_text("Could not read again at 12:00 PM.")  # in Berlin, as all on the page
    expect(trouble).to_be_visible()
    expect(month(acme)).to_have_text("1 of 200 used")
    page.clock.run_for(AFTER_ERROR - 1000)
    assert 1 == len(read)

    page.unroute("**/quotas/acme/**")
    acme.call("acme")
    turn(acme, 1000)

    expect(month(acme)).to_have_text("2 of 200 used")
    expect(trouble).to_be_hidden()
    if fault == 503:
        acme.watch.expect("answer: 503", "console: Failed")
    elif fault == "no answer":
        acme.watch.expect("request: GET", "console: Failed")


def log_out(acme):
    acme.page.context.clear_cookies()


def take_away(acme):
    Membership.objects.all().delete()


@pytest.mark.parametrize("lose", [log_out, take_away])
def test_it_stops_where_the_page_is_no_longer_for_this_reader(acme, lose):
    read = readings(acme)
    lose(acme)
    acme.page.clock.run_for(TURN)

    expect(acme.page.get_by_text("This page no longer reads its numbers again")).to_be_visible()
    expect(acme.page.get_by_role("button", name="Pause")).to_be_hidden()
    acme.page.clock.run_for(20 * TURN)
    assert 1 == len(read)
    if lose is take_away:
        acme.watch.expect("answer: 404", "console: Failed")
