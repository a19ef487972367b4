"""The token bucket and the leaky bucket: one level each, in parts small enough to be whole numbers.

With amount / period = a / b in lowest terms, a bucket gains or leaks a parts every microsecond, and
b parts make one unit; so every level that can occur is an integer. An edit that changes b keeps the
whole units, and rounds what is left of a unit down to the new parts.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

from quotas.domain.limits import LeakyBucket, TokenBucket
from quotas.domain.reference.judgement import Giving, Standing, divided_up


@dataclass(frozen=True, slots=True, kw_only=True)
class Tokens(Giving):
    """A token bucket that holds ``level`` parts."""

    rule: TokenBucket
    level: int

    @classmethod
    def under(cls, rule: TokenBucket, before: Standing | None, now_us: int) -> Tokens:
        """Full at first, then filled from ``before`` at the rate now in force."""
        gained, unit = rule.rate
        full = rule.capacity * unit
        if not isinstance(before, Tokens):
            return cls(rule=rule, at_us=now_us, level=full)
        at_us = max(now_us, before.at_us)
        kept = _in_parts_of(unit, before.level, before.rule.rate[1])
        return cls(rule=rule, at_us=at_us, level=min(full, kept + gained * (at_us - before.at_us)))

    def wait_us(self, cost: int) -> int | None:
        if cost > self.rule.capacity:
            return None
        return self._until(cost)

    def charged(self, cost: int) -> Self:
        return replace(self, level=self.level - cost * self.rule.rate[1])

    @property
    def taken(self) -> int:
        return self.rule.capacity - self.remaining

    def granted(self, units: int) -> Self:
        """Never above capacity: with the last token goes the part that was there already."""
        unit = self.rule.rate[1]
        return replace(self, level=min(self.level + units * unit, self.rule.capacity * unit))

    @property
    def remaining(self) -> int:
        return self.level // self.rule.rate[1]

    @property
    def reset_us(self) -> int:
        """Until one more token is there; for a full bucket the time to gain one."""
        return self._until(self.remaining + 1)

    def _until(self, tokens: int) -> int:
        gained, unit = self.rule.rate
        return divided_up(max(0, tokens * unit - self.level), gained)


@dataclass(frozen=True, slots=True, kw_only=True)
class Queue(Giving):
    """A leaky bucket in which ``level`` parts wait for their turn.

    What is kept is the queue, not its free places: an edited capacity changes the places at once
    and takes nobody's turn away, so the queue may be longer than a lowered capacity.
    """

    rule: LeakyBucket
    level: int

    @classmethod
    def under(cls, rule: LeakyBucket, before: Standing | None, now_us: int) -> Queue:
        """Empty at first, then drained from ``before`` at the rate now in force."""
        if not isinstance(before, Queue):
            return cls(rule=rule, at_us=now_us, level=0)
        leaked, unit = rule.rate
        at_us = max(now_us, before.at_us)
        kept = _in_parts_of(unit, before.level, before.rule.rate[1])
        return cls(rule=rule, at_us=at_us, level=max(0, kept - leaked * (at_us - before.at_us)))

    def wait_us(self, cost: int) -> int | None:
        if cost > self.rule.capacity:
            return None
        return self._until(cost)

    def charged(self, cost: int) -> Self:
        return replace(self, level=self.level + cost * self.rule.rate[1])

    @property
    def taken(self) -> int:
        return divided_up(self.level, self.rule.rate[1])

    def granted(self, units: int) -> Self:
        """The places of those queued last."""
        return replace(self, level=max(0, self.level - units * self.rule.rate[1]))

    @property
    def remaining(self) -> int:
        unit = self.rule.rate[1]
        return max(0, self.rule.capacity * unit - self.level) // unit

    @property
    def reset_us(self) -> int:
        """Until one more place is free; for an empty queue the time to leak one unit."""
        return self._until(self.remaining + 1)

    @property
    def delay_us(self) -> int:
        """All that waits goes first."""
        return divided_up(self.level, self.rule.rate[0])

    def _until(self, places: int) -> int:
        leaked, unit = self.rule.rate
        return divided_up(max(0, self.level - (self.rule.capacity - places) * unit), leaked)


def _in_parts_of(unit: int, level: int, old_unit: int) -> int:
    whole, part = divmod(level, old_unit)
    return whole * unit + part * unit // old_unit
