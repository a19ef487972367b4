"""Where the buckets of a history begin and end, in microseconds: minutes are cut later."""

from __future__ import annotations

from datetime import datetime, time, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from quotas.domain.calendar import instant_at, microseconds, period_at
from quotas.domain.history import Grain, Span, Window
from quotas.domain.words import CalendarUnit
from quotas.engine.hours import HOUR_US
from quotas.engine.tallies import QUARTER_US

if TYPE_CHECKING:
    from datetime import date
    from zoneinfo import ZoneInfo

    from quotas.domain.calendar import Period

DAY_US = 24 * HOUR_US
LONGEST_BY_QUARTERS_US = 2 * DAY_US
BACK = {Span.HOUR: HOUR_US, Span.DAY: DAY_US}
DAYS = {Span.WEEK: 7, Span.MONTH: 31}


class Extent(NamedTuple):
    """From ``start`` up to and without ``stop`` (us), whole quarters of an hour."""

    start: int
    stop: int


def extent(window: Window, at_us: int) -> Extent:
    """What a window spans at an instant: up to the end of the quarter, or day, under way."""
    if window.span in BACK:
        return Extent(_floor(at_us - BACK[window.span]), _floor(at_us) + QUARTER_US)
    today = _day(at_us, window.zone)
    if window.span in DAYS:
        first = today.start.astimezone(window.zone).date() - timedelta(DAYS[window.span] - 1)
        return Extent(start_of(first, window.zone), today.end_us)
    if window.span is Span.CUSTOM and window.since and window.until:
        since, until = microseconds(window.since), microseconds(window.until)
        stop = min(-_floor(-until), _end(since, at_us, today))
        return Extent(_floor(since), max(stop, _floor(since) + QUARTER_US))
    month = month_at(window, at_us)
    return Extent(month.start_us, min(month.end_us, _end(month.start_us, at_us, today)))


def edges_of(span: Extent, window: Window, *, whole_days: bool) -> tuple[Grain, list[int]]:
    """The starts of buckets, oldest first, and the end of the last.

    By days where the span is long, or where ``whole_days`` are all that is kept of some of it: a
    chosen range is then of whole days, too.
    """
    if whole_days and window.span is Span.CUSTOM:
        first, last = _day(span.start, window.zone), _day(span.stop - 1, window.zone)
        span = Extent(first.start_us, last.end_us)
    if not whole_days and window.span not in DAYS and _is_short(*span):
        return Grain.QUARTER, list(range(span.start, span.stop + 1, QUARTER_US))
    return Grain.DAY, by_days(span, window.zone)


def by_days(span: Extent, zone: ZoneInfo) -> list[int]:
    """The edges of a span, and each midnight of a zone between them."""
    edges = {span.start, span.stop}
    day = instant_at(span.start, zone).date()
    while (edge := start_of(day := day + timedelta(1), zone)) < span.stop:
        edges.add(max(edge, span.start))
    return sorted(edges)


def merged(one: Extent, other: Extent) -> list[Extent]:
    """Two spans as one where they touch, oldest first."""
    first, second = sorted((one, other))
    if second.start > first.stop:
        return [first, second]
    return [Extent(first.start, max(first.stop, second.stop))]


def month_at(window: Window, at_us: int) -> Period:
    """The tenant's own month around an instant."""
    return period_at(
        CalendarUnit.MONTH,
        instant_at(at_us, window.own_zone),
        zone=window.own_zone,
        anchor=window.anchor_day,
    )


@lru_cache(maxsize=4096)  # a page asks for some ninety days, mostly those of the page before
def start_of(day: date, zone: ZoneInfo) -> int:
    """When a civil day of a zone begins (us): the first instant of it that there is."""
    noon = datetime.combine(day, time(12), tzinfo=zone)
    return _day(microseconds(noon), zone).start_us


def _end(start: int, at_us: int, today: Period) -> int:
    """How far a span that began at ``start`` goes at most: what is still to come has no buckets."""
    end = _floor(at_us) + QUARTER_US
    return end if _is_short(start, end) else today.end_us


def _is_short(start: int, stop: int) -> bool:
    return stop - start <= LONGEST_BY_QUARTERS_US


def _day(us: int, zone: ZoneInfo) -> Period:
    return period_at(CalendarUnit.DAY, instant_at(us, zone), zone=zone)


def _floor(us: int) -> int:
    return us - us % QUARTER_US
