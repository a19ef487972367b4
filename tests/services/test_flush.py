"""What Redis has counted arrives in the database once, whatever happens in between."""

from __future__ import annotations

import pytest
from django.db import connection, transaction

from quotas.engine import tallies
from quotas.engine.connection import link
from quotas.errors import ConfigurationError
from quotas.models import UsageQuarter
from quotas.services import flush as flushing
from quotas.services import keeping
from quotas.services.flush import Flushed, flush
from tests.engine.asking import dumped
from tests.engine.watching import watching
from tests.models.rows import a_limit, a_plan, a_tenant
from tests.services.asking import allowed, ask, of_tenant
from tests.services.company import in_threads, refusing
from tests.services.counted import DAY, HOUR, QUARTER, START, admitted, quarters_of, rows

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clock")]


@pytest.fixture
def plan(transactional_db):
    plan = a_plan("pro", is_default=True)
    a_limit(plan, amount=100)
    return plan


@pytest.fixture
def tenant(plan):
    return a_tenant("acme")


def test_a_quarter_is_copied_with_all_that_was_counted(plan, tenant):
    a_limit(plan, name="tried", amount=1, mode="shadow")
    a_limit(plan, name="hard", amount=5)
    for cost in (3, 2, 1):
        ask(of_tenant(tenant), cost=cost)

    assert Flushed(tenants=1, quarters=1, hours=1) == flush()

    row = tenant.quarters.get()
    assert (START, "api", 2, 1) == (row.start, row.scope, row.admitted, row.denied)
    assert (2, 5, 2) == (row.shadow_denied, row.units, row.peak)
    assert {"api/hard": [1, 0], "api/tried": [0, 2]} == row.limits
    assert START == row.copied_at


def test_flushing_again_changes_no_row_and_writes_none(tenant):
    allowed(of_tenant(tenant), times=3)
    flush()
    before = list(UsageQuarter.objects.values())

    assert Flushed(tenants=1, quarters=0) == flush()

    assert before == list(UsageQuarter.objects.values())


def test_U1_a_refused_row_is_left_for_the_next_flush_and_the_others_are_written(plan, caplog):
    a, b = a_tenant("a"), a_tenant("b")
    assert (3, 5) == (allowed(of_tenant(a), times=3), allowed(of_tenant(b), times=5))

    with refusing(b):
        assert 1 == flush().refused
        assert (3, 0) == (admitted(a), admitted(b))
        assert 1 == flush().refused

    assert f"of tenant {b.pk}, api" in caplog.text
    assert 0 == flush().refused
    assert (3, 5) == (admitted(a), admitted(b))


def test_U1_a_refused_row_is_not_let_go_of(plan, clock):
    a, b = a_tenant("a"), a_tenant("b")
    allowed(of_tenant(a), times=3)
    allowed(of_tenant(b), times=5)
    clock.tick(DAY)

    with refusing(b):
        flush()

    assert [0, 1] == [len(quarters_of(each)) for each in (a, b)]
    flush()
    assert (3, 5, 0) == (admitted(a), admitted(b), len(quarters_of(b)))


def test_U1_two_flushes_in_parallel_threads_give_the_same(plan):
    a, b = a_tenant("a"), a_tenant("b")
    for times in range(1, 6):
        if times <= 3:
            ask(of_tenant(a))
        ask(of_tenant(b))
        in_threads(flush, flush)

        assert (min(times, 3), times) == (admitted(a), admitted(b))
    assert 2 == UsageQuarter.objects.count()


def test_U1_two_flushes_in_two_processes_give_the_same(plan, neighbour):
    a, b = a_tenant("a"), a_tenant("b")
    for times in range(1, 6):
        if times <= 3:
            ask(of_tenant(a))
        ask(of_tenant(b))
        in_threads(flush, neighbour.flush)

        assert (min(times, 3), times) == (admitted(a), admitted(b))
    assert 2 == UsageQuarter.objects.count()


def test_an_older_copy_that_commits_last_lowers_nothing(tenant, monkeypatch):
    allowed(of_tenant(tenant), times=2)
    keep, later = flushing.keep, []

    def overtaken(copies, copied, using):
        if not later:
            later.append(allowed(of_tenant(tenant), times=3))
            flush()
            assert 5 == admitted(tenant)
        return keep(copies, copied, using)

    monkeypatch.setattr(flushing, "keep", overtaken)
    flush()

    assert 5 == admitted(tenant)


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_crash_before_or_after_the_commit_loses_and_doubles_nothing(
    tenant, clock, monkeypatch, when
):
    allowed(of_tenant(tenant), times=3)
    clock.tick(DAY)
    place = (keeping, "_upsert") if when == "before" else (tallies, "forget")
    usual = getattr(*place)

    def crash(*args):
        if when == "before":
            usual(*args)
        raise KeyboardInterrupt

    monkeypatch.setattr(*place, crash)
    with pytest.raises(KeyboardInterrupt):
        flush()
    assert {"before": 0, "after": 3}[when] == admitted(tenant)
    assert 1 == len(quarters_of(tenant))
    monkeypatch.undo()

    flush()

    assert (3, 0) == (admitted(tenant), len(quarters_of(tenant)))


def test_requests_in_the_middle_of_a_flush_are_copied_by_the_next(tenant, monkeypatch):
    allowed(of_tenant(tenant), times=3)
    keep = flushing.keep

    def busy(*args):
        ask(of_tenant(tenant))
        return keep(*args)

    monkeypatch.setattr(flushing, "keep", busy)
    flush()
    assert 3 == admitted(tenant)
    monkeypatch.undo()

    flush()

    assert 6 == admitted(tenant)


def test_a_late_request_keeps_its_quarter_from_being_let_go_of(tenant, clock, monkeypatch):
    allowed(of_tenant(tenant), times=3)
    forget = tallies.forget

    def late(copied):
        clock.move_to(START)
        ask(of_tenant(tenant))
        clock.move_to(START + DAY)
        forget(copied)

    clock.tick(DAY)
    monkeypatch.setattr(tallies, "forget", late)
    flush()
    monkeypatch.undo()
    flush()

    assert 4 == admitted(tenant)


def test_what_is_counted_after_a_wipe_adds_up(tenant, clock):
    allowed(of_tenant(tenant), times=3)
    flush()
    link().client.flushdb()
    clock.tick(1)
    allowed(of_tenant(tenant), times=2)

    flush()

    assert [(START - START, "api", 3, 0), (START - START, "api", 2, 0)] == rows(tenant)


def test_a_day_away_is_caught_up_with_and_then_let_go_of(tenant, clock):
    for _ in range(96):
        allowed(of_tenant(tenant), times=2)
        clock.tick(QUARTER)

    assert 96 == flush().quarters

    assert [(number * QUARTER, "api", 2, 0) for number in range(96)] == rows(tenant)
    assert 8 == len(quarters_of(tenant))
    assert 0 == flush().quarters


def test_what_is_let_go_of_ended_two_hours_ago(tenant, clock):
    ask(of_tenant(tenant))

    clock.move_to(START + QUARTER + 2 * HOUR - QUARTER / 900)
    flush()
    assert 1 == len(quarters_of(tenant))
    clock.move_to(START + QUARTER + 2 * HOUR)
    flush()

    assert 0 == len(quarters_of(tenant))


def test_tenants_of_several_pages_are_all_copied_in_few_round_trips(
    plan, monkeypatch, redis_url, django_assert_max_num_queries
):
    monkeypatch.setattr(flushing, "PAGE", 4)
    tenants = [a_tenant() for _ in range(10)]
    for each in tenants:
        ask(of_tenant(each))
    pages = []

    with django_assert_max_num_queries(53), watching(redis_url) as watched:
        flush(after_page=pages.append)

    assert [1] * 10 == [admitted(each) for each in tenants]
    assert [4, 8, 10] == pages
    assert 10 + 1 == watched.names.count("HGETALL")  # and that of callers without a tenant


def test_a_tenant_of_whom_nothing_is_known_costs_no_write(plan):
    a_tenant()

    assert Flushed() == flush()
    assert not UsageQuarter.objects.exists()


def test_flushing_changes_nothing_in_redis_that_is_still_being_counted(tenant):
    ask(of_tenant(tenant))
    before = dumped()

    flush()

    assert before == dumped()


def test_a_tenant_that_is_deleted_meanwhile_stops_no_other(plan, monkeypatch):
    a, b = a_tenant("a"), a_tenant("b")
    allowed(of_tenant(a), times=3)
    allowed(of_tenant(b), times=5)
    read = tallies.tallies_of

    def deleting(tags):
        found = read(tags)
        if a.pk:
            a.delete()
        return found

    monkeypatch.setattr(tallies, "tallies_of", deleting)

    assert 2 == flush().refused
    assert 5 == admitted(b)
    assert [b.pk] == list(UsageQuarter.objects.values_list("tenant", flat=True))


def test_within_a_transaction_nothing_is_let_go_of_because_it_refuses_to_run(tenant):
    ask(of_tenant(tenant))

    with transaction.atomic(), pytest.raises(RuntimeError, match="durable"):
        flush()


def test_a_database_without_upserts_is_named(tenant, monkeypatch):
    monkeypatch.setattr(connection.features, "supports_update_conflicts_with_target", False)

    with pytest.raises(ConfigurationError, match="ON CONFLICT"):
        flush()
