"""Which limits apply to a request, and what they are charged."""

from __future__ import annotations

from datetime import timedelta

import pytest

from quotas.domain.calendar import EPOCH
from quotas.domain.words import Mode, Outcome
from quotas.errors import ConflictingCosts, InvalidCost, NotInPlan, TenantSuspended
from quotas.services.enforcement import Ask, enforce
from quotas.testing import forget
from tests import START_US
from tests.models.rows import a_limit, a_plan, a_tenant, an_override
from tests.services.asking import allowed, anonymous, ask, in_code, left, of_tenant, used

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clock")]

START = EPOCH + timedelta(microseconds=START_US)
HOUR = timedelta(hours=1)


@pytest.fixture
def plan(db):
    return a_plan("pro")


@pytest.fixture
def tenant(plan):
    return a_tenant("acme", plan=plan)


def test_the_limits_of_the_plan_for_the_scope_and_for_every_scope_apply(plan, tenant):
    a_limit(plan, name="minute", amount=10)
    a_limit(plan, name="hour", amount=50, period=HOUR)
    a_limit(plan, scope="*", name="all", amount=100)
    a_limit(plan, scope="exports", name="other")

    answer = ask(of_tenant(tenant))

    assert {"minute": 9, "hour": 49, "all": 99} == left(answer)
    assert ("acme", "pro") == (answer.tenant.key, answer.plan_key)


def test_a_tenant_may_be_named_by_its_key_or_by_its_primary_key(plan, tenant):
    a_limit(plan)

    assert [9, 8] == [left(ask(of_tenant(each)))["minute"] for each in ("acme", tenant.pk)]


def test_M3_each_scope_has_its_own_counter(plan, tenant):
    a_limit(plan, scope="reports", amount=20)
    a_limit(plan, scope="ratings", amount=5)

    for _ in range(6):
        ask(of_tenant(tenant), "reports")

    assert {"minute": 4} == left(ask(of_tenant(tenant), "ratings"))
    assert {"minute": 13} == left(ask(of_tenant(tenant), "reports"))


@pytest.mark.parametrize("count", [2, 3, 7])
def test_however_often_a_scope_is_asked_in_one_request_it_is_charged_once(plan, tenant, count):
    a_limit(plan)

    assert {"minute": 7} == left(ask(of_tenant(tenant), *["api"] * count, cost=3))
    assert {"minute": 3} == used("acme")


def test_one_scope_at_two_costs_is_an_error_and_charges_nothing(plan, tenant):
    a_limit(plan)

    with pytest.raises(ConflictingCosts, match="'api' costs 1 by one throttle and 2 by another"):
        enforce(of_tenant(tenant), [Ask(scope="api", cost=1), Ask(scope="api", cost=2)])
    assert {"minute": 0} == used("acme")


def test_a_limit_on_every_scope_is_charged_once_and_the_largest_cost(plan, tenant):
    for scope in ("reports", "exports"):
        a_limit(plan, scope=scope, name=scope)
    a_limit(plan, scope="*", name="all", amount=100)

    answer = enforce(
        of_tenant(tenant), [Ask(scope="reports", cost=2), Ask(scope="exports", cost=5)]
    )

    assert {"reports": 8, "exports": 5, "all": 95} == left(answer)


def test_without_a_scope_only_the_limits_on_every_scope_apply(plan, tenant):
    a_limit(plan, name="minute")
    a_limit(plan, scope="*", name="all")

    assert {"all": 9} == left(enforce(of_tenant(tenant), [Ask()]))


def test_several_scopes_are_one_decision_charged_all_or_none(plan, tenant):
    a_limit(plan, scope="reports", name="reports", amount=10)
    a_limit(plan, scope="exports", name="exports", amount=1)
    ask(of_tenant(tenant), "reports", "exports")

    denied = ask(of_tenant(tenant), "reports", "exports")

    assert ["exports"] == [each.limit.name for each in denied.decision.denying]
    assert {"reports": 9, "exports": 0} == left(denied)


@pytest.mark.parametrize("cost", [-1, 1.5, "2", None, True], ids=repr)
def test_W5_a_cost_that_is_none_is_a_programming_error_and_charges_nothing(plan, tenant, cost):
    a_limit(plan)

    with pytest.raises(InvalidCost):
        ask(of_tenant(tenant), cost=cost)
    assert {"minute": 0} == used("acme")


def test_a_scope_without_any_row_is_not_in_the_plan_and_warned_of_once(plan, tenant, caplog):
    a_limit(plan, scope="reports")

    for _ in range(5):
        with pytest.raises(NotInPlan, match="'exports'") as refusal:
            ask(of_tenant(tenant), "exports")

    assert "not_in_plan" == refusal.value.code
    assert 1 == sum("exports" in each.getMessage() for each in caplog.records)


def test_one_scope_that_is_not_in_the_plan_refuses_the_whole_request(plan, tenant):
    a_limit(plan, scope="reports")

    with pytest.raises(NotInPlan):
        ask(of_tenant(tenant), "reports", "exports")
    assert {"minute": 0} == used("acme")


def test_a_row_that_is_off_is_not_evaluated_but_keeps_its_scope_in_the_plan(plan, tenant):
    a_limit(plan, name="off", amount=1, mode="off")

    answers = [ask(of_tenant(tenant)) for _ in range(3)]

    assert [{}] * 3 == list(map(left, answers))
    assert {Outcome.ALLOWED} == {each.decision.outcome for each in answers}


def test_a_row_of_0_keeps_its_scope_in_the_plan_and_denies(plan, tenant):
    a_limit(plan, amount=0)

    decision = ask(of_tenant(tenant)).decision

    assert (Outcome.DENIED, None) == (decision.outcome, decision.retry_after_seconds)


def test_a_row_for_every_scope_keeps_every_scope_in_the_plan(plan, tenant):
    a_limit(plan, scope="*", name="all")

    assert {"all": 9} == left(ask(of_tenant(tenant), "anything"))


def test_C2_a_blank_amount_is_unlimited_and_counted(plan, tenant):
    a_limit(plan, amount=None)

    assert 50 == allowed(of_tenant(tenant), times=50)
    assert {"minute": 50} == used("acme")


def test_a_shadow_limit_counts_and_denies_nobody(plan, tenant):
    a_limit(plan, name="shadow", amount=2, mode="shadow")

    outcomes = [ask(of_tenant(tenant)).decision.outcome for _ in range(3)]

    assert [Outcome.ALLOWED, Outcome.ALLOWED, Outcome.SHADOW_DENIED] == outcomes


def test_a_tenant_whose_plan_is_off_or_none_has_the_default_plan(plan, tenant):
    a_limit(plan, amount=100)
    basic = a_plan("basic", is_default=True)
    a_limit(basic, amount=5)
    bare = a_tenant("bare")
    assert {"minute": 99} == left(ask(of_tenant(tenant)))

    plan.active = False
    plan.save()
    forget()

    assert {"minute": 3} == left(ask(of_tenant(tenant)))  # what was used stays used
    assert ("basic", {"minute": 4}) == (
        (answer := ask(of_tenant(bare))).plan_key,
        left(answer),
    )


def test_without_any_row_nothing_is_in_the_plan_but_what_an_override_adds(tenant):
    an_override(tenant, scope="extra", amount=3, starts_at=START)

    with pytest.raises(NotInPlan):
        ask(of_tenant(tenant))
    assert {"minute": 2} == left(ask(of_tenant(tenant), "extra"))


def test_a_suspended_tenant_is_refused_whatever_its_plan(plan):
    a_limit(plan)
    suspended = a_tenant("bolt", plan=plan, suspended=True)

    with pytest.raises(TenantSuspended, match="'bolt'") as refusal:
        ask(of_tenant(suspended))
    assert "tenant_suspended" == refusal.value.code
    assert {"minute": 0} == used("bolt")


def test_an_override_takes_the_place_of_the_limit_of_its_scope_and_name_or_adds_one(plan, tenant):
    a_limit(plan, name="minute", amount=10)
    a_limit(plan, name="hour", amount=50, period=HOUR)
    for name, amount in (("minute", 30), ("extra", 5)):
        an_override(tenant, name=name, amount=amount, starts_at=START)

    assert {"minute": 29, "hour": 49, "extra": 4} == left(ask(of_tenant(tenant)))
    assert {"minute": 9, "hour": 49} == left(ask(of_tenant(a_tenant("bolt", plan=plan))))


def test_an_override_is_in_force_from_its_start_up_to_and_without_its_end(plan, tenant, clock):
    a_limit(plan, amount=10, algorithm="token_bucket")
    span = dict(starts_at=START + HOUR, ends_at=START + 2 * HOUR)
    an_override(tenant, amount=30, algorithm="token_bucket", **span)

    seen = []
    for instant in (0, 3599.999_999, 3600, 7199.999_999, 7200):
        clock.move_to(START_US + round(instant * 1e6))
        seen.append(ask(of_tenant(tenant)).decision.verdicts[0].limit.rule.amount)

    assert [10, 10, 30, 30, 10] == seen


def test_of_several_overrides_in_force_the_one_that_began_last_holds(plan, tenant, clock):
    a_limit(plan, amount=10)
    an_override(tenant, amount=40, starts_at=START - HOUR)
    an_override(tenant, amount=20, starts_at=START - 3 * HOUR)
    an_override(tenant, amount=30, starts_at=START - 2 * HOUR)
    an_override(tenant, amount=50, starts_at=START - HOUR, ends_at=START + HOUR)

    assert {"minute": 49} == left(ask(of_tenant(tenant)))
    clock.tick(HOUR)
    assert {"minute": 39} == left(ask(of_tenant(tenant)))


def test_an_override_that_is_off_takes_the_plans_limit_away(plan, tenant):
    a_limit(plan, amount=1)
    an_override(tenant, amount=1, mode="off", starts_at=START)

    assert 5 == allowed(of_tenant(tenant), times=5)


def test_a_limit_in_code_stands_beside_the_plans_and_needs_no_row(plan, tenant):
    a_limit(plan, scope="*", name="all")
    own = in_code(name="own")

    answer = enforce(of_tenant(tenant), [Ask(limit=own, cost=4), Ask(scope="api")])

    assert {"own": 6, "all": 9} == left(answer)
    assert {"own": 9} == left(enforce(anonymous(), [Ask(limit=own)]))


def test_a_dropin_looks_up_no_tenant_and_asks_no_database(plan, tenant, django_assert_num_queries):
    def never():
        raise AssertionError("a drop-in looks up no tenant")

    caller = of_tenant(tenant, resolve=never)
    asked = [Ask(limit=in_code(2), counted="throttle_user_7")]

    with django_assert_num_queries(0):
        outcomes = [enforce(caller, asked).decision.allowed for _ in range(3)]

    assert [True, True, False] == outcomes
    assert enforce(caller, [Ask(limit=in_code(2), counted="throttle_user_8")]).decision.allowed


def test_places_in_flight_are_given_back_once(plan, tenant):
    a_limit(plan, algorithm="concurrency", amount=1, period=None, name="flight")
    first = ask(of_tenant(tenant))
    assert not ask(of_tenant(tenant)).decision.allowed

    first.give_back()

    second = ask(of_tenant(tenant))
    assert second.decision.allowed
    first.give_back()
    assert Mode.ENFORCE is second.decision.verdicts[0].limit.mode
    assert not ask(of_tenant(tenant)).decision.allowed
