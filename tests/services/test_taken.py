"""How many tenants have taken more now than a limit will let them, by peek."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from quotas.domain.edits import Edit
from quotas.domain.policies import Source
from quotas.engine.connection import link
from quotas.models import Tenant
from quotas.services import taken
from quotas.services.taken import Taken, taken_now
from tests.engine.asking import dumped
from tests.engine.watching import watching
from tests.models.rows import a_limit, a_plan, a_tenant, an_override
from tests.services.asking import allowed, of_tenant

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clock")]


@pytest.fixture
def plan(transactional_db):
    return a_plan("pro", is_default=True)


def seen(row, to, *, kind="plan", busiest=()):
    """What is told of enforcing another amount of a row."""
    before = row.as_limit(Source(kind=kind, title="", pk=row.pk))
    row.amount, row.capacity, row.mode = to, None, "enforce"
    after = row.as_limit(before.source)
    return taken_now(Edit(before=before, after=after), Tenant.objects.all(), busiest)


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param({}, id="window"),
        pytest.param({"algorithm": "token_bucket"}, id="bucket"),
        pytest.param({"algorithm": "leaky_bucket"}, id="queue"),
        pytest.param({"algorithm": "sliding_window_log"}, id="log"),
        pytest.param({"algorithm": "sliding_window_counter"}, id="counter"),
        pytest.param({"algorithm": "calendar_quota", "period": None, "unit": "day"}, id="quota"),
        pytest.param({"scope": "*"}, id="every-scope"),
        pytest.param({"mode": "shadow"}, id="shadow"),
        pytest.param({"amount": None}, id="unlimited"),
    ],
)
def test_tenants_who_have_taken_more_are_counted(plan, fields):
    row = a_limit(plan, **fields)
    for times in (5, 6, 7):
        allowed(of_tenant(a_tenant()), times=times)

    assert Taken(looked_at=3, above=2) == seen(row, 5)


def test_the_new_value_of_a_bucket_is_its_capacity(plan):
    row = a_limit(plan, algorithm="token_bucket", capacity=8)
    allowed(of_tenant(a_tenant()), times=6)

    assert 1 == seen(row, 5).above


def test_a_tenant_with_an_override_in_its_place_is_not_looked_at(plan):
    row = a_limit(plan)
    other = a_tenant()
    an_override(other, starts_at="2020-01-01T00:00Z")
    allowed(of_tenant(other), times=6)
    allowed(of_tenant(a_tenant()), times=6)

    assert Taken(looked_at=1, above=1) == seen(row, 5)


def test_an_override_is_looked_at_while_it_acts(plan):
    tenant = a_tenant()
    row = an_override(tenant, starts_at="2020-01-01T00:00Z")
    allowed(of_tenant(tenant), times=6)

    assert Taken(looked_at=1, above=1) == seen(row, 5, kind="override")
    an_override(tenant, starts_at="2020-01-02T00:00Z", amount=9)
    assert Taken() == seen(row, 5, kind="override")


def test_of_whom_redis_has_lost_its_memory_nothing_is_told(plan):
    row = a_limit(plan, algorithm="calendar_quota", period=None, unit="day")
    allowed(of_tenant(a_tenant()), times=6)
    link().client.flushdb()
    allowed(of_tenant(a_tenant()), times=7)

    assert Taken(looked_at=1, above=1) == seen(row, 5)


def test_looking_changes_nothing_and_takes_a_round_trip_a_batch(plan, redis_url, monkeypatch):
    monkeypatch.setattr(taken, "AT_ONCE", 10)
    row = a_limit(plan)
    for _ in range(25):
        allowed(of_tenant(a_tenant()))
    before = dumped()

    with CaptureQueriesContext(connection) as queries, watching(redis_url) as watched:
        found = seen(row, 0)

    assert Taken(looked_at=25, above=25) == found
    assert 5 == len(queries)
    assert 3 == watched.names.count("SCRIPT")
    assert 25 == watched.names.count("EVALSHA")
    assert before == dumped()


def test_of_too_many_the_busiest_are_looked_at(plan, monkeypatch):
    monkeypatch.setattr(taken, "MOST_LOOKED_AT", 2)
    row = a_limit(plan)
    tenants = [a_tenant() for _ in range(4)]
    for each in tenants:
        allowed(of_tenant(each), times=1)
    allowed(of_tenant(tenants[3]), times=6)

    assert Taken(looked_at=2, above=0) == seen(replaced(row), 5)
    assert Taken(looked_at=2, above=1) == seen(replaced(row), 5, busiest=[tenants[3].pk])


def replaced(row):
    row.refresh_from_db()
    return row


def test_without_redis_it_says_so(plan, private_server, caplog):
    row = a_limit(plan)
    a_tenant()
    private_server.stop()

    assert Taken(outage=True) == seen(row, 5)
