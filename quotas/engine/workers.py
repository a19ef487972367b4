"""The hash in which workers tell of themselves, by the server's clock."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from redis.exceptions import RedisError

from quotas.domain.keys import PLANS_KEY, WORKERS_KEY
from quotas.domain.workers import Worker
from quotas.engine.clock import clock
from quotas.engine.connection import link
from quotas.engine.owners import NO_VERSION
from quotas.engine.script import Script, read
from quotas.errors import EngineUnavailable

if TYPE_CHECKING:
    from collections.abc import Mapping

MOST_WORKERS = 10_000
LONGEST_HOST = 64
INSTANT, VERSION, PID, COUNT = 7, 7, 4, 6
HEAD = 2 * INSTANT + VERSION + PID + 2 * COUNT
"""Bytes before the host: seen, started, version, pid, decisions, missed."""

BEAT = Script(read("beat"))


class Registry(NamedTuple):
    """All workers not seen longer ago than an hour, at an instant (us), and the plans' version."""

    now_us: int
    version: bytes
    workers: tuple[Worker, ...]


def beat(
    worker_id: str,
    *,
    age_us: int,
    version: bytes | None,
    pid: int,
    host: str,
    decisions: int,
    missed: int,
) -> None:
    """Tell of a worker; those that tell nothing for an hour go. Raises `EngineUnavailable`."""
    client, key = link()
    numbers = ((pid, PID), (decisions, COUNT), (missed, COUNT))
    told = (version or NO_VERSION) + b"".join(
        min(number, (1 << 8 * size) - 1).to_bytes(size, "little") for number, size in numbers
    )
    told += host.encode("utf-8", "replace")[:LONGEST_HOST]
    args = [
        worker_id.encode(),
        clock.given_us.to_bytes(INSTANT, "little"),
        age_us.to_bytes(INSTANT, "little"),
        told,
        b"%d" % MOST_WORKERS,
    ]
    BEAT.run(client, [key(WORKERS_KEY)], args)


def leave(worker_id: str) -> None:
    """Strike out a worker that ends. Raises `EngineUnavailable`."""
    client, key = link()
    try:
        client.hdel(key(WORKERS_KEY), worker_id)
    except (RedisError, OSError) as error:
        raise EngineUnavailable(f"Redis gave no answer: {error}") from error


def registry() -> Registry:
    """What all workers have told, in one round trip. Raises `EngineUnavailable`."""
    client, key = link()
    try:
        with client.pipeline(transaction=False) as pipeline:
            pipeline.time()
            pipeline.hget(key(PLANS_KEY), "version")
            pipeline.hgetall(key(WORKERS_KEY))
            (seconds, rest), version, told = pipeline.execute()
    except (RedisError, OSError) as error:
        raise EngineUnavailable(f"Redis gave no answer: {error}") from error
    now_us = clock.given_us or int(seconds) * 1_000_000 + int(rest)
    return Registry(now_us, version or NO_VERSION, tuple(_workers(told, now_us)))


def _workers(told: Mapping[bytes, bytes], now_us: int) -> list[Worker]:
    """By host and process; those of an hour ago, whom nobody has swept yet, are left out."""
    found = [_worker(record) for record in told.values() if len(record) >= HEAD]
    recent = [each for each in found if each.seen_us >= now_us - 3_600_000_000]
    return sorted(recent, key=lambda each: (each.host, each.pid, each.started_us))


def _worker(record: bytes) -> Worker:
    sizes, numbers, at = (INSTANT, INSTANT, VERSION, PID, COUNT, COUNT), [], 0
    for size in sizes:
        numbers.append(record[at : at + size])
        at += size
    seen, started, version, pid, decisions, missed = numbers
    return Worker(
        host=record[HEAD:].decode("utf-8", "replace"),
        pid=int.from_bytes(pid, "little"),
        started_us=int.from_bytes(started, "little"),
        seen_us=int.from_bytes(seen, "little"),
        version=b"" if version == NO_VERSION else version,
        decisions=int.from_bytes(decisions, "little"),
        missed=int.from_bytes(missed, "little"),
    )
