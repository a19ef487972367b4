from __future__ import annotations

import csv
import io
from datetime import UTC, date, datetime, timedelta
from urllib.parse import parse_qs, urlsplit

import pytest

from quotas.models import UsageDay, UsageQuarter
from quotas.testing import forget
from tests.views.looking import (
    Reading,
    a_customer,
    data,
    export,
    member_of,
    page,
    shown_history,
)

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.views.urls")]

HOUR = timedelta(hours=1)
SCOPE = "a&b=c #1?"


@pytest.fixture
def tenant(clock):
    return a_customer({"name": "hour", "period": HOUR}, time_zone="Asia/Tokyo")


@pytest.fixture
def client(tenant):
    """A member, who has made three calls; another scope has one row."""
    client = member_of(tenant)
    for _ in range(3):
        client.get("/reports/")
    return client


def a_row(tenant, start, scope="exports", admitted=1):
    UsageQuarter.objects.create(
        tenant=tenant, start=start, scope=scope, generation=1, admitted=admitted
    )


def links_of_the_page(shown):
    """The queries of the page's links to itself and its twins."""
    links = [each["href"] for each in shown.all("a")]
    return [
        parse_qs(urlsplit(each).query)
        for each in links
        if each.startswith(("?", "/quotas/acme/")) and not each.endswith("/alerts/")
    ]


@pytest.mark.parametrize(
    "asked",
    [
        pytest.param({"span": "week", "zone": "utc", "scope": SCOPE}, id="a-span"),
        pytest.param(
            {
                "span": "custom",
                "from": "2026-10-01",
                "to": "2026-10-05T10:00",
                "zone": "utc",
                "scope": SCOPE,
            },
            id="chosen-days",
        ),
    ],
)
def test_every_link_keeps_the_filters_it_does_not_change(tenant, client, asked):
    a_row(tenant, datetime(2026, 10, 2, tzinfo=UTC), SCOPE)
    queries = links_of_the_page(Reading(page(client, tenant, **asked)))

    assert len(queries) >= 9
    for query in queries:
        assert ["utc"] == query["zone"]
        assert query.get("scope", [SCOPE]) == [SCOPE]
        if query["span"] == [asked["span"]]:
            assert {asked.get("from")} == set(query.get("from", [None]))
            assert {asked.get("to")} == set(query.get("to", [None]))
    assert {"scope": [SCOPE]} in [{"scope": each.get("scope")} for each in queries]
    assert None in [each.get("scope") for each in queries]


def test_the_form_shows_what_was_asked_for_and_asks_for_it_again(tenant, client):
    asked = {"from": "2026-10-01", "to": "2026-10-05T10:00", "zone": "utc", "scope": "reports"}

    shown = Reading(page(client, tenant, **asked))

    fields = {each["name"]: each for each in shown.all("input")}
    assert ("2026-10-01", "date") == (fields["from"]["value"], fields["from"]["type"])
    assert ("2026-10-05T10:00", "text") == (fields["to"]["value"], fields["to"]["type"])
    chosen = [each.get("value") for each in shown.all("option") if "selected" in each]
    assert ["utc", None] == chosen
    labels = {each["for"] for each in shown.all("label")}
    assert {each["id"] for each in shown.all("select")} < labels


def test_a_chosen_day_is_included_and_is_a_day_of_the_zone(tenant, client):
    for hour in (14, 15):  # midnight in Tokyo is between them
        a_row(tenant, datetime(2026, 10, 4, hour, tzinfo=UTC), admitted=hour)

    asked = {"from": "2026-10-05", "to": "2026-10-05"}
    assert 15 == shown_history(client, tenant, **asked)["totals"]["admitted"]
    found = shown_history(client, tenant, **asked, zone="utc")
    assert 0 == found["totals"]["admitted"]
    found = shown_history(client, tenant, **asked | {"from": "2026-10-04"}, zone="utc")
    assert ("custom", "quarter", 29) == (
        found["span"],
        found["grain"],
        found["totals"]["admitted"],
    )
    assert "2026-10-04T00:00:00+00:00" == found["start"]


def test_a_chosen_range_without_an_end_goes_up_to_now(tenant, client):
    by_days = shown_history(client, tenant, **{"from": "2026-10-20"})
    by_quarters = shown_history(client, tenant, **{"from": "2026-10-26"})

    assert 3 == by_days["totals"]["admitted"] == by_quarters["totals"]["admitted"]
    assert "2026-10-28T00:00:00+09:00" == by_days["end"]
    assert "2026-10-27T09:15:00+09:00" == by_quarters["end"]


@pytest.mark.parametrize(
    ("since", "until", "words"),
    [
        pytest.param("2026-10-05", "2026-10-01", "which is after “to”, “2026-10-01”", id="order"),
        pytest.param("soon", "2026-10-01", "“from” is “soon”, which is no day", id="no-date"),
        pytest.param("2026-10-01", "2026-02-30", "“to” is “2026-02-30”, which", id="no-such-day"),
        pytest.param("2025-01-01", "2026-10-01", "are 639 days: give at most 400", id="too-long"),
        pytest.param("", "2026-10-01", "The range has no beginning", id="no-beginning"),
        pytest.param("2026-12-01", "2026-12-02", "which is still to come", id="to-come"),
        pytest.param("0001-01-01", "9999-12-31", "is no day", id="the-ends-of-time"),
        pytest.param("2026-10-01", "9999-12-31", "is no day", id="the-end-of-time"),
        pytest.param("<b>" + "x" * 500, "", "“<b>xxxxx", id="markup"),
        pytest.param("\0", "\0", "is no day", id="null"),
        pytest.param("2026-10-01T25:00", "", "is no day", id="no-time"),
    ],
)
def test_a_wrong_range_is_named_and_the_page_is_shown(tenant, client, since, until, words):
    asked = {"from": since, "to": until, "scope": "reports", "zone": "utc"}
    answer = page(client, tenant, **asked)

    shown = Reading(answer)
    assert 200 == answer.status_code
    assert words in shown.text
    assert "Meanwhile the last 24 hours are shown. " in shown.text
    assert "Requests 3 Admitted 3" in shown.text
    assert not shown.all("b")
    field = next(each for each in shown.all("input") if each["name"] == "from")
    assert "range-trouble" == field["aria-describedby"]
    assert "range-trouble" in {each.get("id") for each in shown.all("p")}
    for look in (data, export):
        refused = look(client, tenant, **asked)
        assert 400 == refused.status_code
        assert "application/problem+json" == refused["Content-Type"]
        assert "private, no-store" == refused["Cache-Control"]
        assert words in refused.json()["detail"]


def test_chosen_days_that_were_not_given_are_asked_for(tenant, client):
    shown = Reading(page(client, tenant, span="custom"))

    assert "The range has no beginning: give “from” a day such as 2026-10-27." in shown.text
    assert 400 == export(client, tenant, span="custom").status_code


@pytest.mark.parametrize("span", ["foo", "Week", "<b>x</b>", "\0"])
def test_an_unknown_span_is_named_and_its_day_fields_are_not_blamed(tenant, client, span):
    shown = Reading(page(client, tenant, span=span))

    words = (
        f"“span” is “{span}”, which is none: give one of hour, day, week, month, period, custom."
    )
    assert words in shown.text
    assert "Meanwhile the last 24 hours are shown. " in shown.text
    assert not shown.all("b")
    assert not [each for each in shown.all("input") if "aria-invalid" in each]
    for look in (data, export):
        refused = look(client, tenant, span=span)
        assert (400, "wrong_range") == (refused.status_code, refused.json()["code"])
        assert words == refused.json()["detail"]


def test_chosen_days_are_shown_whatever_the_span(tenant, client):
    assert "custom" == shown_history(client, tenant, span="foo", **{"from": "2026-10-20"})["span"]


def test_400_days_are_shown_and_401_are_not(tenant, client):
    last = date(2026, 10, 27)
    first = last - timedelta(days=399)
    UsageDay.objects.create(tenant=tenant, day=first, scope="exports", admitted=9)

    found = shown_history(client, tenant, **{"from": first.isoformat(), "to": last.isoformat()})

    assert (400, "day", 12) == (
        len(found["buckets"]),
        found["grain"],
        found["totals"]["admitted"],
    )
    asked = {"from": (first - timedelta(days=1)).isoformat(), "to": last.isoformat()}
    assert 400 == data(client, tenant, **asked).status_code


def test_all_instants_are_in_utc_where_that_is_asked_for(tenant, client):
    shown = Reading(page(client, tenant, zone="utc"))
    own = Reading(page(client, tenant))

    zones = [{each["datetime"][19:] for each in read.all("time")} for read in (shown, own)]
    assert [{"", "+00:00"}, {"", "+09:00"}] == zones  # the plan has a day to be since
    assert "Asia/Tokyo shown in UTC" in shown.text
    assert "Requests by quarter of an hour from " in own.text
    found = data(client, tenant, zone="utc").json()
    assert "2026-10-27T00:00:00+00:00" == found["read_at"]
    assert "+00:00" == found["history"]["buckets"][0]["start"][-6:]


def test_whole_days_of_another_zone_are_said_to_be_so(tenant, client):
    UsageDay.objects.create(tenant=tenant, day=date(2026, 10, 2), scope="exports", admitted=9)
    note = "What is old is kept by days of Asia/Tokyo"

    assert note in Reading(page(client, tenant, span="month", zone="utc")).text
    assert note not in Reading(page(client, tenant, span="month")).text
    assert note not in Reading(page(client, tenant, span="week", zone="utc")).text


def test_a_scope_is_shown_alone_everywhere(tenant, client, clock):
    a_row(tenant, clock.now, admitted=50)

    asked = {"scope": "reports", "span": "week"}
    shown = Reading(page(client, tenant, **asked))
    assert "Requests 3 Admitted 3" in shown.text
    assert "Only scope reports is shown" in shown.text
    found = data(client, tenant, **asked).json()
    assert ["reports"] == [each["scope"] for each in found["history"]["scopes"]]
    assert 3 == found["month"]["this"]["admitted"]
    lines = csv.DictReader(io.StringIO(export(client, tenant, **asked).content.decode()))
    assert ["reports"] == [each["scope"] for each in lines]


@pytest.mark.parametrize("scope", ["nothing", "<b>x</b>", "\0", "x" * 1000, "日本"])
def test_an_unknown_scope_is_empty_and_has_a_way_back(tenant, client, scope):
    answer = page(client, tenant, scope=scope, span="week")

    shown = Reading(answer)
    assert 200 == answer.status_code
    assert "was counted in this span." in shown.text
    assert "?span=week#history" in {each["href"] for each in shown.all("a")}
    assert not shown.all("b")
    assert 0 == shown_history(client, tenant, scope=scope)["totals"]["requests"]


def test_scope_star_is_every_scope_together_and_calls_that_named_none_are_told_apart(
    tenant, client, clock
):
    a_row(tenant, clock.now, scope="*", admitted=50)

    shown = Reading(page(client, tenant, scope="*", span="week"))

    assert "Requests 53 Admitted 53" in shown.text
    assert "no scope 50 0 0 reports 3 0 3" in shown.text
    assert "is shown, here and in the period so far" not in shown.text
    assert "?span=week&scope=reports#history" in {each["href"] for each in shown.all("a")}
    found = data(client, tenant, scope="*", span="week").json()
    assert (None, 53) == (found["filters"]["scope"], found["month"]["this"]["admitted"])
    scopes = {each["scope"]: each["requests"] for each in found["history"]["scopes"]}
    assert {"*": 50, "reports": 3} == scopes


def test_a_time_zone_that_this_host_no_longer_has_is_shown_in_utc(tenant, client, caplog):
    type(tenant).objects.filter(pk=tenant.pk).update(time_zone="US/Pacific-New")
    forget()

    for look in (page, data, export):
        assert 200 == look(client, tenant, span="month").status_code
