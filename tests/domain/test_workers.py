"""How many workers have applied the plans as they are now."""

from __future__ import annotations

import pytest

from quotas.domain.workers import Applied, InForce, Worker, in_force
from tests import START_US

SECOND = 1_000_000
NOW, OLD = b"now-----", b"old-----"


def a_worker(version=NOW, *, seen_ago=0, **fields):
    values = {
        "host": "web-1",
        "pid": 7,
        "started_us": START_US - 3600 * SECOND,
        "seen_us": START_US - seen_ago * SECOND,
        "version": version,
        "decisions": 1,
        "missed": 0,
    }
    return Worker(**{**values, **fields})


def test_busy_and_idle_workers_count_apart():
    workers = [a_worker(), a_worker(), a_worker(OLD), a_worker(OLD, seen_ago=31)]
    workers += [a_worker(seen_ago=600)] * 2

    found = in_force(workers, NOW, START_US)

    assert InForce(busy=3, busy_applied=2, idle=3, idle_applied=2) == found


def test_a_worker_that_decides_by_no_plan_does_not_count():
    assert InForce(busy=0, busy_applied=0, idle=0, idle_applied=0) == in_force(
        [a_worker(b""), a_worker(b"", seen_ago=60)], NOW, START_US
    )


@pytest.mark.parametrize(("seen_ago", "busy"), [(0, True), (30, True), (31, False)])
def test_a_worker_is_busy_for_half_a_minute(seen_ago, busy):
    assert busy is a_worker(seen_ago=seen_ago).is_busy(START_US)


@pytest.mark.parametrize(
    ("version", "expected"),
    [(NOW, Applied.CURRENT), (OLD, Applied.BEHIND), (b"\xff" * 7, Applied.BEHIND), (b"", "none")],
)
def test_a_worker_goes_by_the_plans_whose_version_it_read(version, expected):
    assert expected == a_worker(version).applied(NOW)
