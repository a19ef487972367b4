"""What the decision script counts for people, besides what it decides."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.db import connections, transaction

from quotas.domain.keys import owner_key, tenant_tag
from quotas.engine.connection import link
from quotas.engine.tallies import tallies_of
from quotas.services.enforcement import Ask, enforce
from quotas.services.usage import usage_of
from quotas.testing import forget, frozen_clock
from tests import START_US
from tests.engine.asking import contents, dumped
from tests.models.rows import a_limit, a_plan, a_tenant
from tests.services.asking import ask, in_code, of_tenant
from tests.services.counted import only, quarters_of

pytestmark = pytest.mark.django_db

QUARTER_US = 900_000_000
HOUR, DAY = timedelta(hours=1), timedelta(days=1)


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


def denials(quarter):
    return {each.label: (each.denied, each.shadow_denied) for each in quarter.limits}


def memory(tenant):
    client, key = link()
    return client.memory_usage(key(owner_key(tenant_tag(tenant.pk))), samples=0)


def test_calls_are_counted_as_admitted_or_denied_and_their_units_summed(plan, tenant):
    a_limit(plan, amount=10)

    for cost in (4, 5, 3, 1):
        ask(of_tenant(tenant), cost=cost)

    found = only(tenant)
    assert ("api", START_US) == (found.scope, found.start_us)
    assert (3, 1, 10) == (found.admitted, found.denied, found.units)
    assert {"api/minute": (1, 0)} == denials(found)


def test_units_stop_at_the_most_that_a_record_holds_and_never_start_over(plan, tenant):
    a_limit(plan, amount=None)

    for _ in range(290):
        ask(of_tenant(tenant), cost=10**12)

    (found,) = tallies_of([tenant_tag(tenant.pk)])
    most = (1 << 48) - 1
    assert [most] * 2 == [each.units for each in found.records]


def test_of_several_limits_that_deny_the_one_with_the_longest_wait_counts(plan, tenant):
    a_limit(plan, name="minute", amount=1)
    a_limit(plan, name="hour", amount=1, period=HOUR)
    a_limit(plan, name="roomy", amount=99, period=DAY)

    for _ in range(3):
        ask(of_tenant(tenant))

    assert {"api/hour": (2, 0)} == denials(only(tenant))


def test_what_a_limit_in_shadow_would_deny_is_admitted_and_counted_apart(plan, tenant):
    a_limit(plan, name="tried", amount=1, mode="shadow")
    a_limit(plan, name="other", amount=2, mode="shadow")

    for _ in range(4):
        ask(of_tenant(tenant))

    found = only(tenant)
    assert (4, 0, 3) == (found.admitted, found.denied, found.shadow_denied)
    assert {"api/tried": (0, 3), "api/other": (0, 2)} == denials(found)


def test_a_denied_call_is_not_shadow_denied_besides(plan, tenant):
    a_limit(plan, name="tried", amount=1, mode="shadow")
    a_limit(plan, name="hard", amount=1)

    ask(of_tenant(tenant))
    ask(of_tenant(tenant))

    found = only(tenant)
    assert (1, 1, 0) == (found.admitted, found.denied, found.shadow_denied)
    assert {"api/hard": (1, 0)} == denials(found)


def test_an_amount_of_0_denies_and_is_counted(plan, tenant):
    a_limit(plan, amount=0)

    ask(of_tenant(tenant))

    assert (0, 1) == (only(tenant).admitted, only(tenant).denied)
    assert {"api/minute": (1, 0)} == denials(only(tenant))


def test_the_peak_is_the_minute_in_which_most_were_admitted(plan, tenant, clock):
    a_limit(plan, amount=3)

    for calls in (2, 5, 1):
        for _ in range(calls):
            ask(of_tenant(tenant))
        clock.tick(60)

    assert ((2, 0), (3, 2), (1, 0), (0, 0)) == only(tenant).minutes[:4]
    assert (3, 6, 2) == (only(tenant).peak, only(tenant).admitted, only(tenant).denied)


def test_each_scope_of_a_request_is_counted_apart(plan, tenant):
    a_limit(plan, scope="api")
    a_limit(plan, scope="reports", amount=1)
    caller = of_tenant(tenant)

    enforce(caller, [Ask(scope="api"), Ask(scope="reports", cost=1)])
    enforce(caller, [Ask(scope="api", cost=2), Ask(scope="reports", cost=3)])

    api, reports = quarters_of(tenant)
    assert ("api", 1, 1, 1) == (api.scope, api.admitted, api.denied, api.units)
    assert ("reports", 1, 1, 1) == (reports.scope, reports.admitted, reports.denied, reports.units)
    assert ({}, {"reports/minute": (1, 0)}) == (denials(api), denials(reports))


def test_a_limit_of_every_scope_is_named_under_the_scope_that_it_denied(plan, tenant):
    a_limit(plan, scope="*", amount=1)

    ask(of_tenant(tenant), "api")
    ask(of_tenant(tenant), "reports")

    api, reports = quarters_of(tenant)
    assert (1, 0) == (api.admitted, api.denied)
    assert {"*/minute": (1, 0)} == denials(reports)


def test_without_a_scope_the_call_is_counted_under_every_scope(plan, tenant):
    a_limit(plan, scope="*")

    enforce(of_tenant(tenant), [Ask(scope=None)])

    assert "*" == only(tenant).scope


def test_a_limit_in_code_is_counted_for_a_tenant_under_its_own_scope(plan, tenant):
    for _ in range(2):
        enforce(of_tenant(tenant), [Ask(limit=in_code(1))])

    assert ("code", 1, 1) == (only(tenant).scope, only(tenant).admitted, only(tenant).denied)
    assert {"code/minute": (1, 0)} == denials(only(tenant))


def test_a_call_without_a_tenant_and_a_drop_in_are_counted_for_nobody(plan, tenant):
    enforce(of_tenant(None), [Ask(limit=in_code())])
    enforce(of_tenant(tenant), [Ask(limit=in_code(), counted="someone")])

    assert () == quarters_of(tenant)
    assert [] == [key for key in dumped() if key.endswith(":owner")]


def test_what_costs_nothing_and_what_only_looks_is_not_counted(plan, tenant):
    a_limit(plan)
    ask(of_tenant(tenant))
    before = contents()

    ask(of_tenant(tenant), cost=0)
    usage_of("acme")

    assert before == contents()


def test_three_days_are_held_and_a_fourth_takes_the_place_of_the_first(plan, tenant, clock):
    a_limit(plan)
    for _ in range(4 * 96):
        ask(of_tenant(tenant))
        clock.tick(15 * 60)

    found = quarters_of(tenant)

    assert 3 * 96 == len(found)
    assert [START_US + number * QUARTER_US for number in range(96, 4 * 96)] == [
        each.start_us for each in found
    ]
    assert {1} == {each.admitted for each in found}


def test_what_is_counted_expires_three_days_after_the_last_quarter(plan, tenant):
    a_limit(plan)

    ask(of_tenant(tenant))

    client, key = link()
    left_ms = client.pttl(key(owner_key(tenant_tag(tenant.pk))))
    assert 0.99 * 259_200_000 < left_ms <= 259_200_000


def test_a_quarter_of_one_scope_takes_less_than_250_bytes(plan, tenant, clock):
    """Two hours and a half stay after a flush: the figure of docs/usage.md."""
    a_limit(plan, scope="reports", name="minute", amount=1)
    ask(of_tenant(tenant), "reports")
    empty = memory(tenant)
    for _ in range(3 * 96):
        clock.tick(15 * 60)
        ask(of_tenant(tenant), "reports")
        ask(of_tenant(tenant), "reports")

    assert (memory(tenant) - empty) / (3 * 96) < 250


def test_other_tenants_are_not_counted_together(plan, tenant):
    a_limit(plan)
    other = a_tenant("bolt", plan=plan)

    ask(of_tenant(tenant))
    ask(of_tenant(other))

    assert [1, 1] == [only(each).admitted for each in (tenant, other)]


def test_a_second_try_under_another_version_counts_once(plan, tenant):
    a_limit(plan)
    ask(of_tenant(tenant))
    tenant.save()  # bumps the version: the next call is asked twice

    ask(of_tenant(tenant))
    forget()
    ask(of_tenant(tenant))

    assert 3 == only(tenant).admitted


@pytest.mark.django_db(transaction=True)
def test_a_transaction_that_rolls_back_takes_back_nothing_and_counts_nothing_twice(plan, tenant):
    a_limit(plan)

    def rolled_back():
        with transaction.atomic():
            ask(of_tenant(tenant))
            raise RuntimeError

    for _ in range(2):
        with pytest.raises(RuntimeError):
            rolled_back()

    assert 2 == only(tenant).admitted


@pytest.mark.django_db(transaction=True)
def test_counts_are_exact_under_eight_threads(plan, tenant):
    a_limit(plan, amount=100)

    def work(_):
        try:
            for _ in range(25):
                ask(of_tenant(tenant))
        finally:
            connections.close_all()

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))

    found = only(tenant)
    assert (100, 100, 100) == (found.admitted, found.denied, found.units)
    assert {"api/minute": (100, 0)} == denials(found)


def test_owners_without_anything_counted_are_empty(db):
    (found,) = tallies_of(["t404"])

    assert (0, ()) == (found.generation, found.quarters)
