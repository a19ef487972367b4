"""What callers without a tenant used arrives in the database once, and goes when it is old."""

from __future__ import annotations

import pytest

from quotas.domain.keys import ANONYMOUS_TAG, owner_key
from quotas.engine.connection import link
from quotas.engine.tallies import tallies_of
from quotas.models import AnonymousQuarter
from quotas.services.anonymous import anonymous as process
from quotas.services.flush import Flushed, flush
from quotas.services.prune import Pruned, prune
from tests.models.rows import a_limit, a_plan, a_tenant
from tests.services.asking import allowed, anonymous, ask, of_tenant
from tests.services.company import in_threads, refusing_rows
from tests.services.counted import DAY, HOUR, QUARTER, START

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clock")]


@pytest.fixture
def plan(transactional_db):
    plan = a_plan("open", is_anonymous=True)
    a_limit(plan, amount=5)
    return plan


def called(times=1, **fields):
    """So many calls, added in Redis."""
    allowed(anonymous(), times=times, **fields)
    process.add()


def rows():
    found = AnonymousQuarter.objects.order_by("start", "generation")
    return [(each.start - START, each.scope, each.admitted, each.denied) for each in found]


def starts_in_redis():
    (found,) = tallies_of([ANONYMOUS_TAG])
    return [each.start_us for each in found.quarters]


def test_a_quarter_is_copied_with_all_that_was_counted(plan):
    a_limit(plan, name="tried", amount=1, mode="shadow")
    for cost in (3, 2, 1):
        ask(anonymous(), cost=cost)
    process.add()

    assert Flushed(quarters=1) == flush()

    row = AnonymousQuarter.objects.get()
    assert (START, "api", 2, 1) == (row.start, row.scope, row.admitted, row.denied)
    assert (2, 5, 2) == (row.shadow_denied, row.units, row.peak)
    assert {"api/minute": [1, 0], "api/tried": [0, 2]} == row.limits
    assert START == row.copied_at
    assert "api 2026-10-27 00:00" == str(row)


def test_repeating_changes_nothing_and_what_is_added_later_is_copied_then(plan, clock):
    called(3)
    assert [1, 0] == [flush().quarters for _ in range(2)]
    clock.tick(DAY)
    called()
    clock.tick(-DAY)
    process.add()
    allowed(anonymous(), times=1)
    clock.tick(DAY)

    process.add()
    flush()

    assert [(0 * HOUR, "api", 4, 0), (DAY, "api", 1, 0)] == rows()


def test_two_flushes_at_once_end_in_the_same_rows(plan):
    called(3)

    in_threads(flush, flush, flush)

    assert [(0 * HOUR, "api", 3, 0)] == rows()


def test_tenants_and_callers_without_one_are_kept_apart(plan):
    tenant = a_tenant("acme", plan=plan)
    allowed(of_tenant(tenant), times=2)
    called(4)

    assert 2 == flush().quarters
    assert [(0 * HOUR, "api", 4, 0)] == rows()
    assert [2] == list(tenant.quarters.values_list("admitted", flat=True))


def test_what_redis_lost_and_counted_anew_is_a_row_of_its_own(plan, clock):
    called(3)
    flush()
    link().client.flushdb()
    clock.tick(1)
    called(2)
    flush()

    assert [(0 * HOUR, "api", 3, 0), (0 * HOUR, "api", 2, 0)] == rows()


def test_a_refused_row_is_named_and_left_for_the_next_flush(plan, caplog):
    called(3)
    with refusing_rows(AnonymousQuarter, "scope", "api"):
        assert Flushed(quarters=1, refused=1) == flush()
    assert "of api, 2026-10-27" in caplog.text
    assert "tenant api" not in caplog.text

    assert Flushed(quarters=1) == flush()
    assert [(0 * HOUR, "api", 3, 0)] == rows()


def test_redis_holds_three_days_and_lets_go_of_what_is_older(plan, clock):
    called()
    clock.tick(2 * DAY)
    called()
    clock.tick(DAY - QUARTER)
    flush()
    assert 2 == len(starts_in_redis())
    clock.tick(QUARTER)
    ask(anonymous(), cost=1)

    flush()

    assert 1 == len(starts_in_redis())
    assert [(0 * HOUR, "api", 1, 0), (2 * DAY, "api", 1, 0)] == rows()


def test_nothing_counted_makes_no_key_and_no_row(plan):
    process.add()

    assert Flushed() == flush()
    client, key = link()
    assert not client.exists(key(owner_key(ANONYMOUS_TAG)))


def test_prune_keeps_them_as_long_as_days(plan, clock):
    for _ in range(3):
        called()
        flush()
        clock.tick(DAY)

    done = prune(quarters=4 * DAY, days=10 * DAY, now=START + 11 * DAY)

    assert Pruned(anonymous=1) == done
    assert [(DAY, "api", 1, 0), (2 * DAY, "api", 1, 0)] == rows()
