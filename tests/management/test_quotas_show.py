from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from quotas.models import Tenant
from quotas.services.caps import set_cap
from quotas.services.enforcement import Ask, Caller, enforce
from quotas.testing import forget, frozen_clock
from tests import START_US
from tests.models.rows import a_limit, a_membership, a_plan, a_tenant, a_user, an_override

pytestmark = pytest.mark.django_db

FAR = datetime(2126, 1, 1, tzinfo=UTC)


@pytest.fixture
def clock():
    with frozen_clock(START_US) as given:
        yield given


@pytest.fixture
def acme():
    """Berlin's tenant with a bucket, a quota and limits that count others apart."""
    plan = a_plan("free", name="Free")
    bucket = {"algorithm": "token_bucket", "amount": 100, "capacity": 20}
    a_limit(plan=plan, scope="reports", name="minute", **bucket)
    month = {"algorithm": "calendar_quota", "unit": "month", "period": None, "amount": 50_000}
    a_limit(plan=plan, scope="reports", name="month", **month)
    a_limit(plan=plan, scope="exports", name="each", subject="user", amount=3, mode="shadow")
    return a_tenant("acme", name="Acme Kites", plan=plan, time_zone="Europe/Berlin")


def spend(tenant, cost=1, scope="reports", user_pk=None):
    caller = Caller(address="192.0.2.1", user_pk=user_pk, resolve=lambda: tenant.pk)
    return enforce(caller, [Ask(scope=scope, cost=cost)]).decision


def show(*words, **options):
    """(lines of output, lines of complaint)."""
    out, err = StringIO(), StringIO()
    call_command("quotas_show", *words, stdout=out, stderr=err, **options)
    return out.getvalue().splitlines(), err.getvalue().splitlines()


def shown_json(*words, **options):
    return json.loads("\n".join(show(*words, json=True, **options)[0]))


def test_it_shows_what_applies_where_it_came_from_and_what_is_used(clock, acme):
    spend(acme, 15)
    spend(acme, 5)

    lines, complaints = show("acme")

    promise = "any 2 seconds at most 23, any minute at most 120"
    assert [
        "Acme Kites (acme), plan Free (free), read at 2026-10-27 01:00:00 CET",
        "",
        "scope     limit                   used       of     left   next call   state",
        "reports   minute   ████████████     20       20        0   in 1 s      denying",
        f"    token_bucket, amount 100, period minute, capacity 20: {promise}",
        "    counts the tenant; from plan Free",
        "reports   month    ▏                20   50,000   49,980   now         ok",
        "    calendar_quota, amount 50,000, unit month: 50,000 in each civil month",
        "    counts the tenant; from plan Free",
        "exports   each                       -        -        -   -           -",
        "    fixed_window, amount 3, period minute: 3 in each minute, up to 6 around an edge",
        "    counts each user; from plan Free; shadow: never denies",
    ] == lines
    assert [] == complaints


def test_a_cap_is_told_with_what_it_lowered(clock, acme):
    an_override(acme, scope="exports", name="all", amount=None, starts_at=clock.now)
    set_cap(acme.pk, "reports", "month", 3_000)
    set_cap(acme.pk, "exports", "all", 7)
    forget()

    lines, _complaints = show("acme")

    assert "    calendar_quota, amount 3,000, unit month: 3,000 in each civil month" in lines
    assert "    capped by the tenant at 3,000; plan: 50,000" in lines
    assert "    capped by the tenant at 7; override: unlimited" in lines
    assert 2 == sum("capped" in line for line in lines)
    found = {each["name"]: (each["cap"], each["uncapped"]) for each in shown_json("acme")["limits"]}
    assert {"minute": (None, None), "month": (3_000, 50_000), "all": (7, None)} == found


def test_an_override_tells_its_reason_and_its_end(clock, acme):
    since = {"scope": "reports", "starts_at": clock.now - timedelta(days=1)}
    relaunch = an_override(acme, name="minute", reason="relaunch", ends_at=FAR, amount=77, **since)
    off = an_override(acme, name="month", reason="goodwill", mode="off", **since)

    text = "\n".join(show("acme")[0])

    assert f'from override {relaunch.pk} "relaunch", until 2126-01-01 01:00:00 CET' in text
    assert "fixed_window, amount 77, period minute" in text
    assert f'reports month is off, by override {off.pk} "goodwill", for good' in text


def test_a_scope_narrows_it_to_that_scope_and_to_every_scope(clock, acme):
    a_limit(plan=acme.plan, scope="*", name="day", amount=9)

    names = [each["name"] for each in shown_json("acme", "exports")["limits"]]
    apart = [each["name"] for each in shown_json("acme", "exports")["counted_apart"]]

    assert ["day"] == names
    assert ["each"] == apart


def test_a_scope_outside_the_plan_is_told_with_those_inside(acme):
    lines, [complaint] = show("acme", "imports")

    assert "No limit applies." == lines[-1]
    assert complaint == (
        "Neither scope imports nor * has a row in plan free: its requests are answered "
        "403 not_in_plan. Scopes that have: exports, reports."
    )


def test_a_user_adds_the_numbers_of_that_user(clock, acme):
    ada = a_user("ada")
    a_membership(tenant=acme, user=ada)
    spend(acme, 2, "exports", user_pk=ada.pk)

    [each] = [line for line in shown_json("acme", user="ada")["limits"] if line["name"] == "each"]

    assert (2, 1, "shadow") == (each["used"], each["remaining"], each["mode"])
    with pytest.raises(CommandError, match="no user eve"):
        show("acme", user="eve")


def test_json_is_what_the_usage_page_has_with_reasons(clock, acme):
    an_override(acme, name="own", reason="relaunch", starts_at=clock.now - timedelta(days=1))
    spend(acme, 4)

    found = shown_json("acme")

    since = Tenant.objects.get().plan_since
    assert ("free", "Free") == (found["plan"]["key"], found["plan"]["name"])
    assert since == datetime.fromisoformat(found["plan"]["since"])
    assert "2026-10-27T01:00:00+01:00" == found["read_at"]
    assert 4 == found["limits"][0]["used"]
    assert "relaunch" == found["overrides"][0]["source"]["title"]


@pytest.mark.parametrize(
    ("key", "near"),
    [
        pytest.param("acm", "acme", id="a-part"),
        pytest.param("ACME", "acme", id="another-case"),
        pytest.param("amce", "acme", id="a-slip"),
        pytest.param("kites", "acme", id="its-name"),
        pytest.param("東京", "東京支店", id="japanese"),
    ],
)
def test_an_unknown_tenant_is_named_with_those_near(acme, key, near):
    a_tenant("東京支店")

    with pytest.raises(CommandError) as caught:
        show(key)

    assert f"There is no tenant {key}. Did you mean: {near}?" == str(caught.value)


def test_an_unknown_tenant_near_no_other_says_where_they_are_made(acme):
    with pytest.raises(CommandError, match=r"no tenant zzz\. Tenants are made in the admin\."):
        show("zzz")
    with pytest.raises(CommandError, match=r"no tenant z\\x1b\[0m"):
        show("z\x1b[0m")


def test_what_others_wrote_steers_no_terminal(clock, acme):
    acme.name = "Acme\x1b[2J"
    acme.save()
    since = clock.now - timedelta(days=1)
    an_override(acme, scope="reports", name="minute", reason="so\nwhat", starts_at=since)

    text = "\n".join(show("acme")[0])

    assert "\x1b" not in text
    assert '"so\\nwhat"' in text


def test_looking_consumes_nothing(clock, acme):
    spend(acme, 15)

    for _ in range(3):
        show("acme")

    assert 20 - 15 - 1 == spend(acme).verdicts[0].remaining


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        pytest.param({"amount": 0}, "0    0      0   never       denying", id="zero"),
        pytest.param({"amount": None}, "1   unlimited      -   now         unlimited", id="blank"),
        pytest.param(
            {"algorithm": "concurrency", "amount": 1, "period": timedelta(minutes=90)},
            "1    1      0   within 1 h 30 min   denying",
            id="in-flight",
        ),
        pytest.param(
            {"amount": 1, "period": timedelta(days=1000)},
            "1    1      0   in 247 d    denying",
            id="days",
        ),
    ],
)
def test_rules_of_their_own_kind_have_words_of_their_own(clock, columns, words):
    tenant = a_tenant(plan=a_plan())
    a_limit(plan=tenant.plan, scope="reports", **columns)
    spend(tenant)

    assert words in show(tenant.key)[0][3]


def test_a_suspended_tenant_and_one_without_a_plan_are_told(acme):
    acme.suspended, acme.plan = True, None
    acme.save()

    lines, _ = show("acme")

    assert "Acme Kites (acme), no plan, read at" in lines[0]
    assert "Suspended: every request is answered 403 tenant_suspended." == lines[1]
    assert "No limit applies." == lines[-1]


def test_in_an_outage_the_limits_are_shown_without_usage(private_server, acme, caplog):
    private_server.stop()

    lines, complaints = show("acme")

    assert ["Redis cannot be reached: limits are shown without usage."] == complaints
    assert lines[0].endswith("by this machine's clock")
    assert "reports minute - 20 - - unknown" == " ".join(lines[3].split())
    assert shown_json("acme")["outage"] is True
