"""Of several thresholds that a limit comes to at once, people are told of the highest."""

from __future__ import annotations

import pytest

from quotas.models import AlertSettings, PlanLimit
from quotas.services.flush import flush
from quotas.testing import forget
from tests.models.rows import a_limit, a_plan, a_tenant
from tests.services.alerting import an_hour, hearing
from tests.services.asking import ask, of_tenant

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clock")]


@pytest.fixture
def tenant(transactional_db):
    plan = a_plan("pro", is_default=True)
    a_limit(plan, amount=100)
    a_limit(plan, name="hour", amount=100)
    tenant = a_tenant("acme")
    ask(of_tenant(tenant))
    AlertSettings.objects.create(tenant=tenant, webhook_url="https://example.com/")
    return tenant


def told(tenant):
    """(name, threshold) of what is to be told, the same by e-mail and by webhook."""
    rows = tenant.alerts.order_by("pk")
    assert all(each.email_state == each.webhook_state for each in rows)
    return [(each.name, each.threshold) for each in rows if each.email_state == "pending"]


def test_only_the_highest_of_several_thresholds_is_told_and_all_are_kept(tenant):
    an_hour(tenant, minute=(100, 100), hour=(85, 100))

    with hearing() as heard:
        for _ in range(2):
            flush()

    assert [("hour", "80"), ("minute", "100")] == told(tenant)
    assert 3 == tenant.alerts.count() == len(heard)


def test_thresholds_that_are_come_to_one_after_the_other_are_each_told(tenant):
    for used in (85, 100):
        an_hour(tenant, minute=(used, 100))
        flush()

    assert [("minute", "80"), ("minute", "100")] == told(tenant)


def test_a_lower_threshold_that_staff_add_later_is_kept_and_not_told(tenant):
    an_hour(tenant, minute=(100, 100))
    flush()
    PlanLimit.objects.filter(name="minute").update(warn_at=[50, 80, 100])
    forget()

    flush()

    assert [("minute", "100")] == told(tenant)
    assert {"50", "80", "100"} == set(tenant.alerts.values_list("threshold", flat=True))


def test_an_alert_keeps_the_title_that_the_limit_has(tenant):
    PlanLimit.objects.filter(name="minute").update(title="Calls a minute")
    forget()
    an_hour(tenant, minute=(85, 100), hour=(85, 100))

    flush()

    rows = tenant.alerts.order_by("name")
    assert ["", "Calls a minute"] == [each.title for each in rows]
    assert ["hour", "Calls a minute"] == [each.limit_title for each in rows]


def test_thresholds_of_two_days_are_each_told(tenant):
    an_hour(tenant, hours=-1, minute=(85, 100))
    an_hour(tenant, minute=(100, 100))

    flush()

    assert [("minute", "80"), ("minute", "100")] == told(tenant)
