"""The server itself: how fast it answers, what it says of its memory, and which keys are ours."""

from __future__ import annotations

import re
import time
from collections import Counter
from dataclasses import dataclass, field
from statistics import median
from typing import TYPE_CHECKING, Any

from redis.exceptions import RedisError, ResponseError

from quotas.domain.keys import KeyKind, kind_of_key
from quotas.engine.connection import link
from quotas.errors import EngineUnavailable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

PINGS = 5
MOST_KEYS, KEYS_AT_ONCE, MOST_SECONDS = 100_000, 1000, 1.0
SPECIAL = re.compile(r"([*?\[\]\\])")
"""Characters that SCAN's patterns do not take as they are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """What answers at the alias's address.

    Round trips in microseconds. What it does not tell is None; ``max_memory`` of 0 is no bound.
    """

    fastest_us: int
    median_us: int
    product: str | None = None
    used_memory: int | None = None
    max_memory: int | None = None
    eviction_policy: str | None = None
    append_only: bool | None = None
    saved_at: int | None = None
    saved_well: bool | None = None


@dataclass(slots=True)
class KeyCount:
    """Our keys by kind; ``complete``: every key of the database was looked at."""

    kinds: Counter[KeyKind] = field(default_factory=Counter)
    complete: bool = False


def ask_server() -> Server:
    """Ask it a few times, and what it says of itself. Raises `EngineUnavailable`."""
    client = link().client
    try:
        trips = sorted(_timed(client.ping) for _ in range(PINGS))
        try:
            told: Mapping[str, Any] = client.info()
        except ResponseError:  # hosted servers may forbid it
            told = {}
    except (RedisError, OSError) as error:
        raise EngineUnavailable(f"Redis gave no answer: {error}") from error
    append_only = told.get("aof_enabled")
    return Server(
        fastest_us=trips[0],
        median_us=round(median(trips)),
        product=_product(told),
        used_memory=told.get("used_memory"),
        max_memory=told.get("maxmemory"),
        eviction_policy=told.get("maxmemory_policy"),
        append_only=None if append_only is None else bool(append_only),
        saved_at=told.get("rdb_last_save_time"),
        saved_well=_saved_well(told),
    )


def count_keys(clock: Callable[[], float] = time.monotonic, *, most: int = MOST_KEYS) -> KeyCount:
    """Look at the keys of the database, ``most`` of them and for a second, roughly.

    Raises `EngineUnavailable`.
    """
    client, key = link()
    before, _, after = key("\0").partition("\0")
    pattern = "*".join(SPECIAL.sub(r"\\\1", text) for text in (before, after))
    until, cursor, looked_at = clock() + MOST_SECONDS, 0, 0
    found, seen = KeyCount(), set[Any]()
    try:
        while True:
            cursor, some = client.scan(cursor, match=pattern, count=KEYS_AT_ONCE)
            seen.update(some)
            looked_at += KEYS_AT_ONCE
            found.complete = cursor == 0
            if found.complete or looked_at >= most or clock() >= until:
                break
    except (RedisError, OSError) as error:
        raise EngineUnavailable(f"Redis gave no answer: {error}") from error
    found.kinds.update(_kinds(seen, before, after))
    return found


def _kinds(keys: set[Any], before: str, after: str) -> Iterator[KeyKind]:
    for raw in keys:
        text = raw.decode("utf-8", "replace").removeprefix(before).removesuffix(after)
        if kind := kind_of_key(text):
            yield kind


def _timed(question: Callable[[], object]) -> int:
    began = time.perf_counter_ns()
    question()
    return (time.perf_counter_ns() - began) // 1000


def _product(told: Mapping[str, Any]) -> str | None:
    if version := told.get("valkey_version"):
        return f"Valkey {version}"
    version = told.get("redis_version")
    return f"Redis {version}" if version else None


def _saved_well(told: Mapping[str, Any]) -> bool | None:
    """Whether its last write to disk went well; None when it does not say."""
    states = [told.get("rdb_last_bgsave_status"), told.get("aof_last_write_status")]
    said = [state == "ok" for state in states if state is not None]
    return all(said) if said else None
