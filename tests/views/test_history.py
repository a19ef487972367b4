from __future__ import annotations

import csv
import io
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import translation

from quotas.engine.connection import link
from quotas.models import UsageQuarter
from quotas.services.flush import flush
from quotas.testing import forget
from quotas.views.charts import Stack, chart, lying, rounded_up
from quotas.views.exports import cell
from tests.models.rows import a_limit
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

SPANS = ["hour", "day", "week", "month", "period"]
CHOSEN = {"from": "2026-01-01", "to": "2026-10-27", "zone": "utc", "scope": "reports"}
HOUR = timedelta(hours=1)


@pytest.fixture
def tenant():
    return a_customer(
        {"name": "hour", "title": "Each hour", "amount": 5, "period": HOUR},
        {"name": "trial", "amount": 3, "mode": "shadow", "period": HOUR},
    )


@pytest.fixture
def client(tenant, clock):
    """A member, who has made seven calls: five admitted, of which shadow denies two."""
    client = member_of(tenant)
    for _ in range(7):
        client.get("/reports/")
    return client


@pytest.mark.parametrize("span", SPANS)
def test_a_span_is_asked_for_in_the_address_and_marked(tenant, client, span):
    links = Reading(page(client, tenant, span=span)).all("a")

    spans = [each for each in links if each["href"].startswith("?") and "&" not in each["href"]]
    assert [f"?span={name}#history" for name in SPANS] == [each["href"] for each in spans]
    assert [f"?span={span}#history"] == [
        each["href"] for each in spans if each.get("aria-current") == "true"
    ]
    assert f"/quotas/acme/usage.csv?span={span}" in {each["href"] for each in links}
    assert span == shown_history(client, tenant, span=span)["span"]


def test_what_each_limit_denied_is_a_bar_with_the_number_beside_it(tenant, client):
    for _ in range(2):
        client.get("/reports/")

    answer = page(client, tenant)

    shown = Reading(answer)
    bars = [each for each in shown.all("rect") if "currentColor" in each.get("fill", "")]
    assert [
        ("url(#chart-denied) currentColor", "0%", "100%"),
        ("url(#chart-shadow) currentColor", "0%", "50%"),
    ] == [(each["fill"], each["x"], each["width"]) for each in bars]
    assert {"chart-denied", "chart-shadow"} == {each["id"] for each in shown.all("pattern")}
    drawn = [each for each in shown.all("svg") if each.get("class") == "q-lying"]
    assert ["true", "true"] == [each["aria-hidden"] for each in drawn]
    assert "</svg></th><td>4</td><td>0</td>" in answer.content.decode()
    assert "</svg></th><td>0</td><td>2</td>" in answer.content.decode()


@pytest.mark.parametrize(
    ("denied", "shadow", "widths"),
    [
        pytest.param(30, 10, ["75%", "25%"], id="both"),
        pytest.param(0, 4, ["10%"], id="shadow-alone"),
        pytest.param(0, 0, [], id="none"),
    ],
)
def test_a_lying_bar_is_held_against_the_longest(denied, shadow, widths):
    bar = lying(denied, shadow, 40)

    assert widths == [part.width for part in bar]
    assert ["0%", "75%"][: len(bar)] == [part.x for part in bar]


def test_one_denied_call_among_thousands_is_seen():
    assert [("denied", "0.75%")] == [(part.kind, part.width) for part in lying(1, 0, 10**6)]


@pytest.mark.parametrize("asked", [{}, {"span": ""}])
def test_without_a_span_the_history_is_of_the_last_24_hours(tenant, client, asked):
    assert "day" == shown_history(client, tenant, **asked)["span"]
    assert 200 == page(client, tenant, **asked).status_code
    assert "usage-day-" in export(client, tenant, **asked)["Content-Disposition"]


@pytest.mark.parametrize("asked", ["year", "DAY", "\0", "<b>", "1e9"])
def test_what_is_no_span_is_refused_to_programs_and_shown_as_24_hours(tenant, client, asked):
    assert 400 == data(client, tenant, span=asked).status_code
    assert 400 == export(client, tenant, span=asked).status_code
    shown = page(client, tenant, span=asked)
    assert 200 == shown.status_code
    assert "24 hours" in Reading(shown).text


@pytest.mark.parametrize("span", SPANS)
def test_the_chart_has_a_title_a_description_and_a_table(tenant, client, span):
    shown = Reading(page(client, tenant, span=span))

    drawn = next(each for each in shown.all("svg") if each.get("role") == "img")
    named = {each.get("id") for _, each in shown.elements}
    assert set(drawn["aria-labelledby"].split()) <= named
    assert "7 requests, 5 admitted and 2 denied. The busiest bar has 7 requests: " in shown.text
    assert "The numbers behind the chart" in shown.text
    assert "Requests 7 Admitted 5 Denied 2 Shadow-denied 2 Units 5" in shown.text
    assert "Each hour reports 2 0" in shown.text
    assert "trial reports 0 2" in shown.text


def test_parts_of_a_bar_do_not_overlap_and_a_single_call_is_seen():
    drawn = chart([Stack("a", 50, 20, 30), Stack("", 0, 0, 0), Stack("c", 1, 0, 0)], [])

    full, one = drawn.bars
    assert [("admitted", "50%", "50%"), ("shadow", "30%", "20%"), ("denied", "0%", "30%")] == [
        (each.kind, each.y, each.height) for each in full.parts
    ]
    assert ["1%"] == [each.height for each in one.parts]
    assert ("100", "50", "0") == drawn.scale
    slim = chart([Stack("a", 9999, 0, 1)], []).bars[0]
    assert "0.75%" == slim.parts[1].height


def test_the_top_of_a_chart_is_round_and_so_is_its_half():
    for most in [*range(300), 999, 1001, 123_456_789]:
        top = rounded_up(most)
        assert most <= top <= max(2, 2 * most)
        assert top % 2 == 0
    assert [2, 4, 10, 12, 30, 400] == [rounded_up(most) for most in (0, 3, 9, 11, 25, 390)]


def test_no_locale_writes_a_chart_that_no_browser_draws(tenant, client, settings):
    settings.USE_THOUSAND_SEPARATOR = True
    with translation.override("de"):
        shown = Reading(page(client, tenant, span="day"))

    lengths = [each[name] for each in shown.all("rect") for name in ("x", "width") if "x" in each]
    assert lengths
    assert not [each for each in lengths if "," in each]


def test_an_export_has_a_line_for_each_bucket_and_scope(tenant, client, clock):
    flush(clock.now_us)

    answer = export(client, tenant, span="week")

    assert "text/csv; charset=utf-8" == answer["Content-Type"]
    assert 'attachment; filename="usage-week-2026-10-27.csv"' == answer["Content-Disposition"]
    [line] = csv.DictReader(io.StringIO(answer.content.decode()))
    assert {
        "start": "2026-10-27T00:00:00+00:00",
        "end": "2026-10-28T00:00:00+00:00",
        "scope": "reports",
        "requests": "7",
        "admitted": "5",
        "denied": "2",
        "shadow_denied": "2",
        "units": "5",
    } == line


@pytest.mark.parametrize("scope", ["=1+1", "+1", "-1", "@a", "\tx", "\rx"])
def test_no_spreadsheet_takes_a_cell_for_a_formula(tenant, client, clock, scope):
    UsageQuarter.objects.create(
        tenant=tenant, scope=scope, generation=1, start=clock.now, admitted=1
    )

    text = export(client, tenant).content.decode()

    scopes = [each["scope"] for each in csv.DictReader(io.StringIO(text, newline=""))]
    assert {"reports", f"'{scope}"} == set(scopes)
    assert "reports" == cell("reports")


def test_by_the_minute_units_are_not_known(tenant, client):
    found = shown_history(client, tenant, span="hour")

    assert "minute" == found["grain"]
    last = found["buckets"][-1]
    assert (7, 5, 2, None, None) == tuple(last.values())[2:]
    assert 5 == found["totals"]["units"]


def test_nothing_counted_is_said_so(clock):
    tenant = a_customer({"name": "hour"})

    for span in SPANS:
        shown = Reading(page(member_of(tenant), tenant, span=span))
        assert "Nothing was counted in this span." in shown.text
        assert [] == shown.all("table")


def test_in_an_outage_the_history_is_marked_stale(private_server, clock, caplog):
    tenant = a_customer({"name": "hour"})
    client = member_of(tenant)
    client.get("/reports/")
    flush(clock.now_us)
    client.get("/reports/")
    private_server.stop()

    text = Reading(page(client, tenant, span="hour")).text

    assert "This history is stale." in text
    assert "Requests 1 Admitted 1 Denied 0" in text
    assert shown_history(client, tenant, span="week")["stale"] is True
    exported = export(client, tenant)
    assert 2 == len(exported.content.splitlines())
    assert "-stale.csv" in exported["Content-Disposition"]


@pytest.mark.parametrize("look", [page, data, export])
@pytest.mark.parametrize("asked", [{"span": span} for span in SPANS] + [CHOSEN])
def test_looking_takes_ten_queries_at_most_whatever_was_used(tenant, client, look, asked, clock):
    look(client, tenant, **asked)
    with CaptureQueriesContext(connection) as few:
        look(client, tenant, **asked)
    for number in range(30):
        a_limit(plan=tenant.plan, scope=f"s{number}")
        UsageQuarter.objects.create(
            tenant=tenant,
            scope=f"s{number}",
            generation=number,
            start=clock.now - number * timedelta(minutes=15),
            denied=1,
            limits={f"s{number}/hour": [1, 0]},
        )
    look(client, tenant, **asked)

    with CaptureQueriesContext(connection) as many:
        look(client, tenant, **asked)

    assert len(few) == len(many) <= 10


@pytest.mark.parametrize("look", [page, data, export])
def test_reading_the_policy_takes_six_queries_more(tenant, client, look):
    look(client, tenant)
    with CaptureQueriesContext(connection) as known:
        look(client, tenant)
    forget()

    with CaptureQueriesContext(connection) as unknown:
        look(client, tenant)

    assert len(known) + 6 == len(unknown)


def test_the_page_with_its_history_is_one_trip_to_redis(tenant, client, monkeypatch):
    page(client, tenant)
    pool = link().client.connection_pool
    trips, usual = [], pool.get_connection
    monkeypatch.setattr(
        pool, "get_connection", lambda *args, **more: (trips.append(args), usual(*args, **more))[1]
    )

    page(client, tenant, span="month")

    assert 1 == len(trips)
