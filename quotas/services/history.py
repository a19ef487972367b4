"""What a tenant used over time: what the database keeps, and what Redis has counted since.

Where both know a scope, a quarter and a generation, Redis is right, as the later of the two: never
both. Reading consumes, creates and extends nothing.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from datetime import datetime, timedelta
from itertools import pairwise
from typing import TYPE_CHECKING

from quotas.domain.calendar import period_at
from quotas.domain.history import Bucket, Denials, Grain, History, Span, Sums
from quotas.domain.keys import tenant_tag
from quotas.domain.limits import MICROSECOND
from quotas.domain.words import CalendarUnit
from quotas.engine.tallies import QUARTER_US, tallies_of
from quotas.errors import EngineUnavailable
from quotas.services.history_rows import kept_days, kept_denials, kept_sums
from quotas.services.loading import EPOCH
from quotas.services.outage import outage

if TYPE_CHECKING:
    from collections.abc import Iterator
    from zoneinfo import ZoneInfo

    from quotas.engine.tallies import Quarter, Tallied

MINUTE_US = 60 * 1_000_000
HOUR_US, DAY_US = 4 * QUARTER_US, 96 * QUARTER_US


DAYS = {Span.WEEK: 7, Span.MONTH: 31}


def history_of(
    tenant_pk: int, span: Span, at_us: int, *, zone: ZoneInfo, live: bool = True
) -> History:
    """What a tenant used up to ``at_us``, in its zone.

    One round trip to Redis, then two queries, or three by days. ``live=False`` when Redis is known
    to be away: it is not asked again.
    """
    tallied = _tallied(tenant_pk) if live else None
    edges = _edges(span, at_us, zone)
    quarters = _within(tallied, edges)
    counting = _Counting(edges)
    generation = tallied.generation if tallied else 0
    known = {(each.scope, each.start_us) for each in quarters}
    since = min((each.start_us for each in quarters), default=None)
    for row in kept_sums(tenant_pk, edges, generation, since):
        if (row.scope, row.apart_us) not in known:
            counting.count(row.bucket, row.scope, row.sums)
    for denials in kept_denials(tenant_pk, edges, generation, since):
        if (denials.scope, denials.apart_us) not in known:
            counting.deny(denials.limits)
    if span in DAYS:
        days = [_instant(edge, zone).date() for edge in edges[:-1]]
        for day in kept_days(tenant_pk, days):
            counting.count(day.bucket, day.scope, day.sums)
            counting.deny(day.limits)
    by_minute = span is Span.HOUR and tallied is not None and not counting.scopes
    for each in quarters:
        counting.count_quarter(each)
    grain = Grain.DAY if span in DAYS else Grain.MINUTE if by_minute else Grain.QUARTER
    buckets = _minutes(edges, quarters, at_us, zone) if by_minute else counting.buckets(zone)
    return History(
        span=span,
        grain=grain,
        stale=tallied is None,
        buckets=tuple(buckets),
        scopes=dict(sorted(counting.scopes.items())),
        limits=dict(sorted(counting.limits.items())),
    )


class _Counting:
    """Adds up by bucket, scope and limit. ``edges`` (us): starts of buckets, end of the last."""

    def __init__(self, edges: list[int]) -> None:
        self.edges = edges
        self.found: dict[tuple[int, str], Sums] = defaultdict(Sums)
        self.scopes: dict[str, Sums] = defaultdict(Sums)
        self.limits: dict[str, Denials] = defaultdict(Denials)

    def count(self, bucket: int, scope: str, sums: tuple[int, int, int, int]) -> None:
        self.found[bucket, scope].add(*sums)
        self.scopes[scope].add(*sums)

    def count_quarter(self, live: Quarter) -> None:
        sums = (live.admitted, live.denied, live.shadow_denied, live.units)
        self.count(bisect_right(self.edges, live.start_us) - 1, live.scope, sums)
        self.deny({each.label: (each.denied, each.shadow_denied) for each in live.limits})

    def deny(self, limits: dict[str, tuple[int, int]]) -> None:
        for label, (denied, shadow_denied) in limits.items():
            self.limits[label].denied += denied
            self.limits[label].shadow_denied += shadow_denied

    def buckets(self, zone: ZoneInfo) -> list[Bucket]:
        found = _buckets(self.edges, zone)
        for (bucket, scope), sums in sorted(self.found.items()):
            found[bucket].scopes[scope] = sums
        return found


def _minutes(edges: list[int], quarters: list[Quarter], at_us: int, zone: ZoneInfo) -> list[Bucket]:
    """By minutes, up to the one that is under way."""
    end = at_us - at_us % MINUTE_US + MINUTE_US
    found = _buckets(list(range(edges[0], end + 1, MINUTE_US)), zone)
    for quarter in quarters:
        first = (quarter.start_us - edges[0]) // MINUTE_US
        for bucket, (admitted, denied) in zip(found[first:], quarter.minutes, strict=False):
            if admitted or denied:
                bucket.scopes[quarter.scope].add(admitted, denied, 0, 0)
    return found


def _buckets(edges: list[int], zone: ZoneInfo) -> list[Bucket]:
    instants = pairwise(_instant(edge, zone) for edge in edges)
    return [Bucket(start=start, end=end) for start, end in instants]


def _tallied(tenant_pk: int) -> Tallied | None:
    """What Redis has counted of a tenant; None when it gives no answer."""
    try:
        return tallies_of([tenant_tag(tenant_pk)])[0]
    except EngineUnavailable as error:
        outage.report(error)
        return None


def _within(tallied: Tallied | None, edges: list[int]) -> list[Quarter]:
    quarters = tallied.quarters if tallied else ()
    return [each for each in quarters if edges[0] <= each.start_us < edges[-1]]


def _edges(span: Span, at_us: int, zone: ZoneInfo) -> list[int]:
    """The starts of quarters or days, oldest first, and the end of the one under way."""
    if span in DAYS:
        return sorted(_days(DAYS[span], at_us, zone))
    back = HOUR_US if span is Span.HOUR else DAY_US
    first, last = ((us - us % QUARTER_US) for us in (at_us - back, at_us))
    return list(range(first, last + QUARTER_US + 1, QUARTER_US))


def _days(count: int, at_us: int, zone: ZoneInfo) -> Iterator[int]:
    """The edges of civil days, latest first."""
    period = period_at(CalendarUnit.DAY, _instant(at_us, zone), zone=zone)
    yield period.end_us
    for _ in range(count):
        yield period.start_us
        period = period_at(CalendarUnit.DAY, period.start - MICROSECOND, zone=zone)


def _instant(us: int, zone: ZoneInfo) -> datetime:
    return (EPOCH + timedelta(microseconds=us)).astimezone(zone)
