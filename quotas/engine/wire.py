"""What goes to the decision script with each call, and what comes back, as decide.lua has them."""

from __future__ import annotations

from dataclasses import dataclass
from struct import Struct
from typing import TYPE_CHECKING, NamedTuple

from quotas.domain.decisions import Decision, Verdict
from quotas.domain.limits import MOST_AMOUNT, LeakyBucket, in_flight
from quotas.domain.words import Outcome
from quotas.engine.bundle import labelled
from quotas.errors import EngineUnavailable, InvalidCost

if TYPE_CHECKING:
    from collections.abc import Sequence

    from quotas.engine.bundle import Bundle

ANSWER = Struct("<B7sq6s6s6s")
NO_SLOT, NO_VERSION = bytes(8), bytes(7)
COMPARE_VERSION, NEED_MARK, OWNED = 1, 2, 4
LONGEST_TEXT = 80
"""Bytes of a caller or an operation; what is longer is cut."""
DENIED = b"D"
OUTCOMES = {b"A": Outcome.ALLOWED, DENIED: Outcome.DENIED, b"S": Outcome.SHADOW_DENIED}
OTHER_VERSION, UNSEEDED = b"V", b"U"  # else stale
LONGEST_WAIT = (1 << 53) - 1
"""Microseconds, 285 years: what is longer is told as this."""
MOST_TALLIES, NO_TALLIES = 255, bytes(1)
LAST_US = (1 << 52) - 1
"""The last instant that a record can hold: in the year 2112."""


class Tally(NamedTuple):
    """One scope that a call asked for, and its ``units``."""

    scope: str
    units: int

    def packed(self) -> bytes:
        """As usage.lua reads it."""
        return min(self.units, MOST_AMOUNT).to_bytes(6, "little") + labelled(self.scope)


@dataclass(frozen=True, slots=True)
class Owner:
    """Whose version is compared before anything is charged, under ``tag``.

    ``version`` (7 bytes) is the one that the policy was loaded under; None compares nothing.
    ``marked``: an absent calendar quota counts as unused only under the owner's mark, else the
    answer is unseeded. ``tallies`` are what is counted for people, with ``caller``, who asks, and
    ``operation``, what is called.
    """

    tag: str
    version: bytes | None
    marked: bool = False
    tallies: tuple[Tally, ...] = ()
    caller: str = ""
    operation: str = ""

    def packed(self) -> bytes:
        """What is counted, as usage.lua and hours.lua read it."""
        tallies = self.tallies[:MOST_TALLIES]
        parts = [bytes([len(tallies)]), *(each.packed() for each in tallies)]
        return b"".join([*parts, *map(_text, (self.caller, self.operation))])


@dataclass(frozen=True, slots=True)
class Refused:
    """The script decided nothing and charged nothing: the policy does not hold at ``now_us``.

    ``version`` is the owner's (7 bytes) when that was the reason; ``unseeded`` when the owner's
    mark is missing.
    """

    now_us: int
    version: bytes | None = None
    unseeded: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """The half of a call that changes. ``costs`` and ``seeds`` are by position.

    ``now_us`` is 0 for the server's clock. Raises `InvalidCost` for a cost that is not a whole
    number of at least 0, and `ValueError` for an instant that no record can hold.
    """

    bundle: Bundle
    costs: Sequence[int]
    now_us: int = 0
    consuming: bool = True
    slot: bytes = NO_SLOT
    owner: Owner | None = None
    seeds: Sequence[int] | None = None

    def packed(self) -> bytes:
        """As decide.lua reads its second argument."""
        if not 0 <= self.now_us <= LAST_US:
            raise ValueError(f"now_us is {self.now_us}: give 0 to {LAST_US}.")
        flags, version = 0, NO_VERSION
        if self.owner is not None:
            flags = OWNED | COMPARE_VERSION * (self.owner.version is not None)
            flags |= NEED_MARK * self.owner.marked
            version = self.owner.version or NO_VERSION
        head = self.now_us.to_bytes(7, "little") + bytes([self.consuming, self.seeds is not None])
        parts = [head, self.slot, bytes([flags]), version]
        seeds = [0] * len(self.costs) if self.seeds is None else self.seeds
        for limit, cost, seed in zip(self.bundle.limits, self.costs, seeds, strict=True):
            most = 1 if in_flight(limit.rule) else MOST_AMOUNT + 1
            parts += (min(whole(cost), most).to_bytes(6, "little"), seed.to_bytes(6, "little"))
        return b"".join([*parts, self.owner.packed() if self.owner else NO_TALLIES])

    def read(self, answer: object) -> Decision | Refused:
        """The script's answer to this call."""
        if not isinstance(answer, bytes):
            raise EngineUnavailable(f"What answers at Redis's address gave {answer!r:.60}.")
        kind, now_us = answer[:1], int.from_bytes(answer[1:8], "little")
        if kind not in OUTCOMES:
            version = answer[8:] if kind == OTHER_VERSION else None
            return Refused(now_us, version=version, unseeded=kind == UNSEEDED)
        fields = ANSWER.iter_unpack(answer[8:])
        verdicts = tuple(
            self._verdict(place, each, now_us, denied=kind == DENIED)
            for place, each in enumerate(fields)
        )
        return Decision(OUTCOMES[kind], verdicts, now_us, self.slot)

    def _verdict(
        self,
        place: int,
        fields: tuple[int, bytes, int, bytes, bytes, bytes],
        now_us: int,
        *,
        denied: bool,
    ) -> Verdict:
        fits, at, wait, level, part, period = fields
        at_us = int.from_bytes(at, "little")
        limit = self.bundle.limits[place]
        lag = max(0, at_us - now_us)  # the clock has stepped back behind the state
        turn = (
            min(wait + lag, LONGEST_WAIT)
            if isinstance(limit.rule, LeakyBucket) and self.costs[place]
            else 0
        )
        return Verdict(
            limit,
            self.costs[place],
            bool(fits),
            0 if fits else None if wait < 0 else min(wait + lag, LONGEST_WAIT),
            turn if fits and not denied else 0,
            at_us,
            int.from_bytes(level, "little"),
            int.from_bytes(part, "little"),
            int.from_bytes(period, "little") if place in self.bundle.edges else 0,
            lag,
        )


def _text(text: str) -> bytes:
    raw = text.encode("utf-8", "replace")[:LONGEST_TEXT]
    return bytes([len(raw)]) + raw


def whole(cost: object) -> int:
    """``cost``, if it is a whole number of at least 0. Raises `InvalidCost`."""
    if not isinstance(cost, int) or isinstance(cost, bool) or cost < 0:
        raise InvalidCost(
            f"cost is {cost!r}: give a whole number of at least 0 (in get_cost, None exempts)."
        )
    return cost
