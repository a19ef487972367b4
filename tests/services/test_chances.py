"""How the limit that denied a call stands now."""

from __future__ import annotations

from datetime import timedelta

import pytest

from quotas.domain.denials import Denial
from quotas.domain.keys import digest
from quotas.domain.words import Code
from quotas.services.denials import Chance, chance_of, code_of, denial_in, limit_of
from quotas.services.enforcement import Ask, enforce
from quotas.services.statement import statement_of
from quotas.testing import forget, frozen_clock
from tests import START_US
from tests.models.rows import a_limit, a_plan, a_tenant, a_user, an_override
from tests.services.asking import ask, in_code, of_tenant

pytestmark = pytest.mark.django_db

RULES = {
    "token_bucket": {"amount": 60, "capacity": 5},
    "leaky_bucket": {"amount": 60, "capacity": 5},
    "fixed_window": {"amount": 5},
    "sliding_window_counter": {"amount": 5},
    "sliding_window_log": {"amount": 5},
    "calendar_quota": {"amount": 5, "unit": "day", "period": None},
}


FLIGHTS = {"algorithm": "concurrency", "amount": 2, "period": None}


@pytest.fixture(autouse=True)
def clock():
    with frozen_clock(START_US) as given:
        yield given


def a_denial(tenant, **fields):
    usual = {"scope": "api", "name": "minute", "cost": 1, "retry_after": 60}
    return Denial(tenant_pk=tenant.pk, at_us=START_US, **{**usual, **fields})


def a_tenant_with(**columns):
    plan = a_plan()
    a_limit(plan=plan, **columns)
    return a_tenant(plan=plan)


def chance(tenant, user=None, **fields):
    statement = statement_of(tenant.pk, user_pk=getattr(user, "pk", None))
    return chance_of(a_denial(tenant, **fields), statement)


@pytest.mark.parametrize("algorithm", RULES)
@pytest.mark.parametrize("seconds", [0, 1, 30, 70, 86_400])
def test_what_is_said_to_fit_is_admitted_and_what_is_not_is_denied(algorithm, seconds, clock):
    tenant = a_tenant_with(algorithm=algorithm, **RULES[algorithm])
    ask(of_tenant(tenant), cost=4)
    clock.tick(seconds)

    for cost in (5, 4, 3, 2, 1, 1):
        expected = chance(tenant, cost=cost)
        admitted = ask(of_tenant(tenant), cost=cost).decision.allowed
        assert (Chance.FITS if admitted else Chance.WAITS) == expected, cost


def test_a_flight_is_full_until_a_call_ends():
    tenant = a_tenant_with(algorithm="concurrency", amount=1)
    answer = ask(of_tenant(tenant))

    full = chance(tenant)
    answer.give_back()

    assert (Chance.WAITS, Chance.FITS) == (full, chance(tenant))


@pytest.mark.parametrize(
    ("columns", "cost", "expected"),
    [
        pytest.param({"amount": 0}, 1, Chance.NEVER, id="amount-0"),
        pytest.param({"amount": 5}, 6, Chance.NEVER, id="above-capacity"),
        pytest.param({"amount": None}, 10**12, Chance.FITS, id="unlimited"),
        pytest.param({"amount": 0, "mode": "shadow"}, 9, Chance.FITS, id="shadow"),
        pytest.param({"mode": "off"}, 1, Chance.GONE, id="off"),
        pytest.param({"name": "other"}, 1, Chance.GONE, id="gone"),
        pytest.param({"subject": "credential"}, 1, Chance.APART, id="counted-apart"),
        pytest.param({"subject": "user"}, 1, Chance.APART, id="users-apart"),
        pytest.param({"subject": "address", "amount": 5}, 6, Chance.NEVER, id="apart-but-never"),
    ],
)
def test_a_limit_without_numbers_of_its_own_stands_in_one_way(columns, cost, expected):
    assert expected == chance(a_tenant_with(**columns), cost=cost)


def test_whose_call_a_limit_on_users_denied_is_not_known_to_any_reader():
    tenant, ada, bob = a_tenant_with(subject="user", amount=1), a_user(), a_user()
    ask(of_tenant(tenant, user=ada))

    assert {Chance.APART} == {chance(tenant, each) for each in (ada, bob, None)}


@pytest.mark.parametrize(
    ("other", "expected"),
    [
        pytest.param({"name": "other"}, Chance.OTHER, id="of-the-scope"),
        pytest.param({"scope": "*"}, Chance.OTHER, id="of-every-scope"),
        pytest.param({"name": "other", "amount": 4}, Chance.OTHER, id="not-for-this-cost"),
        pytest.param({"name": "other", "amount": 5}, Chance.FITS, id="with-room"),
        pytest.param({"scope": "mail"}, Chance.FITS, id="of-another-scope"),
        pytest.param({"name": "other", "mode": "shadow"}, Chance.FITS, id="in-shadow"),
        pytest.param({"name": "other", **FLIGHTS}, Chance.FITS, id="one-flight"),
    ],
)
def test_a_call_that_another_limit_would_deny_is_not_said_to_fit(other, expected):
    tenant = a_tenant_with(amount=100)
    a_limit(plan=tenant.plan, **{"amount": 1, **other})
    forget()

    assert expected is chance(tenant, a_user(), cost=5)
    assert (Chance.FITS is expected) == ask(of_tenant(tenant), cost=5).decision.allowed


def test_an_override_in_force_is_the_limit_as_it_is_now(clock):
    tenant = a_tenant_with(amount=1)
    an_override(tenant, amount=50, starts_at=clock.now - timedelta(days=1))
    statement = statement_of(tenant.pk)

    assert 50 == limit_of(a_denial(tenant), statement).rule.amount
    assert Chance.FITS is chance_of(a_denial(tenant, cost=50), statement)


def test_a_limit_is_found_by_the_digest_of_its_scope():
    scope = "s" * 150
    tenant = a_tenant_with(scope=scope)
    statement = statement_of(tenant.pk)

    assert scope == limit_of(a_denial(tenant, scope=digest(scope)), statement).scope
    assert limit_of(a_denial(tenant, scope="s" * 149), statement) is None


def test_in_an_outage_only_what_needs_no_limiter_is_known(settings):
    tenant = a_tenant_with(amount=5)
    gone = settings.CACHES["quotas"] | {"LOCATION": "redis://127.0.0.1:1/0"}
    settings.CACHES = settings.CACHES | {"quotas": gone}

    assert Chance.UNKNOWN is chance(tenant)
    assert Chance.NEVER is chance(tenant, cost=6)


@pytest.mark.parametrize(
    ("columns", "cost", "code", "told", "kept"),
    [
        pytest.param({"amount": 1}, 1, Code.QUOTA_EXCEEDED, 60, 1, id="used-up"),
        pytest.param({"amount": 0}, 2, Code.QUOTA_EXCEEDED, None, 2, id="amount-0"),
        pytest.param({"amount": 1}, 2, Code.COST_ABOVE_CAPACITY, None, 2, id="above-capacity"),
        pytest.param(
            {"amount": 1, "algorithm": "concurrency"},
            5,
            Code.TOO_MANY_IN_FLIGHT,
            1,
            1,
            id="in-flight",  # where any cost is one place
        ),
    ],
)
def test_a_denial_is_of_the_same_code_as_the_verdict(columns, cost, code, told, kept):
    tenant = a_tenant_with(**columns)
    ask(of_tenant(tenant))
    answer = ask(of_tenant(tenant), cost=cost)

    denial = denial_in(answer, "GET api/")

    assert a_denial(tenant, cost=kept, retry_after=told, operation="GET api/") == denial
    limit = limit_of(denial, statement_of(tenant.pk))
    assert code == answer.decision.longest.code == code_of(denial, limit)


def test_of_several_limits_that_deny_it_is_the_one_with_the_longest_wait():
    tenant = a_tenant_with(amount=1)
    a_limit(plan=tenant.plan, name="hour", amount=1, period=timedelta(hours=1))
    ask(of_tenant(tenant))

    denial = denial_in(ask(of_tenant(tenant)), "")

    assert ("hour", 3600) == (denial.name, denial.retry_after)


def test_what_was_admitted_or_not_a_tenants_is_no_denial_of_one():
    tenant = a_tenant_with(amount=1)
    nobody = [Ask(limit=in_code(1))]
    admitted = ask(of_tenant(tenant))
    enforce(of_tenant(None), nobody)

    assert denial_in(admitted, "") is None
    assert denial_in(enforce(of_tenant(None), nobody), "") is None


def test_what_was_denied_without_the_limiter_has_no_instant_and_no_page(settings):
    tenant = a_tenant_with(amount=0)
    gone = settings.CACHES["quotas"] | {"LOCATION": "redis://127.0.0.1:1/0"}
    settings.CACHES = settings.CACHES | {"quotas": gone}

    answer = ask(of_tenant(tenant))

    assert not answer.decision.allowed
    assert denial_in(answer, "") is None
