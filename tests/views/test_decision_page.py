"""What the page of a denied call says, and its JSON twin."""

from __future__ import annotations

from datetime import timedelta

import pytest

from quotas.services.denials import short_id
from quotas.services.enforcement import Ask, Caller, enforce
from tests import START_US
from tests.engine.watching import watching
from tests.models.rows import an_override
from tests.views.denying import a_denial, address, decision, decision_data
from tests.views.looking import Reading, a_customer, member_of, staff_who_may

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.views.urls")]

HANDLER = {"EXCEPTION_HANDLER": "quotas.drf.exception_handler"}
DAY_US = 86_400 * 10**6


def text_of(client, denial):
    return Reading(decision(client, denial)).text


def test_the_instance_of_a_429_leads_to_its_page(clock, settings):
    settings.REST_FRAMEWORK = HANDLER
    tenant = a_customer({"name": "minute", "title": "Reports a minute", "amount": 5})
    client = member_of(tenant)
    client.get("/reports/?cost=4")

    denied = client.get("/reports/?cost=3")
    instance = denied.json()["instance"]

    expected = a_denial(tenant, cost=3, operation="GET reports/")
    assert (429, address(expected)) == (denied.status_code, instance)
    text = Reading(client.get(instance)).text
    assert f"Denied call {short_id(expected)}" in text
    assert "When 27 Oct 2026, 00:00:00 UTC, just now" in text
    assert "Called GET reports/ Scope reports Limit Reports a minute Cost 3" in text
    assert "Retry-After 1 minute, until 27 Oct 2026, 00:01:00 (in 1 minute)" in text
    assert "Amount 5 per minute Counted the whole tenant together Rule Fixed window" in text
    assert "A call that costs 3 would not fit yet. Wait until Retry-After is over" in text


def test_times_are_those_of_the_tenant_and_of_utc(clock):
    tenant = a_customer({"name": "minute"}, time_zone="Asia/Tokyo")
    clock.tick(200)

    shown = Reading(decision(member_of(tenant), a_denial(tenant)))

    said = "When 27 Oct 2026, 09:00:00 Asia/Tokyo, 3 minutes 20 seconds ago"
    assert f"{said} 27 Oct 2026, 00:00:00 UTC" in shown.text
    assert "until 27 Oct 2026, 09:01:00 (2 minutes 20 seconds ago)" in shown.text
    times = [each["datetime"] for each in shown.all("time")]
    assert ["2026-10-27T09:00:00+09:00", "2026-10-27T00:00:00+00:00"] == times[:2]


@pytest.mark.parametrize(
    ("limit", "fields", "spent", "words"),
    [
        pytest.param({}, {}, 0, "costs 1 would fit now. Send the request again.", id="fits"),
        pytest.param(
            {"amount": 1}, {}, 1, "not fit yet. Wait until Retry-After is over, then", id="waits"
        ),
        pytest.param(
            {"amount": 1},
            {"at_us": START_US - DAY_US},
            1,
            "not fit yet. Send the request again, and wait as long as Retry-After says",
            id="waits-anew",
        ),
        pytest.param(
            {"amount": 2},
            {"cost": 3, "retry_after": None},
            0,
            "costs 3 never fits this limit, however long. Split the request into smaller ones",
            id="too-large",
        ),
        pytest.param(
            {"amount": 0},
            {"cost": 3, "retry_after": None},
            0,
            "never fits this limit, however long. Ask for a higher limit: waiting does not help.",
            id="nothing",
        ),
        pytest.param(
            {"subject": "credential"},
            {},
            0,
            "credential or address is counted apart. Wait until Retry-After is over",
            id="apart",
        ),
        pytest.param(
            {"name": "other"},
            {"retry_after": None, "cost": 2},
            0,
            "not known: the plan has no such limit. Split the request",
            id="gone",
        ),
    ],
)
def test_it_says_whether_it_would_fit_now_and_what_to_do_next(clock, limit, fields, spent, words):
    tenant = a_customer({"name": "minute", **limit})
    client = member_of(tenant)
    if spent:
        client.get(f"/reports/?cost={spent}")

    assert words in text_of(client, a_denial(tenant, **fields))


def test_without_a_retry_after_it_says_that_waiting_does_not_help():
    tenant = a_customer({"name": "minute", "amount": 0})

    text = text_of(member_of(tenant), a_denial(tenant, retry_after=None, operation=""))

    assert "Retry-After none: waiting does not help" in text
    assert "Called not known" in text


def test_a_full_flight_has_room_when_a_call_ends():
    tenant = a_customer({"name": "slots", "algorithm": "concurrency", "amount": 1})
    client = member_of(tenant)
    denial = a_denial(tenant, name="slots", retry_after=1)
    answer = enforce(Caller(address="192.0.2.1", resolve=lambda: tenant.pk), [Ask(scope="reports")])

    full = text_of(client, denial)
    answer.give_back()

    assert "not fit yet. Send the request again when one of those under way has ended." in full
    assert "would fit now. Send the request again." in text_of(client, denial)
    assert "too_many_in_flight" == decision_data(client, denial).json()["denial"]["code"]


def test_of_a_limit_on_users_nobody_is_told_of_the_readers_own_numbers():
    tenant = a_customer({"name": "minute", "subject": "user", "amount": 1})
    client = member_of(tenant)
    client.get("/reports/")

    for reader in (client, member_of(tenant), staff_who_may("view_tenant")):
        text = text_of(reader, a_denial(tenant))
        assert "not known: each user, credential or address is counted apart" in text
        assert "Counted each user apart Rule" in text


def test_a_call_that_another_limit_denies_is_not_told_to_be_sent_again():
    tenant = a_customer({"name": "minute"}, {"name": "day", "amount": 0, "title": "Each day"})

    text = text_of(member_of(tenant), a_denial(tenant))

    assert "would fit this limit now, but not “Each day”." in text
    assert "See on the usage page when that limit admits a call again." in text
    assert "Send the request again" not in text


def test_a_limit_that_is_gone_is_said_to_be_no_longer_part_of_the_plan():
    tenant = a_customer({"name": "minute"})

    text = text_of(member_of(tenant), a_denial(tenant, scope="uploads", name="burst"))

    assert "Scope uploads Limit burst" in text
    assert "This limit is not part of the tenant's plan, or is no longer." in text


def test_the_limit_is_shown_as_it_is_now(clock):
    tenant = a_customer({"name": "minute", "scope": "*"})
    ends = clock.now + timedelta(days=1)
    own = {"scope": "*", "name": "minute", "amount": 77, "starts_at": clock.now, "ends_at": ends}
    an_override(tenant, mode="shadow", **own)

    text = text_of(member_of(tenant), a_denial(tenant, scope="*"))

    assert "Scope all scopes together Limit minute" in text
    assert "shadow: counts, never denies override until 28 Oct 2026, 00:00:00" in text
    assert "Amount 77 per minute" in text


def test_a_suspended_tenant_is_told_so_first():
    tenant = a_customer({"name": "minute"}, suspended=True)

    text = text_of(member_of(tenant), a_denial(tenant))

    assert "This tenant is suspended: every call is refused" in text
    assert "would fit now" not in text


def test_in_an_outage_all_but_how_it_stands_is_shown(settings):
    tenant = a_customer({"name": "minute", "title": "Reports a minute"})
    client = member_of(tenant)
    gone = settings.CACHES["quotas"] | {"LOCATION": "redis://127.0.0.1:1/0"}
    settings.CACHES = settings.CACHES | {"quotas": gone}

    text = text_of(client, a_denial(tenant))
    data = decision_data(client, a_denial(tenant)).json()

    assert "Whether it would fit now is not known: the limiter is away." in text
    assert "Limit Reports a minute" in text
    assert (True, "unknown", None) == (data["outage"], data["standing"], data["fits_now"])


@pytest.mark.parametrize(
    ("days", "zone", "asked"),
    [
        (0, "UTC", "span=day"),
        (0.999, "UTC", "span=day"),
        (1, "UTC", "span=custom&from=2026-10-27&to=2026-10-27"),
        (40, "America/New_York", "span=custom&from=2026-10-26&to=2026-10-26"),
    ],
)
def test_it_leads_to_the_usage_at_its_time(clock, days, zone, asked):
    tenant = a_customer({"name": "minute"}, time_zone=zone)
    clock.tick(days * 86_400)

    shown = Reading(decision(member_of(tenant), a_denial(tenant)))

    assert f"/quotas/acme/?{asked}" in [each["href"] for each in shown.all("a")]


def test_the_data_are_those_of_the_page(clock):
    tenant = a_customer({"name": "minute", "amount": 5}, time_zone="Asia/Tokyo", name="Acme")
    client = member_of(tenant)
    client.get("/reports/?cost=5")
    clock.tick(1)
    denial = a_denial(tenant)

    found = decision_data(client, denial).json()

    assert "minute" == found.pop("limit")["name"]
    assert {
        "tenant": {
            "key": "acme",
            "name": "Acme",
            "time_zone": "Asia/Tokyo",
            "suspended": False,
        },
        "read_at": "2026-10-27T09:00:01+09:00",
        "outage": False,
        "denial": {
            "id": short_id(denial),
            "instance": address(denial),
            "at": "2026-10-27T09:00:00+09:00",
            "scope": "reports",
            "name": "minute",
            "title": "minute",
            "operation": "POST api/reports/",
            "cost": 1,
            "retry_after": 60,
            "retry_at": "2026-10-27T09:01:00+09:00",
            "code": "quota_exceeded",
        },
        "standing": "waits",
        "fits_now": False,
        "advice": "Wait until Retry-After is over, then send the request again.",
        "usage": "/quotas/acme/?span=day",
    } == found


def test_looking_stores_nothing_but_the_count_of_reads(
    clock, everything_in_redis, django_assert_max_num_queries
):
    tenant = a_customer({"name": "minute", "amount": 5})
    client = member_of(tenant)
    client.get("/reports/")
    before = everything_in_redis()
    reads = b"{k~"  # the tag of the user's own count

    with django_assert_max_num_queries(20) as captured:
        for _ in range(2):
            decision(client, a_denial(tenant))
            decision_data(client, a_denial(tenant))

    after = everything_in_redis()
    assert before == {key: value for key, value in after.items() if reads not in key}
    assert {"SELECT"} == {each["sql"].split()[0] for each in captured.captured_queries}


def test_a_page_asks_the_limiter_once_and_takes_few_queries(
    clock, redis_url, django_assert_max_num_queries
):
    tenant = a_customer({"name": "minute"})
    client = member_of(tenant)
    decision(client, a_denial(tenant))

    with watching(redis_url) as watched, django_assert_max_num_queries(4):
        decision(client, a_denial(tenant))

    assert 1 == watched.names.count("EVALSHA")


def test_the_reason_of_an_override_is_for_staff():
    tenant = a_customer({"name": "minute"})
    an_override(tenant, scope="reports", name="minute", reason="goodwill")
    denial = a_denial(tenant)

    assert b"goodwill" not in decision(member_of(tenant), denial).content
    assert b"goodwill" not in decision_data(member_of(tenant), denial).content
    assert b"goodwill" in decision_data(staff_who_may("view_tenant"), denial).content
