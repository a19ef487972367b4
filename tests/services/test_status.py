"""How the limiter stands: what Redis says, what the database knows, and what is late."""

from __future__ import annotations

from datetime import timedelta

import pytest

from quotas.domain.calendar import EPOCH
from quotas.domain.keys import KeyKind
from quotas.engine import workers
from quotas.models import AnonymousQuarter, UsageQuarter
from quotas.services import status_report, worker_rows
from quotas.services import workers as telling
from quotas.services.flush import flush
from quotas.services.in_force import plans_in_force
from quotas.services.status import status
from tests import START_US
from tests.engine.proxy import nobody
from tests.engine.watching import watching
from tests.models.rows import a_limit, a_tenant
from tests.services import alerting
from tests.services.asking import allowed, ask, of_tenant

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clock")]

START = EPOCH + timedelta(microseconds=START_US)
MINUTE = timedelta(minutes=1)


@pytest.fixture
def tenant(db):
    return a_tenant(plan=a_limit(amount=1000).plan)


@pytest.fixture
def away(settings):
    entry = settings.CACHES["quotas"] | {"LOCATION": nobody()}
    settings.CACHES = settings.CACHES | {"quotas": entry}


def warnings(found):
    lines = status_report.of_redis(found) + status_report.of_usage(found)
    return {line.label: line.warning for line in lines if line.warning}


def test_redis_its_keys_and_workers_are_looked_at(tenant):
    ask(of_tenant(tenant))

    found = status()

    assert ("", START) == (found.failure, found.at)
    assert found.server.median_us > 0
    assert {KeyKind.CELLS: 1, KeyKind.OWNER: 1, KeyKind.PLANS: 1, KeyKind.WORKERS: 1} == dict(
        found.keys.kinds
    )
    assert [1] == [each.decisions for each in found.workers]
    assert 1 == found.in_force.busy_applied


def test_looking_writes_nothing(tenant, redis_url):
    with watching(redis_url) as watched:
        status()

    assert {"PING", "INFO", "TIME", "HGET", "HGETALL", "SCAN"} == set(watched.names)
    assert [] == watched.by_scripts


def test_without_redis_the_database_tells_what_it_knows(tenant, away):
    UsageQuarter.objects.create(tenant=tenant, scope="api", start=START, generation=1)
    alerting.an_alert(tenant)

    found = status()

    assert found.failure.startswith("Redis gave no answer")
    assert found.copied_at is not None
    assert (None, None, ()) == (found.server, found.keys, found.workers)
    assert {"Reachable"} == warnings(found).keys()
    assert "cannot be told" in status_report.of_workers(found)


def test_the_last_copy_is_the_latest_of_tenants_and_of_callers_without_one(tenant):
    assert status().copied_at is None
    UsageQuarter.objects.create(
        tenant=tenant, scope="api", start=START, generation=1, copied_at=START + MINUTE
    )
    assert START + MINUTE == status().copied_at
    for minutes in (3, 2):
        AnonymousQuarter.objects.create(
            scope=f"{minutes}", start=START, generation=1, copied_at=START + minutes * MINUTE
        )

    assert START + 3 * MINUTE == status().copied_at


def test_a_flush_that_does_not_run_is_warned_of_when_workers_go_on(tenant, clock, monkeypatch):
    monkeypatch.setattr(telling, "EVERY", 0.0)
    allowed(of_tenant(tenant))
    flush()
    clock.tick(16 * MINUTE)
    assert {} == warnings(status())

    allowed(of_tenant(tenant))

    assert {"Last copied to the database"} == warnings(status()).keys()
    flush()
    assert {} == warnings(status())


def test_a_flush_that_has_never_run_is_warned_of(tenant, clock, monkeypatch):
    monkeypatch.setattr(telling, "EVERY", 0.0)
    monkeypatch.setattr(telling.worker, "clock", lambda: clock.now_us / 1_000_000)
    telling.worker.forget()
    allowed(of_tenant(tenant))
    assert {} == warnings(status())
    clock.tick(16 * MINUTE)
    allowed(of_tenant(tenant))

    assert {"Last copied to the database"} == warnings(status()).keys()


@pytest.mark.parametrize(
    ("setting", "value", "label"),
    [
        pytest.param("maxmemory-policy", "allkeys-lru", "When memory is full", id="evicts"),
        pytest.param("maxmemory", "1mb", "Memory used", id="nearly-full"),
    ],
)
def test_a_server_that_is_set_up_badly_is_warned_of(private_server, setting, value, label):
    assert {} == warnings(status())

    private_server.client().config_set(setting, value)

    assert {label} == warnings(status()).keys()


def test_a_slow_server_is_warned_of(settings):
    settings.QUOTAS_TIMEOUT = 0.25
    found = status()
    slow = found.server.__class__(fastest_us=1000, median_us=130_000)

    (line,) = [
        line for line in status_report.of_redis(_with(found, slow)) if line.label == "Round trip"
    ]

    assert "1.00 ms at best, 130.00 ms in the middle, from this process" == line.value
    assert "0.25 s" in line.warning


def test_what_a_server_does_not_say_is_said_to_be_unknown():
    found = status()
    silent = found.server.__class__(fastest_us=1, median_us=1)

    lines = {line.label: line.value for line in status_report.of_redis(_with(found, silent))}

    for label in ("Server", "Memory used", "When memory is full", "On disk"):
        assert "the server does not say" == lines[label]


def _with(found, server):
    from dataclasses import replace

    return replace(found, server=server)


def test_of_many_workers_those_behind_are_listed_and_the_rest_is_counted(clock):
    for number in range(203):
        workers.beat(
            f"id-{number}",
            age_us=0,
            version=b"behind-" if number > 200 else None,
            pid=number,
            host="web-1",
            decisions=number,
            missed=0,
        )

    found = status()

    rows = worker_rows.workers(found)
    assert (200, "3 more are not listed.") == (len(rows), worker_rows.unlisted(found))
    assert ["behind", "behind", "by no plan yet"] == [row.plans for row in rows[:3]]


def test_an_alias_that_is_not_redis_is_told_like_an_outage(settings):
    settings.CACHES = settings.CACHES | {"quotas": settings.CACHES["default"]}

    assert "LocMemCache" in status().failure
    assert plans_in_force() is None


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [(0, "0 seconds ago"), (-1, "0 seconds ago"), (1, "1 second ago"), (119, "119 seconds ago")],
)
def test_seconds_are_counted_up_to_two_minutes(seconds, expected):
    assert expected == status_report.ago(timedelta(seconds=seconds))


def test_longer_spans_are_told_in_larger_units():
    told = status_report.ago(timedelta(hours=3, minutes=5)).replace("\xa0", " ")

    assert "3 hours, 5 minutes ago" == told
