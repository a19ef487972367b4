"""The panel of recent denials, and the same for programs."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from django.template.loader import render_to_string

from quotas.services.denials import short_id
from quotas.services.statement import statement_of
from quotas.views.callers import Names
from quotas.views.denials import denial_rows, denials_data
from tests.views.denying import a_denial, address
from tests.views.looking import Reading, a_customer

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.views.urls")]


def panel(tenant, *denials):
    rows = denial_rows(denials, statement_of(tenant.pk))
    history = {"zone_name": tenant.time_zone}
    context = {"tenant": tenant, "denials": rows, "history": history}
    found = render_to_string("quotas/denials.html", context)
    return Reading(SimpleNamespace(content=found.encode()))


def test_each_denial_tells_when_by_what_and_for_how_long_and_leads_to_its_page(clock):
    tenant = a_customer({"name": "minute", "title": "Reports a minute"}, time_zone="Asia/Tokyo")
    latest = a_denial(tenant, cost=1234)
    older = a_denial(
        tenant, at_us=latest.at_us - 90 * 10**6, scope="*", name="gone", retry_after=None
    )
    clock.tick(5)

    shown = panel(tenant, latest, older)

    one = "5 seconds ago 27 Oct 2026, 09:00:00 Reports a minute reports POST api/reports/ 1,234"
    other = "1 minute 35 seconds ago 27 Oct 2026, 08:58:30 gone all scopes together"
    assert f"{one} 1 minute {short_id(latest)} {other}" in shown.text
    assert f"none {short_id(older)}" in shown.text
    assert [address(latest), address(older)] == [each["href"] for each in shown.all("a")]


def test_an_operation_that_is_not_known_is_said_to_be_so(clock):
    tenant = a_customer({"name": "minute"})

    assert "reports not known 1" in panel(tenant, a_denial(tenant, operation="")).text


def test_the_table_scrolls_by_itself_and_has_a_name():
    tenant = a_customer({"name": "minute"})

    shown = panel(tenant, a_denial(tenant))

    [region] = [each for each in shown.all("div") if each.get("class") == "q-scroll"]
    assert ("group", "0") == (region["role"], region["tabindex"])
    ids = [each["id"] for _, each in shown.elements if "id" in each]
    assert len(ids) == len(set(ids))
    assert region["aria-labelledby"] in ids
    assert {"row", "col"} == {each["scope"] for each in shown.all("th")}


def test_without_denials_it_says_so():
    tenant = a_customer({"name": "minute"})

    shown = panel(tenant)

    assert "No call was denied lately." in shown.text
    assert not shown.all("table")


def test_names_are_text_and_no_markup():
    tenant = a_customer({"name": "minute", "title": "<script>alert(1)</script>"})
    texts = {"scope": "<b>", "name": "<i>", "operation": "GET <img>"}

    shown = panel(tenant, a_denial(tenant), a_denial(tenant, **texts))

    assert not [tag for tag in ("script", "b", "i", "img") if shown.all(tag)]
    assert "GET <img>" in shown.text


def test_the_data_are_those_of_the_panel(clock):
    tenant = a_customer({"name": "minute", "title": "Reports a minute"}, time_zone="Asia/Tokyo")
    denial = a_denial(tenant)
    never = a_denial(tenant, name="gone", retry_after=None)

    found = denials_data([denial, never], statement_of(tenant.pk), Names(tenant.pk, ()))

    assert {
        "id": short_id(denial),
        "instance": address(denial),
        "at": "2026-10-27T09:00:00+09:00",
        "scope": "reports",
        "name": "minute",
        "title": "Reports a minute",
        "operation": "POST api/reports/",
        "cost": 1,
        "retry_after": 60,
        "retry_at": "2026-10-27T09:01:00+09:00",
        "caller": None,
        "caller_name": None,
        "credential": None,
    } == found[0]
    assert ("gone", None, None) == tuple(
        found[1][each] for each in ("title", "retry_after", "retry_at")
    )


def test_fifty_denials_ask_nothing_of_the_database(clock, django_assert_num_queries):
    tenant = a_customer({"name": "minute"})
    statement = statement_of(tenant.pk)
    denials = [a_denial(tenant, cost=cost) for cost in range(1, 51)]

    with django_assert_num_queries(0):
        rows = denial_rows(denials, statement)
        denials_data(denials, statement, Names(tenant.pk, ()))

    assert [str(cost) for cost in range(1, 51)] == [row.cost for row in rows]
