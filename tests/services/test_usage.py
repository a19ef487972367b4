"""The usage page reads the limiter's own state: the same numbers, and looking spends nothing."""

from __future__ import annotations

from datetime import timedelta

import pytest

from quotas.domain.calendar import EPOCH
from quotas.domain.keys import tenant_tag
from quotas.domain.words import Algorithm
from quotas.engine import owners
from quotas.services.attempt import current
from quotas.services.store import store
from quotas.services.usage import usage_of
from tests import START_US
from tests.engine.asking import dumped
from tests.models.rows import a_limit, a_plan, a_tenant, an_override
from tests.services.asking import allowed, ask, behind_our_back, left, of_tenant, used

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clock")]

HOUR = timedelta(hours=1)
START = EPOCH + timedelta(microseconds=START_US)
algorithms = pytest.mark.parametrize(
    "algorithm", [pytest.param(each.value, id=each.value) for each in Algorithm]
)


@pytest.fixture
def plan(db):
    return a_plan("pro")


@pytest.fixture
def tenant(plan):
    return a_tenant("acme", plan=plan)


def numbers_of(algorithm):
    if algorithm == "calendar_quota":
        return {"algorithm": algorithm, "unit": "day", "period": None}
    return {"algorithm": algorithm, "period": HOUR}


def only(usage):
    (line,) = usage.lines
    return line


@algorithms
def test_U3_after_13_requests_of_10_the_page_and_the_limiter_agree(plan, tenant, clock, algorithm):
    a_limit(plan, amount=10, **numbers_of(algorithm))
    clock.tick(600)
    assert 10 == allowed(of_tenant(tenant), times=13)

    line = only(usage_of("acme"))

    denied = ask(of_tenant(tenant)).decision
    assert (10, 0, 100) == (line.used, line.remaining, line.percent)
    assert line.next_admission_us == denied.verdicts[0].wait_us
    if algorithm != "concurrency":
        waits = timedelta(microseconds=line.next_admission_us).total_seconds()
        assert 0 <= denied.retry_after_seconds - waits < 1


@algorithms
def test_U3_one_request_of_cost_4_is_4_units(plan, tenant, algorithm):
    a_limit(plan, amount=10, **numbers_of(algorithm))
    ask(of_tenant(tenant), cost=4)

    line = only(usage_of("acme"))

    units = 1 if algorithm == "concurrency" else 4
    assert (units, 10 - units, 0) == (line.used, line.remaining, line.next_admission_us)


@algorithms
def test_U4_looking_100_times_spends_nothing_and_extends_nothing(plan, tenant, clock, algorithm):
    a_limit(plan, amount=5, **numbers_of(algorithm))
    ask(of_tenant(tenant))
    before = dumped()

    for _ in range(100):
        clock.tick(1)
        usage_of("acme")

    assert before == dumped()
    clock.tick(-100)
    assert {"minute": 3} == left(ask(of_tenant(tenant)))


@algorithms
def test_U4_looking_at_a_tenant_that_never_called_creates_no_key(plan, tenant, algorithm):
    a_limit(plan, amount=5, **numbers_of(algorithm))

    seen = {only(usage_of(each)).used for each in ("acme", tenant.pk) for _ in range(50)}

    assert {0} == seen
    assert {} == dumped()


def test_every_limit_of_every_scope_is_shown_or_those_of_one_and_of_every_scope(plan, tenant):
    a_limit(plan, scope="reports", name="reports")
    a_limit(plan, scope="exports", name="exports", mode="shadow")
    a_limit(plan, scope="*", name="all")
    a_limit(plan, scope="exports", name="off", mode="off")

    assert {"reports", "exports", "all"} == set(used("acme"))
    assert {"exports", "all"} == set(used("acme", scope="exports"))
    assert {"all"} == set(used("acme", scope="unknown"))


def test_what_a_user_has_used_is_shown_to_that_user_alone(plan, tenant):
    for subject in ("tenant", "user", "credential", "address"):
        a_limit(plan, name=subject, subject=subject)
    ask(of_tenant(tenant, user=7, credential="key"), cost=3)

    assert {"tenant": 3} == used("acme")
    assert {"tenant": 3, "user": 3} == used("acme", user_pk=7)
    assert {"tenant": 3, "user": 0} == used("acme", user_pk=8)


def test_there_is_no_usage_of_a_tenant_that_does_not_exist():
    assert usage_of("nobody") is None
    assert usage_of(4711) is None


def test_the_page_says_whose_numbers_it_shows_and_when_they_were_read(plan, tenant, clock):
    a_limit(plan)
    clock.tick(1.5)

    usage = usage_of("acme")

    assert ("acme", "pro", "Pro") == (usage.tenant.key, usage.plan_key, usage.plan_name)
    assert (START_US + 1_500_000, False) == (usage.at_us, usage.outage)


def test_a_tenant_without_a_plan_has_an_empty_page(db):
    a_tenant("bare")

    usage = usage_of("bare")

    assert ((), None, False) == (usage.lines, usage.plan_key, usage.outage)


def test_overrides_in_force_are_shown_and_not_what_they_replace(plan, tenant, clock):
    a_limit(plan, amount=10, period=HOUR)
    an_override(tenant, amount=30, period=HOUR, starts_at=START + HOUR)
    ask(of_tenant(tenant), cost=4)

    assert (4, 6) == (only(usage_of("acme")).used, only(usage_of("acme")).remaining)
    clock.tick(HOUR)

    assert 30 == only(usage_of("acme")).limit.rule.amount


def test_the_effective_limits_are_those_of_now_whether_anybody_called_or_not(plan, tenant):
    a_limit(plan, amount=10)
    an_override(tenant, amount=30, starts_at=START)

    effective = store.policy("acme", current()).effective()

    assert [30] == [limit.rule.amount for limit in effective]


def test_an_edit_made_elsewhere_is_seen_by_the_next_look(plan, tenant):
    a_limit(plan, amount=10)
    an_override(tenant, amount=20, starts_at=START)
    assert 20 == only(usage_of("acme")).remaining

    behind_our_back("quotas_override", amount=30)
    owners.bump([tenant_tag(tenant.pk)])

    assert 30 == only(usage_of("acme")).remaining


def test_unlimited_and_denied_limits_have_their_percent(plan, tenant):
    a_limit(plan, name="blank", amount=None)
    a_limit(plan, name="none", amount=0, mode="shadow")
    a_limit(plan, name="third", amount=3)
    ask(of_tenant(tenant))

    lines = {line.limit.name: line for line in usage_of("acme").lines}

    assert (1, None, None) == (
        lines["blank"].used,
        lines["blank"].remaining,
        lines["blank"].percent,
    )
    assert (0, 0, 100, None) == (
        lines["none"].used,
        lines["none"].remaining,
        lines["none"].percent,
        lines["none"].next_admission_us,
    )
    assert (1, 2, 33) == (lines["third"].used, lines["third"].remaining, lines["third"].percent)


def test_a_limit_lowered_below_what_was_used_is_at_100_percent(
    plan, tenant, django_capture_on_commit_callbacks
):
    limit = a_limit(plan, amount=10)
    ask(of_tenant(tenant), cost=8)
    with django_capture_on_commit_callbacks(execute=True):
        limit.amount = 4
        limit.save()

    line = only(usage_of("acme"))

    assert (8, 0, 100) == (line.used, line.remaining, line.percent)


def test_the_limit_closest_to_its_end_comes_first(plan, tenant):
    a_limit(plan, name="unlimited", amount=None)
    a_limit(plan, name="roomy", amount=1000)
    a_limit(plan, name="close", amount=10)
    a_limit(plan, name="closest", amount=201, algorithm="token_bucket", capacity=9)
    a_limit(plan, name="closed", amount=0, mode="shadow")
    ask(of_tenant(tenant), cost=8)

    names = [line.limit.name for line in usage_of("acme").lines]

    assert ["closed", "closest", "close", "roomy", "unlimited"] == names
