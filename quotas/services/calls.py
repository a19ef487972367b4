"""Who called, and how full each limit got: what the database keeps, and what Redis has since.

Where both know an hour of a generation, Redis is right, as the later of the two. Reading consumes,
creates and extends nothing.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections import defaultdict
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

from django.db.models import TextField
from django.db.models.functions import Cast

from quotas.domain.calendar import instant_at, microseconds, period_at
from quotas.domain.calls import Calls, CallsByHour, Peak
from quotas.domain.words import CalendarUnit
from quotas.engine.hours import HOUR_US
from quotas.models import UsageHour

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from zoneinfo import ZoneInfo

    from quotas.engine.hours import Hour
    from quotas.engine.tallies import Tallied

MOST_SHOWN = 10
MOST_HOURS = 24 * 7
"""Up to so many hours peaks are shown by the hour, else by the day."""
LONGEST = timedelta(days=35)
"""How far back is read: as long as hours are kept."""

SUMS = ("admitted", "denied", "units", "early")


class _Counted(NamedTuple):
    """An hour of one generation. ``callers`` and ``peaks`` as `UsageHour` has them."""

    start_us: int
    sums: Sequence[int]
    callers: dict[str, Any]
    peaks: dict[str, Any]


def calls_of(
    tenant_pk: int,
    start: datetime,
    end: datetime,
    *,
    zone: ZoneInfo,
    tallied: Tallied | None,
) -> CallsByHour:
    """Who called, and how full each limit got, in the hours from ``start`` to ``end``.

    One query. ``tallied`` is what Redis has counted, None when it gave no answer. ``zone`` cuts
    the days of a span of more than a week. Of a span that is longer than hours are kept its end.
    """
    first, last = _whole(max(start, end - LONGEST), end)
    hours = list(_hours(tenant_pk, first, last, tallied))
    callers = _busiest(hours)
    total, listed = Calls(), Calls()
    for each in hours:
        total.add(*each.sums)
    for sums in callers.values():
        listed.add(sums.admitted, sums.denied, sums.units, sums.early)
    return CallsByHour(
        start=instant_at(first, zone),
        end=instant_at(last, zone),
        total=total,
        callers=callers,
        rest=total.less(listed),
        peaks=_peaks(hours, _edges(first, last, zone), zone),
    )


def _whole(start: datetime, end: datetime) -> tuple[int, int]:
    """Whole hours (us) that hold both."""
    return microseconds(start) // HOUR_US * HOUR_US, -(-microseconds(end) // HOUR_US) * HOUR_US


def _hours(tenant_pk: int, first: int, last: int, tallied: Tallied | None) -> Iterator[_Counted]:
    live = [each for each in tallied.hours if first <= each.start_us < last] if tallied else []
    generation = tallied.generation if tallied else 0
    known = {(each.start_us, generation) for each in live}
    rows = UsageHour.objects.filter(
        tenant=tenant_pk, start__gte=instant_at(first), start__lt=instant_at(last)
    ).order_by()
    texts = {f"{name}_text": Cast(name, TextField()) for name in ("callers", "peaks")}
    found = list(rows.annotate(**texts).values_list("start", "generation", *SUMS, *texts))
    callers, peaks = (_parsed(row[at] for row in found) for at in (-2, -1))
    for row, called, filled in zip(found, callers, peaks, strict=True):
        start, of, *sums = row[:-2]
        start_us = microseconds(start)
        if (start_us, of) not in known:
            yield _Counted(start_us, sums, called, filled)
    yield from map(_live, live)


def _parsed(texts: Iterable[str]) -> list[dict[str, Any]]:
    """Objects from JSON, all at once: a month has hundreds of hours."""
    return json.loads(f"[{','.join(texts)}]")  # type: ignore[no-any-return]


def _live(hour: Hour) -> _Counted:
    return _Counted(
        hour.start_us,
        (hour.admitted, hour.denied, hour.units, hour.early),
        {
            each.caller: (each.admitted, each.denied, each.units, each.early)
            for each in hour.callers
        },
        {each.label: (each.used, each.most) for each in hour.peaks},
    )


def _busiest(hours: Iterable[_Counted]) -> dict[str, Calls]:
    """The callers who called most, the busiest first."""
    found: dict[str, list[Sequence[int]]] = defaultdict(list)
    for each in hours:
        for caller, sums in each.callers.items():
            found[caller].append(sums)
    added = {caller: Calls(*map(sum, zip(*each, strict=True))) for caller, each in found.items()}
    ranked = sorted(added.items(), key=lambda each: (-each[1].requests, each[0]))
    return dict(ranked[:MOST_SHOWN])


def _edges(first: int, last: int, zone: ZoneInfo) -> list[int]:
    """The starts of the hours, or of the civil days, and the end of the last."""
    if (last - first) // HOUR_US <= MOST_HOURS:
        return list(range(first, last + 1, HOUR_US))
    edges = [first]
    while edges[-1] < last:
        day = period_at(CalendarUnit.DAY, instant_at(edges[-1]), zone=zone)
        edges.append(min(last, day.end_us))
    return edges


def _peaks(
    hours: Iterable[_Counted], edges: list[int], zone: ZoneInfo
) -> dict[str, tuple[Peak, ...]]:
    """The highest of each bucket; what fitted at once as the latest hour of it says."""
    found: dict[str, dict[int, tuple[int, int | None]]] = defaultdict(dict)
    for each in sorted(hours, key=lambda hour: hour.start_us):
        bucket = bisect_right(edges, each.start_us) - 1
        for label, (used, most) in each.peaks.items():
            high, _ = found[label].get(bucket, (used, most))
            found[label][bucket] = max(used, high), most
    instants = [instant_at(edge, zone) for edge in edges]
    return {
        label: tuple(
            Peak(start=instants[bucket], end=instants[bucket + 1], used=used, most=most)
            for bucket, (used, most) in peaks.items()
        )
        for label, peaks in sorted(found.items())
    }
