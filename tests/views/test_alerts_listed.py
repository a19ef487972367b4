"""The latest alerts on their page, and how far the telling of each has come."""

from __future__ import annotations

import pytest
from django.utils import translation

from quotas.models import AlertSettings
from quotas.services.alert_settings import alerts_data
from quotas.services.deliveries import deliver
from tests.models.rows import a_limit, a_membership, a_user
from tests.services.alerting import an_alert
from tests.services.counted import HOUR, START
from tests.views.looking import Reading, a_customer, browser, member_of

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.views.urls")]


@pytest.fixture
def tenant():
    return a_customer({"name": "minute"})


@pytest.fixture
def manager(tenant):
    user = a_user()
    a_membership(tenant, user, role="manager")
    return browser(user)


def look(client):
    return client.get("/quotas/acme/alerts/")


def test_the_latest_fifty_alerts_are_shown_with_how_they_were_told(tenant, manager):
    for number in range(60):
        an_alert(tenant, name=f"n{number}", raised_at=START + number * HOUR)
    an_alert(
        tenant,
        title="Calls a minute",
        threshold="projected",
        used=800,
        amount=1000,
        raised_at=START + 99 * HOUR,
        email_state="done",
        webhook_state="failed",
        webhook_attempts=11,
        webhook_failure="status",
        webhook_detail="500",
    )

    shown = Reading(look(manager))

    assert "Calls a minute api/minute will be used up at this pace 800 of 1,000" in shown.text
    assert "sent given up (11 tries) The answer was not a success. 500" in shown.text
    assert ("n59 " in shown.text, "n10 " in shown.text) == (True, False)
    assert 50 == len(alerts_data(tenant.pk))


def test_the_json_twin_has_the_same_alerts(tenant):
    tenant.time_zone = "Asia/Tokyo"
    tenant.save()
    an_alert(tenant, used=800, amount=1000, email_attempts=1)

    assert [
        {
            "tenant": "acme",
            "scope": "api",
            "name": "minute",
            "title": "minute",
            "threshold": "80",
            "used": 800,
            "amount": 1000,
            "period_start": "2026-10-27T09:00:00+09:00",
            "period_end": "2026-10-28T09:00:00+09:00",
            "raised_at": "2026-10-27T09:00:00+09:00",
            "email": {"state": "pending", "attempts": 1},
            "webhook": {"state": "none", "attempts": 0},
        }
    ] == alerts_data(tenant.pk)


def test_the_page_says_when_no_manager_has_an_address(tenant, manager):
    an_alert(tenant)
    deliver(START)
    hint = "No manager of this tenant has an e-mail address"

    shown = Reading(look(manager))
    assert "no address" in shown.text
    assert hint in shown.text
    (box,) = [each for each in shown.all("input") if each.get("name") == "email"]
    assert "email-help" == box["aria-describedby"]

    a_membership(tenant, a_user(email="ada@example.com"), role="manager")
    assert hint not in Reading(look(manager)).text


def test_the_page_before_the_first_alert_says_when_there_will_be_one(tenant, manager):
    assert "No alert was raised yet." in Reading(look(manager)).text


def test_a_page_with_many_alerts_and_limits_asks_few_questions(
    tenant, manager, django_assert_max_num_queries
):
    for number in range(20):
        a_limit(tenant.plan, scope="reports", name=f"n{number}")
        an_alert(tenant, name=f"n{number}")

    look(manager)  # plans are remembered for a while

    with django_assert_max_num_queries(12):
        look(manager)


def test_looking_changes_nothing(tenant, manager, everything_in_redis):
    before = everything_in_redis()

    look(manager)

    assert before == everything_in_redis()
    assert not AlertSettings.objects.exists()


def test_a_page_is_sent_to_a_webhook_that_was_chosen_on_it(tenant, manager, settings):
    settings.QUOTAS_WEBHOOK_ADDRESSES = "any"
    an_alert(tenant, email_state="none", webhook_state="pending")
    form = {"do": "settings", "webhook_url": "http://127.0.0.1:1/"}
    assert 302 == manager.post("/quotas/acme/alerts/", form).status_code

    assert 1 == deliver(START).waiting

    assert "There was no answer." in Reading(look(manager)).text
    assert "There was no answer." not in Reading(look(member_of(tenant))).text


def test_a_failure_is_read_in_the_readers_language_whatever_the_workers(tenant, manager, settings):
    settings.QUOTAS_WEBHOOK_ADDRESSES = "any"
    an_alert(tenant, email_state="none", webhook_state="pending")
    form = {"do": "settings", "webhook_url": "http://127.0.0.1:1/"}
    manager.post("/quotas/acme/alerts/", form)
    with translation.override("ja"):
        deliver(START)

    english = look(manager)
    with translation.override("ja"):
        japanese = Reading(look(manager)).text

    assert "There was no answer." in Reading(english).text
    assert "応答がありませんでした。" in japanese
