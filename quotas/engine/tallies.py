"""What the decision script has counted for people, as it lies in the owner's hash; see usage.lua.

Reading changes nothing. A record is let go of only by `forget`, and only while it is what was
copied.
"""

from __future__ import annotations

from dataclasses import dataclass
from struct import Struct
from typing import TYPE_CHECKING, NamedTuple

from redis.exceptions import RedisError

from quotas.domain.keys import owner_key
from quotas.engine.clock import clock
from quotas.engine.connection import link
from quotas.engine.hours import HOUR_PREFIX, Hour
from quotas.engine.script import Script, read
from quotas.errors import EngineUnavailable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

QUARTER_US = 15 * 60 * 1_000_000
MINUTES = 15
MINUTE_US = QUARTER_US // MINUTES
HEAD, COUNTS, FIVE = 16, Struct("<30I"), 5
FIRST_LABEL = HEAD + COUNTS.size
TALLY_PREFIX = 3

FORGET = Script(read("forget"))


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitTally:
    """How often one limit denied, and would have denied in shadow."""

    label: str
    denied: int
    shadow_denied: int


class Quarter(NamedTuple):
    """One scope of one owner in one quarter of an hour: the record, and the field where it lies.

    Numbers are read from it when they are asked for: most records are only compared.
    """

    field: bytes
    raw: bytes

    @property
    def scope(self) -> str:
        return self.field[TALLY_PREFIX:].decode("utf-8", "replace")

    @property
    def length_us(self) -> int:
        """How long a quarter is."""
        return QUARTER_US

    @property
    def start_us(self) -> int:
        """When the quarter began."""
        return int.from_bytes(self.raw[:4], "little") * QUARTER_US

    @property
    def units(self) -> int:
        """What the admitted calls cost."""
        return int.from_bytes(self.raw[4:10], "little")

    @property
    def shadow_denied(self) -> int:
        """Calls admitted that a limit in shadow would have denied."""
        return int.from_bytes(self.raw[10:16], "little")

    @property
    def minutes(self) -> tuple[tuple[int, int], ...]:
        """Calls admitted and denied in each of the 15 minutes."""
        return tuple(zip(self._admitted, self._denied, strict=True))

    @property
    def admitted(self) -> int:
        """Calls admitted."""
        return sum(self._admitted)

    @property
    def denied(self) -> int:
        """Calls denied."""
        return sum(self._denied)

    @property
    def peak(self) -> int:
        """Calls admitted in the busiest minute."""
        return max(self._admitted)

    @property
    def limits(self) -> tuple[LimitTally, ...]:
        """What each limit denied."""
        return tuple(_limits(self.raw[FIRST_LABEL:]))

    @property
    def _admitted(self) -> tuple[int, ...]:
        return COUNTS.unpack_from(self.raw, HEAD)[::2]

    @property
    def _denied(self) -> tuple[int, ...]:
        return COUNTS.unpack_from(self.raw, HEAD)[1::2]


@dataclass(frozen=True, slots=True)
class Tallied:
    """All that one owner's hash has: its ``generation`` (us; 0 without any), quarters and hours."""

    generation: int
    quarters: tuple[Quarter, ...]
    hours: tuple[Hour, ...] = ()

    @property
    def records(self) -> tuple[Quarter | Hour, ...]:
        """Quarters and hours."""
        return self.quarters + self.hours


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
    return [tallied(fields) for fields in found]


def counting_at() -> int:
    """The instant (us) by which quarters are counted: the server's. Raises `EngineUnavailable`."""
    if clock.given_us:
        return clock.given_us
    try:
        seconds, rest = link().client.time()
    except (RedisError, OSError) as error:
        raise EngineUnavailable(f"Redis gave no answer: {error}") from error
    return int(seconds) * 1_000_000 + int(rest)


def forget(copied: Mapping[str, Sequence[Quarter | Hour]]) -> None:
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


def tallied(fields: Mapping[bytes, bytes]) -> Tallied:
    """What an owner's hash says."""
    quarters = [Quarter(*each) for each in fields.items() if each[0][:1] == b"u"]
    quarters.sort(key=lambda each: (each.start_us, each.field[TALLY_PREFIX:]))
    hours = [Hour(*each) for each in fields.items() if each[0][:1] == HOUR_PREFIX]
    hours.sort(key=lambda each: each.start_us)
    generation = int.from_bytes(fields.get(b"generation", b""), "little")
    return Tallied(generation, tuple(quarters), tuple(hours))


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
