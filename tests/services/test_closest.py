"""How near the tenants of a page are to their limits, in one round trip for all of them."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from quotas.engine.connection import link
from quotas.services.closest import closest_of
from tests.engine.asking import dumped
from tests.engine.watching import watching
from tests.models.rows import a_limit, a_plan, a_tenant, an_override
from tests.services.asking import allowed, ask, of_tenant

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clock")]


@pytest.fixture
def plan(transactional_db):
    plan = a_plan("pro", is_default=True)
    a_limit(plan, amount=10)
    return plan


def near(tenant):
    """(percent, name of the closest limit, denying)."""
    found = closest_of([tenant])[tenant.pk]
    return found.percent, found.limit and found.limit.name, found.denying


def test_the_closest_of_several_limits_is_told(plan):
    a_limit(plan, name="bucket", algorithm="token_bucket", amount=5)
    tenant = a_tenant()
    assert (0, False) == near(tenant)[::2]

    allowed(of_tenant(tenant), times=2)
    assert (40, "bucket", False) == near(tenant)
    allowed(of_tenant(tenant), times=3)
    assert (100, "bucket", True) == near(tenant)


def test_an_override_and_another_plan_count_from_their_first_moment(plan):
    tenant = a_tenant()
    allowed(of_tenant(tenant), times=5)

    an_override(tenant, amount=20, starts_at="2020-01-01T00:00Z")
    assert (25, "minute", False) == near(tenant)
    tenant.plan = a_limit(amount=6, name="other").plan
    tenant.save()
    assert (25, "minute", False) == near(tenant)


@pytest.mark.parametrize(
    "limit",
    [
        pytest.param({"amount": 0}, id="denies-all"),
        pytest.param({"amount": None}, id="unlimited"),
        pytest.param({"amount": 1, "mode": "shadow"}, id="shadow"),
        pytest.param({"amount": 1, "subject": "user"}, id="of-each-user"),
    ],
)
def test_a_tenant_whose_limits_cannot_be_near_is_near_none(limit):
    a_limit(a_plan("pro", is_default=True), **limit)
    tenant = a_tenant()
    allowed(of_tenant(tenant, user=1), times=2)

    assert (0, None, False) == near(tenant)


def test_many_are_read_with_the_queries_and_the_round_trip_of_one(plan, redis_url):
    tenants = [a_tenant() for _ in range(30)]
    for each in tenants:
        ask(of_tenant(each))

    with CaptureQueriesContext(connection) as queries, watching(redis_url) as watched:
        found = closest_of(tenants)

    assert [10] * 30 == [found[each.pk].percent for each in tenants]
    assert 5 == len(queries)
    assert ["SCRIPT", *["EVALSHA"] * 30] == watched.names


def test_looking_changes_nothing(plan):
    tenants = [a_tenant() for _ in range(3)]
    ask(of_tenant(tenants[0]))
    before = dumped()

    closest_of(tenants)

    assert before == dumped()


def test_a_tenant_of_whom_redis_has_lost_its_memory_is_left_out(plan):
    a_limit(plan, name="day", algorithm="calendar_quota", period=None, unit="day", amount=5)
    lost, known = a_tenant(), a_tenant()
    ask(of_tenant(lost))
    link().client.flushdb()
    ask(of_tenant(known))

    assert [known.pk] == list(closest_of([lost, known]))


def test_without_redis_nothing_is_told(plan, private_server, caplog):
    private_server.stop()

    assert closest_of([a_tenant()]) is None
