"""What a tenant used over time: what the database keeps, and what Redis has counted since.

Where both know a scope, a quarter and a generation, Redis is right, as the later of the two: never
both. Reading consumes, creates and extends nothing.
"""

from __future__ import annotations

from datetime import date, datetime, time
from itertools import product
from typing import TYPE_CHECKING

from quotas.domain.calendar import instant_at, microseconds
from quotas.domain.history import Grain, History, Span
from quotas.services.counting import Counting, minutes
from quotas.services.history_rows import kept_days, kept_quarters
from quotas.services.months import MonthsCounting
from quotas.services.windows import BACK, Extent, edges_of, extent, merged

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from zoneinfo import ZoneInfo

    from quotas.domain.history import Window
    from quotas.domain.months import Months
    from quotas.engine.tallies import Quarter, Tallied
    from quotas.services.history_rows import KeptDay, KeptQuarters


def history_of(
    tenant_pk: int, window: Window, at_us: int, *, tallied: Tallied | None
) -> tuple[History, Months]:
    """What a tenant used up to ``at_us`` in a window, and in this month and the last one.

    ``tallied`` is what Redis has counted; None: it gave no answer. Two queries.
    """
    asked, months = extent(window, at_us), MonthsCounting(window, at_us)
    days = _days(tenant_pk, window, asked, months.extent)
    whole_days = _are_asked(days, window, asked)
    grain, edges = edges_of(asked, window, whole_days=whole_days)
    counting = Counting(edges)
    both = (counting, months)
    for day in days:
        _count(both, _noon(day.day, window.own_zone), day)
    live = _live(tallied, window.scope, both)
    for row in _quarters(tenant_pk, window.scope, both, tallied, live):
        _count(both, row.start_us, row)
    by_minute = window.span is Span.HOUR and tallied is not None and not counting.scopes
    for quarter, each in product(live, both):
        each.count_quarter(quarter)
    zone = window.zone
    history = History(
        span=window.span,
        grain=Grain.MINUTE if by_minute else grain,
        stale=tallied is None,
        whole_days=whole_days,
        buckets=tuple(
            minutes(edges[0], live, at_us, zone) if by_minute else counting.buckets(zone)
        ),
        scopes=dict(sorted(counting.scopes.items())),
        limits=dict(sorted(counting.limits.items())),
    )
    return history, months.months()


def _count(several: Iterable[Counting], start_us: int, kept: KeptDay | KeptQuarters) -> None:
    for each in several:
        each.count(start_us, kept.scope, kept.sums)
        each.deny(start_us, kept.limits)


def _days(tenant_pk: int, window: Window, asked: Extent, months: Extent) -> list[KeptDay]:
    """What is kept by the day only, of the window and of the months. One query."""
    several = [months] if window.span in BACK else [months, asked]
    ranges = [_dates(each, window.own_zone) for each in several]
    return kept_days(tenant_pk, ranges, window.scope)


def _quarters(
    tenant_pk: int,
    scope: str | None,
    several: tuple[Counting, MonthsCounting],
    tallied: Tallied | None,
    live: Sequence[Quarter],
) -> Iterator[KeptQuarters]:
    """What is kept by the quarter, but for what Redis has later. One query."""
    counting, months = several
    known = {(each.scope, each.start_us) for each in live}
    since = min((start_us for _, start_us in known), default=None)
    told = Extent(counting.edges[0], counting.edges[-1])
    rows = kept_quarters(
        tenant_pk,
        sorted({*counting.edges, *months.edges}),
        merged(told, months.extent),
        told,
        scope,
        (tallied.generation if tallied else 0, since),
    )
    return (each for each in rows if (each.scope, each.apart_us) not in known)


def _live(tallied: Tallied | None, scope: str | None, several: Iterable[Counting]) -> list[Quarter]:
    """The quarters in Redis that any of them counts."""
    return [
        quarter
        for quarter in (tallied.quarters if tallied else ())
        if scope in {None, quarter.scope} and any(each.covers(quarter.start_us) for each in several)
    ]


def _dates(span: Extent, zone: ZoneInfo) -> tuple[date, date]:
    """The first and the last civil date of a zone that a span touches."""
    return instant_at(span.start, zone).date(), instant_at(span.stop - 1, zone).date()


def _are_asked(days: Iterable[KeptDay], window: Window, asked: Extent) -> bool:
    """Whether any of these days is in the window itself, and not in the months alone."""
    first, last = _dates(asked, window.own_zone)
    return window.span not in BACK and any(first <= each.day <= last for each in days)


def _noon(day: date, zone: ZoneInfo) -> int:
    """Where a whole day is counted (us): most of it is on the same side of any midnight."""
    return microseconds(datetime.combine(day, time(12), tzinfo=zone))
