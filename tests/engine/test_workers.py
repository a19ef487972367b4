"""The hash of workers: by the server's clock, bounded, and without those of an hour ago."""

from __future__ import annotations

import pytest

from quotas.domain.keys import WORKERS_KEY
from quotas.engine import owners, workers
from quotas.engine.connection import link
from quotas.testing import frozen_clock
from tests import START_US

SECOND = 1_000_000
VERSION = b"\x01version"[:7]


@pytest.fixture
def clock():
    with frozen_clock(START_US) as frozen:
        yield frozen


def beat(worker_id="one", **fields):
    values = {
        "age_us": 5 * SECOND,
        "version": VERSION,
        "pid": 4711,
        "host": "web-1",
        "decisions": 3,
        "missed": 1,
    }
    workers.beat(worker_id, **{**values, **fields})


def listed():
    return [each.host for each in workers.registry().workers]


def test_what_a_worker_tells_is_read_again(clock):
    beat()
    owners.bump([], plans=True)

    found = workers.registry()

    (one,) = found.workers
    assert (START_US, START_US - 5 * SECOND) == (one.seen_us, one.started_us)
    assert ("web-1", 4711, 3, 1, VERSION) == (
        one.host, one.pid, one.decisions, one.missed, one.version,
    )  # fmt: skip
    assert (START_US, owners.plans_version()) == (found.now_us, found.version)


def test_without_a_given_time_the_server_says_when():
    beat()

    found = workers.registry()

    (one,) = found.workers
    assert 0 <= found.now_us - one.seen_us < 60 * SECOND
    assert 5 * SECOND == one.seen_us - one.started_us


def test_a_later_beat_takes_the_place_of_the_one_before(clock):
    beat()
    clock.tick(10)
    beat(age_us=15 * SECOND, version=None, decisions=9)

    (one,) = workers.registry().workers

    assert (START_US - 5 * SECOND, START_US + 10 * SECOND) == (one.started_us, one.seen_us)
    assert (9, b"") == (one.decisions, one.version)


def test_a_worker_not_seen_for_an_hour_is_dropped_by_whoever_writes(clock):
    client, key = link()
    beat("gone", host="web-1")
    clock.tick(1800)
    beat("idle", host="web-2")
    clock.tick(1801)

    assert ["web-2"] == listed()
    assert 2 + 1 == client.hlen(key(WORKERS_KEY))
    beat("new", host="web-3")

    assert ["web-2", "web-3"] == listed()
    assert 2 + 1 == client.hlen(key(WORKERS_KEY))


def test_all_workers_go_when_none_has_told_anything_for_an_hour(clock):
    beat()

    client, key = link()
    assert 3_590_000 < client.pttl(key(WORKERS_KEY)) <= 3_600_000


def test_a_full_list_has_room_again_when_the_gone_are_dropped(clock, monkeypatch):
    monkeypatch.setattr(workers, "MOST_WORKERS", 3)
    for number in range(5):
        beat(f"id-{number}", host=f"web-{number}")
    assert ["web-0", "web-1", "web-2"] == listed()
    clock.tick(3601)
    beat("id-0", host="web-0")
    beat("later", host="web-9")

    assert ["web-0", "web-9"] == listed()


def test_a_full_list_takes_the_beat_of_one_it_knows_and_refuses_a_new_one(clock, monkeypatch):
    monkeypatch.setattr(workers, "MOST_WORKERS", 2)
    beat("one", host="web-1")
    beat("two", host="web-2")

    beat("three", host="web-3")
    beat("one", host="web-1", decisions=99)

    assert {"web-1": 99, "web-2": 3} == {
        each.host: each.decisions for each in workers.registry().workers
    }


def test_a_worker_that_leaves_is_struck_out(clock):
    beat("one", host="web-1")
    beat("two", host="web-2")

    workers.leave("one")
    workers.leave("nobody")

    assert ["web-2"] == listed()


def test_a_long_host_and_great_numbers_are_cut(clock):
    beat(host="wé" * 100, decisions=1 << 70, pid=1 << 40)

    (one,) = workers.registry().workers

    assert one.host.startswith("wéwé")
    assert ((1 << 48) - 1, (1 << 32) - 1) == (one.decisions, one.pid)


def test_looking_writes_nothing():
    found = workers.registry()

    assert ((), owners.NO_VERSION) == (found.workers, found.version)
    assert 0 == link().client.dbsize()
