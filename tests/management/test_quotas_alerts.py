from __future__ import annotations

import signal
from io import StringIO

import pytest
from django.core import mail
from django.core.mail.backends.base import BaseEmailBackend
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import OperationalError

from quotas.management import looping
from quotas.management.commands import quotas_alerts
from quotas.models import Alert
from tests.models.rows import a_membership, a_tenant, a_user
from tests.services.alerting import an_alert

pytestmark = pytest.mark.django_db(transaction=True)


class Interrupting(BaseEmailBackend):
    """Each message is followed by a signal that ends commands."""

    def send_messages(self, messages):
        mail.outbox += messages
        signal.raise_signal(signal.SIGTERM)
        return len(messages)


@pytest.fixture
def tenant(transactional_db):
    tenant = a_tenant("acme")
    a_membership(tenant, a_user("ada", email="ada@example.com"), role="manager")
    return tenant


@pytest.fixture
def rounds(monkeypatch):
    """What happens between the runs of a loop: one callable each; the last ends the command."""

    def between(*happenings):
        left = list(happenings)

        def pause(seconds):
            assert 7 == seconds
            left.pop(0)() if left else signal.raise_signal(signal.SIGTERM)

        monkeypatch.setattr(looping, "pause", pause)

    return between


def run(**options):
    """The lines of standard output and of standard error."""
    out, err = StringIO(), StringIO()
    call_command("quotas_alerts", stdout=out, stderr=err, **options)
    return out.getvalue().splitlines(), err.getvalue().splitlines()


@pytest.mark.parametrize("verbosity", [0, 1])
def test_it_says_nothing_where_that_is_asked_for(tenant, verbosity):
    assert verbosity == len(run(verbosity=verbosity)[0])


def test_one_line_tells_how_many_were_sent(tenant):
    an_alert(tenant)

    assert (["1 sent, 0 to be tried again, 0 given up"], []) == run()
    assert 1 == len(mail.outbox)


def test_a_loop_goes_on_until_it_is_told_to_end(tenant, rounds):
    an_alert(tenant)
    rounds(lambda: an_alert(tenant, name="hour"))

    lines, errors = run(loop=7)

    assert (2, []) == (len(lines), errors)
    assert 2 == len(mail.outbox)


def test_a_loop_survives_an_outage_of_the_database(tenant, rounds, monkeypatch):
    an_alert(tenant)
    deliver = quotas_alerts.deliver

    def fail(**_):
        raise OperationalError("gone\naway")

    monkeypatch.setattr(quotas_alerts, "deliver", fail)
    rounds(lambda: monkeypatch.setattr(quotas_alerts, "deliver", deliver))

    lines, errors = run(loop=7)

    assert ["1 sent, 0 to be tried again, 0 given up"] == lines
    assert ["The database gave no answer: gone away. What was not sent is sent later."] == errors


def test_a_single_run_during_an_outage_fails_in_one_line(tenant, monkeypatch):
    def fail(**_):
        raise OperationalError("gone\naway")

    monkeypatch.setattr(quotas_alerts, "deliver", fail)

    with pytest.raises(CommandError, match="gone away"):
        run()


def test_an_interrupted_run_marks_what_it_has_sent_before_it_ends(tenant, settings):
    settings.EMAIL_BACKEND = f"{__name__}.Interrupting"
    an_alert(tenant)
    an_alert(tenant, name="hour")

    with pytest.raises(CommandError, match="Ended by SIGTERM") as caught:
        run()

    assert 143 == caught.value.returncode
    assert 1 == len(mail.outbox)
    assert ["done", "pending"] == [each.email_state for each in Alert.objects.order_by("pk")]


@pytest.mark.parametrize("text", ["0", "-1", "soon", "nan", "1e9"])
def test_a_loop_needs_a_number_of_seconds(text):
    with pytest.raises(CommandError, match="--loop"):
        call_command("quotas_alerts", "--loop", text)
