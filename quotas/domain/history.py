"""What was counted over a span of time: the shapes that a history has."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from zoneinfo import ZoneInfo


class Span(StrEnum):
    """How far back a history goes: 60 minutes, 24 hours, 7 or 31 civil days, today's included.

    Minutes and hours go back to the beginning of the quarter of an hour that they touch.

    ``period`` is the tenant's month so far, from its anchor day; ``custom`` what somebody chose.
    """

    HOUR = "hour"
    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    PERIOD = "period"
    CUSTOM = "custom"


class Grain(StrEnum):
    """How long a bucket of a history is; a day is one of the history's zone, of 23 to 25 hours."""

    MINUTE = "minute"
    QUARTER = "quarter"
    DAY = "day"


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """Which history is asked for: its span, the zone of its days, and one scope or all.

    ``own_zone`` and ``anchor_day`` are the tenant's, by which its months run. ``since`` and
    ``until`` are aware instants, of a custom span only.
    """

    span: Span
    zone: ZoneInfo
    own_zone: ZoneInfo
    anchor_day: int = 1
    scope: str | None = None
    since: datetime | None = None
    until: datetime | None = None


@dataclass(slots=True)
class Sums:
    """Calls, and the units that the admitted ones cost.

    ``shadow_denied`` are among the admitted.
    """

    admitted: int = 0
    denied: int = 0
    shadow_denied: int = 0
    units: int = 0

    @property
    def requests(self) -> int:
        """Calls, whatever they were told."""
        return self.admitted + self.denied

    def add(self, admitted: int, denied: int, shadow_denied: int, units: int) -> None:
        """Count these, too."""
        self.admitted += admitted
        self.denied += denied
        self.shadow_denied += shadow_denied
        self.units += units


@dataclass(slots=True)
class Denials:
    """How often one limit denied, and would have denied in shadow."""

    denied: int = 0
    shadow_denied: int = 0


@dataclass(slots=True, kw_only=True)
class Bucket:
    """What was counted from ``start`` up to and without ``end``, by scope; both in the zone."""

    start: datetime
    end: datetime
    scopes: dict[str, Sums] = field(default_factory=lambda: defaultdict(Sums))

    @property
    def sums(self) -> Sums:
        """Of all scopes together."""
        return added(self.scopes.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """What a tenant used in ``span``.

    By buckets without a gap between them, by scope, and by the label (``scope/name``) of the limits
    that denied. In buckets of a minute only admitted and denied are counted. ``stale``: Redis gave
    no answer, and what it has not handed over yet is missing. ``whole_days``: some of it is kept by
    days of the tenant's zone only, each of them counted at its noon.
    """

    span: Span
    grain: Grain
    stale: bool
    whole_days: bool
    buckets: tuple[Bucket, ...]
    scopes: dict[str, Sums]
    limits: dict[str, Denials]

    @property
    def start(self) -> datetime:
        """When the first bucket begins."""
        return self.buckets[0].start

    @property
    def end(self) -> datetime:
        """When the last bucket ends."""
        return self.buckets[-1].end

    @property
    def totals(self) -> Sums:
        """Of the whole span."""
        return added(self.scopes.values())


def added(several: Iterable[Sums]) -> Sums:
    """The sums of sums."""
    total = Sums()
    for each in several:
        total.add(each.admitted, each.denied, each.shadow_denied, each.units)
    return total
