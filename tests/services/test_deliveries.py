"""Each alert is told once: claimed, sent, marked; tried again when it fails, for a day."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.core import mail
from django.core.mail.backends.base import BaseEmailBackend
from django.db import connection

from quotas.models import Alert
from quotas.services import deliveries
from quotas.services.alert_settings import settings_of
from quotas.services.deliveries import CLAIM, Delivered, deliver
from tests.models.rows import a_membership, a_tenant, a_user
from tests.services.alerting import an_alert
from tests.services.counted import HOUR, START
from tests.services.receiver import by_webhook

pytestmark = pytest.mark.django_db

NOW = START
MINUTE = timedelta(minutes=1)


class Refusing(BaseEmailBackend):
    def send_messages(self, messages):
        raise OSError("mail is\n away")


@pytest.fixture
def tenant(db):
    tenant = a_tenant("acme", name="Acme", time_zone="Asia/Tokyo")
    a_membership(tenant, a_user("ada", email="ada@example.com"), role="manager")
    return tenant


def state(alert, channel="email"):
    """(state, attempts, claimed until, after `NOW`) as they are kept."""
    alert.refresh_from_db()
    until = getattr(alert, f"{channel}_claimed_until")
    return (
        getattr(alert, f"{channel}_state"),
        getattr(alert, f"{channel}_attempts"),
        until and until - NOW,
    )


def test_what_is_sent_is_marked_and_not_sent_again(tenant):
    alert = an_alert(tenant)

    assert [Delivered(sent=1), Delivered()] == [deliver(NOW), deliver(NOW + HOUR)]

    assert 1 == len(mail.outbox)
    assert ("done", 1, None) == state(alert)


def test_what_nobody_wants_is_not_sent(tenant):
    an_alert(tenant, email_state="none")

    assert Delivered() == deliver(NOW)
    assert [] == mail.outbox


def test_a_post_that_is_repeated_has_the_same_id_and_body(tenant, receiver):
    alert = by_webhook(tenant, receiver)
    receiver.answers = [(500, {}, b""), (503, {}, b"")]

    for minutes in (0, 1, 3):
        deliver(NOW + minutes * MINUTE)

    (reference,) = set(receiver.verified(settings_of(tenant.pk).webhook_secret))
    assert f"msg_{alert.reference.hex}" == reference
    assert 1 == len({body for _, _, body in receiver.came})
    assert ("done", 3, None) == state(alert, "webhook")
    assert ("", "") == (alert.webhook_failure, alert.webhook_detail)


def test_email_and_webhook_fail_and_succeed_apart(tenant, receiver, settings):
    settings.EMAIL_BACKEND = f"{__name__}.Refusing"
    alert = by_webhook(tenant, receiver)
    Alert.objects.update(email_state="pending")

    assert Delivered(sent=1, waiting=1) == deliver(NOW)

    assert ("done", 1, None) == state(alert, "webhook")
    assert ("pending", 1, MINUTE) == state(alert)
    assert ("other", "mail is away") == (alert.email_failure, alert.email_detail)


def test_a_failure_is_tried_again_at_waits_that_double_and_given_up_after_a_day(
    tenant, settings, caplog
):
    settings.EMAIL_BACKEND = f"{__name__}.Refusing"
    alert = an_alert(tenant)
    waits, now = [], NOW
    while (done := deliver(now)) == Delivered(waiting=1):
        assert Delivered() == deliver(now + MINUTE / 2)
        alert.refresh_from_db()
        waits.append((alert.email_claimed_until - now) // MINUTE)
        now = alert.email_claimed_until

    assert Delivered(given_up=1) == done
    assert [2**power for power in range(10)] == waits
    assert now - NOW < 24 * HOUR
    assert ("failed", 11, None) == state(alert)
    assert "try 11, the last: mail is away" in caplog.text
    assert Delivered() == deliver(now + 48 * HOUR)


def test_a_receiver_that_fails_is_asked_once_a_run_and_keeps_no_other_tenant_waiting(
    tenant, receiver
):
    other = a_tenant("globex")
    for threshold in ("50", "60", "70"):
        by_webhook(tenant, receiver, threshold=threshold)
    by_webhook(other, receiver)
    receiver.answers = [(500, {}, b"")]

    assert Delivered(sent=1, waiting=1) == deliver(NOW)
    assert 2 == len(receiver.came)
    assert Delivered(sent=2) == deliver(NOW)


def test_an_alert_that_waited_for_two_days_is_tried_all_the_same(tenant):
    an_alert(tenant)

    assert Delivered(sent=1) == deliver(NOW + 48 * HOUR)


def test_what_another_worker_has_claimed_is_left_to_it(tenant):
    an_alert(tenant, email_claimed_until=NOW + MINUTE)

    assert Delivered() == deliver(NOW)
    assert Delivered(sent=1) == deliver(NOW + MINUTE)


def test_of_two_workers_that_found_it_pending_one_claims_it(tenant):
    alert = an_alert(tenant)

    assert [True, False] == [deliveries._claim("email", alert.pk, NOW + CLAIM) for _ in range(2)]


@pytest.mark.parametrize("when", ["before-sending", "after-sending"])
def test_a_worker_that_dies_leaves_a_claim_that_runs_out(tenant, monkeypatch, when):
    alert = an_alert(tenant)

    def crash(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        if when == "before-sending":
            patched.setitem(deliveries.CHANNELS, "email", crash)
        else:
            patched.setattr(deliveries, "_mark", crash)
        with pytest.raises(KeyboardInterrupt):
            deliver(NOW)

    assert ("pending", 1, CLAIM) == state(alert)
    assert Delivered() == deliver(NOW + CLAIM - MINUTE / 60)
    assert Delivered(sent=1) == deliver(NOW + CLAIM)
    assert ("done", 2, None) == state(alert)
    assert 1 == len(mail.outbox)  # who was told is kept beside the mark


def test_an_alert_that_ends_its_worker_at_every_try_is_given_up(tenant, monkeypatch, caplog):
    alert, tries = an_alert(tenant), []

    def crash(_):
        tries.append(1)
        raise KeyboardInterrupt

    monkeypatch.setitem(deliveries.CHANNELS, "email", crash)
    for number in range(11):
        with pytest.raises(KeyboardInterrupt):
            deliver(NOW + number * CLAIM)
    assert Delivered() == deliver(NOW + 10 * CLAIM + MINUTE)

    assert Delivered(given_up=1) == deliver(NOW + 11 * CLAIM)
    assert Delivered() == deliver(NOW + 12 * CLAIM)

    assert (11, ("failed", 11, None)) == (len(tries), state(alert))
    assert "cut_off" == alert.email_failure
    assert "given up: 11 tries cut off" in caplog.text


def test_a_failure_at_the_last_try_gives_up_with_its_own_reason(tenant, settings):
    settings.EMAIL_BACKEND = f"{__name__}.Refusing"
    alert = an_alert(tenant, email_attempts=10)

    assert Delivered(given_up=1) == deliver(NOW)

    assert ("failed", 11, None) == state(alert)
    assert "mail is away" == alert.email_detail


def test_a_worker_that_was_overtaken_marks_nothing(tenant, monkeypatch):
    alert = an_alert(tenant)
    usual = deliveries.CHANNELS["email"]

    def slow(found):
        with monkeypatch.context() as patched:
            patched.setitem(deliveries.CHANNELS, "email", usual)
            assert Delivered(sent=1) == deliver(NOW + CLAIM)
        raise OSError("too late")

    monkeypatch.setitem(deliveries.CHANNELS, "email", slow)
    deliver(NOW)

    assert ("done", 2, None) == state(alert)
    assert ("", "") == (alert.email_failure, alert.email_detail)


def test_an_alert_whose_tenant_is_gone_is_passed_over(tenant, monkeypatch):
    alert, other = an_alert(tenant), an_alert(tenant, name="other")
    claim = deliveries._claim

    def deleting(channel, pk, until):
        claimed = claim(channel, pk, until)
        Alert.objects.filter(pk=alert.pk).delete()
        return claimed

    monkeypatch.setattr(deliveries, "_claim", deleting)

    assert Delivered(sent=1) == deliver(NOW)
    assert "done" == state(other)[0]


def test_a_long_error_is_kept_as_far_as_it_fits(tenant, monkeypatch):
    alert = an_alert(tenant)

    def fail(_):
        raise RuntimeError("x" * 1000)

    monkeypatch.setitem(deliveries.CHANNELS, "email", fail)
    deliver(NOW)

    alert.refresh_from_db()
    assert "x" * 200 == alert.email_detail
    assert connection.is_usable()


def test_what_a_receiver_says_neither_stops_the_others_nor_writes_lines_of_the_log(
    tenant, receiver, caplog
):
    alert = by_webhook(tenant, receiver)
    receiver.writing = lambda wfile: wfile.write(b"\0\x1b[2J\x85mine" + b"x" * 5000 + b"\r\n\r\n")

    assert Delivered(waiting=1) == deliver(NOW)

    alert.refresh_from_db()
    (line,) = caplog.messages
    assert "no_answer" == alert.webhook_failure
    assert alert.webhook_detail.startswith("[2J mine")
    assert alert.webhook_detail.isprintable()
    assert line.isprintable()
    assert len(line) < 400
