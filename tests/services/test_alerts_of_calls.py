"""What calls take of a limit raises its alerts: counted by the limiter, judged by the flush."""

from __future__ import annotations

import pytest

from quotas.models import PlanLimit
from quotas.services.caps import set_cap
from quotas.services.flush import flush
from quotas.testing import forget
from tests.models.rows import a_limit, a_plan, a_tenant, an_override
from tests.services.alerting import alerts
from tests.services.asking import allowed, of_tenant
from tests.services.counted import HOUR, START

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clock")]


@pytest.mark.parametrize(
    "columns",
    [
        {"algorithm": "fixed_window"},
        {"algorithm": "token_bucket"},
        {"algorithm": "leaky_bucket"},
        {"algorithm": "sliding_window_log"},
        {"algorithm": "sliding_window_counter"},
        {"subject": "address"},
        {"scope": "*"},
    ],
    ids=lambda columns: next(iter(columns.values())),
)
def test_each_threshold_is_told_when_calls_come_to_it(transactional_db, columns):
    a_limit(a_plan("pro", is_default=True), amount=10, **columns)
    tenant = a_tenant("acme")
    expected = []
    for calls, met in ((7, []), (1, [("minute", "80", 8, 10)]), (5, [("minute", "100", 10, 10)])):
        allowed(of_tenant(tenant), times=calls)
        expected += met
        for _ in range(2):
            flush()

        assert expected == alerts()


def test_the_thresholds_of_a_capped_limit_are_those_of_its_cap(transactional_db):
    a_limit(a_plan("pro", is_default=True), amount=1000)
    tenant = a_tenant("acme")
    set_cap(tenant.pk, "api", "minute", 10)
    allowed(of_tenant(tenant), times=9)

    flush()

    assert [("minute", "80", 9, 10)] == alerts()


def lowered_by_a_cap(tenant):
    set_cap(tenant.pk, "api", "minute", 5)


def lowered_in_the_plan(tenant):
    PlanLimit.objects.update(amount=5)
    forget()


def lowered_by_an_override(tenant):
    algorithm = PlanLimit.objects.get().algorithm
    an_override(tenant, amount=5, algorithm=algorithm, starts_at=START)
    forget()


@pytest.mark.parametrize("lowered", [lowered_by_a_cap, lowered_in_the_plan, lowered_by_an_override])
@pytest.mark.parametrize("algorithm", ["fixed_window", "sliding_window_log"])
def test_a_limit_lowered_below_what_is_used_of_it_is_told_when_it_denies(
    transactional_db, lowered, algorithm
):
    a_limit(a_plan("pro", is_default=True), amount=100, algorithm=algorithm)
    tenant = a_tenant("acme")
    allowed(of_tenant(tenant), times=8)
    lowered(tenant)
    flush()
    assert [] == alerts()

    assert 0 == allowed(of_tenant(tenant), times=2)
    for _ in range(2):
        flush()

    assert [("minute", "80", 8, 5), ("minute", "100", 8, 5)] == alerts()


def test_a_long_limit_that_is_lowered_is_told_of_what_was_used_hours_ago(transactional_db, clock):
    plan = a_plan("pro", is_default=True)
    a_limit(plan, amount=100, algorithm="sliding_window_log", period=24 * HOUR)
    tenant = a_tenant("acme")
    allowed(of_tenant(tenant), times=8)
    clock.tick(2 * HOUR)
    lowered_by_a_cap(tenant)
    assert 0 == allowed(of_tenant(tenant), times=1)

    flush()

    assert [("minute", "80", 8, 5), ("minute", "100", 8, 5)] == alerts()


def test_a_call_that_is_too_large_for_what_is_left_does_not_use_a_limit_up(transactional_db):
    a_limit(a_plan("pro", is_default=True), amount=100)
    tenant = a_tenant("acme")
    allowed(of_tenant(tenant), times=8)
    set_cap(tenant.pk, "api", "minute", 50)
    assert 0 == allowed(of_tenant(tenant), cost=45)

    flush()

    assert [] == alerts()
