"""What a process counts by itself, in the numbers of usage.lua, and how it is added in Redis.

For decisions whose owner the script cannot count under in the same step: callers without a tenant.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from redis.exceptions import RedisError, ResponseError

from quotas.domain.keys import owner_key
from quotas.domain.limits import MOST_AMOUNT
from quotas.domain.words import Outcome
from quotas.engine.bundle import labelled
from quotas.engine.clock import clock
from quotas.engine.connection import link
from quotas.engine.script import Script, read
from quotas.engine.tallies import COUNTS, FIVE, MINUTE_US, MINUTES
from quotas.errors import EngineUnavailable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from quotas.domain.decisions import Decision
    from quotas.engine.wire import Tally

QUARTERS = 288
"""Quarters of an hour in three days: the places of the ring."""
MOST_IN = {size: (1 << 8 * size) - 1 for size in (FIVE, 6)}

ADD = Script(read("add"))
label = lru_cache(maxsize=1024)(labelled)


class Sum:
    """What is counted of one scope in one quarter of an hour."""

    __slots__ = ("counts", "limits", "quarter", "scope", "shadow_denied", "units")

    def __init__(self, quarter: int, scope: str) -> None:
        self.quarter = quarter
        self.scope = scope
        self.units = self.shadow_denied = 0
        self.counts = [0] * (2 * MINUTES)
        self.limits: dict[bytes, list[int]] = {}

    def count(self, decision: Decision, units: int) -> None:
        """Count a call of this quarter; which limits denied it, `count_limit` does."""
        minute = decision.now_us // MINUTE_US % MINUTES
        if decision.outcome is Outcome.DENIED:
            self.counts[2 * minute + 1] += 1
            return
        self.counts[2 * minute] += 1
        self.units += min(units, MOST_AMOUNT)
        self.shadow_denied += decision.outcome is Outcome.SHADOW_DENIED

    def count_limit(self, name: bytes, *, denied: bool) -> None:
        """Count that a limit denied, or would have in shadow; its label behind its length."""
        self.limits.setdefault(name, [0, 0])[0 if denied else 1] += 1

    def add(self, other: Sum) -> None:
        """Add another of the same scope and quarter."""
        self.units += other.units
        self.shadow_denied += other.shadow_denied
        self.counts = [*map(int.__add__, self.counts, other.counts)]
        for name, (denied, shadow_denied) in other.limits.items():
            mine = self.limits.setdefault(name, [0, 0])
            mine[0] += denied
            mine[1] += shadow_denied

    @property
    def field(self) -> bytes:
        """Where it lies in the owner's hash."""
        return b"u" + (self.quarter % QUARTERS).to_bytes(2, "little") + label(self.scope)[1:]

    @property
    def record(self) -> bytes:
        """As usage.lua would have written it."""
        head = self.quarter.to_bytes(4, "little")
        head += _packed(self.units, 6) + _packed(self.shadow_denied, 6)
        return b"".join(
            [
                head + COUNTS.pack(*self.counts),
                *(
                    name + _packed(denied, FIVE) + _packed(shadow_denied, FIVE)
                    for name, (denied, shadow_denied) in self.limits.items()
                ),
            ]
        )


def denials(decision: Decision, scopes: Sequence[Tally]) -> Iterator[tuple[int, bytes]]:
    """The limits that a call counts for, by label, as usage.lua picks them.

    On a denial the one with the longest wait, else all those in shadow that did not fit. Before it
    the position of the scope that counts it: the limit's own, else the last.
    """
    if decision.longest:
        counted = [decision.longest]
    else:
        counted = [each for each in decision.verdicts if not each.fits]
    last = len(scopes) - 1
    for each in counted:
        found = label(each.limit.scope, each.limit.name)
        own = (
            place
            for place, scope in enumerate(scopes)
            if found.startswith(label(scope.scope)[1:] + b"/", 1)
        )
        yield next(own, last) if last else 0, found


def add(tag: str, sums: Iterable[Sum]) -> None:
    """Add these to what the owner's hash has. Never retried: it would count twice.

    Raises `EngineUnavailable`, ``perhaps_done`` unless it is certain that nothing was added: Redis
    did not even answer a PING before, or it answered with an error, which comes before any write.
    """
    client, key = link()
    try:
        client.ping()
    except (RedisError, OSError) as error:
        raise EngineUnavailable(f"Redis gave no answer: {error}") from error
    arguments = [part for each in sums for part in (each.field, each.record)]
    try:
        ADD.run(client, [key(owner_key(tag))], [clock.given_us.to_bytes(7, "little"), *arguments])
    except EngineUnavailable as error:
        error.perhaps_done = not isinstance(error.__cause__, ResponseError)
        raise


def _packed(number: int, size: int) -> bytes:
    return min(number, MOST_IN[size]).to_bytes(size, "little")
