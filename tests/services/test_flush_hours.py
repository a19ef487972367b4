"""Hours are copied like quarters: who called, and how full each limit got."""

from __future__ import annotations

import pytest

from quotas.domain.keys import tenant_tag
from quotas.engine.connection import link
from quotas.engine.tallies import tallies_of
from quotas.models import UsageHour
from quotas.services import flush as flushing
from quotas.services import keeping
from quotas.services.flush import flush
from quotas.services.prune import prune
from quotas.testing import frozen_clock
from tests import START_US
from tests.models.rows import a_limit, a_plan, a_tenant
from tests.services.asking import allowed, ask, of_tenant
from tests.services.company import in_threads
from tests.services.counted import DAY, HOUR, START

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def clock():
    with frozen_clock(START_US) as frozen:
        yield frozen


@pytest.fixture
def plan(db, clock):
    plan = a_plan("pro", is_default=True)
    a_limit(plan, amount=4)
    return plan


@pytest.fixture
def tenant(plan):
    return a_tenant("acme", plan=plan)


def in_redis(tenant):
    (found,) = tallies_of([tenant_tag(tenant.pk)])
    return found.hours


def kept(tenant):
    return [(each.start - START, each.admitted, each.denied) for each in tenant.hours.all()]


def test_an_hour_is_copied_with_its_callers_and_peaks(tenant):
    for user in (1, 1, 2):
        ask(of_tenant(tenant, user=user), cost=2)

    assert 1 == flush().hours

    row = tenant.hours.get()
    assert (2, 1, 4, 0) == (row.admitted, row.denied, row.units, row.early)
    assert {"u1": [2, 0, 4, 0], "u2": [0, 1, 0, 0]} == row.callers
    assert {"api/minute": [4, 4]} == row.peaks


def test_what_was_copied_is_not_copied_again_until_it_grows(tenant):
    ask(of_tenant(tenant))

    assert [1, 0] == [flush().hours for _ in range(2)]
    ask(of_tenant(tenant))
    assert 1 == flush().hours


def test_two_flushes_at_once_and_requests_in_their_middle_end_in_the_same_sums(tenant):
    for _ in range(5):
        ask(of_tenant(tenant, user=1))
        in_threads(flush, flush, lambda: ask(of_tenant(tenant, user=2)))
    flush()

    row = tenant.hours.get()
    assert 10 == row.admitted + row.denied
    assert {"u1": 5, "u2": 5} == {who: each[0] + each[1] for who, each in row.callers.items()}


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_crash_before_or_after_the_commit_loses_and_doubles_no_hour(
    tenant, clock, monkeypatch, when
):
    allowed(of_tenant(tenant), times=3)
    clock.tick(DAY)
    usual = keeping._upsert

    def crash(copies, rows, connection):
        if when == "after":
            usual(copies, rows, connection)
        if copies is keeping.HOURS:
            raise KeyboardInterrupt

    monkeypatch.setattr(keeping, "_upsert", crash)
    with pytest.raises(KeyboardInterrupt):
        flush()
    monkeypatch.undo()
    flush()

    assert [(0 * HOUR, 3, 0)] == kept(tenant)
    assert () == in_redis(tenant)


def test_an_hour_stays_in_redis_for_two_hours_after_its_end_and_while_it_is_refused(
    tenant, clock, monkeypatch
):
    allowed(of_tenant(tenant), times=2)
    clock.tick(3 * HOUR - START_US % 3_600_000_000 * HOUR / 3_600_000_000 - HOUR / 3600)
    flush()
    assert 1 == len(in_redis(tenant))

    clock.tick(HOUR)
    UsageHour.objects.all().delete()

    def refusing(copies, rows, _using):
        return list(rows) if copies is keeping.HOURS else []

    monkeypatch.setattr(flushing, "keep", refusing)
    flush()
    assert 1 == len(in_redis(tenant))

    monkeypatch.undo()
    flush()
    assert (1, ()) == (UsageHour.objects.count(), in_redis(tenant))


def test_after_redis_lost_its_memory_an_hour_has_a_row_for_each_generation(tenant, clock):
    allowed(of_tenant(tenant), times=2)
    flush()
    link().client.flushdb()
    clock.tick(HOUR / 60)
    allowed(of_tenant(tenant), times=1)
    flush()

    assert [2, 1] == [each.admitted for each in tenant.hours.order_by("generation")]


def test_hours_are_pruned_with_the_quarters(tenant, clock):
    ask(of_tenant(tenant))
    flush()

    kept_for = {"quarters": 10 * DAY, "days": 20 * DAY}
    assert 0 == prune(now=START + 10 * DAY, **kept_for).hours
    assert 1 == prune(now=START + 10 * DAY + HOUR, **kept_for).hours
    assert not UsageHour.objects.exists()
