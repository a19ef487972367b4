"""The civil periods of calendar quotas: days, weeks, months and years of a tenant's time zone.

Pure: the standard library, `quotas.errors` and the domain only; the instant is an argument.
A period starts at the first instant that has its first civil date, and ends where the next begins,
so every instant lies in exactly one period whatever the clocks do: days of 23 or 25 hours, a
midnight that is skipped or comes twice, a date that a zone left out. Instants are aware datetimes
at the edge and whole microseconds since the Unix epoch (``_us``) inside: never floats.

The answers are as good as the time zone data of the machine. Instants of the years 2 to 9997 are
served; beyond, `datetime` raises OverflowError.
"""

from __future__ import annotations

from bisect import bisect_left
from calendar import monthrange
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from difflib import get_close_matches
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

from quotas.domain.limits import MICROSECOND, is_whole
from quotas.domain.words import CalendarUnit
from quotas.errors import InvalidLimit

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
SECOND_US = 1_000_000
MONTHS = 12
DAYS_IN_WEEK = 7
LAST_ANCHOR = 31
LONGEST_ZONE_NAME = 64
# In the system's files, but not places: the first is whatever the server is set to.
NOT_PLACES = frozenset({"localtime", "Factory", "posixrules"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Period:
    """One civil period: from ``start``, up to and without ``end``, both in UTC."""

    start: datetime
    end: datetime

    def __post_init__(self) -> None:
        for name, instant in (("start", self.start), ("end", self.end)):
            if instant.utcoffset() != timedelta(0):
                raise ValueError(f"{name} is {instant!r}: give a datetime in UTC.")
        if self.end <= self.start:
            raise ValueError(f"end is {self.end}: give an instant after the start, {self.start}.")

    @property
    def start_us(self) -> int:
        return microseconds(self.start)

    @property
    def end_us(self) -> int:
        return microseconds(self.end)


def instant_at(us: int, zone: tzinfo = UTC) -> datetime:
    """Microseconds since the epoch as an instant in a zone."""
    return (EPOCH + timedelta(microseconds=us)).astimezone(zone)


def microseconds(instant: datetime) -> int:
    """An aware instant as microseconds since the epoch, exactly."""
    return (instant - EPOCH) // MICROSECOND


def period_at(unit: CalendarUnit, instant: datetime, *, zone: ZoneInfo, anchor: int = 1) -> Period:
    """The period of ``zone`` that ``instant`` (aware, of any zone) lies in.

    ``anchor`` is the day from which months run: where a month is shorter, its last day, and the
    anchor again in the next. Weeks start on Monday (ISO 8601) and years on 1 January, whatever the
    anchor. Raises `InvalidLimit` for an anchor outside 1 to 31, ValueError for a naive datetime.
    """
    if instant.utcoffset() is None:
        raise ValueError(f"instant is {instant!r}: give an aware datetime, such as one in UTC.")
    start, end = _Calendar(unit=unit, zone=zone, anchor=anchor).span(microseconds(instant))
    return Period(start=instant_at(start), end=instant_at(end))


def edges_around(
    unit: CalendarUnit, instant_us: int, *, zone: ZoneInfo, anchor: int = 1
) -> tuple[int, int, int, int]:
    """Starts of the previous, the current and the next period, and the end of the next, in us.

    Always strictly increasing; ``instant_us`` lies from the second up to and without the third.
    """
    calendar = _Calendar(unit=unit, zone=zone, anchor=anchor)
    current, following = calendar.span(instant_us)
    previous, _ = calendar.span(current - 1)
    _, end = calendar.span(following)
    return previous, current, following, end


def zone_named(name: str) -> ZoneInfo:
    """The time zone of that name in the IANA database; raises `InvalidLimit` for any other text."""
    if name in zone_names():  # asked first: ZoneInfo would go and look for a file of any name
        return ZoneInfo(name)
    shown = str(name)[:LONGEST_ZONE_NAME]
    close = get_close_matches(shown, sorted(zone_names()), n=1)
    hint = f" Did you mean {close[0]}?" if close else ""
    raise InvalidLimit(
        f"time zone is {shown!r}, which is not known here: "
        f"give a name of the IANA time zone database, such as Europe/Berlin.{hint}"
    )


@cache
def zone_names() -> frozenset[str]:
    """Every name that `zone_named` knows: read from the machine's time zone data once a process."""
    return frozenset(available_timezones() - NOT_PLACES)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Calendar:
    """The chain of one unit's periods in a zone, each known by its number from the year 1."""

    unit: CalendarUnit
    zone: ZoneInfo
    anchor: int

    def __post_init__(self) -> None:
        if self.unit not in frozenset(CalendarUnit):
            raise InvalidLimit(f"unit is {self.unit!r}: give one of {', '.join(CalendarUnit)}.")
        if not is_whole(self.anchor) or not 1 <= self.anchor <= LAST_ANCHOR:
            raise InvalidLimit(
                f"anchor day is {self.anchor!r}: give a whole number from 1 to {LAST_ANCHOR}."
            )

    def span(self, instant_us: int) -> tuple[int, int]:
        """The edges around an instant: guessed from its civil date, then walked to where they hold.

        The walk takes care of anchors, of a date that comes twice and of dates that do not exist:
        these give two equal starts, between which no instant lies.
        """
        number = self._number(_civil_date(instant_us, self.zone))
        while self._start(number) > instant_us:
            number -= 1
        while (end := self._start(number + 1)) <= instant_us:
            number += 1
        return self._start(number), end

    def _start(self, number: int) -> int:
        return _first_instant(self._first_date(number), self.zone)

    def _number(self, day: date) -> int:
        """The running number of the period of ``day``, its anchor left aside."""
        match self.unit:
            case CalendarUnit.DAY:
                return day.toordinal()
            case CalendarUnit.WEEK:
                return (day.toordinal() - 1) // DAYS_IN_WEEK  # 1 January of the year 1: a Monday
            case CalendarUnit.MONTH:
                return day.year * MONTHS + day.month - 1
            case _:  # a year, always from 1 January
                return day.year

    def _first_date(self, number: int) -> date:
        """The civil date on which the period with that running number starts."""
        match self.unit:
            case CalendarUnit.DAY:
                return date.fromordinal(number)
            case CalendarUnit.WEEK:
                return date.fromordinal(number * DAYS_IN_WEEK + 1)
            case CalendarUnit.MONTH:
                # From the anchor each time: counted from its neighbour, a 31st drifts to the 28th.
                year, month = number // MONTHS, number % MONTHS + 1
                return date(year, month, min(self.anchor, monthrange(year, month)[1]))
            case _:  # a year, always from 1 January
                return date(number, 1, 1)


def _first_instant(day: date, zone: ZoneInfo) -> int:
    """The first instant, in us, at which the civil date of ``zone`` is ``day`` or later."""
    midnight = datetime.combine(day, time(), tzinfo=zone)
    first, second = (
        microseconds(midnight.astimezone(UTC)),
        microseconds(midnight.replace(fold=1).astimezone(UTC)),
    )
    if first <= second:  # the only midnight, or the first of two
        return first
    # The clocks jump over midnight. Read by the offset before the jump and by the one after it,
    # midnight lies at or after the jump, and before it: the date turns between, on a whole second.
    seconds = range(second, first + 1, SECOND_US)
    turn = bisect_left(seconds, day, key=lambda instant_us: _civil_date(instant_us, zone))
    return seconds[turn]


def _civil_date(instant_us: int, zone: ZoneInfo) -> date:
    return instant_at(instant_us).astimezone(zone).date()
