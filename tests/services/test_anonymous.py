"""Callers without a tenant are counted as a tenant's are: in each process, summed up in Redis."""

from __future__ import annotations

import random
from datetime import timedelta

import pytest

from quotas.domain.keys import ANONYMOUS_TAG, owner_key
from quotas.engine.connection import link
from quotas.engine.tallies import tallies_of
from quotas.services import anonymous as counting
from quotas.services.anonymous import anonymous as process
from quotas.services.enforcement import Ask, enforce
from tests import START_US
from tests.engine.proxy import Proxy, nobody
from tests.engine.watching import watching
from tests.models.rows import a_limit, a_plan, a_tenant
from tests.services.asking import allowed, anonymous, ask, in_code, of_tenant
from tests.services.company import in_threads
from tests.services.counted import quarters_of
from tests.services.forking import fork_and_end
from tests.services.neighbour import Neighbour

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clock")]

DAY = timedelta(days=1)


@pytest.fixture
def plan(db):
    return a_plan("open", is_anonymous=True)


@pytest.fixture
def seconds(monkeypatch):
    """The clock by which this process adds what it has counted, in seconds: it stands still."""
    held = [0.0]
    monkeypatch.setattr(process, "clock", lambda: held[0])

    def pass_by(seconds):
        held[0] += seconds

    return pass_by


@pytest.fixture
def aimed(settings):
    def aim(url):
        entry = settings.CACHES["quotas"] | {"LOCATION": url}
        settings.CACHES = settings.CACHES | {"quotas": entry}

    return aim


def in_redis():
    (found,) = tallies_of([ANONYMOUS_TAG])
    return found.quarters


def added():
    """The quarters in Redis, after this process has added what it had."""
    process.add()
    return in_redis()


def numbers(quarters):
    return [
        (
            each.field, each.start_us, each.minutes, each.units, each.shadow_denied,
            {of.label: (of.denied, of.shadow_denied) for of in each.limits},
        )
        for each in quarters
    ]  # fmt: skip


def sums(quarters):
    return {each.scope: (each.admitted, each.denied) for each in quarters}


@pytest.mark.parametrize("often", [pytest.param(False, id="once"), pytest.param(True, id="often")])
def test_the_numbers_are_those_that_a_tenant_would_have(plan, clock, seconds, often):
    rows = [
        {"scope": "api", "name": "few", "amount": 6},
        {"scope": "api", "name": "fewer", "amount": 4, "algorithm": "token_bucket"},
        {"scope": "exports", "name": "tried", "amount": 3, "mode": "shadow"},
        {"scope": "exports", "name": "hour", "amount": 20, "period": timedelta(hours=1)},
        {"scope": "closed", "name": "none", "amount": 0},
        {"scope": "*", "name": "all", "amount": 9, "algorithm": "sliding_window_log"},
        {"scope": "*", "name": "watched", "amount": 5, "mode": "shadow"},
    ]
    own = a_plan("own")
    for row in rows:
        a_limit(plan, **row)
        a_limit(own, **row)
    tenant, draw = a_tenant("acme", plan=own), random.Random(7)

    for _ in range(300):
        scopes = draw.choice([["api"], ["exports"], ["api", "exports"], ["exports", "closed"]])
        cost = draw.choice([0, 1, 1, 2, 5, 7])
        answers = {ask(who, *scopes, cost=cost).decision.outcome for who in (
            of_tenant(tenant), anonymous(),
        )}  # fmt: skip
        assert 1 == len(answers)
        clock.tick(draw.choice([0, 1, 30, 200]))
        seconds(0.9 if often else 0)

    counted = numbers(quarters_of(tenant))
    assert len(counted) > 20
    assert counted == numbers(added())
    assert {"api/few", "api/fewer", "exports/tried", "exports/hour", "closed/none", "*/all"} < {
        label for *_, limits in counted for label in limits
    }


def test_a_process_adds_at_most_once_a_second(plan, seconds, redis_url, settings):
    settings.QUOTAS_PLAN_POLL = 60
    a_limit(plan, amount=100)
    ask(anonymous())
    with watching(redis_url) as watched:
        for _ in range(30):
            seconds(0.125)
            ask(anonymous())

    assert ["PING"] * 3 == [each for each in watched.names if not each.startswith("EVAL")]
    assert 30 + 3 == watched.names.count("EVALSHA")
    assert {"api": (25, 0)} == sums(in_redis())
    assert {"api": (31, 0)} == sums(added())


def test_a_process_that_ends_adds_to_what_others_have_counted(transactional_db, plan):
    a_limit(plan, amount=100)
    allowed(anonymous(), times=3)
    process.add()
    other = Neighbour()
    answers = [other.ask()[0] for _ in range(5)]

    other.close()

    assert ["allowed"] * 5 == answers
    assert {"api": (8, 0)} == sums(in_redis())


@pytest.mark.parametrize(
    ("workers", "expected"),
    [
        pytest.param(["ends", "ends"], 8, id="each-adds-its-own-when-it-ends"),
        pytest.param(["killed", "ends"], 6, id="killed-loses-its-own-alone"),
    ],
)
def test_a_forked_worker_adds_nothing_of_its_parents(workers, expected):
    fork_and_end(*workers)

    assert {"code": (expected, 0)} == sums(in_redis())


def test_neither_a_tenant_nor_a_drop_in_nor_a_call_for_nothing_is_counted(plan):
    a_limit(plan, amount=100)
    tenant = a_tenant(plan=plan)
    ask(of_tenant(tenant))
    ask(anonymous(), cost=0)
    enforce(anonymous(), [Ask(limit=in_code(), counted="a")])
    enforce(of_tenant(tenant), [Ask(limit=in_code(), counted="a")])

    assert () == added()


def test_a_limit_in_code_is_counted_without_any_plan(db):
    for _ in range(12):
        enforce(anonymous(), [Ask(limit=in_code(10))])

    (found,) = added()
    assert ("code", 10, 2) == (found.scope, found.admitted, found.denied)
    assert ["code/minute"] == [each.label for each in found.limits]


def test_what_is_decided_without_redis_is_not_counted(plan, aimed, redis_url):
    a_limit(plan, amount=100)
    a_limit(plan, scope="closed", amount=0)
    ask(anonymous())
    aimed(nobody())
    for scope in ("api", "closed"):
        ask(anonymous(), scope)
    aimed(redis_url)

    assert {"api": (1, 0)} == sums(added())


def test_threads_lose_no_call(transactional_db, plan, monkeypatch):
    monkeypatch.setattr(counting, "EVERY", 0.0)  # each call adds what there is
    a_limit(plan, amount=1000)
    allowed(anonymous())

    in_threads(*[lambda: allowed(anonymous(), times=25)] * 4)

    assert {"api": (101, 0)} == sums(added())


@pytest.mark.parametrize("losing", ["swallow", "close"])
def test_an_answer_that_is_lost_is_not_counted_twice(plan, aimed, redis_url, losing, monkeypatch):
    a_limit(plan, amount=100)
    with Proxy(redis_url) as proxy:
        aimed(proxy.url)
        ask(anonymous())
        process.add()
        allowed(anonymous(), times=3)
        ping = link().client.ping

        def then_lose():
            ping()
            proxy.losing = losing

        monkeypatch.setattr(link().client, "ping", then_lose)
        process.add()
    aimed(redis_url)

    allowed(anonymous(), times=2)

    assert {"api": (6, 0)} == sums(added())


def test_what_was_surely_not_added_waits_and_is_added_to(plan, aimed, redis_url, clock, caplog):
    a_limit(plan, amount=100)
    allowed(anonymous(), times=3)
    aimed(nobody())
    process.add()
    process.add()
    aimed(redis_url)
    allowed(anonymous(), times=2)
    clock.tick(timedelta(minutes=15))
    ask(anonymous())

    assert [5, 1] == [each.admitted for each in added()]
    assert 1 == len([line for line in caplog.messages if "was not added yet" in line])


def test_an_error_of_redis_loses_nothing(plan, caplog):
    a_limit(plan, amount=100)
    allowed(anonymous(), times=3)
    client, key = link()
    client.set(key(owner_key(ANONYMOUS_TAG)), "taken")
    process.add()
    client.delete(key(owner_key(ANONYMOUS_TAG)))

    assert {"api": (3, 0)} == sums(added())


def test_what_waits_is_bounded_in_time_and_number(plan, aimed, clock, redis_url, monkeypatch):
    monkeypatch.setattr(counting, "MOST_SUMS", 4)
    for scope in "abcdef":
        a_limit(plan, scope=scope, amount=100)
    ask(anonymous(), "a")
    clock.tick(2 * DAY)
    ask(anonymous(), "b")
    clock.tick(2 * DAY)
    ask(anonymous(), "c")
    aimed(nobody())
    process.add()
    aimed(redis_url)
    assert {"b", "c"} == {scope for _, scope in process._sums}

    for scope in "defd":
        ask(anonymous(), scope)

    assert {"c": (1, 0), "d": (2, 0), "e": (1, 0), "f": (1, 0)} == sums(added())


def test_a_place_of_the_ring_goes_to_the_later_quarter(plan, clock):
    a_limit(plan, amount=100)
    clock.tick(3 * DAY)
    ask(anonymous())
    process.add()
    clock.tick(-3 * DAY)
    allowed(anonymous(), times=5)
    process.add()
    assert [START_US + 3 * DAY // timedelta(microseconds=1)] == [each.start_us for each in added()]
    clock.tick(6 * DAY)
    allowed(anonymous(), times=2)

    (found,) = added()

    assert (2, START_US + 6 * DAY // timedelta(microseconds=1)) == (found.admitted, found.start_us)


def test_the_record_goes_after_three_days_without_a_caller(plan):
    a_limit(plan, amount=100)
    ask(anonymous())
    process.add()

    client, key = link()
    assert 0 < client.pttl(key(owner_key(ANONYMOUS_TAG))) <= 3 * 86_400_000
