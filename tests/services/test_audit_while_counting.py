"""What is on its way from Redis to the database, or was lost with Redis, is no difference."""

from __future__ import annotations

import pytest

from quotas.engine import tallies
from quotas.engine.connection import link
from quotas.models import UsageDay
from quotas.services import flush as flushing
from quotas.services.audit import books as reading
from quotas.services.audit.walk import audit
from quotas.services.flush import flush
from quotas.services.keeping import HOURS
from quotas.services.prune import prune
from tests.models.rows import a_limit, a_plan, a_tenant
from tests.services.asking import allowed, ask, of_tenant
from tests.services.auditing import named
from tests.services.counted import DAY, HOUR, QUARTER, START

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clock")]


@pytest.fixture
def tenant(db):
    plan = a_plan("pro", is_default=True)
    a_limit(plan, amount=3, period=DAY)
    a_limit(plan, name="tried", amount=1, mode="shadow", period=DAY)
    a_limit(plan, scope="rare", amount=100)
    return a_tenant("acme")


@pytest.fixture
def copied(tenant, clock):
    """Three calls admitted and one denied, copied while Redis still holds them."""
    clock.tick(60)
    assert 3 == allowed(of_tenant(tenant, user=7), times=4)
    clock.tick(300)
    flush()
    return tenant


def test_a_wiped_redis_is_no_difference(tenant, clock):
    allowed(of_tenant(tenant), times=2)
    flush()
    link().client.flushdb()
    assert [] == named()
    clock.tick(1)
    ask(of_tenant(tenant))
    assert [] == named()
    flush()

    assert [] == named()


def test_hours_that_a_dying_flush_left_behind_before_a_wipe_are_no_difference(
    tenant, clock, monkeypatch
):
    ask(of_tenant(tenant))
    flush()
    clock.tick(60)
    ask(of_tenant(tenant))
    keep = flushing.keep

    def dying(copies, rows, using):
        if copies is HOURS:
            raise KeyboardInterrupt
        return keep(copies, rows, using)

    monkeypatch.setattr(flushing, "keep", dying)
    with pytest.raises(KeyboardInterrupt):
        flush()
    link().client.flushdb()
    clock.tick(60)

    assert (2, 1) == (tenant.quarters.get().admitted, tenant.hours.get().admitted)
    assert [] == named()


def test_an_hour_let_go_of_before_a_late_copy_of_its_quarters_is_no_difference(tenant, clock):
    clock.tick(3 * QUARTER)
    ask(of_tenant(tenant))
    clock.move_to(START + 3 * DAY + QUARTER)
    flush()
    assert (1, 0) == (tenant.quarters.count(), tenant.hours.count())

    assert [] == named()


def test_what_is_too_old_to_be_copied_is_not_expected_to_be(tenant, clock, monkeypatch):
    def dying(_copied):
        raise KeyboardInterrupt

    ask(of_tenant(tenant))
    clock.tick(3 * DAY + HOUR)
    ask(of_tenant(tenant), "rare")
    clock.tick(2 * HOUR)
    with monkeypatch.context() as patch:
        patch.setattr(tallies, "forget", dying)
        with pytest.raises(KeyboardInterrupt):
            flush()

    done = audit()

    assert ((), 2) == (done.differences, done.waiting)


def test_what_a_flush_hands_over_while_it_is_read_is_no_difference(copied, clock, monkeypatch):
    read, flushed = reading.read_kept, []

    def overtaken(*args):
        found = read(*args)
        if not flushed:
            flushed.append(flush())
        return found

    ask(of_tenant(copied), "rare")
    clock.tick(DAY)
    monkeypatch.setattr(reading, "read_kept", overtaken)

    assert [] == named()
    assert [(1, 1)] == [(each.quarters, each.hours) for each in flushed]


def test_calls_and_copies_while_it_is_read_are_no_difference(copied, monkeypatch):
    read = reading.read_kept

    def busy(*args):
        ask(of_tenant(copied), "rare")
        flush()
        found = read(*args)
        ask(of_tenant(copied), "rare")
        flush()
        return found

    monkeypatch.setattr(reading, "read_kept", busy)

    assert [] == named()


def test_days_that_were_summed_up_are_no_difference(copied, clock):
    clock.tick(5 * DAY)
    prune(quarters=4 * DAY, days=800 * DAY, now=clock.now)
    assert [3] == list(UsageDay.objects.values_list("admitted", flat=True))
    ask(of_tenant(copied), "rare")

    assert [] == named()
