"""Who called, and how full each limit got: what the database keeps, and what Redis has since.

Where both know an hour of a generation, Redis is right, as the later of the two. Reading consumes,
creates and extends nothing.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections import defaultdict
from datetime import datetime, timedelta
from heapq import merge
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from django.db import connections
from django.db.models import TextField
from django.db.models.functions import Cast

from quotas.domain.calendar import instant_at, microseconds, period_at
from quotas.domain.calls import Calls, CallsByHour, Peak
from quotas.domain.words import CalendarUnit
from quotas.engine.hours import HOUR_US
from quotas.models import UsageHour
from quotas.services.history_sql import us_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from zoneinfo import ZoneInfo

    from quotas.engine.hours import Hour
    from quotas.engine.tallies import Tallied

MOST_SHOWN = 10
MOST_HOURS = 24 * 7 + 2
"""Up to so many hours peaks are shown by the hour, else by the day: a week has an hour more when
clocks go back, and touches one more where midnight is at half past."""
AT_ONCE = 24
"""Hours that are held at once: those of a month would set off the garbage collector, whose look at
all that a process holds takes longer than the sums."""
LONGEST = timedelta(days=35)
"""How far back is read: as long as hours are kept."""

SUMS = ("admitted", "denied", "units", "early")


class _Hour(NamedTuple):
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
    adding = _Adding(_edges(first, last, zone))
    for hour in _hours(tenant_pk, first, last, tallied):
        adding.add(hour)
    callers = adding.busiest()
    listed = Calls()
    for sums in callers.values():
        listed.add(sums.admitted, sums.denied, sums.units, sums.early)
    return CallsByHour(
        start=instant_at(first, zone),
        end=instant_at(last, zone),
        total=adding.total,
        callers=callers,
        rest=adding.total.less(listed),
        peaks=adding.peaks(zone),
    )


class _Adding:
    """Adds up hours, which come in order; peaks between ``edges`` (us) and the end of the last."""

    def __init__(self, edges: list[int]) -> None:
        self.total = Calls()
        self._edges = edges
        self._callers: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
        self._peaks: dict[str, dict[int, tuple[int, int | None]]] = defaultdict(dict)

    def add(self, hour: _Hour) -> None:
        """Count this hour, too."""
        self.total.add(*hour.sums)
        for caller, (admitted, denied, units, early) in hour.callers.items():
            found = self._callers[caller]
            found[0] += admitted
            found[1] += denied
            found[2] += units
            found[3] += early
        bucket = bisect_right(self._edges, hour.start_us) - 1
        for label, (used, most) in hour.peaks.items():
            fullest = self._peaks[label].get(bucket)
            if fullest is None or _fullness(used, most) >= _fullness(*fullest):
                self._peaks[label][bucket] = used, most

    def busiest(self) -> dict[str, Calls]:
        """The callers who called most, the busiest first."""
        added = {caller: Calls(*sums) for caller, sums in self._callers.items()}
        ranked = sorted(added.items(), key=lambda each: (-each[1].requests, each[0]))
        return dict(ranked[:MOST_SHOWN])

    def peaks(self, zone: ZoneInfo) -> dict[str, tuple[Peak, ...]]:
        """Of each bucket the hour in which most of what fitted was taken, the later one of two."""
        instants = [instant_at(edge, zone) for edge in self._edges]
        return {
            label: tuple(
                Peak(start=instants[bucket], end=instants[bucket + 1], used=used, most=most)
                for bucket, (used, most) in peaks.items()
            )
            for label, peaks in sorted(self._peaks.items())
        }


def _fullness(used: int, most: int | None) -> tuple[float, int]:
    return used / most if most else 0, used


def _whole(start: datetime, end: datetime) -> tuple[int, int]:
    """Whole hours (us) that hold both."""
    return microseconds(start) // HOUR_US * HOUR_US, -(-microseconds(end) // HOUR_US) * HOUR_US


def _hours(tenant_pk: int, first: int, last: int, tallied: Tallied | None) -> Iterable[_Hour]:
    live = [each for each in tallied.hours if first <= each.start_us < last] if tallied else []
    generation = tallied.generation if tallied else 0
    known = {(each.start_us, generation) for each in live}
    kept = (hour for of, hour in _kept(tenant_pk, first, last) if (hour.start_us, of) not in known)
    return merge(kept, sorted(map(_live, live), key=_start), key=_start)


def _kept(tenant_pk: int, first: int, last: int) -> Iterator[tuple[int, _Hour]]:
    """Generations and their hours, in order. One query."""
    rows = UsageHour.objects.filter(
        tenant=tenant_pk, start__gte=instant_at(first), start__lt=instant_at(last)
    ).order_by("start")
    # As texts, which Django does not convert one by one.
    texts = {f"{name}_text": Cast(name, TextField()) for name in ("start", "callers", "peaks")}
    connection = connections[rows.db]
    found = iter(rows.annotate(**texts).values_list("generation", *texts, *SUMS))
    while some := list(islice(found, AT_ONCE)):
        callers, peaks = (_parsed(row[at] for row in some) for at in (2, 3))
        for (generation, start, _, _, *sums), called, filled in zip(
            some, callers, peaks, strict=True
        ):
            yield generation, _Hour(us_of(start, connection), sums, called, filled)


def _start(hour: _Hour) -> int:
    return hour.start_us


def _parsed(texts: Iterable[str]) -> list[dict[str, Any]]:
    """Objects from JSON, several at once: a month has hundreds of hours."""
    return json.loads(f"[{','.join(texts)}]")  # type: ignore[no-any-return]


def _live(hour: Hour) -> _Hour:
    return _Hour(
        hour.start_us,
        (hour.admitted, hour.denied, hour.units, hour.early),
        {
            each.caller: (each.admitted, each.denied, each.units, each.early)
            for each in hour.callers
        },
        {each.label: (each.used, each.most) for each in hour.peaks},
    )


def _edges(first: int, last: int, zone: ZoneInfo) -> list[int]:
    """The starts of the hours, or of the civil days, and the end of the last."""
    if (last - first) // HOUR_US <= MOST_HOURS:
        return list(range(first, last + 1, HOUR_US))
    edges = [first]
    while edges[-1] < last:
        day = period_at(CalendarUnit.DAY, instant_at(edges[-1]), zone=zone)
        edges.append(min(last, day.end_us))
    return edges
