"""The exact sliding window: every admitted call is remembered, with its instant and cost."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

from quotas.domain.limits import SlidingWindowLog
from quotas.domain.reference.judgement import Giving, Standing


@dataclass(frozen=True, slots=True, kw_only=True)
class Log(Giving):
    """The calls in (at - period, at] as ``entries`` of (instant in us, cost), oldest first."""

    rule: SlidingWindowLog
    entries: tuple[tuple[int, int], ...]

    @classmethod
    def under(cls, rule: SlidingWindowLog, before: Standing | None, now_us: int) -> Log:
        """Empty at first, then ``before`` without what has left the window of today's period."""
        if not isinstance(before, Log):
            return cls(rule=rule, at_us=now_us, entries=())
        at_us = max(now_us, before.at_us)
        kept = tuple(entry for entry in before.entries if entry[0] > at_us - rule.period_us)
        return cls(rule=rule, at_us=at_us, entries=kept)

    def wait_us(self, cost: int) -> int | None:
        """Until enough of the oldest entries have left."""
        if cost > self.rule.amount:
            return None
        excess = self._used + cost - self.rule.amount
        leaving = self.at_us
        for instant, units in self.entries:
            if excess <= 0:
                break
            leaving = instant + self.rule.period_us
            excess -= units
        return leaving - self.at_us

    def charged(self, cost: int) -> Self:
        return replace(self, entries=(*self.entries, (self.at_us, cost)))

    @property
    def taken(self) -> int:
        return self._used

    def granted(self, units: int) -> Self:
        """As if the newest calls had not been made, or the last of them at a lower cost."""
        kept, room = [], self._used - units
        for instant, cost in self.entries:
            if room > 0:
                kept.append((instant, min(cost, room)))
            room -= cost
        return replace(self, entries=tuple(kept), at_us=kept[-1][0] if kept else 0)

    @property
    def remaining(self) -> int:
        return max(0, self.rule.amount - self._used)

    @property
    def reset_us(self) -> int | None:
        """Until a unit fits if none does, else until the oldest entry leaves; empty: the period."""
        if not self.entries:
            return self.rule.period_us
        if self.remaining == 0:
            return self.wait_us(1)
        return self.entries[0][0] + self.rule.period_us - self.at_us

    @property
    def _used(self) -> int:
        return sum(units for _, units in self.entries)
