"""What managers and webhooks are told of an alert, and who is told nothing."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest
from django.core import mail
from django.utils import translation

from quotas.models import AlertSettings
from quotas.services.alert_settings import renew_secret, settings_of
from quotas.services.deliveries import Delivered, deliver
from quotas.services.messages import sentence
from tests.models.rows import a_membership, a_tenant, a_user
from tests.services.alerting import an_alert
from tests.services.counted import START
from tests.services.receiver import by_webhook

pytestmark = pytest.mark.django_db

NOW = START
MINUTE = timedelta(minutes=1)


@pytest.fixture
def tenant(db):
    tenant = a_tenant("acme", name="Acme", time_zone="Asia/Tokyo")
    a_membership(tenant, a_user("ada", email="ada@example.com"), role="manager")
    return tenant


def test_the_managers_are_told_by_email_and_nobody_else(tenant):
    a_membership(tenant, a_user("bob", email="bob@example.com"), role="manager")
    a_membership(tenant, a_user("eve", email="eve@example.com"), role="viewer")
    a_membership(tenant, a_user("old", email="o@example.com", is_active=False), role="manager")
    a_membership(tenant, a_user("mute", email=""), role="manager")
    a_membership(a_tenant("bolt"), a_user("zoe", email="zoe@example.com"), role="manager")
    an_alert(tenant)

    deliver(NOW)

    assert [["ada@example.com"], ["bob@example.com"]] == [each.to for each in mail.outbox]


def test_the_email_says_what_was_reached_and_when(tenant):
    an_alert(tenant, used=4000, amount=5000)

    deliver(NOW)

    (sent,) = mail.outbox
    said = (
        "Acme: the limit “minute” (api/minute) has come to 80 %: calls are denied once all of it "
        "is used."
    )
    assert said == sent.subject == sent.body.splitlines()[0]
    assert "4,000 of 5,000 units were used" in sent.body
    assert "27 Oct 2026, 09:00 to 28 Oct 2026, 09:00 (Asia/Tokyo)" in sent.body
    assert "http" not in sent.body


def test_the_email_and_the_webhook_name_the_limit_by_its_title(tenant, receiver):
    alert = by_webhook(tenant, receiver)
    type(alert).objects.update(title="Calls a minute", email_state="pending")

    assert Delivered(sent=2) == deliver(NOW)

    assert "the limit “Calls a minute” (api/minute) has" in mail.outbox[0].subject
    ((_, _, body),) = receiver.came
    named = json.loads(body)["data"]
    assert ("api", "minute", "Calls a minute") == tuple(
        named[key] for key in ("scope", "name", "title")
    )


@pytest.mark.parametrize(
    ("threshold", "said"),
    [
        ("100", "has come to 100 %: calls that do not fit are denied"),
        ("projected", "will be used up before its period"),
    ],
)
def test_the_email_says_which_threshold_it_is(tenant, threshold, said):
    an_alert(tenant, threshold=threshold, scope="*")

    deliver(NOW)

    (sent,) = mail.outbox
    assert said in sent.subject
    assert "all scopes together" in sent.subject


@pytest.mark.parametrize("scope", ["api", "*"])
@pytest.mark.parametrize("threshold", ["80", "100", "projected"])
def test_the_email_is_of_whole_sentences_in_the_language_of_the_site(tenant, scope, threshold):
    alert = an_alert(tenant, threshold=threshold, scope=scope)

    with translation.override("ja"):
        said = sentence(alert)

    assert said.startswith("Acme")
    assert said.endswith("。")
    assert 1 == said.count("。")


def test_a_name_of_several_lines_makes_no_header_of_its_own(tenant):
    type(tenant).objects.update(name="Acme\r\nBcc: eve@example.com")
    an_alert(tenant)

    assert Delivered(sent=1) == deliver(NOW)
    assert "Acme Bcc: eve@example.com: the limit" in mail.outbox[0].subject
    assert ["ada@example.com"] == mail.outbox[0].recipients()


@pytest.mark.urls("tests.views.urls")
@pytest.mark.parametrize("site", ["https://api.example.com", "https://api.example.com/"])
def test_the_email_has_a_link_where_the_site_says_where_it_is(tenant, settings, site):
    settings.QUOTAS_SITE_URL = site
    an_alert(tenant)

    deliver(NOW)

    assert "https://api.example.com/quotas/acme/alerts/\n" in mail.outbox[0].body


def test_a_site_without_the_pages_sends_no_link(tenant, settings):
    settings.QUOTAS_SITE_URL = "https://api.example.com"
    an_alert(tenant)

    deliver(NOW)

    assert "example.com/quotas" not in mail.outbox[0].body


@pytest.mark.parametrize(("away", "state"), [("no-manager", "nobody"), ("turned-off", "none")])
def test_an_alert_that_nobody_can_or_wants_to_be_told_of_says_which(tenant, away, state):
    alert = an_alert(tenant)
    if away == "no-manager":
        tenant.memberships.update(role="viewer")
    else:
        AlertSettings.objects.create(tenant=tenant, email=False)

    assert Delivered() == deliver(NOW)
    alert.refresh_from_db()
    assert state == alert.email_state
    assert [] == mail.outbox


def test_the_webhook_gets_the_alert_signed(tenant, receiver):
    alert = by_webhook(tenant, receiver)

    assert Delivered(sent=1) == deliver(NOW)

    secret = settings_of(tenant.pk).webhook_secret
    assert [f"msg_{alert.reference.hex}"] == receiver.verified(secret)
    ((_, headers, body),) = receiver.came
    assert "application/json" == headers["Content-Type"]
    assert abs(int(headers["webhook-timestamp"]) - datetime.now(tz=UTC).timestamp()) < 60
    assert {
        "type": "usage.threshold_reached",
        "timestamp": "2026-10-27T00:00:00+00:00",
        "data": {
            "tenant": "acme",
            "scope": "api",
            "name": "minute",
            "title": "minute",
            "threshold": "80",
            "used": 8,
            "amount": 10,
            "period_start": "2026-10-27T09:00:00+09:00",
            "period_end": "2026-10-28T09:00:00+09:00",
            "raised_at": "2026-10-27T09:00:00+09:00",
        },
    } == json.loads(body)


def test_a_renewed_secret_signs_the_next_post(tenant, receiver):
    by_webhook(tenant, receiver)
    before = settings_of(tenant.pk).webhook_secret
    renew_secret(tenant.pk)

    deliver(NOW)

    assert 1 == len(receiver.verified(settings_of(tenant.pk).webhook_secret))
    with pytest.raises(AssertionError):
        receiver.verified(before)


def test_a_webhook_without_a_secret_says_so(tenant, receiver):
    alert = by_webhook(tenant, receiver)
    AlertSettings.objects.update(webhook_secret="")

    assert Delivered(waiting=1) == deliver(NOW)
    alert.refresh_from_db()
    assert "unsigned" == alert.webhook_failure
    assert [] == receiver.came


def test_a_webhook_to_an_address_inside_is_refused(tenant, receiver, settings):
    alert = by_webhook(tenant, receiver)
    settings.QUOTAS_WEBHOOK_ADDRESSES = "public"
    AlertSettings.objects.update(webhook_url=receiver.url.replace("http:", "https:"))

    assert Delivered(waiting=1) == deliver(NOW)
    alert.refresh_from_db()
    assert "inside" == alert.webhook_failure
    assert [] == receiver.came
