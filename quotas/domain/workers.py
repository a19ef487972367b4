"""Workers: the processes that decide requests, and how far each has come with edited plans."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

BUSY_US = 30_000_000
"""Seen within so long, a worker is busy, else idle."""


class Applied(StrEnum):
    """Which plans a worker goes by: ``none`` while it has decided by no plan."""

    CURRENT = "current"
    BEHIND = "behind"
    NONE = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class Worker:
    """A process as it last told of itself; the instants are of the engine's clock (us).

    ``version``: of the plans that it goes by, empty without any. ``missed``: of ``decisions``,
    those that the engine did not make. Both since ``started_us``.
    """

    host: str
    pid: int
    started_us: int
    seen_us: int
    version: bytes
    decisions: int
    missed: int

    def is_busy(self, at_us: int) -> bool:
        """Whether it decided a request lately."""
        return at_us - self.seen_us <= BUSY_US

    def applied(self, version: bytes) -> Applied:
        """How far it has come, where ``version`` is that of the plans as they are now."""
        if not self.version:
            return Applied.NONE
        return Applied.CURRENT if self.version == version else Applied.BEHIND


@dataclass(frozen=True, slots=True, kw_only=True)
class InForce:
    """How many workers that go by plans have applied them as they are now."""

    busy: int
    busy_applied: int
    idle: int
    idle_applied: int


def in_force(workers: Iterable[Worker], version: bytes, at_us: int) -> InForce:
    """Count workers, busy and idle ones apart."""
    counted = {(busy, applied): 0 for busy in (True, False) for applied in Applied}
    for each in workers:
        counted[each.is_busy(at_us), each.applied(version)] += 1
    return InForce(
        busy=counted[True, Applied.CURRENT] + counted[True, Applied.BEHIND],
        busy_applied=counted[True, Applied.CURRENT],
        idle=counted[False, Applied.CURRENT] + counted[False, Applied.BEHIND],
        idle_applied=counted[False, Applied.CURRENT],
    )
