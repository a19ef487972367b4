"""Tenants are told in turn: many alerts of one keep another waiting for one of them at most."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.core import mail

from quotas.models import AlertSettings
from quotas.services.deliveries import Delivered, deliver
from tests.models.rows import a_membership, a_tenant, a_user
from tests.services.alerting import an_alert
from tests.services.counted import START
from tests.services.receiver import by_webhook

pytestmark = pytest.mark.django_db

NOW = START


def a_told_tenant(key):
    tenant = a_tenant(key, name=key)
    a_membership(tenant, a_user(email=f"{key}@example.com"), role="manager")
    return tenant


def told():
    """Who was mailed, in order."""
    return [each.to[0].partition("@")[0] for each in mail.outbox]


def test_each_tenant_is_told_of_one_alert_before_any_is_told_of_its_next():
    busy, calm, late = (a_told_tenant(key) for key in ("busy", "calm", "late"))
    for number in range(5):
        an_alert(busy, name=f"limit-{number}")
    for number in range(2):
        an_alert(calm, name=f"limit-{number}")
    an_alert(late)

    assert Delivered(sent=8) == deliver(NOW)

    assert ["busy", "calm", "late", "busy", "calm", "busy", "busy", "busy"] == told()


def test_a_receiver_that_takes_its_time_is_waited_for_once_before_another_tenants(receiver):
    slow, other = a_tenant("slow"), a_tenant("other")
    for number in range(8):
        by_webhook(slow, receiver, name=f"limit-{number}")
    by_webhook(other, receiver)
    AlertSettings.objects.filter(tenant=other).update(webhook_url=f"{receiver.url}/other")

    assert Delivered(sent=9) == deliver(NOW)

    assert ["/hook", "/hook/other", "/hook"] == [path for path, _, _ in receiver.came[:3]]


def test_the_alerts_of_one_tenant_are_told_the_oldest_first():
    tenant = a_told_tenant("acme")
    for number in range(4):
        an_alert(tenant, name=f"limit-{number}")

    deliver(NOW)

    assert [f"limit-{number}" for number in range(4)] == [
        each.subject.partition("“")[2].partition("”")[0] for each in mail.outbox
    ]


def test_webhooks_do_not_wait_until_all_mail_is_sent(receiver):
    busy, other = a_told_tenant("busy"), a_tenant("other")
    for number in range(5):
        an_alert(busy, name=f"limit-{number}")
    by_webhook(other, receiver)
    seen = []

    deliver(NOW, after_each=lambda: seen.append((len(mail.outbox), len(receiver.came))))

    assert [(1, 0), (1, 1), (2, 1)] == seen[:3]


def test_many_alerts_are_each_found_by_one_question(django_assert_max_num_queries):
    for number in range(20):
        an_alert(a_tenant(), name=f"limit-{number}", email_claimed_until=NOW + timedelta(hours=1))

    with django_assert_max_num_queries(2):
        assert Delivered() == deliver(NOW)
