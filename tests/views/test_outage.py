from __future__ import annotations

import time

import pytest

from quotas.services.flush import flush
from tests.views.denying import a_denial, decision_data
from tests.views.looking import Reading, a_customer, data, export, member_of, page

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.urls("tests.views.urls")]


@pytest.fixture
def tenant():
    return a_customer({"name": "hour", "amount": 10}, {"name": "door", "subject": "address"})


def test_in_an_outage_limits_are_shown_without_usage(private_server, tenant, caplog):
    client = member_of(tenant)
    client.get("/reports/?cost=4")
    private_server.stop()

    shown = Reading(page(client, tenant))

    assert "The limiter cannot be reached; limits are shown without usage." in shown.text
    assert "hour usage not known reports Amount 10 per minute Counted" in shown.text
    assert "door reports 10 per minute; each address apart" in shown.text
    assert [] == shown.all("meter")
    for claim in ("No limit denies now", "Next call in", "Next call now", "remaining"):
        assert claim not in shown.text


def test_in_an_outage_nobody_claims_that_no_call_was_denied(private_server, tenant, caplog):
    client = member_of(tenant)
    client.get("/reports/?cost=10")
    assert 429 == client.get("/reports/").status_code
    assert 1 == len(data(client, tenant).json()["denials"])
    private_server.stop()

    text = Reading(page(client, tenant)).text

    assert "Recent denials Not known: the limiter cannot be reached." in text
    assert "No call was denied lately" not in text
    assert data(client, tenant).json()["denials"] is None


def test_in_an_outage_every_part_that_lacks_the_latest_counts_is_marked_stale(
    private_server, tenant, caplog
):
    client = member_of(tenant)
    client.get("/reports/?cost=4")
    flush()
    whole = page(client, tenant).content.decode()
    private_server.stop()

    text = Reading(page(client, tenant)).text

    stale = "Stale: what was counted since the last copy is missing."
    for part in ("This period so far", "How full the limits got", "Who called"):
        assert stale in text.partition(part)[2][:300], part
    assert stale not in whole


def test_in_an_outage_the_data_say_so(private_server, tenant, caplog):
    client = member_of(tenant)
    private_server.stop()

    found = data(client, tenant).json()

    assert found["outage"] is True
    [limit] = found["limits"]
    assert "unknown" == limit["state"]
    for unknown in ("used", "remaining", "percent", "next_admission_in", "next_admission_at"):
        assert limit[unknown] is None


def denied(client, tenant):
    return decision_data(client, a_denial(tenant))


@pytest.mark.parametrize(
    ("look", "stale"),
    [
        (page, "The limiter cannot be reached"),
        (data, '"outage":true'),
        (export, "-stale.csv"),
        (denied, '"outage":true'),
    ],
)
def test_a_hanging_limiter_holds_a_page_up_for_one_timeout_at_most(
    private_server, tenant, settings, caplog, look, stale
):
    settings.QUOTAS_TIMEOUT, settings.QUOTAS_PLAN_POLL = 1.0, 0.001
    client = member_of(tenant)
    look(client, tenant)
    private_server.hang()

    started = time.monotonic()
    shown = look(client, tenant)
    took = time.monotonic() - started

    private_server.resume()
    assert stale in shown.content.decode() + shown.get("Content-Disposition", "")
    assert 1 <= took < 1.9


def test_when_the_limiter_is_back_the_page_is_whole_again(private_server, tenant, caplog):
    client = member_of(tenant)
    private_server.stop()
    page(client, tenant)
    private_server.start()

    assert "0 of 10 used" in Reading(page(client, tenant)).text
