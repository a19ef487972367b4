"""Each process that decides registers, and tells of the plans it goes by; it fails no decision."""

from __future__ import annotations

import os

import pytest

from quotas.domain.workers import InForce
from quotas.engine.owners import plans_version
from quotas.engine.workers import registry
from quotas.services import workers as telling
from quotas.services.enforcement import Ask, enforce
from quotas.services.in_force import plans_in_force
from quotas.services.usage import usage_of
from quotas.services.workers import worker
from tests.engine.proxy import nobody
from tests.engine.watching import watching
from tests.models.rows import a_limit, a_plan, a_tenant
from tests.services.asking import allowed, anonymous, ask, in_code, of_tenant
from tests.services.company import in_threads
from tests.services.forking import fork_and_end
from tests.services.neighbour import Neighbour

pytestmark = pytest.mark.django_db


@pytest.fixture
def tenant(db):
    return a_tenant(plan=a_limit(amount=1000).plan)


@pytest.fixture
def seconds(monkeypatch):
    """The clock by which this process tells of itself, in seconds: it stands still."""
    held = [100.0]
    monkeypatch.setattr(worker, "clock", lambda: held[0])
    worker.forget()

    def pass_by(seconds):
        held[0] += seconds

    return pass_by


@pytest.fixture
def aimed(settings):
    def aim(url):
        entry = settings.CACHES["quotas"] | {"LOCATION": url}
        settings.CACHES = settings.CACHES | {"quotas": entry}

    return aim


@pytest.fixture
def neighbours(transactional_db):
    """Three other processes on the same database and Redis."""
    started = [Neighbour() for _ in range(3)]
    yield started
    for each in started:
        each.close()


def mine():
    (found,) = [each for each in registry().workers if each.pid == os.getpid()]
    return found


def test_a_process_registers_at_its_first_decision(tenant):
    assert () == registry().workers
    ask(of_tenant(tenant))

    found = mine()

    assert (1, 0, plans_version()) == (found.decisions, found.missed, found.version)
    assert found.host


def test_a_page_that_only_looks_registers_nobody(tenant):
    usage_of(tenant.pk)

    assert () == registry().workers


def test_a_process_that_decides_by_no_plan_goes_by_none():
    enforce(anonymous(), [Ask(limit=in_code(), counted="a")])

    assert b"" == mine().version
    assert 0 == plans_in_force().busy


def test_it_tells_of_itself_at_most_every_ten_seconds(tenant, seconds, redis_url, settings):
    settings.QUOTAS_PLAN_POLL = 60
    ask(of_tenant(tenant))
    with watching(redis_url) as watched:
        for _ in range(20):
            seconds(1)
            ask(of_tenant(tenant))

    assert 20 + 2 == len(watched.names)
    assert 21 == mine().decisions
    assert 20_000_000 == mine().seen_us - mine().started_us


def test_it_tells_at_once_that_it_has_applied_an_edit(
    tenant, seconds, later, django_capture_on_commit_callbacks
):
    ask(of_tenant(tenant))
    with django_capture_on_commit_callbacks(execute=True):
        tenant.plan.limits.update(amount=5)
    assert InForce(busy=1, busy_applied=0, idle=0, idle_applied=0) == plans_in_force()
    later(1.1)

    ask(of_tenant(tenant))

    assert InForce(busy=1, busy_applied=1, idle=0, idle_applied=0) == plans_in_force()


def test_of_several_processes_each_has_applied_an_edit_when_it_has_decided_since(neighbours, clock):
    limit = a_limit(amount=1000)
    tenant = a_tenant(plan=limit.plan)
    for each in neighbours:
        each.ask(tenant)
    assert InForce(busy=3, busy_applied=3, idle=0, idle_applied=0) == plans_in_force()

    limit.amount = 5
    limit.save()
    assert InForce(busy=3, busy_applied=0, idle=0, idle_applied=0) == plans_in_force()
    clock.tick(31)
    for each in neighbours:
        each.later(1.1)
    for each in neighbours[:2]:
        each.ask(tenant, now_us=clock.now_us)
    assert InForce(busy=2, busy_applied=2, idle=1, idle_applied=0) == plans_in_force()

    assert {"minute": 0} == neighbours[2].ask(tenant, now_us=clock.now_us)[1]
    assert InForce(busy=3, busy_applied=3, idle=0, idle_applied=0) == plans_in_force()


def test_a_process_that_ends_is_struck_out_and_one_that_is_killed_is_not():
    fork_and_end("killed", "ends")

    (killed,) = registry().workers

    assert (1, 0) == (killed.decisions, killed.missed)


def test_a_forked_worker_is_another_than_its_parent():
    fork_and_end("killed", "killed")

    found = registry().workers

    assert 2 == len({each.pid for each in found})
    assert [1, 1] == [each.decisions for each in found]


def test_decisions_without_redis_are_told_of_when_it_is_back(tenant, seconds, aimed, redis_url):
    allowed(of_tenant(tenant), times=2)
    aimed(nobody())
    seconds(60)
    assert 3 == allowed(of_tenant(tenant), times=3)
    assert plans_in_force() is None
    aimed(redis_url)

    ask(of_tenant(tenant))

    assert (6, 3) == (mine().decisions, mine().missed)


def test_a_worker_that_cannot_tell_decides_and_says_so_once(
    tenant, seconds, caplog, aimed, private_server
):
    client = private_server.client()
    client.execute_command("ACL", "SETUSER", "limiter", "on", ">word", "~*", "+@all")
    client.execute_command("ACL", "SETUSER", "limiter", "resetkeys", "~*{*", "~*plans")
    aimed(private_server.url.replace("://", "://limiter:word@"))

    for _ in range(3):
        assert 1 == allowed(of_tenant(tenant))
        seconds(10)

    assert 1 == len([line for line in caplog.messages if "could not tell" in line])
    aimed(private_server.url)
    assert () == registry().workers


def test_after_each_of_two_restarts_of_redis_it_is_listed_again(
    tenant, seconds, later, private_server
):
    ask(of_tenant(tenant))
    for restarts in (1, 2):
        private_server.restart()
        assert () == registry().workers
        later(1.1)
        seconds(2)

        allowed(of_tenant(tenant), times=2)

        assert 2 * restarts == mine().decisions
        assert (1, 1) == (plans_in_force().busy, plans_in_force().busy_applied)


def test_leaving_without_redis_ends_quietly(tenant, aimed, caplog):
    ask(of_tenant(tenant))
    aimed(nobody())

    worker.leave()

    assert [line for line in caplog.messages if "could not tell" in line]


def test_threads_lose_no_decision(transactional_db, monkeypatch):
    monkeypatch.setattr(telling, "EVERY", 0.0)
    tenant = a_tenant(plan=a_limit(a_plan(), amount=1000).plan)

    in_threads(*[lambda: allowed(of_tenant(tenant), times=25)] * 4)

    ask(of_tenant(tenant))
    assert 101 == mine().decisions
