"""What the decision script has counted by the hour: who called, and how full each limit got.

See hours.lua. Reading changes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from struct import Struct
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

HOUR_US = 60 * 60 * 1_000_000
HOUR_PREFIX = b"h"
HEAD = Struct("<III6sIB")
CALLER = Struct("<II6sII")
SIX = 6
LIMIT = 4 * SIX + 1
NO_MOST = (1 << 48) - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class CallerTally:
    """What one caller asked for, since it is listed.

    ``caller`` is ``u<user>``, ``c<digest of the credential>``, or both with a space between.
    ``early``: denied calls that came sooner than the Retry-After of its denial before.
    """

    caller: str
    admitted: int
    denied: int
    units: int
    early: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Peak:
    """The most units of a limit (``scope/name``) that were taken at once, by its fullest subject.

    ``most``: what fitted at once at the last call; None: unlimited.
    """

    label: str
    used: int
    most: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Fullest:
    """A limit (``scope/name``) when the largest share of it was taken, before or by a call.

    ``used`` units were taken at that instant and ``most`` fitted at once; None: unlimited. More
    was taken than fits when the limit, lowered before, denied. ``tag`` is that of the rule then.
    """

    label: str
    used: int
    most: int | None
    tag: int


class Hour(NamedTuple):
    """One owner's hour, in UTC: the record, and the field where it lies."""

    field: bytes
    raw: bytes

    @property
    def length_us(self) -> int:
        """How long an hour is."""
        return HOUR_US

    @property
    def start_us(self) -> int:
        """When the hour began."""
        return int.from_bytes(self.raw[:4], "little") * HOUR_US

    @property
    def admitted(self) -> int:
        """Calls admitted, each once whatever it asked for."""
        return int(HEAD.unpack_from(self.raw)[1])

    @property
    def denied(self) -> int:
        """Calls denied, each once."""
        return int(HEAD.unpack_from(self.raw)[2])

    @property
    def units(self) -> int:
        """What the admitted calls cost, over all their scopes."""
        return int.from_bytes(HEAD.unpack_from(self.raw)[3], "little")

    @property
    def early(self) -> int:
        """Denied calls that came sooner than the Retry-After of their caller's denial before."""
        return int(HEAD.unpack_from(self.raw)[4])

    @property
    def callers(self) -> tuple[CallerTally, ...]:
        """The callers listed: the busiest, at most 16. What is missing to the sums is the rest."""
        return tuple(found for found, _ in self._callers())

    @property
    def peaks(self) -> tuple[Peak, ...]:
        """How full each limit got that was charged."""
        return tuple(
            Peak(label=label, used=used, most=_most(most))
            for label, used, most, _, _, _ in self._limits()
            if used
        )

    @property
    def fullest(self) -> tuple[Fullest, ...]:
        """When each limit that was charged or that denied was fullest."""
        return tuple(
            Fullest(label=label, used=used, most=_most(most), tag=tag)
            for label, _, _, used, most, tag in self._limits()
        )

    def _callers(self) -> Iterator[tuple[CallerTally, int]]:
        """Each caller, and where its record ends."""
        at = HEAD.size
        for _ in range(self.raw[at - 1]):
            stop = at + 1 + self.raw[at]
            admitted, denied, units, early, _ = CALLER.unpack_from(self.raw, stop)
            found = CallerTally(
                caller=_text(self.raw[at + 1 : stop]),
                admitted=admitted,
                denied=denied,
                units=int.from_bytes(units, "little"),
                early=early,
            )
            at = stop + CALLER.size
            yield found, at

    def _limits(self) -> Iterator[tuple[str, int, int, int, int, int]]:
        """Each limit's label and numbers, as peaks.lua writes them."""
        at = HEAD.size
        for _ in range(self.raw[at - 1]):
            at += 1 + self.raw[at] + CALLER.size
        while at < len(self.raw):
            stop = at + 1 + self.raw[at]
            used, most, taken, room = (
                int.from_bytes(self.raw[start : start + SIX], "little")
                for start in range(stop, stop + 4 * SIX, SIX)
            )
            at, label = stop + LIMIT, _text(self.raw[at + 1 : stop])
            yield label, used, most, taken, room, self.raw[at - 1]


def _most(most: int) -> int | None:
    return None if most == NO_MOST else most


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")
