"""Quarters and hours: Redis against the database, and each hour against its own quarters.

Under one generation numbers only grow. A copy may be late, but it is never ahead, and has all that
was counted before the latest copy of its tenant.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from quotas.domain.calendar import instant_at
from quotas.domain.limits import MICROSECOND
from quotas.engine.hours import HOUR_US
from quotas.engine.tallies import MINUTE_US, QUARTER_US
from quotas.services.audit.differences import Audited, Difference, Kind
from quotas.services.audit.kept import NUMBERS
from quotas.services.flush import LATEST_US
from quotas.services.prune import LEAST_QUARTERS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from quotas.engine.tallies import Quarter
    from quotas.services.audit.books import Books
    from quotas.services.audit.kept import Counted, CountedHour

SETTLED_US = MINUTE_US
"""A call may be counted this much before a copy and yet not be in it: clocks are set back."""
EVERY_CALL = "every call"
HOUR_NUMBERS = ("admitted", "denied", "units", "early")


class Record(NamedTuple):
    """What is said of all differences of one record."""

    books: Books
    of: str
    start_us: int
    length_us: int

    def differs(self, kind: Kind, number: str, first: int | None, second: int | None) -> Difference:
        return Difference(
            tenant=self.books.tenant.key,
            kind=kind,
            of=self.of,
            number=number,
            start=instant_at(self.start_us),
            end=instant_at(self.start_us + self.length_us),
            first=first,
            second=second,
        )


def audit_records(books: Books) -> Audited:
    """Every quarter and hour of one tenant that is read one by one."""
    differences = [*_quarters(books), *_hours(books), *_doubled(books), *_both(books)]
    waiting = [
        key[1]
        for key, live in books.live.items()
        if _calls(books.kept.quarters.get(key)) != _calls(live)
    ] + [
        each.start_us
        for each in books.tallied.hours
        if _calls(books.kept.hours.get((each.start_us, books.tallied.generation))) != _calls(each)
    ]
    return Audited(
        quarters=len(books.quarters),
        hours=len(books.hours),
        waiting=len(waiting),
        oldest=instant_at(min(waiting)) if waiting else None,
        differences=tuple(differences),
    )


def _quarters(books: Books) -> Iterator[Difference]:
    generation = books.tallied.generation
    copied_us = _last_copy(
        each.copied_us for (_, _, of), each in books.kept.quarters.items() if of == generation
    )
    for raw in books.tallied.quarters:
        key = (raw.scope, raw.start_us, generation)
        record = Record(books, raw.scope, raw.start_us, QUARTER_US)
        kept, live = books.kept.quarters.get(key), books.live[key]
        due = _due(raw, copied_us) if raw.start_us > copied_us - LATEST_US else (0, 0)
        yield from _behind(record, kept, due)
        if kept is not None:
            numbers = {name: (getattr(kept, name), getattr(live, name)) for name in NUMBERS}
            for place, name in enumerate(("denials", "shadow denials")):
                for label in sorted({*kept.limits, *live.limits}):
                    numbers[f"{name} by {label}"] = (
                        kept.limits.get(label, (0, 0))[place],
                        live.limits.get(label, (0, 0))[place],
                    )
            yield from _copied(record, numbers, equal=_calls(kept) == _calls(live))


def _hours(books: Books) -> Iterator[Difference]:
    generation = books.tallied.generation
    copied_us = _last_copy(
        each.copied_us for (_, of), each in books.kept.hours.items() if of == generation
    )
    for raw in books.tallied.hours:
        record = Record(books, EVERY_CALL, raw.start_us, HOUR_US)
        kept, live = (
            books.kept.hours.get((raw.start_us, generation)),
            books.hours[raw.start_us, generation],
        )
        over = raw.start_us + HOUR_US + SETTLED_US <= copied_us < raw.start_us + LATEST_US
        yield from _behind(record, kept, _calls(live) if over else (0, 0))
        if kept is not None:
            numbers = {name: (getattr(kept, name), getattr(live, name)) for name in HOUR_NUMBERS}
            equal = _calls(kept) == _calls(live)
            if equal:
                numbers |= _listed(kept, live)
            yield from _copied(record, numbers, equal=equal)


def _listed(kept: CountedHour, live: CountedHour) -> dict[str, tuple[int, int]]:
    """Callers and limits of an hour: they give way to others, and are alike in like copies only."""
    numbers: dict[str, tuple[int, int]] = {}
    for caller in sorted({*kept.callers, *live.callers}):
        for place, name in enumerate(HOUR_NUMBERS):
            pair = [each.callers.get(caller, [0] * 4)[place] for each in (kept, live)]
            numbers[f"{name} by {caller}"] = (pair[0], pair[1])
    for label in sorted({*kept.peaks, *live.peaks}):
        for place, name in enumerate(("most taken", "most at once")):
            both = [each.peaks.get(label, [0, 0])[place] for each in (kept, live)]
            if both[0] != both[1]:
                numbers[f"{name} of {label}"] = (both[0] or 0, both[1] or 0)
    return numbers


def _behind(
    record: Record, kept: Counted | CountedHour | None, due: tuple[int, int]
) -> Iterator[Difference]:
    """Of what must have been copied, what is not there. ``due``: calls admitted and denied."""
    for name, least, found in zip(("admitted", "denied"), due, _calls(kept), strict=True):
        if found < least:
            yield record.differs(Kind.COPY_BEHIND, name, found if kept else None, least)


def _copied(
    record: Record, numbers: Mapping[str, tuple[int, int]], *, equal: bool
) -> Iterator[Difference]:
    for name, (kept, live) in numbers.items():
        if kept != live and (equal or kept > live):
            kind = Kind.COPY_UNEQUAL if equal else Kind.COPY_AHEAD
            yield record.differs(kind, name, kept, live)


def _doubled(books: Books) -> Iterator[Difference]:
    """Rows of a generation that was lost before they began: generations follow one another."""
    known = {generation for _, _, generation in books.quarters}
    known |= {generation for _, generation in books.hours}
    following = dict(pairwise(sorted(known)))
    for (scope, start_us, generation), counted in sorted(books.kept.quarters.items()):
        if start_us >= following.get(generation, start_us + 1):
            record = Record(books, scope, start_us, QUARTER_US)
            yield record.differs(Kind.DOUBLED, "admitted", counted.admitted, 0)
    for (start_us, generation), hour in sorted(books.kept.hours.items()):
        if start_us >= following.get(generation, start_us + 1):
            record = Record(books, EVERY_CALL, start_us, HOUR_US)
            yield record.differs(Kind.DOUBLED, "admitted", hour.admitted, 0)


def _both(books: Books) -> Iterator[Difference]:
    """Each hour against its quarters, of one generation.

    Units are the same. A call of several scopes is in the quarters of each: an hour has at least
    the calls of any scope, and at most those of all of them together.
    """
    since = books.at_us - LEAST_QUARTERS // MICROSECOND
    by_hour: dict[tuple[int, int], list[tuple[str, Counted]]] = defaultdict(list)
    for (scope, start_us, generation), counted in books.quarters.items():
        by_hour[start_us - start_us % HOUR_US, generation].append((scope, counted))
    for key in sorted({*by_hour, *books.hours}):
        if key[0] >= since:
            yield from _compared(books, key, by_hour.get(key, []))


def _compared(
    books: Books, key: tuple[int, int], quarters: list[tuple[str, Counted]]
) -> Iterator[Difference]:
    start_us, generation = key
    hour, copied_us = books.hours.get(key), max((each.copied_us for _, each in quarters), default=0)
    if copied_us >= start_us + LATEST_US:
        return  # copied so late that a part of the hour may have been let go of
    # Of a lost generation the hours may be an unfinished copy behind, for good.
    late = generation != books.tallied.generation and (hour is None or hour.copied_us != copied_us)
    record = Record(books, EVERY_CALL, start_us, HOUR_US)
    for name in ("admitted", "denied"):
        least, most = _bounds((scope, getattr(each, name)) for scope, each in quarters)
        found = getattr(hour, name, 0)
        if found > most or (found < least and not late):
            yield record.differs(
                Kind.HOUR_AND_QUARTERS,
                name,
                found if hour else None,
                most if found > most else least,
            )
    units = sum(each.units for _, each in quarters)
    found = hour.units if hour else 0
    if found > units or (found < units and not late):
        yield record.differs(Kind.HOUR_AND_QUARTERS, "units", found if hour else None, units)


def _bounds(calls: Iterable[tuple[str, int]]) -> tuple[int, int]:
    """The most calls of one scope, and the calls of all scopes."""
    by_scope: dict[str, int] = defaultdict(int)
    for scope, number in calls:
        by_scope[scope] += number
    return max(by_scope.values(), default=0), sum(by_scope.values())


def _due(raw: Quarter, copied_us: int) -> tuple[int, int]:
    """What a copy of that instant must have of a quarter: the minutes that were over long ago."""
    over = (copied_us - SETTLED_US - raw.start_us) // MINUTE_US
    minutes = raw.minutes[: max(0, over)]
    return sum(each[0] for each in minutes), sum(each[1] for each in minutes)


def _last_copy(copied_us: Iterable[int]) -> int:
    """When anything of Redis's generation was copied last: all that there was then was copied."""
    return max(copied_us, default=0)


def _calls(counted: object) -> tuple[int, int]:
    return getattr(counted, "admitted", 0), getattr(counted, "denied", 0)
