"""How much of what was used a rule would have denied for certain: a lower bound, no guess.

Pure. What is known are units by spans of equal length, not when in a span they came. In any
stretch of spans a rule lets through so much at most; what was used beyond it there would have been
over, whatever its order. Resets and grants in between are left aside.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import pairwise
from typing import NamedTuple

from quotas.domain.limits import (
    CalendarQuota,
    Concurrency,
    DenyAll,
    FixedWindow,
    Rule,
    SlidingWindowCounter,
    Unlimited,
)


class Stretch(NamedTuple):
    """Spans from ``first`` up to and without ``stop``, and the most a rule admits in them."""

    first: int
    stop: int
    most: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """``count`` spans of ``span_us`` each, the first beginning at ``start_us``.

    ``edges`` are the starts of civil periods (us, in order), for a calendar quota.
    """

    start_us: int
    span_us: int
    count: int
    edges: Sequence[int] = ()

    def at(self, place: int) -> int:
        """When the span of that place begins (us)."""
        return self.start_us + place * self.span_us


def can_be_told(rule: Rule) -> bool:
    """Whether sums of units say anything of a rule: not of calls in flight at once."""
    return not isinstance(rule, Concurrency)


def stretches(rule: Rule, grid: Grid) -> list[Stretch]:
    """The stretches of a grid that a rule is asked about; none where nothing can be told."""
    if isinstance(rule, Concurrency | Unlimited):
        return []
    places = {*_by_length(_lengths(rule, grid), grid.count), *_inside(_periods(rule, grid), grid)}
    most = {place: _most(rule, grid, *place) for place in places}
    return [Stretch(*place, most[place]) for place in sorted(places) if _is_asked(place, most)]


def certainly_denied(units: Sequence[int], asked: Sequence[Stretch]) -> int:
    """The most units beyond what fits, over stretches that do not overlap."""
    sums = [0]
    for each in units:
        sums.append(sums[-1] + each)
    over: dict[int, list[tuple[int, int]]] = {}
    for first, stop, most in asked:
        if (beyond := sums[stop] - sums[first] - most) > 0:
            over.setdefault(stop, []).append((first, beyond))
    if not over:
        return 0
    found = [0]
    for stop in range(1, len(sums)):
        ways = (found[first] + beyond for first, beyond in over.get(stop, ()))
        found.append(max(found[-1], *ways) if stop in over else found[-1])
    return found[-1]


def _is_asked(place: tuple[int, int], most: dict[tuple[int, int], int]) -> bool:
    """Whether its halves, where both are asked about, do not tell as much."""
    first, stop = place
    middle = (first + stop) // 2
    halves = most.get((first, middle)), most.get((middle, stop))
    return None in halves or most[place] < sum(half or 0 for half in halves)


def _most(rule: Rule, grid: Grid, first: int, stop: int) -> int:
    if isinstance(rule, DenyAll):
        return 0
    start, end = grid.at(first), grid.at(stop)
    if isinstance(rule, FixedWindow | SlidingWindowCounter):
        # Each window from the epoch admits the amount: those that a stretch touches are known.
        return rule.amount * (-(-end // rule.period_us) - start // rule.period_us)
    if isinstance(rule, CalendarQuota):
        touched = bisect_left(grid.edges, end) - bisect_right(grid.edges, start) + 1
        return rule.amount * touched
    if isinstance(rule, Concurrency | Unlimited):
        raise TypeError(f"{rule!r} admits no certain number of units.")
    return rule.most_allowed_in(timedelta(microseconds=end - start))


def _lengths(rule: Rule, grid: Grid) -> set[int]:
    """Doublings, the whole, and as much as fits into one period."""
    lengths = {1 << power for power in range(grid.count.bit_length())} | {grid.count}
    period_us: int = getattr(rule, "period_us", 0)
    return lengths | {min(grid.count, max(1, period_us // grid.span_us))}


def _by_length(lengths: set[int], count: int) -> list[tuple[int, int]]:
    return [(first, first + length) for length in lengths for first in range(count - length + 1)]


def _periods(rule: Rule, grid: Grid) -> list[int]:
    """The edges of periods longer than a span, those around the grid included."""
    start, end = grid.start_us, grid.at(grid.count)
    if isinstance(rule, CalendarQuota):
        return [start, *(edge for edge in grid.edges if start < edge < end), end]
    if isinstance(rule, FixedWindow | SlidingWindowCounter) and rule.period_us > grid.span_us:
        first = (start // rule.period_us + 1) * rule.period_us
        return [start, *range(first, end, rule.period_us), end]
    return []


def _inside(edges: Sequence[int], grid: Grid) -> list[tuple[int, int]]:
    """The spans wholly inside each period."""
    places = [
        (-(-(one - grid.start_us) // grid.span_us), (two - grid.start_us) // grid.span_us)
        for one, two in pairwise(edges)
    ]
    return [(first, stop) for first, stop in places if first < stop]
