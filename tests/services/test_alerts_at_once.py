"""However many workers flush or send at once, each alert is raised once and told once."""

from __future__ import annotations

import pytest
from django.core import mail

from quotas.models import Alert
from quotas.services import alerts as raising
from quotas.services.deliveries import Delivered, deliver
from quotas.services.flush import flush
from tests.models.rows import a_limit, a_membership, a_plan, a_tenant, a_user
from tests.services.alerting import alerts, an_hour, hearing
from tests.services.asking import ask, of_tenant
from tests.services.company import in_threads

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clock")]


@pytest.fixture
def tenants(transactional_db):
    plan = a_plan("pro", is_default=True)
    a_limit(plan, amount=100)
    made = [a_tenant() for _ in range(5)]
    for each in made:
        ask(of_tenant(each))
        an_hour(each, minute=(100, 100))
        email = f"{each.key}@example.com"
        a_membership(each, a_user(each.key, email=email), role="manager")
    return made


def test_two_threads_that_flush_at_once_raise_each_alert_once(tenants):
    with hearing() as heard:
        for _ in range(3):
            in_threads(flush, flush)

    assert 10 == Alert.objects.count() == len({each.pk for each in heard}) == len(heard)


def test_two_processes_that_flush_at_once_raise_each_alert_once(tenants, neighbour):
    with hearing() as heard:
        in_threads(flush, neighbour.flush)

    assert 10 == Alert.objects.count()
    assert len(heard) == len({each.pk for each in heard}) <= 10


def test_of_two_that_found_the_same_only_the_first_to_write_tells_of_it(tenants, monkeypatch):
    kept, inner = raising._kept, []

    def overtaken(new):
        if not inner:
            inner.append(new)
            with hearing() as heard:
                flush()
            assert 10 == len(heard)
        return kept(new)

    monkeypatch.setattr(raising, "_kept", overtaken)
    with hearing() as heard:
        flush()

    assert [10] == [len(new) for new in inner]
    assert [] == [each for each in heard if each.reference in {new.reference for new in inner[0]}]
    assert 10 == len(alerts())


def test_workers_that_send_at_once_send_each_alert_once(tenants):
    flush()

    done = in_threads(*[deliver] * 4)

    assert Delivered(sent=5) == sum(done, Delivered())
    assert 5 == len(mail.outbox)
    told = Alert.objects.filter(threshold="100").values_list("email_state", "email_attempts")
    assert {("done", 1)} == set(told)


def test_workers_that_flush_and_send_at_once_send_each_alert_once(tenants):
    def work():
        flush()
        return deliver()

    in_threads(*[work] * 3)
    deliver()

    assert (10, 5) == (Alert.objects.count(), len(mail.outbox))
