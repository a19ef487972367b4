"""Limits that count in windows: fixed, calendar, and the counter, which estimates a sliding one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Self

from quotas.domain.limits import CalendarQuota, FixedWindow, SlidingWindowCounter
from quotas.domain.reference.judgement import Giving, Standing, divided_up

Edges = Callable[[int], tuple[int, int, int, int]]
"""From an instant, in us: starts of the previous, this and the next period, end of the last."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Used(Standing):
    """``used`` units of a window that ends at ``end_us``; the next begins with nothing used."""

    rule: FixedWindow | CalendarQuota
    used: int
    end_us: int

    def wait_us(self, cost: int) -> int | None:
        if cost > self.rule.amount:
            return None
        return 0 if self.used + cost <= self.rule.amount else self.reset_us

    def charged(self, cost: int) -> Self:
        return replace(self, used=self.used + cost)

    @property
    def remaining(self) -> int:
        return max(0, self.rule.amount - self.used)

    @property
    def reset_us(self) -> int:
        """Until the window ends."""
        return self.end_us - self.at_us


@dataclass(frozen=True, slots=True, kw_only=True)
class EpochWindow(_Used):
    """A fixed window: number floor(t / period), counted from the Unix epoch."""

    rule: FixedWindow

    @classmethod
    def under(cls, rule: FixedWindow, before: Standing | None, now_us: int) -> EpochWindow:
        """Unused at first, and under another period; under another amount the use stands."""
        used, at_us = 0, now_us
        if isinstance(before, EpochWindow) and before.rule.period == rule.period:
            at_us = max(now_us, before.at_us)
            used = before.used if at_us < before.end_us else 0
        end_us = (at_us // rule.period_us + 1) * rule.period_us
        return cls(rule=rule, at_us=at_us, used=used, end_us=end_us)


@dataclass(frozen=True, slots=True, kw_only=True)
class CivilPeriod(_Used):
    """A calendar quota's period, with the end that it had when it was begun."""

    rule: CalendarQuota

    @classmethod
    def under(
        cls, rule: CalendarQuota, before: CivilPeriod | None, now_us: int, edges: Edges
    ) -> CivilPeriod:
        """Unused at first; a period under way keeps its use and its end.

        So ``edges`` only end a period that begins now, and a changed time zone or anchor day is in
        force from the next period on.
        """
        at_us = now_us
        if before is not None:
            at_us = max(now_us, before.at_us)
            if at_us < before.end_us:
                return replace(before, rule=rule, at_us=at_us)
        return cls(rule=rule, at_us=at_us, used=0, end_us=edges(at_us)[2])


@dataclass(frozen=True, slots=True, kw_only=True)
class TwoWindows(Giving):
    """A sliding window, estimated: this window's units and the previous one's as far as overlapped.

    That share is rounded up to whole units. Without further calls the estimate never grows: at the
    next edge this window's units take the place of the previous one's, all of them overlapped.
    """

    rule: SlidingWindowCounter
    current: int
    previous: int

    @classmethod
    def under(cls, rule: SlidingWindowCounter, before: Standing | None, now_us: int) -> TwoWindows:
        """Unused at first, and under another period; under another amount the use stands."""
        if not isinstance(before, TwoWindows) or before.rule.period != rule.period:
            return cls(rule=rule, at_us=now_us, current=0, previous=0)
        at_us = max(now_us, before.at_us)
        passed = at_us // rule.period_us - before.at_us // rule.period_us
        if passed == 0:
            return cls(rule=rule, at_us=at_us, current=before.current, previous=before.previous)
        return cls(rule=rule, at_us=at_us, current=0, previous=before.current if passed == 1 else 0)

    def wait_us(self, cost: int) -> int | None:
        """Room comes as the previous window's overlap shrinks, or in the next window this one's."""
        room = self.rule.amount - cost
        if room < 0:
            return None
        if self._held + cost <= self.rule.amount:
            return 0
        if self.current <= room:
            return self._left_us - self._widest_overlap(self.previous, room - self.current)
        return self._left_us + self.rule.period_us - self._widest_overlap(self.current, room)

    def charged(self, cost: int) -> Self:
        return replace(self, current=self.current + cost)

    @property
    def taken(self) -> int:
        return self._held

    def granted(self, units: int) -> Self:
        """This window's first; then as many of the previous one's that their share is so low."""
        if units <= self.current:
            return replace(self, current=self.current - units)
        most = (self._held - units) * self.rule.period_us // self._left_us
        return replace(self, current=0, previous=min(self.previous, most))

    @property
    def remaining(self) -> int:
        return max(0, self.rule.amount - self._held)

    @property
    def reset_us(self) -> int | None:
        """Until one unit more than now fits; the period while nothing is held."""
        return self.wait_us(self.remaining + 1) if self._held else self.rule.period_us

    @property
    def _held(self) -> int:
        return self.current + divided_up(self.previous * self._left_us, self.rule.period_us)

    @property
    def _left_us(self) -> int:
        return self.rule.period_us - self.at_us % self.rule.period_us

    def _widest_overlap(self, units: int, room: int) -> int:
        """The longest overlap, in us, at which a window's ``units`` count for at most ``room``."""
        return room * self.rule.period_us // units
