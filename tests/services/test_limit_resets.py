"""The counters of one limit start anew: at once, anywhere, whoever it counts, and for good."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.db import transaction

from quotas.domain.words import Algorithm
from quotas.engine.connection import link
from quotas.models import CalendarBalance, LimitReset, Tenant
from quotas.models.limit_resets import reset_limit
from quotas.services.audit.walk import audit
from quotas.services.flush import flush
from quotas.services.usage import usage_of
from quotas.testing import forget
from tests.engine.asking import every_key
from tests.models.rows import a_limit, a_plan, a_tenant, an_override
from tests.services.asking import allowed, ask, left, of_tenant, used

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clock")]

DAY = timedelta(days=1)
MONTH = {"algorithm": "calendar_quota", "unit": "month", "period": None}
algorithms = pytest.mark.parametrize("algorithm", [each.value for each in Algorithm])


@pytest.fixture
def plan(transactional_db):
    return a_plan("pro", is_default=True)


@pytest.fixture
def tenant(plan):
    return a_tenant("acme")


def limited(plan, algorithm, **fields):
    numbers = MONTH if algorithm == "calendar_quota" else {"algorithm": algorithm, "period": DAY}
    return a_limit(plan, **{"amount": 10, **numbers, **fields})


def reset(tenant, name="minute", scope="api"):
    return reset_limit(tenant.pk, scope, name)


@algorithms
def test_all_is_given_back_and_only_of_that_limit_and_that_tenant(plan, tenant, algorithm):
    limited(plan, algorithm)
    limited(plan, algorithm, name="other", amount=30)
    limited(plan, algorithm, scope="files")
    bolt = a_tenant("bolt")
    for each in (tenant, bolt):
        assert 10 == allowed(of_tenant(each), "api", times=11)
        assert 10 == allowed(of_tenant(each), "files", times=11)

    reset(tenant)

    assert {"minute": 0, "other": 10} == used(tenant.pk, scope="api")
    assert 10 == allowed(of_tenant(tenant), "api", times=11)
    assert {"minute": 10, "other": 20} == used(tenant.pk, scope="api")
    assert 0 == allowed(of_tenant(tenant), "files")
    assert 0 == allowed(of_tenant(bolt), "api")


@algorithms
def test_a_second_reset_gives_back_once_more_and_nothing_of_before(plan, tenant, algorithm):
    limited(plan, algorithm)

    for _ in range(3):
        assert 10 == allowed(of_tenant(tenant), times=11)
        reset(tenant)
    assert {"minute": 0} == used(tenant.pk)


@pytest.mark.parametrize("subject", ["user", "credential", "address"])
def test_whoever_is_counted_starts_anew(plan, tenant, subject):
    limited(plan, "fixed_window", subject=subject)
    callers = [
        of_tenant(tenant, user=number, credential=f"key-{number}", address=f"192.0.2.{number}")
        for number in (1, 2)
    ]
    assert [10, 10] == [allowed(each, times=11) for each in callers]

    reset(tenant)

    assert [10, 10] == [allowed(each, times=11) for each in callers]


@algorithms
def test_an_override_of_the_limit_is_reset_with_it_and_stays_so_when_it_ends(
    plan, tenant, algorithm, clock
):
    row = limited(plan, algorithm)
    start = datetime.fromtimestamp(clock.now_us / 1e6, UTC)
    fields = {"algorithm": row.algorithm, "unit": row.unit, "period": row.period, "amount": 12}
    an_override(tenant, starts_at=start, ends_at=start + timedelta(seconds=30), **fields)
    assert 12 == allowed(of_tenant(tenant), times=13)

    reset(tenant)

    assert 4 == allowed(of_tenant(tenant), times=4)
    clock.tick(31)
    of_a_bucket = 8  # it keeps its tokens
    assert (of_a_bucket if algorithm == "token_bucket" else 6) == allowed(
        of_tenant(tenant), times=9
    )


def test_it_acts_on_the_next_request_in_another_process(plan, tenant, neighbour):
    limited(plan, "fixed_window")
    for _ in range(10):
        neighbour.ask(tenant)
    assert "denied" == neighbour.ask(tenant)[0]

    reset(tenant)

    assert ("allowed", {"minute": 9}) == neighbour.ask(tenant)


def test_a_reset_that_is_rolled_back_has_reset_nothing(plan, tenant):
    limited(plan, "fixed_window")
    allowed(of_tenant(tenant), times=4)

    with transaction.atomic():
        reset(tenant)
        transaction.set_rollback(True)

    assert {"minute": 4} == used(tenant.pk)
    assert {"minute": 5} == left(ask(of_tenant(tenant)))
    assert not LimitReset.objects.exists()


def test_a_quota_that_was_reset_does_not_come_back_from_its_balance(plan, tenant):
    limited(plan, "calendar_quota")
    assert 10 == allowed(of_tenant(tenant), times=11)
    flush()

    reset(tenant)
    link().client.flushdb()

    assert {"minute": 0} == used(tenant.pk)
    assert {"minute": 9} == left(ask(of_tenant(tenant)))


def test_a_wiped_redis_goes_on_from_the_balance_since_the_reset(plan, tenant):
    limited(plan, "calendar_quota")
    limited(plan, "calendar_quota", name="other", amount=50)
    allowed(of_tenant(tenant), times=10)
    flush()
    reset(tenant)
    allowed(of_tenant(tenant), times=3)
    flush()

    link().client.flushdb()
    forget()

    assert {"minute": 3, "other": 13} == used(tenant.pk)
    assert {"minute": 6, "other": 36} == left(ask(of_tenant(tenant)))
    kept = CalendarBalance.objects.filter(name="minute").order_by("epoch")
    assert [(0, 10), (1, 3)] == list(kept.values_list("epoch", "used"))


def test_resets_of_the_tenant_and_of_the_limit_name_each_balance_once(plan, tenant):
    limited(plan, "calendar_quota")
    allowed(of_tenant(tenant), times=7)
    flush()
    for turn in range(4):
        if turn % 2:
            reset(tenant)
        else:
            Tenant.objects.filter(pk=tenant.pk).update(epoch=turn // 2 + 1)
        assert {"minute": 0} == used(tenant.pk)
        allowed(of_tenant(tenant), times=turn + 1)
        flush()
        link().client.flushdb()
        assert {"minute": turn + 1} == used(tenant.pk)


@pytest.mark.parametrize("flushed", [False, True])
def test_a_reset_is_no_difference_to_the_audit(plan, tenant, flushed):
    limited(plan, "calendar_quota")
    allowed(of_tenant(tenant), times=10)
    flush()
    reset(tenant)
    allowed(of_tenant(tenant), times=3)
    if flushed:
        flush()

    done = audit()

    assert ((), 1) == (done.differences, done.quotas)


def test_a_flight_of_before_counts_no_more_and_ends_without_harm(plan, tenant):
    limited(plan, "concurrency", amount=1)
    before = ask(of_tenant(tenant))

    reset(tenant)
    after = ask(of_tenant(tenant))
    before.give_back()

    assert after.decision.allowed
    assert {"minute": 1} == used(tenant.pk)
    after.give_back()
    assert {"minute": 0} == used(tenant.pk)


@algorithms
def test_a_limit_that_was_never_reset_has_the_keys_it_always_had(plan, tenant, algorithm):
    limited(plan, algorithm)
    limited(plan, algorithm, name="other")
    ask(of_tenant(tenant))
    before = set(every_key())

    reset(tenant, "another")
    ask(of_tenant(tenant))

    assert before == set(every_key())


@algorithms
def test_what_was_counted_before_expires_by_itself(plan, tenant, algorithm):
    limited(plan, algorithm)
    ask(of_tenant(tenant))
    before = every_key()

    reset(tenant)
    ask(of_tenant(tenant))

    assert all(link().client.pttl(key) > 0 for key in {*before, *every_key()})
    assert len(every_key()) > len(before)


def test_reading_a_tenant_with_resets_costs_as_much_as_without(
    plan, tenant, django_assert_num_queries
):
    limited(plan, "fixed_window")
    for number in range(30):
        reset(tenant, f"name-{number}")
    usage_of(tenant.pk)
    forget()

    with django_assert_num_queries(6):
        usage_of(tenant.pk)
    with django_assert_num_queries(0):
        usage_of(tenant.pk)
