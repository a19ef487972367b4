"""Who called, how full the limits got, and the latest denials, on the page and in JSON."""

from __future__ import annotations

from datetime import timedelta

import pytest

from quotas.domain.calendar import EPOCH
from quotas.domain.calls import Calls, CallsByHour, Peak
from quotas.models import UsageHour
from quotas.services.statement import statement_of
from quotas.testing import forget, frozen_clock
from quotas.views.peaks import PeakChart
from tests import START_US
from tests.models.rows import a_membership, a_user
from tests.services.asking import ask, of_tenant
from tests.views.looking import Reading, a_customer, browser, data, member_of, page

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.views.urls")]

HOUR = timedelta(hours=1)
START = EPOCH + timedelta(microseconds=START_US)


@pytest.fixture
def clock():
    with frozen_clock(START_US) as frozen:
        yield frozen


@pytest.fixture
def tenant(db, clock):
    return a_customer({"name": "minute", "title": "Reports per minute", "amount": 4})


def shown(client, tenant):
    return page(client, tenant).content.decode()


def charted(*peaks):
    """A chart of (hour, used, most)."""
    found = tuple(
        Peak(start=START + hour * HOUR, end=START + (hour + 1) * HOUR, used=used, most=most)
        for hour, used, most in peaks
    )
    calls = CallsByHour(
        start=START,
        end=START + 10 * HOUR,
        total=Calls(),
        callers={},
        rest=Calls(),
        peaks={"reports/minute": found},
    )
    return PeakChart("reports/minute", found, calls, "Reports")


def test_members_are_called_by_name_and_others_by_number(tenant):
    ann = a_user("ann")
    a_membership(tenant=tenant, user=ann)
    ask(of_tenant(tenant, user=ann, credential="key"), "reports")
    ask(of_tenant(tenant, user=a_user("stranger").pk), "reports")

    text = shown(browser(ann), tenant)

    assert 'ann <code title="' in text
    assert "stranger" not in text
    assert "user " in text


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        pytest.param({}, "since 26 Oct 2026, 00:00", id="up-to-now"),
        pytest.param({"from": "2026-10-26"}, "since 26 Oct 2026, 00:00", id="with-today"),
        pytest.param(
            {"from": "2026-10-25", "to": "2026-10-26"},
            "from 25 Oct 2026, 00:00 to 27 Oct 2026, 00:00",
            id="past",
        ),
        pytest.param(
            {"from": "2026-10-26T08:00", "to": "2026-10-26T09:00"},
            "from 26 Oct 2026, 08:00 to 26 Oct 2026, 09:00",
            id="hours",
        ),
    ],
)
def test_the_callers_of_a_span_that_is_over_have_its_end_beside_them(tenant, clock, asked, said):
    UsageHour.objects.create(tenant=tenant, start=START - 16 * HOUR, generation=1, admitted=9)
    clock.tick(1)

    assert (
        f"In every scope, {said} . A request"
        in Reading(page(member_of(tenant), tenant, **asked)).text
    )


@pytest.mark.parametrize("pk", [10**18, 10**30, -1, "no number", "\0"])
def test_a_user_whom_no_table_can_hold_is_called_by_number_too(tenant, pk):
    ask(of_tenant(tenant, user=pk), "reports")

    assert 200 == page(member_of(tenant), tenant).status_code
    assert 1 == data(member_of(tenant), tenant).json()["calls"]["total"]["requests"]


def test_everybody_not_listed_is_one_line(tenant):
    ask(of_tenant(tenant), "reports")

    assert "everybody else" in shown(member_of(tenant), tenant)


@pytest.mark.parametrize(
    ("early", "said"),
    [
        pytest.param(0, "0 of 100 denied calls (0 %) came sooner than told", id="none"),
        pytest.param(4, "Clients wait as long as Retry-After says", id="few"),
        pytest.param(5, "Some clients do not wait", id="some"),
        pytest.param(50, "Clients try again without waiting", id="many"),
    ],
)
def test_the_page_says_whether_clients_wait(tenant, early, said):
    UsageHour.objects.create(
        tenant=tenant, start=START, generation=1, admitted=9, denied=100, early=early
    )

    assert said in shown(member_of(tenant), tenant)


def test_without_a_denial_nobody_came_early(tenant):
    ask(of_tenant(tenant), "reports")

    assert "No call was denied." in shown(member_of(tenant), tenant)


def test_without_a_call_there_is_nothing_to_see_of_callers_and_peaks(tenant):
    text = shown(member_of(tenant), tenant)

    assert "Who called" not in text
    assert "How full the limits got" not in text
    assert "No call was denied lately." in text


def test_each_limit_has_a_chart_with_a_sentence_and_a_table(tenant):
    ask(of_tenant(tenant), "reports", cost=3)

    text = shown(member_of(tenant), tenant)

    assert "At most 3 of 4 were in use" in text
    assert "<td>3</td><td>4</td><td>75 %</td>" in text


def test_of_many_limits_the_fullest_are_drawn_and_the_rest_is_named(tenant):
    used = {f"reports/l{number}": [number, 10] for number in range(10)}
    UsageHour.objects.create(tenant=tenant, start=START, generation=1, admitted=1, peaks=used)
    client = member_of(tenant)

    text = Reading(page(client, tenant)).text

    assert "The fullest are drawn; 2 limits more are in the JSON. l9 reports" in text
    assert " l2 reports At most" in text
    assert " l1 reports At most" not in text
    found = data(client, tenant).json()["calls"]["peaks"]
    assert set(used) == {each["limit"] for each in found}


def test_a_step_is_drawn_where_the_limit_was_first_charged_after_its_change():
    chart = charted((0, 5, 10), (2, 9, 10), (5, 9, 20), (7, 4, 20))

    across = [(line.x1, line.x2, line.y1) for line in chart.lines if line.y1 == line.y2]
    upright = [(line.x1, line.y1, line.y2) for line in chart.lines if line.x1 == line.x2]

    assert [("0%", "50%", "50%"), ("50%", "100%", "0%")] == across
    assert [("50%", "50%", "0%")] == upright
    assert "The limit changed 1 time." in chart.described


@pytest.mark.parametrize(
    ("asked", "steps"), [({}, True), ({"from": "2026-10-25", "to": "2026-10-25"}, False)]
)
def test_a_limit_that_was_edited_and_not_charged_since_has_a_step_too(tenant, asked, steps):
    for hours in (2, 26):
        peaks = {"reports/minute": [3, 4]}
        start = START - hours * HOUR
        UsageHour.objects.create(tenant=tenant, start=start, generation=1, admitted=1, peaks=peaks)
    client = member_of(tenant)
    assert "The limit changed" not in Reading(page(client, tenant, **asked)).text
    tenant.plan.limits.update(amount=2)
    forget()

    text = Reading(page(client, tenant, **asked)).text

    assert "At most 3 of 4 were in use" in text
    assert steps == ("The limit changed 1 time." in text)


def test_a_bar_that_filled_its_limit_is_told_apart_in_words_too():
    chart = charted((0, 10, 10), (1, 3, 10), (2, 7, None))

    assert ["full", "ok", "free"] == [bar.kind for bar in chart.bars]
    assert ["10 of 10", "3 of 10", "7"] == [bar.words.rpartition(": ")[2] for bar in chart.bars]


def test_above_a_lowered_limit_the_scale_holds_what_was_taken():
    chart = charted((0, 90, 100), (1, 90, 40))

    assert ("100", "50", "0") == chart.scale


def test_what_was_taken_before_a_limit_was_lowered_looks_like_no_leak():
    chart = charted((0, 90, 100), (1, 90, 40))

    assert "90 were taken before the limit was lowered to 40: " in chart.described
    assert "of 40" not in chart.described
    assert ["ok", "free"] == [bar.kind for bar in chart.bars]
    assert "90, taken before the limit was lowered to 40" in chart.bars[1].words
    assert ["taken before it was lowered", "90 %"] == [row.percent for row in chart.rows]


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        pytest.param({"algorithm": "fixed_window"}, "3 of 4 were in use:", id="window"),
        pytest.param({"algorithm": "token_bucket"}, "3 of 4 were taken at once:", id="bucket"),
        pytest.param(
            {"algorithm": "calendar_quota", "unit": "month", "period": None, "amount": None},
            "3 were in use, without a limit:",
            id="unlimited",
        ),
    ],
)
def test_what_is_used_over_a_period_is_not_said_to_be_taken_at_once(clock, columns, words):
    tenant = a_customer({"amount": 4, **columns})
    ask(of_tenant(tenant), "reports", cost=3)

    assert f"At most {words}" in shown(member_of(tenant), tenant)


def test_an_unlimited_row_has_no_line():
    chart = charted((0, 7, None))

    assert ([], 0) == (chart.lines, chart.fullest)
    assert "without a limit" in chart.described


def test_the_latest_denials_are_listed_with_what_was_asked_and_by_whom(tenant):
    ann = a_user("ann")
    a_membership(tenant=tenant, user=ann)
    caller = of_tenant(tenant, user=ann, operation="GET api/reports/")
    for _ in range(6):
        ask(caller, "reports")

    text = shown(browser(ann), tenant)

    assert 2 == text.count("GET api/reports/")
    assert 2 == len(data(browser(ann), tenant).json()["denials"])


@pytest.mark.parametrize("zone", ["Asia/Tokyo", "UTC"])
def test_the_latest_denials_say_in_which_zone_their_times_are(zone, clock):
    tenant = a_customer({"amount": 0}, time_zone="Asia/Tokyo")
    ask(of_tenant(tenant), "reports")

    text = Reading(page(member_of(tenant), tenant, zone=zone)).text

    assert f"The latest first, in {zone}." in text
    assert f"27 Oct 2026, {'00' if zone == 'UTC' else '09'}:00:00 minute" in text


def test_json_has_the_same_callers_and_peaks(tenant):
    ask(of_tenant(tenant, user=7), "reports", cost=3)

    calls = data(member_of(tenant), tenant).json()["calls"]

    sums = {"requests": 1, "admitted": 1, "denied": 0, "early": 0, "units": 3}
    named = {"caller": "u7", "caller_name": "user 7", "credential": None}
    assert [named | sums | {"share": 100}] == calls["callers"]
    assert sums == calls["total"]
    [peak] = calls["peaks"]
    assert ("reports/minute", 3, 4) == (peak["limit"], peak["used"], peak["most"])


def test_another_tenants_callers_and_denials_are_not_shown(tenant):
    other = a_customer({"amount": 0}, key="globex")
    ask(of_tenant(other, user=7, operation="GET secret/"), "reports")

    client = member_of(tenant)

    assert "secret" not in shown(client, tenant)
    assert [] == data(client, tenant).json()["denials"]
    assert 1 == len(statement_of(other.pk).usage.denials)
