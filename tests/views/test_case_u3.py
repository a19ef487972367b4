from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from quotas.services.flush import flush
from tests.models.rows import a_limit
from tests.views.looking import (
    Reading,
    a_customer,
    member_of,
    page,
    shown_history,
    shown_limits,
)

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.views.urls")]

HOUR = timedelta(hours=1)
SPANS = ["hour", "day", "week", "month"]
EXACT = {"name": "hour", "algorithm": "sliding_window_log", "amount": 10, "period": HOUR}


def test_u3_the_page_shows_the_units_that_the_limiter_used_and_no_refused_ones(clock):
    tenant = a_customer(EXACT)
    client = member_of(tenant)

    answers = [client.get("/reports/") for _ in range(13)]

    assert [200] * 10 + [429] * 3 == [each.status_code for each in answers]
    shown = shown_limits(client, tenant)["hour"]
    assert (10, 0) == (shown["used"], shown["remaining"])
    text = Reading(page(client, tenant)).text
    assert "10 of 10 used 0 remaining" in text
    assert "denying now" in text


def test_u3_the_next_admission_is_now_plus_retry_after(clock):
    tenant = a_customer(EXACT)
    client = member_of(tenant)
    for _ in range(10):
        client.get("/reports/")
    clock.tick(1234.5)

    denied = client.get("/reports/")

    retry_after = timedelta(seconds=int(denied["Retry-After"]))
    shown = shown_limits(client, tenant)["hour"]
    at = datetime.fromisoformat(shown["next_admission_at"])
    assert abs(clock.now + retry_after - at) <= timedelta(seconds=1)
    assert 2365.5 == shown["next_admission_in"]
    times = [each["datetime"] for each in Reading(page(client, tenant)).all("time")]
    assert shown["next_admission_at"] in times
    clock.move_to(at)
    assert 200 == client.get("/reports/").status_code


def test_u3_a_call_of_cost_four_is_four_used(clock):
    tenant = a_customer(EXACT)
    client = member_of(tenant)

    client.get("/reports/?cost=4")

    shown = shown_limits(client, tenant)["hour"]
    assert (4, 6) == (shown["used"], shown["remaining"])
    assert "4 of 10 used 6 remaining" in Reading(page(client, tenant)).text


@pytest.mark.parametrize(
    "columns",
    [
        pytest.param({"algorithm": "token_bucket", "capacity": 7}, id="token-bucket"),
        pytest.param({"algorithm": "leaky_bucket", "capacity": 7}, id="leaky-bucket"),
        pytest.param({"algorithm": "fixed_window"}, id="fixed-window"),
        pytest.param({"algorithm": "sliding_window_counter"}, id="counter"),
        pytest.param({"algorithm": "sliding_window_log"}, id="log"),
        pytest.param(
            {"algorithm": "calendar_quota", "unit": "month", "period": None}, id="calendar-quota"
        ),
    ],
)
def test_u3_what_the_page_has_left_is_what_the_headers_had_left(clock, columns):
    tenant = a_customer({"name": "only", "amount": 9, "period": HOUR, **columns})
    a_limit(plan=tenant.plan, scope="reports", name="other", amount=50)
    client = member_of(tenant)

    for cost in (1, 3, 2):
        answer = client.get(f"/reports/?cost={cost}")

        shown = shown_limits(client, tenant)["only"]
        assert f'"only";r={shown["remaining"]}' in answer["RateLimit"]
        assert shown["used"] + shown["remaining"] == (shown["capacity"] or shown["amount"])
        clock.tick(7)


def test_u3_the_history_has_thirteen_requests_ten_of_them_admitted_and_three_denied(clock):
    tenant = a_customer(EXACT)
    client = member_of(tenant)
    for _ in range(13):
        client.get("/reports/")

    for span in SPANS:
        text = Reading(page(client, tenant, span=span)).text
        assert "10 of 10 used 0 remaining" in text
        assert "Requests 13 Admitted 10 Denied 3 Shadow-denied 0 Units 10" in text
        assert "Limit Denied In shadow hour reports 3 0" in text
        found = shown_history(client, tenant, span=span)
        assert {
            "requests": 13,
            "admitted": 10,
            "denied": 3,
            "shadow_denied": 0,
            "units": 10,
        } == found["totals"]
        [denied] = found["denied_by_limit"]
        assert ("reports/hour", 3, 0) == (
            denied["limit"],
            denied["denied"],
            denied["shadow_denied"],
        )


def test_u3_a_call_of_cost_four_is_one_request_and_four_units(clock):
    tenant = a_customer(EXACT)
    client = member_of(tenant)

    client.get("/reports/?cost=4")

    text = Reading(page(client, tenant)).text
    assert "4 of 10 used 6 remaining" in text
    assert "Requests 1 Admitted 1 Denied 0 Shadow-denied 0 Units 4" in text
    assert "No limit denied anything in this span." in text


def test_u3_the_page_says_the_same_before_and_after_a_flush(clock):
    tenant = a_customer(EXACT)
    client = member_of(tenant)
    for _ in range(13):
        client.get("/reports/")
    before = [page(client, tenant, span=span).content for span in SPANS]

    flush(clock.now_us)

    assert before == [page(client, tenant, span=span).content for span in SPANS]
