"""A flush raises an alert of each threshold that a limit comes to, once a period."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from quotas.models import AlertSettings, Tenant
from quotas.services import alerts as raising
from quotas.services.flush import flush
from quotas.signals import usage_threshold_reached
from quotas.testing import forget
from tests.models.rows import a_limit, a_plan, a_tenant, an_override
from tests.services.alerting import alerts, an_hour, hearing, periods
from tests.services.asking import ask, of_tenant
from tests.services.counted import DAY, START

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clock")]

TODAY = (START, START + DAY)


@pytest.fixture
def plan(transactional_db):
    plan = a_plan("pro", is_default=True)
    a_limit(plan, amount=100)
    return plan


@pytest.fixture
def tenant(plan):
    tenant = a_tenant("acme")
    ask(of_tenant(tenant))
    return tenant


def test_a_peak_raises_an_alert_of_each_threshold_that_it_came_to(tenant):
    an_hour(tenant, minute=(79, 100))
    flush()
    assert [] == alerts()

    an_hour(tenant, minute=(85, 100))
    flush()
    assert [("minute", "80", 85, 100)] == alerts()

    an_hour(tenant, minute=(100, 100))
    flush()
    assert [("minute", "80", 85, 100), ("minute", "100", 100, 100)] == alerts()


def test_one_alert_a_day_however_many_hours_and_flushes(tenant, clock):
    with hearing() as heard:
        for hour in range(3):
            an_hour(tenant, hours=hour, minute=(85 + hour, 100))
            for _ in range(2):
                flush()
            clock.tick(3600)

    assert [("minute", "80", 85, 100)] == alerts()
    assert [TODAY] == periods(tenant)
    assert ["80"] == [each.threshold for each in heard]


def test_the_next_day_raises_it_anew(tenant, clock):
    an_hour(tenant, minute=(85, 100))
    flush()
    an_hour(tenant, hours=24, minute=(85, 100))
    clock.tick(24 * 3600)
    flush()

    assert [TODAY, (START + DAY, START + 2 * DAY)] == periods(tenant)


def test_the_day_is_that_of_the_tenants_zone(plan):
    tenant = a_tenant("mover", time_zone="Asia/Tokyo")
    ask(of_tenant(tenant))
    an_hour(tenant, minute=(85, 100))

    flush()

    start = datetime(2026, 10, 26, 15, tzinfo=UTC)
    assert [(start, start + DAY)] == periods(tenant)


def test_an_hour_of_yesterday_that_is_flushed_after_midnight_counts_for_yesterday(tenant, clock):
    an_hour(tenant, hours=-1, minute=(85, 100))

    flush()

    assert [(START - DAY, START)] == periods(tenant)


def test_an_hour_of_a_day_ago_is_no_news(tenant):
    an_hour(tenant, hours=-24, minute=(85, 100))
    flush()
    assert [] == alerts()

    an_hour(tenant, hours=-23, minute=(85, 100))
    flush()
    assert [("minute", "80", 85, 100)] == alerts()


@pytest.mark.parametrize("mode", ["shadow", "off"])
def test_a_limit_that_does_not_deny_raises_none(plan, tenant, mode):
    plan.limits.update(mode=mode)
    forget()
    an_hour(tenant, minute=(100, 100))

    flush()

    assert [] == alerts()


def test_limits_that_are_unlimited_unknown_or_want_no_alert_raise_none(plan, tenant):
    a_limit(plan, name="silent", warn_at=[])
    a_limit(plan, name="blank", amount=None)
    forget()
    an_hour(tenant, silent=(10, 10), blank=(10**6, None), gone=(5, 5), minute=(0, 0))

    flush()

    assert [] == alerts()


def test_the_thresholds_are_those_of_the_override_in_force(tenant):
    an_override(tenant, amount=100, warn_at=[50], starts_at=START)
    forget()
    an_hour(tenant, minute=(85, 100))

    flush()

    assert [("minute", "50", 85, 100)] == alerts()


@pytest.mark.parametrize(
    ("chosen", "states"),
    [
        (None, ("pending", "none")),
        ({"email": False}, ("none", "none")),
        ({"email": True, "webhook_url": "https://example.com/"}, ("pending", "pending")),
        ({"email": False, "webhook_url": "https://example.com/"}, ("none", "pending")),
    ],
)
def test_whoever_turned_alerts_off_is_not_told_but_the_alert_is_kept(tenant, chosen, states):
    if chosen is not None:
        AlertSettings.objects.create(tenant=tenant, **chosen)
    an_hour(tenant, minute=(85, 100))

    with hearing() as heard:
        flush()

    found = tenant.alerts.get()
    assert states == (found.email_state, found.webhook_state)
    assert [found] == heard


def test_each_tenant_is_judged_by_its_own_numbers(plan):
    a, b, c = (a_tenant(key) for key in "abc")
    for each in (a, b, c):
        ask(of_tenant(each))
    an_hour(a, minute=(100, 100))
    an_hour(b, minute=(90, 100))
    an_hour(c, minute=(10, 100))

    flush()

    assert [2, 1, 0] == [each.alerts.count() for each in (a, b, c)]


def test_a_receiver_that_fails_stops_neither_the_flush_nor_the_next_receiver(tenant):
    def fail(**_):
        raise RuntimeError("no")

    an_hour(tenant, minute=(100, 100))
    usage_threshold_reached.connect(fail)
    try:
        with hearing() as heard:
            flush()
    finally:
        usage_threshold_reached.disconnect(fail)

    assert 2 == len(heard)
    assert 1 == tenant.quarters.count()


def test_a_tenant_that_is_deleted_meanwhile_stops_no_other(plan, monkeypatch, caplog):
    a, b = a_tenant("a"), a_tenant("b")
    for each in (a, b):
        ask(of_tenant(each))
        an_hour(each, minute=(100, 100))
    new = raising._new

    def deleting(met):
        found = new(met)
        Tenant.objects.filter(pk=a.pk).delete()
        return found

    monkeypatch.setattr(raising, "_new", deleting)
    with hearing() as heard:
        flush()

    assert ["80", "100"] == [each.threshold for each in heard]
    assert 2 == b.alerts.count()
    assert "No alert is raised for tenant" in caplog.text


def test_a_flush_that_has_no_news_of_many_tenants_asks_few_questions(
    plan, django_assert_max_num_queries
):
    for _ in range(30):
        tenant = a_tenant()
        ask(of_tenant(tenant))
        an_hour(tenant, minute=(100, 100))
    flush()

    with django_assert_max_num_queries(18):
        flush()
    assert 60 == len(alerts())


def test_the_instant_of_an_alert_is_about_now(tenant):
    an_hour(tenant, minute=(85, 100))
    before = datetime.now(tz=UTC)

    flush()

    assert before <= tenant.alerts.get().raised_at <= datetime.now(tz=UTC)
