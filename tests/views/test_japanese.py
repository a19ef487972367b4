"""The pages for a browser that asks for Japanese: nothing on them is left in English."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.conf import settings as django_settings
from django.utils import translation

from tests.models.rows import a_limit, a_membership, a_user, an_override
from tests.services.alerting import an_alert
from tests.services.counted import START
from tests.views.denying import a_denial, decision
from tests.views.looking import Reading, a_customer, browser, data, page, staff_who_may

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.views.urls")]

SPOKEN = ("aria-label", "title", "placeholder", "alt", "data-failed", "data-ended", "data-pause")
WORD = re.compile(r"[A-Za-z][A-Za-z’'-]+")
SHORT_ID = re.compile(r"\b[a-z2-7]{4}-[a-z2-7]{4}\b")
NAMES = {"Retry-After", "UTC", "JSON", "CSV", "Webhook", "Standard", "Webhooks", "IP"}
OURS = {"acme", "Acme", "ada", "Asia", "Tokyo", "Team", "api", "reports", "exports", "POST", "GET"}
OURS |= {"minute", "month", "busy", "door", "own", "trial", "staff", "time"}
TRIAL = {"reason": "trial", "starts_at": START, "ends_at": START + timedelta(days=9)}
MONTH = {"algorithm": "calendar_quota", "unit": "month", "period": None}


@pytest.fixture(autouse=True)
def languages(settings):
    middleware = list(django_settings.MIDDLEWARE)
    middleware.insert(1, "django.middleware.locale.LocaleMiddleware")
    settings.MIDDLEWARE = middleware
    with translation.override("en"):  # what the middleware activates outlives the request
        yield


@pytest.fixture
def tenant(clock):
    """A tenant with something in every part of its page."""
    tenant = a_customer(
        {"name": "minute", "amount": 3},
        {"name": "month", **MONTH, "amount": 100},
        {"name": "busy", "algorithm": "concurrency", "amount": 2},
        {"name": "door", "subject": "address", "algorithm": "token_bucket"},
        {"name": "shade", "title": "影", "mode": "shadow", "amount": 2},
        name="Acme",
        time_zone="Asia/Tokyo",
    )
    type(tenant.plan).objects.update(name="Team")
    a_limit(tenant.plan, scope="*", name="month", **MONTH, amount=1000)
    an_override(tenant, scope="reports", name="own", algorithm="leaky_bucket", **TRIAL)
    an_override(tenant, scope="exports", name="own", mode="off", reason="trial", starts_at=START)
    an_alert(tenant, name="minute", email_attempts=3)
    return tenant


@pytest.fixture
def client(tenant):
    """The browser of a manager who made calls, some of them denied."""
    user = a_user("ada", email="ada@example.com")
    a_membership(tenant, user, role="manager")
    client = browser(user)
    for _ in range(6):
        client.get("/reports/")
    client.defaults["HTTP_ACCEPT_LANGUAGE"] = "ja,en;q=0.5"
    return client


def in_english(shown):
    """Words that a reader meets, in the text or in attributes, and that are no names."""
    spoken = [each[name] for _, each in shown.elements for name in SPOKEN if each.get(name)]
    spoken += [text for text in shown.words if not text.isspace()]
    said = SHORT_ID.sub("", " ".join(spoken))
    return set(WORD.findall(said)) - NAMES - OURS


@pytest.mark.parametrize("span", ["hour", "day", "week", "period"])
def test_a_usage_page_is_japanese_in_all_its_parts(tenant, client, span):
    shown = Reading(page(client, tenant, span=span))

    assert "ja" == shown.all("html")[0]["lang"]
    assert set() == in_english(shown)
    for part in ("最近の拒否", "呼び出し元", "制限の埋まり具合", "現在の期間", "有効な上書き"):
        assert part in shown.text


@pytest.mark.parametrize(
    "asked",
    [
        pytest.param({"span": "custom"}, id="no-beginning"),
        pytest.param({"from": "2126-01-01"}, id="to-come"),
        pytest.param({"from": "2020-01-01"}, id="too-long"),
        pytest.param({"from": "2026-10-26", "zone": "utc", "scope": "exports"}, id="nothing"),
    ],
)
def test_what_is_wrong_with_a_range_is_said_in_japanese(tenant, client, asked):
    shown = Reading(page(client, tenant, **asked))

    assert {"from"} >= in_english(shown)


def test_an_outage_is_told_in_japanese(tenant, client, settings):
    settings.CACHES = {
        **settings.CACHES,
        "quotas": {**settings.CACHES["quotas"], "LOCATION": "redis://127.0.0.1:1/0"},
    }

    shown = Reading(page(client, tenant))

    assert "リミッターに接続できません" in shown.text
    assert set() == in_english(shown)


def test_the_page_of_alerts_is_japanese_with_what_went_wrong(tenant, client):
    address = "/quotas/acme/alerts/"
    a_cap = {"do": "cap", "scope": "reports", "name": "month", "amount": "1000"}
    a_hook = {"do": "settings", "webhook_url": "http://a:b@127.0.0.1/"}

    for shown in (
        client.get(address, {"done": "cap"}),
        client.post(address, a_cap),
        client.post(address, a_hook),
    ):
        assert {"https"} >= in_english(Reading(shown))


def test_the_page_of_a_denial_is_japanese(tenant, client):
    shown = Reading(decision(client, a_denial(tenant)))

    assert "ja" == shown.all("html")[0]["lang"]
    assert set() == in_english(shown)


def test_the_list_of_tenants_is_japanese(tenant):
    chief = staff_who_may("view_tenant")
    chief.defaults["HTTP_ACCEPT_LANGUAGE"] = "ja"

    for path in ("/quotas/", "/quotas/?q=trial", "/quotas/time/"):
        assert set() == in_english(Reading(chief.get(path)))


def test_json_has_the_same_names_and_japanese_sentences(tenant, client):
    limits = data(client, tenant).json()["limits"]

    sentences = {each["name"]: each["guarantee"] for each in limits}
    assert "1分ごとに3、区切りの前後では最大6" == sentences["minute"]
    assert {"limits", "tenant", "history"} <= data(client, tenant).json().keys()


def test_a_browser_that_asks_for_english_gets_english(tenant, client):
    client.defaults["HTTP_ACCEPT_LANGUAGE"] = "en"

    assert "Recent denials" in Reading(page(client, tenant)).text
