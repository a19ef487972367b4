"""What the usage page tells a tenant, against records and the limiter read before and after it.

Between two readings counts only grow: what the page says must lie between them, and in quiet times
the two are one.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from quotas.domain.calendar import instant_at
from quotas.domain.history import Span, Sums, Window
from quotas.engine.sight import Seen, look_at_each
from quotas.errors import EngineUnavailable
from quotas.services.audit.books import Books, counts_periods, quarters_of
from quotas.services.audit.differences import Audited, Difference, Kind
from quotas.services.history import history_of
from quotas.services.policy import zone_of
from quotas.services.usage import usage_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from quotas.domain.decisions import Verdict
    from quotas.domain.history import History
    from quotas.engine.tallies import Tallied
    from quotas.services.audit.kept import Counted, CountedDay
    from quotas.services.usage import Usage

SPANS = (Span.DAY, Span.WEEK)
Totals = dict[tuple[str, str], int]
"""By (scope or ``scope/name``, number)."""


class _Page(NamedTuple):
    """What the page says of one tenant; None: the tenant has just been deleted."""

    usage: Usage | None
    histories: list[History]


def audit_pages(several: Sequence[Books]) -> dict[int, Audited]:
    """The pages of the tenants that have anything to show, by primary key.

    Seven queries and a few round trips each, and one for all of them. Raises `EngineUnavailable`.
    """
    shown = [each for each in several if each.in_use]
    if not shown:
        return {}
    pages = [_Page(usage_of(each.tenant.pk), _histories(each)) for each in shown]
    if any(page.usage and page.usage.outage for page in pages):
        raise EngineUnavailable("Redis gave no answer for a usage page.")
    later = look_at_each([each.question for each in shown])
    return {
        books.tenant.pk: Audited(
            pages=1,
            differences=(*_meters(books, page, after), *_totals(books, page, after)),
        )
        for books, page, after in zip(shown, pages, later, strict=True)
        if page.usage is not None
    }


def _histories(books: Books) -> list[History]:
    """The charts of the page: the one place that knows how they are asked for."""
    zone = zone_of(books.tenant.time_zone)
    windows = (Window(span=span, zone=zone, own_zone=zone) for span in SPANS)
    return [
        history_of(books.tenant.pk, window, books.at_us, tallied=books.tallied)[0]
        for window in windows
    ]


def _totals(books: Books, page: _Page, after: Seen) -> Iterator[Difference]:
    if after.tallied.generation != books.tallied.generation and books.tallied.generation:
        return  # Redis has just lost its memory: nothing lies between
    for history in page.histories:
        told = _told(history)
        least, most = (
            _summed(books, tallied, history.start, history.end)
            for tallied in (books.tallied, after.tallied)
        )
        for of, number in sorted({*told, *least, *most}):
            found, low, high = (each.get((of, number), 0) for each in (told, least, most))
            if not low <= found <= high:
                yield Difference(
                    tenant=books.tenant.key,
                    kind=Kind.HISTORY,
                    of=of,
                    number=number,
                    start=history.start,
                    end=history.end,
                    first=found,
                    second=low if found < low else high,
                )


def _told(history: History) -> Totals:
    totals: Totals = {}
    for scope, sums in history.scopes.items():
        totals |= {(scope, name): getattr(sums, name) for name in Sums.__slots__}
    for label, denials in history.limits.items():
        totals[label, "denials"] = denials.denied
        totals[label, "shadow denials"] = denials.shadow_denied
    return totals


def _summed(books: Books, tallied: Tallied, start: datetime, end: datetime) -> Totals:
    """The same from each record, once: as Redis has it, else the quarter's row, else the day's."""
    totals: Totals = defaultdict(int)
    quarters = {**books.kept.quarters, **books.live, **quarters_of(tallied)}
    found = [
        (scope, counted)
        for (scope, start_us, _), counted in quarters.items()
        if start <= instant_at(start_us) < end
    ]
    zone = zone_of(books.tenant.time_zone)
    midnight = start.astimezone(zone)
    if (midnight.hour, midnight.minute) == (0, 0):  # a span of civil days
        days = [each for each in books.kept.days if midnight.date() <= each.day < end.date()]
    else:
        days = []
    every: list[tuple[str, Counted | CountedDay]] = [*found, *((each.scope, each) for each in days)]
    for scope, counted in every:
        for name in Sums.__slots__:
            totals[scope, name] += getattr(counted, name)
        for label, (denied, shadow_denied) in counted.limits.items():
            totals[label, "denials"] += denied
            totals[label, "shadow denials"] += shadow_denied
    return totals


def _meters(books: Books, page: _Page, after: Seen) -> Iterator[Difference]:
    """The used number of each limit. Without calls in between it falls, or stays.

    With calls only that of a calendar quota can be told: it grows as long as its period lasts.
    """
    if page.usage is None:
        return
    marked = books.seen.marked and after.marked
    quiet = _admitted(books.tallied) == _admitted(after.tallied)
    meters = {line.limit: line.used for line in page.usage.lines}
    later = {each.limit: each for each in getattr(after.found, "verdicts", ())}
    for verdict in books.verdicts:
        last = later.get(verdict.limit)
        if last is None or not (quiet or _same_period(verdict, last)):
            continue
        if counts_periods(verdict.limit) and not marked:
            continue  # the page tells what the database knows of it
        found = meters.get(verdict.limit)
        low, high = sorted((verdict.used, last.used))
        if found is None or not low <= found <= high:
            limit = verdict.limit
            yield Difference(
                tenant=books.tenant.key,
                kind=Kind.METER,
                of=f"{limit.scope}/{limit.name}",
                number="used",
                start=instant_at(books.at_us),
                end=instant_at(books.at_us),
                first=found,
                second=high if found is not None and found > high else low,
            )


def _same_period(verdict: Verdict, last: Verdict) -> bool:
    return counts_periods(verdict.limit) and (
        verdict.at_us + verdict.part == last.at_us + last.part
    )


def _admitted(tallied: Tallied) -> tuple[int, int]:
    return tallied.generation, sum(each.admitted for each in tallied.quarters)
