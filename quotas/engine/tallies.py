"""What the decision script has counted for people, as it lies in the owner's hash; see usage.lua.

Reading changes nothing. A record is let go of only by `forget`, and only while it is what was
copied.
"""

from __future__ import annotations

from dataclasses import dataclass
from struct import Struct
from typing import TYPE_CHECKING

from redis.exceptions import RedisError

from quotas.domain.keys import owner_key
from quotas.engine.clock import clock
from quotas.engine.connection import link
from quotas.engine.script import Script, read
from quotas.errors import EngineUnavailable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

QUARTER_US = 15 * 60 * 1_000_000
MINUTES = 15
HEAD, MINUTE, FIVE = Struct("<I6s6s"), Struct("<II"), 5
FIRST_LABEL = HEAD.size + MINUTES * MINUTE.size
TALLY_PREFIX = 3

FORGET = Script(read("forget"))


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitTally:
    """How often one limit denied, and would have denied in shadow."""

    label: str
    denied: int
    shadow_denied: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Quarter:
    """One scope of one owner in one quarter of an hour, from ``start_us`` on.

    ``minutes`` are 15 times (admitted, denied). ``raw`` is the record as it was read, and ``field``
    where it lies.
    """

    scope: str
    start_us: int
    units: int
    shadow_denied: int
    minutes: tuple[tuple[int, int], ...]
    limits: tuple[LimitTally, ...]
    field: bytes
    raw: bytes

    @property
    def admitted(self) -> int:
        """Calls admitted."""
        return sum(admitted for admitted, _ in self.minutes)

    @property
    def denied(self) -> int:
        """Calls denied."""
        return sum(denied for _, denied in self.minutes)

    @property
    def peak(self) -> int:
        """Calls admitted in the busiest minute."""
        return max(admitted for admitted, _ in self.minutes)


@dataclass(frozen=True, slots=True)
class Tallied:
    """All that one owner's hash has: its ``generation`` (us; 0 without any), and its quarters."""

    generation: int
    quarters: tuple[Quarter, ...]


def tallies_of(tags: Sequence[str]) -> list[Tallied]:
    """What is counted of each owner, in one round trip. Raises `EngineUnavailable`."""
    client, key = link()
    try:
        with client.pipeline(transaction=False) as pipeline:
            for tag in tags:
                pipeline.hgetall(key(owner_key(tag)))
            found = pipeline.execute()
    except (RedisError, OSError) as error:
        raise EngineUnavailable(f"Redis gave no answer: {error}") from error
    return [_tallied(fields) for fields in found]


def counting_at() -> int:
    """The instant (us) by which quarters are counted: the server's. Raises `EngineUnavailable`."""
    if clock.given_us:
        return clock.given_us
    try:
        seconds, rest = link().client.time()
    except (RedisError, OSError) as error:
        raise EngineUnavailable(f"Redis gave no answer: {error}") from error
    return int(seconds) * 1_000_000 + int(rest)


def forget(copied: Mapping[str, Sequence[Quarter]]) -> None:
    """Let go of records that have been copied, by tag, unless they have changed since.

    One round trip. Raises `EngineUnavailable`.
    """
    client, key = link()
    calls = [
        ([key(owner_key(tag))], [part for each in quarters for part in (each.field, each.raw)])
        for tag, quarters in copied.items()
        if quarters
    ]
    if calls:
        FORGET.run_all(client, calls)


def _tallied(fields: Mapping[bytes, bytes]) -> Tallied:
    quarters = sorted(
        (_quarter(field, raw) for field, raw in fields.items() if field[:1] == b"u"),
        key=lambda each: (each.start_us, each.scope),
    )
    return Tallied(int.from_bytes(fields.get(b"generation", b""), "little"), tuple(quarters))


def _quarter(field: bytes, raw: bytes) -> Quarter:
    number, units, shadow = HEAD.unpack_from(raw)
    minutes = tuple(MINUTE.iter_unpack(raw[HEAD.size : FIRST_LABEL]))
    return Quarter(
        scope=field[TALLY_PREFIX:].decode("utf-8", "replace"),
        start_us=number * QUARTER_US,
        units=int.from_bytes(units, "little"),
        shadow_denied=int.from_bytes(shadow, "little"),
        minutes=minutes,
        limits=tuple(_limits(raw[FIRST_LABEL:])),
        field=field,
        raw=raw,
    )


def _limits(rest: bytes) -> Iterator[LimitTally]:
    """Records '<Bc0I5I5' one behind the other: label, denied, shadow-denied."""
    at = 0
    while at < len(rest):
        end = at + 1 + rest[at]
        numbers = rest[end : end + 2 * FIVE]
        yield LimitTally(
            label=rest[at + 1 : end].decode("utf-8", "replace"),
            denied=int.from_bytes(numbers[:FIVE], "little"),
            shadow_denied=int.from_bytes(numbers[FIVE:], "little"),
        )
        at = end + 2 * FIVE
