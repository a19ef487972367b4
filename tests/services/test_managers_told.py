"""Each manager gets mail of its own: one address that takes none keeps it from no other."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.core import mail
from django.core.mail.backends.base import BaseEmailBackend

from quotas.models import Alert
from quotas.services import managers
from quotas.services.deliveries import CLAIM, Delivered, deliver
from tests.models.rows import a_membership, a_tenant, a_user
from tests.services.alerting import an_alert
from tests.services.counted import HOUR, START
from tests.services.mail_server import serving_mail

pytestmark = pytest.mark.django_db

NOW = START
MINUTE = timedelta(minutes=1)
MALFORMED = [
    "a@b@c",
    "ada@example..com",
    "ada@",
    "@example.com",
    "x@e.com, y@e.org",
    "ada@ex ample.com",
    "ada",
    "ada@example.com\nBcc: all@example.com",
    "ada@-example.com",
    "Ada <ada@example.com>",
]


class Away(BaseEmailBackend):
    tries = 0

    def send_messages(self, messages):
        Away.tries += 1
        raise ConnectionRefusedError("mail is away")


@pytest.fixture
def server(settings):
    with serving_mail(settings) as server:
        yield server


@pytest.fixture
def tenant(db):
    return a_tenant("acme", name="Acme")


def a_manager(tenant, email):
    return a_membership(tenant, a_user(email=email), role="manager").user


def found(alert):
    alert.refresh_from_db()
    return alert.email_state, alert.email_failure


@pytest.mark.parametrize("address", MALFORMED)
def test_a_malformed_address_keeps_mail_from_no_other_manager(tenant, server, address):
    a_manager(tenant, address)
    a_manager(tenant, "bob@example.com")
    alert = an_alert(tenant)

    assert [Delivered(sent=1), Delivered()] == [deliver(NOW), deliver(NOW + HOUR)]

    assert [["bob@example.com"]] == server.took
    assert ("done", "") == found(alert)


@pytest.mark.parametrize("address", MALFORMED)
def test_who_has_a_malformed_address_alone_has_none(tenant, server, address):
    a_manager(tenant, address)
    alert = an_alert(tenant)

    assert Delivered() == deliver(NOW)

    assert ("nobody", "") == found(alert)


@pytest.mark.parametrize("address", ["ada@mailhost", "ada@localhost", "o'neil+q@example.com"])
def test_an_address_within_a_company_is_one(tenant, server, address):
    a_manager(tenant, address)
    an_alert(tenant)

    assert Delivered(sent=1) == deliver(NOW)
    assert [[address]] == server.took


def test_each_manager_gets_a_mail_of_its_own_and_an_address_of_two_gets_one(tenant, server):
    for each in ("ada@example.com", "bob@example.com", "ada@example.com"):
        a_manager(tenant, each)
    an_alert(tenant)

    assert Delivered(sent=1) == deliver(NOW)

    assert [["ada@example.com"], ["bob@example.com"]] == server.took


@pytest.mark.parametrize("how", ["unknown", "cursed"])
def test_who_was_told_is_not_told_again_while_another_is_tried_for_a_day(tenant, server, how):
    a_manager(tenant, "gone@example.com")
    a_manager(tenant, "bob@example.com")
    getattr(server, how).add("gone@example.com")
    alert = an_alert(tenant)

    assert Delivered(waiting=1) == deliver(NOW)
    assert ("pending", "some") == found(alert)
    assert Delivered(waiting=1) == deliver(NOW + MINUTE)
    assert [["bob@example.com"]] == server.took

    getattr(server, how).clear()
    assert Delivered(sent=1) == deliver(NOW + 3 * MINUTE)
    assert [["bob@example.com"], ["gone@example.com"]] == server.took
    assert ("done", "") == found(alert)


def test_alerts_of_which_some_managers_were_told_do_not_wait_for_one_another(tenant, server):
    server.unknown.add("gone@example.com")
    a_manager(tenant, "gone@example.com")
    a_manager(tenant, "bob@example.com")
    for name in ("a", "b", "c"):
        an_alert(tenant, name=name)

    assert Delivered(waiting=3) == deliver(NOW)
    assert [["bob@example.com"]] * 3 == server.took


def test_a_reason_is_kept_when_it_is_given_up_for_one_of_them(tenant, server):
    server.unknown.add("gone@example.com")
    a_manager(tenant, "bob@example.com")
    a_manager(tenant, "gone@example.com")
    alert = an_alert(tenant, email_attempts=10)

    assert Delivered(given_up=1) == deliver(NOW)

    assert ("failed", "some") == found(alert)
    assert "no such mailbox" in alert.email_detail


def test_a_mail_server_that_is_away_is_waited_for_once_an_alert(tenant, settings):
    settings.EMAIL_BACKEND = f"{__name__}.Away"
    for each in "abc":
        a_manager(tenant, f"{each}@example.com")
    alert = an_alert(tenant)
    Away.tries = 0

    assert Delivered(waiting=1) == deliver(NOW)

    assert 1 == Away.tries
    assert ("pending", "other") == found(alert)


def test_who_was_told_before_does_not_make_a_mail_server_that_is_away_be_asked_again(
    tenant, settings
):
    settings.EMAIL_BACKEND = f"{__name__}.Away"
    told = a_manager(tenant, "a@example.com")
    a_manager(tenant, "b@example.com")
    for name in ("minute", "hour", "day"):
        an_alert(tenant, name=name, email_told=[str(told.pk)])
    Away.tries = 0

    deliver(NOW)

    assert 1 == Away.tries


def test_a_worker_that_was_overtaken_tells_nobody_more(tenant, monkeypatch):
    for each in "abc":
        a_manager(tenant, f"{each}@example.com")
    alert = an_alert(tenant)
    usual = managers.send_mail

    def overtaken(*args):
        with monkeypatch.context() as patched:
            patched.setattr(managers, "send_mail", usual)
            deliver(NOW + CLAIM)
        return usual(*args)

    monkeypatch.setattr(managers, "send_mail", overtaken)
    deliver(NOW)

    assert ["a", "b", "c", "a"] == [each.to[0][0] for each in mail.outbox]
    assert ("done", "") == found(alert)


def test_who_was_told_is_kept_by_number_and_by_no_address(tenant):
    ada = a_manager(tenant, "ada@example.com")
    an_alert(tenant)

    deliver(NOW)

    assert [str(ada.pk)] == Alert.objects.get().email_told
