"""Copying comes first: a database that takes no alerts takes the numbers all the same."""

from __future__ import annotations

import pytest
from django.db import DatabaseError

from quotas.services import alerts as raising
from quotas.services import flush as flushing
from quotas.services.flush import flush
from tests.models.rows import a_limit, a_plan, a_tenant
from tests.services.alerting import alerts, an_hour, hearing
from tests.services.asking import ask, of_tenant
from tests.services.company import refusing_alerts
from tests.services.counted import HOUR, admitted, hours_of

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clock")]


@pytest.fixture
def tenants(transactional_db):
    a_limit(a_plan("pro", is_default=True), amount=100)
    made = [a_tenant() for _ in range(3)]
    for each in made:
        ask(of_tenant(each))
        an_hour(each, minute=(85, 100))
    return made


def test_every_page_is_copied_where_no_alert_can_be_raised_and_the_log_says_so_once(
    tenants, monkeypatch, caplog
):
    monkeypatch.setattr(flushing, "PAGE", 1)

    with refusing_alerts():
        done = flush()

    assert (3, 3, 0, 3) == (done.tenants, done.quarters, done.refused, done.unalerted)
    assert [1, 1, 1] == [admitted(each) for each in tenants]
    (said,) = [each for each in caplog.messages if "No alerts are raised" in each]
    assert "migrations" in said


def test_the_next_run_raises_what_could_not_be_raised(tenants):
    with refusing_alerts():
        flush()

    with hearing() as heard:
        assert 0 == flush().unalerted

    assert [("minute", "80", 85, 100)] * 3 == alerts()
    assert 3 == len(heard)


def test_hours_that_are_to_raise_alerts_stay_in_redis_until_they_are_no_news(tenants, clock):
    clock.tick(20 * HOUR)
    with refusing_alerts():
        flush()
    assert [2, 2, 2] == [len(hours_of(each)) for each in tenants]

    clock.tick(4 * HOUR)
    with refusing_alerts():
        flush()

    assert [0, 0, 0] == [len(hours_of(each)) for each in tenants]


def test_hours_that_have_raised_their_alerts_are_let_go_of(tenants, clock):
    clock.tick(20 * HOUR)

    flush()

    assert [("minute", "80", 85, 100)] * 3 == alerts()
    assert [0, 0, 0] == [len(hours_of(each)) for each in tenants]


def test_what_was_kept_before_the_error_is_told(tenants, monkeypatch):
    monkeypatch.setattr(raising, "BATCH", 1)
    kept, calls = raising._kept, []

    def failing(new):
        calls.append(new)
        if len(calls) > 1:
            raise DatabaseError("gone")
        return kept(new)

    monkeypatch.setattr(raising, "_kept", failing)
    with hearing() as heard:
        flush()

    assert 1 == len(alerts()) == len(heard)
