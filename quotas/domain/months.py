"""A tenant's month so far beside the one before: the shapes that it has.

A month is the civil period of calendar quotas: of the tenant's zone, from its anchor day.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from quotas.domain.history import Bucket, Sums, added


@dataclass(frozen=True, slots=True, kw_only=True)
class Month:
    """What was counted in one month, from ``start`` up to and without ``end``, both in a zone.

    By buckets without a gap between them, each within one day of that zone; where the zone is
    another than the tenant's, the first and the last are parts of a day.
    """

    start: datetime
    end: datetime
    buckets: tuple[Bucket, ...]

    @property
    def sums(self) -> Sums:
        """Of the whole month."""
        return added(each.sums for each in self.buckets)

    def up_to(self, instant: datetime) -> Sums:
        """Of the buckets that ended by then."""
        return added(each.sums for each in self.buckets if each.end <= instant)


@dataclass(frozen=True, slots=True, kw_only=True)
class Months:
    """The month under way, the last one, and how far into it the same time had passed.

    ``same_point`` is an edge between buckets of ``last``, to the quarter of an hour; days that are
    kept whole count from their noon on.
    """

    this: Month
    last: Month
    same_point: datetime

    @property
    def then(self) -> Sums:
        """What was counted in the last month up to the same point."""
        return self.last.up_to(self.same_point)
