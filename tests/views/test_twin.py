"""What the page tells in words and charts, the data tell in numbers."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from quotas.models import UsageHour
from tests.models.rows import a_limit, a_membership, a_user
from tests.services.asking import ask, of_tenant
from tests.services.counted import START
from tests.views.looking import (
    Reading,
    a_customer,
    browser,
    data,
    member_of,
    page,
    shown_limits,
)

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.views.urls")]


def both(client, tenant, **asked):
    return Reading(page(client, tenant, **asked)), data(client, tenant, **asked).json()


def test_how_the_limits_stand_together_is_said_in_the_words_of_the_page(clock):
    tenant = a_customer({"name": "minute", "amount": 1}, {"name": "hour"})
    client = member_of(tenant)
    _, before = both(client, tenant)
    client.get("/reports/")

    shown, found = both(client, tenant)

    assert ("ok", "denying") == (before["state"], found["state"])
    assert ["Denying now: minute."] == found["summary"]
    assert found["summary"][0] in shown.text


def test_a_tenant_without_limits_has_nothing_said_of_them(clock):
    tenant = a_customer()

    _, found = both(member_of(tenant), tenant)

    assert ("ok", []) == (found["state"], found["summary"])


def test_in_an_outage_how_the_limits_stand_is_not_known(private_server, caplog):
    tenant = a_customer({"name": "minute"})
    client = member_of(tenant)
    private_server.stop()

    _, found = both(client, tenant)

    assert ("unknown", []) == (found["state"], found["summary"])


def test_when_a_window_starts_anew_is_the_instant_of_the_page(clock):
    tenant = a_customer({"name": "minute"}, {"name": "bucket", "algorithm": "token_bucket"})
    client = member_of(tenant)
    client.get("/reports/")

    shown, limits = Reading(page(client, tenant)), shown_limits(client, tenant)

    assert limits["bucket"]["renews_at"] is None
    renews_at = limits["minute"]["renews_at"]
    assert "2026-10-27T00:01:00+00:00" == renews_at
    assert renews_at in [each["datetime"] for each in shown.all("time")]


def test_a_queued_call_is_told_when_its_turn_is(clock):
    leaky = {"name": "leaky", "algorithm": "leaky_bucket", "amount": 6, "capacity": 5}
    tenant = a_customer(leaky)
    client = member_of(tenant)
    client.get("/reports/?cost=2")

    shown, limits = Reading(page(client, tenant)), shown_limits(client, tenant)

    assert 20 == limits["leaky"]["delay"]
    assert "now, to start in 20 seconds" in shown.text


def test_what_fits_at_once_is_what_the_meter_is_filled_up_to(clock):
    bucket = {"name": "bucket", "algorithm": "token_bucket", "amount": 100, "capacity": 20}
    tenant = a_customer(bucket, {"name": "free", "amount": None})

    client = member_of(tenant)
    shown, limits = Reading(page(client, tenant)), shown_limits(client, tenant)

    assert (20, None) == (limits["bucket"]["most"], limits["free"]["most"])
    assert ["20"] == [each["max"] for each in shown.all("meter")]
    assert [80, 100] == limits["bucket"]["warn_at"]


def test_callers_have_the_names_and_shares_of_the_page(clock):
    tenant = a_customer({"name": "minute", "amount": 3})
    ann = a_user("ann")
    a_membership(tenant=tenant, user=ann)
    stranger = a_user("stranger")
    for user in (ann, ann, ann, stranger):
        ask(of_tenant(tenant, user=user, credential="key"), "reports")

    shown, found = both(browser(ann), tenant)

    callers = found["calls"]["callers"]
    assert ["ann", f"user {stranger.pk}"] == [each["caller_name"] for each in callers]
    assert [75, 25] == [each["share"] for each in callers]
    assert all(each["credential"] in shown.text for each in callers)
    [denial] = found["denials"]
    assert callers[1]["caller"] == denial["caller"]
    assert (f"user {stranger.pk}", callers[1]["credential"]) == (
        denial["caller_name"],
        denial["credential"],
    )
    assert "stranger" not in str(found)


def test_whether_clients_wait_is_a_share_and_the_sentence_of_the_page(clock):
    tenant = a_customer({"name": "minute"})
    client = member_of(tenant)
    _, before = both(client, tenant)
    UsageHour.objects.create(tenant=tenant, start=START, generation=1, denied=40, early=3)

    shown, found = both(client, tenant)

    assert before["calls"]["early_percent"] is None
    assert 7 == found["calls"]["early_percent"]
    assert found["calls"]["backing_off"] in shown.text


def test_the_filter_by_scope_holds_for_peaks_too(clock):
    tenant = a_customer({"name": "minute", "title": "Each minute"})
    a_limit(plan=tenant.plan, scope="other", name="minute")
    for scope in ("reports", "other"):
        ask(of_tenant(tenant), scope)
    client = member_of(tenant)

    shown, found = both(client, tenant, scope="reports", zone="utc")

    [peak] = found["calls"]["peaks"]
    assert ("reports/minute", "Each minute", 10) == (
        peak["limit"],
        peak["title"],
        peak["percent"],
    )
    charts = [each["id"] for each in shown.all("h3") if each.get("id", "").startswith("peak-")]
    assert ["peak-1"] == charts
    filters = {"zone": "UTC", "scope": "reports", "scopes": ["other", "reports"]}
    assert filters == found["filters"]


def test_the_units_of_the_months_chart_are_told_day_by_day(clock):
    month = {"algorithm": "calendar_quota", "unit": "month", "period": None}
    tenant = a_customer({"name": "month", "amount": 40, **month})
    a_limit(plan=tenant.plan, scope="other", name="minute")
    clock.move_to(datetime(2026, 10, 10, 12, tzinfo=UTC))
    for scope, cost in (("reports", 3), ("other", 5)):
        ask(of_tenant(tenant), scope, cost=cost)

    shown, found = both(member_of(tenant), tenant)

    assert "At this pace 9 by the end." in shown.text
    told = found["month"]
    assert {"scope": "reports", "amount": 40, "used_at_end": 9} == told["charted"]
    assert (8, 3) == tuple(
        sum(day[name] for day in told["this"]["days"]) for name in ("units", "charted")
    )


def test_limits_that_denied_are_called_as_on_the_page(clock):
    tenant = a_customer({"name": "minute", "amount": 1, "title": "Each minute"})
    for _ in range(2):
        ask(of_tenant(tenant), "reports")

    shown, found = both(member_of(tenant), tenant)

    [denied] = found["history"]["denied_by_limit"]
    assert "Each minute" == denied["title"]
    assert "Each minute reports 1 0" in shown.text
