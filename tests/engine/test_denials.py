"""The ring of a tenant's latest denials."""

from __future__ import annotations

from datetime import timedelta

import pytest

from quotas.domain.keys import denials_key, tenant_tag
from quotas.engine.connection import link
from quotas.services.usage import usage_of
from quotas.testing import frozen_clock
from tests import START_US
from tests.engine.asking import dumped
from tests.models.rows import a_limit, a_plan, a_tenant
from tests.services.asking import ask, of_tenant

pytestmark = pytest.mark.django_db

MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)
RING, DAY_MS = 50, 24 * 3600 * 1000


@pytest.fixture
def clock():
    with frozen_clock(START_US) as frozen:
        yield frozen


@pytest.fixture
def plan(db, clock):
    return a_plan("pro")


@pytest.fixture
def tenant(plan):
    return a_tenant("acme", plan=plan)


def denials(tenant):
    return usage_of(tenant.pk).denials


def latest(tenant):
    return denials(tenant)[0]


def test_a_denied_call_is_remembered_with_what_was_asked_and_told(plan, tenant, clock):
    a_limit(plan, scope="reports", name="hourly", amount=5, algorithm="fixed_window", period=HOUR)
    caller = of_tenant(tenant, user=7, operation="POST api/reports/")
    ask(caller, "reports", cost=4)

    decision = ask(caller, "reports", cost=3).decision

    found = latest(tenant)
    assert (decision.now_us, "reports", "hourly", 3) == (
        found.at_us,
        found.scope,
        found.name,
        found.cost,
    )
    assert (decision.retry_after_seconds, "POST api/reports/", "u7", tenant.pk) == (
        found.retry_after,
        found.operation,
        found.caller,
        found.tenant_pk,
    )


@pytest.mark.parametrize(
    ("fields", "cost"),
    [
        pytest.param({"algorithm": "token_bucket", "amount": 7}, 5, id="token-bucket"),
        pytest.param({"algorithm": "leaky_bucket", "amount": 7, "capacity": 6}, 5, id="leaky"),
        pytest.param({"algorithm": "sliding_window_log", "amount": 7}, 5, id="log"),
        pytest.param({"algorithm": "sliding_window_counter", "amount": 7}, 5, id="counter"),
        pytest.param(
            {"algorithm": "calendar_quota", "amount": 7, "unit": "month", "period": None},
            5,
            id="month",
        ),
        pytest.param({"algorithm": "concurrency", "amount": 1}, 1, id="concurrency"),
        pytest.param({"amount": 0}, 5, id="amount-0"),
        pytest.param({"amount": 3}, 5, id="cost-above-capacity"),
    ],
)
def test_what_is_remembered_of_a_denial_is_what_the_client_was_told(plan, tenant, fields, cost):
    a_limit(plan, **fields)
    told = [ask(of_tenant(tenant), cost=cost).decision for _ in range(3)]

    denied = [each for each in reversed(told) if not each.allowed]

    assert denied
    assert [(each.now_us, each.retry_after_seconds) for each in denied] == [
        (each.at_us, each.retry_after) for each in denials(tenant)
    ]


def test_of_several_limits_the_one_with_the_longest_wait_is_remembered(plan, tenant):
    for name, period in (("a", MINUTE), ("b", HOUR), ("c", MINUTE)):
        a_limit(plan, name=name, amount=1, algorithm="fixed_window", period=period)
    a_limit(plan, name="d", amount=1, algorithm="concurrency", period=10 * HOUR)
    ask(of_tenant(tenant))

    decision = ask(of_tenant(tenant)).decision

    assert "b" == decision.longest.limit.name == latest(tenant).name


def test_a_clock_that_has_stepped_back_is_in_what_is_remembered(plan, tenant, clock):
    a_limit(plan, amount=1, algorithm="sliding_window_log", period=MINUTE)
    ask(of_tenant(tenant))
    clock.move_to(clock.now_us - 30 * 1_000_000)

    told = ask(of_tenant(tenant)).decision.retry_after_seconds

    assert 90 == told == latest(tenant).retry_after


def test_admitted_and_shadow_denied_calls_are_not_remembered(plan, tenant):
    a_limit(plan, amount=1, mode="shadow")

    for _ in range(3):
        ask(of_tenant(tenant))

    assert () == denials(tenant)


def test_the_ring_keeps_the_latest_and_no_more(plan, tenant, clock):
    a_limit(plan, amount=0)

    for second in range(RING + 5):
        clock.move_to(START_US + second * 1_000_000)
        ask(of_tenant(tenant))

    assert [START_US + second * 1_000_000 for second in range(RING + 4, 4, -1)] == [
        each.at_us for each in denials(tenant)
    ]


def test_the_ring_goes_three_days_after_the_latest_denial(plan, tenant):
    a_limit(plan, amount=0)
    ask(of_tenant(tenant))

    client, key = link()

    assert 0 < client.pttl(key(denials_key(tenant_tag(tenant.pk)))) <= 3 * DAY_MS


def test_looking_at_the_ring_changes_nothing(plan, tenant):
    a_limit(plan, amount=1)
    for _ in range(3):
        ask(of_tenant(tenant))
    before = dumped()

    for _ in range(100):
        denials(tenant)

    assert before == dumped()


def test_another_tenants_denials_are_its_own(plan, tenant):
    other = a_tenant("globex", plan=plan)
    a_limit(plan, amount=0)

    ask(of_tenant(other))

    assert ((), 1) == (denials(tenant), len(denials(other)))


def test_a_long_operation_is_cut_and_a_scope_of_any_letters_is_kept(plan, tenant):
    a_limit(plan, scope="*", name="all", amount=0)

    ask(of_tenant(tenant, operation="GET " + "\u00e9" * 200), "rep/orts")

    found = latest(tenant)
    assert ("*", "all") == (found.scope, found.name)
    assert len(found.operation.encode()) <= 80
