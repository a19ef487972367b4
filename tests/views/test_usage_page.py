from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from quotas.models import Plan, Tenant
from quotas.services.caps import set_cap
from quotas.services.enforcement import Ask, Caller, enforce
from quotas.testing import forget
from tests.models.rows import a_limit, a_plan, an_override
from tests.views.looking import Reading, a_customer, data, member_of, page, staff_who_may

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.views.urls")]

HOUR = timedelta(hours=1)


def test_each_limit_tells_its_name_scope_subject_rule_and_numbers(clock):
    tenant = a_customer(
        {
            "name": "minute",
            "title": "Reports a minute",
            "algorithm": "token_bucket",
            "amount": 100,
            "capacity": 20,
        },
        {"name": "each", "subject": "user", "amount": 5},
        {"name": "day", "scope": "*", "amount": 1000},
    )
    client = member_of(tenant)
    client.get("/reports/?cost=3")

    text = Reading(page(client, tenant)).text

    assert "Reports a minute OK reports 3 of 20 used 17 remaining" in text
    assert "Amount 100 per minute, up to 20 at once Next call now" in text
    assert "Counted the whole tenant together" in text
    assert "Rule Token bucket: any 2 seconds at most 23, any minute at most 120." in text
    assert "each user apart; these are your own numbers" in text
    assert "day OK all scopes together 3 of 1,000 used 997 remaining" in text


@pytest.mark.parametrize(
    ("cost", "words", "state"),
    [
        pytest.param(7, "OK", "ok", id="ok"),
        pytest.param(8, "near the limit", "near", id="near-from-80-percent"),
        pytest.param(9, "near the limit", "near", id="near"),
        pytest.param(10, "denying now", "denying", id="denying"),
    ],
)
def test_a_state_is_told_in_words(clock, cost, words, state):
    tenant = a_customer({"name": "hour", "period": HOUR, "amount": 10})
    client = member_of(tenant)
    client.get(f"/reports/?cost={cost}")

    assert f"hour {words} reports {cost} of 10 used" in Reading(page(client, tenant)).text
    assert state == data(client, tenant).json()["limits"][0]["state"]


@pytest.mark.parametrize(
    ("warn_at", "state", "high"),
    [
        pytest.param([50, 100], "near", "4", id="the-first-threshold"),
        pytest.param([60], "ok", "5", id="not-yet"),
        pytest.param([], "ok", "10", id="no-threshold"),
    ],
)
def test_near_is_from_the_first_threshold_of_the_limit_on(clock, warn_at, state, high):
    tenant = a_customer({"name": "hour", "period": HOUR, "amount": 10, "warn_at": warn_at})
    client = member_of(tenant)
    client.get("/reports/?cost=5")

    assert state == data(client, tenant).json()["limits"][0]["state"]
    [meter, *_of_callers] = Reading(page(client, tenant)).all("meter")
    assert high == meter["high"]


def test_a_month_from_another_day_than_the_first_says_so(clock):
    month = {"name": "month", "algorithm": "calendar_quota", "unit": "month", "period": None}
    week = month | {"name": "week", "unit": "week"}
    tenant = a_customer(month, week, anchor_day=15)
    client = member_of(tenant)

    text = Reading(page(client, tenant)).text
    promises = [each["guarantee"] for each in data(client, tenant).json()["limits"]]

    assert "Rule Calendar quota: 10 in each month that begins on day 15." in text
    assert ["10 in each month that begins on day 15", "10 in each civil week"] == promises


def test_a_meter_has_its_number_beside_it_and_a_name(clock):
    tenant = a_customer({"name": "hour", "title": "An hour", "amount": 4000})
    client = member_of(tenant)
    client.get("/reports/?cost=1234")

    shown = page(client, tenant)

    [meter, *_of_callers] = Reading(shown).all("meter")
    assert ("1234", "4000", "3199") == (meter["value"], meter["max"], meter["high"])
    assert b"<strong>1,234 of 4,000 used</strong>" in shown.content
    titles = [each.get("id") for each in Reading(shown).all("h3")]
    assert meter["aria-labelledby"] in titles


def test_no_locale_writes_a_meter_that_no_browser_reads(clock, settings):
    settings.LANGUAGE_CODE, settings.USE_THOUSAND_SEPARATOR = "de", True
    tenant = a_customer({"name": "hour", "amount": 1_000_001})
    client = member_of(tenant)
    client.get("/reports/?cost=1234")

    shown = Reading(page(client, tenant))

    [meter, *_of_callers] = shown.all("meter")
    assert ("1234", "1000001", "800000") == (meter["value"], meter["max"], meter["high"])
    assert "1.234 of 1.000.001 used" in shown.text


def test_times_are_those_of_the_tenant(clock):
    clock.move_to(1_793_059_200_000_000)  # midnight in UTC, nine in the morning in Tokyo
    tenant = a_customer(
        {"name": "month", "algorithm": "calendar_quota", "unit": "month", "period": None},
        time_zone="Asia/Tokyo",
    )
    client = member_of(tenant)
    client.get("/reports/?cost=10")

    shown = Reading(page(client, tenant))

    assert "Time zone Asia/Tokyo Alerts Alerts and caps Read at 27 Oct 2026, 09:00:00" in shown.text
    assert "Next call in 4 days 15 hours (1 Nov 2026, 00:00:00)" in shown.text
    times = [each["datetime"] for each in shown.all("time")]
    assert ["2026-10-27T09:00:00+09:00", "2026-11-01T00:00:00+09:00"] == times[1:3]


def test_a_capped_limit_says_to_staff_and_members_whose_cap_it_is(clock):
    tenant = a_customer({"name": "minute", "amount": 10})
    set_cap(tenant.pk, "reports", "minute", 3)
    forget()

    for client in (member_of(tenant), staff_who_may("view_tenant")):
        text = Reading(page(client, tenant)).text
        assert "minute OK reports capped by the tenant 0 of 3 used" in text


def test_an_override_is_marked_with_its_end_and_its_reason_is_for_staff(clock):
    tenant = a_customer({"name": "minute"}, {"name": "hour"})
    of_reports = {"scope": "reports", "starts_at": clock.now - HOUR}
    ends = datetime(2126, 1, 1, tzinfo=UTC)
    an_override(tenant, name="minute", amount=77, ends_at=ends, reason="goodwill", **of_reports)
    an_override(tenant, name="hour", mode="off", reason="goodwill, too", **of_reports)

    shown = page(member_of(tenant), tenant)

    text = Reading(shown).text
    assert "minute OK reports override until" in text
    assert "hour OK" not in text
    assert "Overrides in force" in text
    assert "hour reports switched off; for good" in text
    assert b"goodwill" not in shown.content
    assert b"goodwill" not in data(member_of(tenant), tenant).content
    chief = staff_who_may("view_tenant")
    assert "Reason: goodwill" in Reading(page(chief, tenant)).text
    assert b"goodwill, too" in data(chief, tenant).content


def test_a_shadow_limit_is_marked_and_never_said_to_deny(clock):
    tenant = a_customer({"name": "trial", "amount": 1, "mode": "shadow"})
    client = member_of(tenant)
    client.get("/reports/")

    text = Reading(page(client, tenant)).text

    assert "trial would deny now reports shadow: counts, never denies" in text
    assert "No limit denies now." in text


def test_limits_that_count_others_apart_are_listed_without_numbers():
    tenant = a_customer(
        {"name": "each", "subject": "user"},
        {"name": "key", "subject": "credential"},
        {"name": "door", "subject": "address"},
    )

    of_member = page(member_of(tenant), tenant)
    of_staff = page(staff_who_may("view_tenant"), tenant)

    assert ["each"] == [row.limit.name for row in of_member.context["rows"]]
    assert ["key", "door"] == [each.limit.name for each in of_member.context["apart"]]
    assert [] == of_staff.context["rows"]
    assert ["each", "key", "door"] == [each.limit.name for each in of_staff.context["apart"]]
    assert "door reports 10 per minute; each address apart" in Reading(of_staff).text
    assert "No limit counts the tenant as a whole." in Reading(of_staff).text


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        pytest.param(
            {"amount": 0}, "Amount none at all Next call not while the amount is 0", id="0"
        ),
        pytest.param({"amount": None}, "no limit reports 1 used, no limit", id="blank"),
        pytest.param(
            {"algorithm": "leaky_bucket", "amount": 60, "capacity": 5},
            "1 of 5 queued 4 remaining Amount 60 per minute, up to 5 queued "
            "Next call now, to start in 1 second",
            id="leaky-bucket",
        ),
    ],
)
def test_rules_of_their_own_kind_have_words_of_their_own(clock, columns, words):
    tenant = a_customer({"name": "it", **columns})
    client = member_of(tenant)
    client.get("/reports/")

    assert words in Reading(page(client, tenant)).text


def test_a_full_flight_says_when_a_place_is_free_at_the_latest(clock):
    tenant = a_customer({"name": "it", "algorithm": "concurrency", "amount": 1})
    enforce(Caller(address="192.0.2.1", resolve=lambda: tenant.pk), [Ask(scope="reports")])

    text = Reading(page(member_of(tenant), tenant)).text

    assert "1 of 1 in flight 0 remaining Amount 1 at once" in text
    assert "Next call when a call ends, at the latest in 1 minute" in text


def test_a_suspended_tenant_is_told_so():
    tenant = a_customer({"name": "hour"}, suspended=True)

    assert "This tenant is suspended." in Reading(page(member_of(tenant), tenant)).text


def test_without_limits_the_page_says_what_that_means():
    bare = Tenant.objects.create(key="bare", name="Bare", plan=a_plan(name="Empty"))
    planless = Tenant.objects.create(key="planless", name="Planless")

    assert "This plan has no limits." in Reading(page(member_of(bare), bare)).text
    assert "There is no plan yet." in Reading(page(member_of(planless), planless)).text


def test_an_edit_shows_at_the_next_look(django_capture_on_commit_callbacks):
    tenant = a_customer({"name": "hour", "amount": 10})
    client = member_of(tenant)
    page(client, tenant)

    with django_capture_on_commit_callbacks(execute=True):
        tenant.plan.limits.update(amount=25)
        a_limit(plan=tenant.plan, scope="exports", name="new", amount=3)
    text = Reading(page(client, tenant)).text

    assert "0 of 25 used" in text
    assert "new OK exports 0 of 3 used" in text


def test_the_page_says_since_when_the_plan_is_the_tenants(clock):
    tenant = a_customer({"name": "minute"}, time_zone="Asia/Tokyo")
    Plan.objects.update(name="Team")
    Tenant.objects.update(plan_since=datetime(2026, 11, 2, 15, tzinfo=UTC))
    client = member_of(tenant)

    shown = Reading(page(client, tenant))

    assert "Plan Team, since 3 Nov 2026 Time zone" in shown.text
    assert "2026-11-03" == shown.all("time")[0]["datetime"]


def test_of_a_default_plan_that_stands_in_for_a_closed_one_it_is_not_known_since_when(clock):
    tenant = a_customer({"name": "minute"})
    a_plan("free", name="Free", is_default=True)
    Plan.objects.exclude(key="free").update(active=False)

    client = member_of(tenant)

    assert "Plan Free Time zone" in Reading(page(client, tenant)).text
    assert {"key": "free", "name": "Free", "since": None} == data(client, tenant).json()["plan"]
