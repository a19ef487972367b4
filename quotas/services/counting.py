"""Adds up what was counted, by bucket, scope and limit, wherever it is kept."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from itertools import pairwise
from typing import TYPE_CHECKING

from quotas.domain.calendar import instant_at
from quotas.domain.history import Bucket, Denials, Sums
from quotas.engine.tallies import MINUTE_US

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from zoneinfo import ZoneInfo

    from quotas.engine.tallies import Quarter


class Counting:
    """Sums between ``edges`` (us): starts of buckets, oldest first, and the end of the last.

    What began outside of them is left out.
    """

    def __init__(self, edges: Sequence[int]) -> None:
        self.edges = edges
        self.scopes: dict[str, Sums] = defaultdict(Sums)
        self.limits: dict[str, Denials] = defaultdict(Denials)
        self._found: dict[tuple[int, str], Sums] = defaultdict(Sums)

    def count(self, start_us: int, scope: str, sums: tuple[int, int, int, int]) -> None:
        """Count these sums where they began."""
        if self.covers(start_us):
            self._found[bisect_right(self.edges, start_us) - 1, scope].add(*sums)
            self.scopes[scope].add(*sums)

    def deny(self, start_us: int, limits: Mapping[str, tuple[int, int]]) -> None:
        """Count how often limits denied, and would have in shadow."""
        if self.covers(start_us):
            for label, (denied, shadow_denied) in limits.items():
                self.limits[label].denied += denied
                self.limits[label].shadow_denied += shadow_denied

    def count_quarter(self, live: Quarter) -> None:
        """Count a quarter as Redis has it."""
        sums = (live.admitted, live.denied, live.shadow_denied, live.units)
        self.count(live.start_us, live.scope, sums)
        denied = {each.label: (each.denied, each.shadow_denied) for each in live.limits}
        self.deny(live.start_us, denied)

    def buckets(self, zone: ZoneInfo) -> list[Bucket]:
        """Every bucket, those without anything included."""
        found = _buckets(self.edges, zone)
        for (bucket, scope), sums in sorted(self._found.items()):
            found[bucket].scopes[scope] = sums
        return found

    def covers(self, start_us: int) -> bool:
        """Whether an instant is between the first edge and the last."""
        return self.edges[0] <= start_us < self.edges[-1]


def minutes(start_us: int, quarters: Sequence[Quarter], at_us: int, zone: ZoneInfo) -> list[Bucket]:
    """Quarters from ``start_us`` on by their minutes, up to the one that is under way."""
    end = at_us - at_us % MINUTE_US + MINUTE_US
    found = _buckets(list(range(start_us, end + 1, MINUTE_US)), zone)
    for quarter in quarters:
        if quarter.start_us < start_us:
            continue
        first = (quarter.start_us - start_us) // MINUTE_US
        for bucket, (admitted, denied) in zip(found[first:], quarter.minutes, strict=False):
            if admitted or denied:
                bucket.scopes[quarter.scope].add(admitted, denied, 0, 0)
    return found


def _buckets(edges: Sequence[int], zone: ZoneInfo) -> list[Bucket]:
    instants = pairwise(instant_at(edge, zone) for edge in edges)
    return [Bucket(start=start, end=end) for start, end in instants]
