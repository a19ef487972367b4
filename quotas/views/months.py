"""The month so far as the usage page shows it: beside the last one, and where it is heading."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import zip_longest
from typing import TYPE_CHECKING

from django.utils.html import format_html_join
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from quotas.domain.calendar import microseconds
from quotas.domain.history import Sums
from quotas.domain.limits import MICROSECOND, CalendarQuota
from quotas.domain.projection import used_at_end
from quotas.domain.words import EVERY_SCOPE, CalendarUnit, SubjectKind
from quotas.views import wording
from quotas.views.charts import Tick, tick
from quotas.views.headings import Heading, headings_of
from quotas.views.lines import LineChart, Point, line_chart
from quotas.views.rows import Moment, moment

if TYPE_CHECKING:
    from collections.abc import Iterator

    from quotas.domain.history import Bucket
    from quotas.domain.months import Month
    from quotas.services.usage import UsageLine
    from quotas.views.looks import Look

MOST_TICKS = 7
HIGHEST_LIMIT = 4
"""A limit so many times above all lines is told, but not drawn: it would press them flat."""


@dataclass(frozen=True, slots=True)
class Compared:
    """One number of this month, of the last one at the same point, and of the whole last one."""

    words: str
    this: str
    then: str
    last: str


@dataclass(frozen=True, slots=True)
class DayRow:
    """How much had added up by the end of a day of this month, and of the last one."""

    number: str
    this: str
    this_day: str
    last: str
    last_day: str


class MonthsView:
    """What the template asks of two months."""

    def __init__(self, look: Look) -> None:
        self._look = look
        self._now = look.statement.instant()
        self.this, self.last = look.months.this, look.months.last
        self.zone_name = look.zone_name
        self.scope = look.filters.scope
        self.quota = self._quota()
        self.charted = self.scope or (self.quota.limit.scope if self.quota else EVERY_SCOPE)
        self.anything = bool(self.this.sums.requests or self.last.sums.requests)

    @property
    def spans(self) -> tuple[str, str]:
        """The first and the last day of this month, and of the last one."""
        return self._span(self.this), self._span(self.last)

    @property
    def same_point(self) -> Moment:
        """How far into the last month the same time had passed."""
        return moment(self._look.months.same_point)

    @property
    def compared(self) -> list[Compared]:
        """Requests, admitted, denied and units."""
        this, then, last = self.this.sums, self._look.months.then, self.last.sums
        return [
            Compared(words, *(wording.number(getattr(each, name)) for each in (this, then, last)))
            for name, words in (
                ("requests", _("Requests")),
                ("admitted", _("Admitted")),
                ("denied", _("Denied")),
                ("units", _("Units")),
            )
        ]

    @property
    def headings(self) -> list[Heading]:
        """Where each calendar quota is heading."""
        return headings_of(self._look)

    @property
    def charted_words(self) -> str:
        """What the chart adds up."""
        if self.charted == EVERY_SCOPE:
            return _("Units of all scopes, added up")
        return _("Units of %(scope)s, added up") % {"scope": self.charted}

    @property
    def described(self) -> str:
        """The chart in a sentence or two."""
        said = _(
            "%(this)s units so far, from %(span)s; in the whole of the last period %(last)s."
        ) % {
            "this": wording.number(self._total(self.this)),
            "span": self._span(self.this),
            "last": wording.number(self._total(self.last)),
        }
        pace = self.pace
        if pace is None:
            return said
        told = _("At this pace %(count)s by the end.") % {"count": wording.number(pace)}
        return wording.sentences(said, told)

    @property
    def chart(self) -> LineChart:
        """This month solid, the last one dashed, the pace dotted, and the limit.

        Drawn from the last of them to the first, which is on top.
        """
        this = self._curve(self.this, self._now)
        last = self._curve(self.last, self.last.end)
        pace = self.pace
        end = Point(self._share(self.this.end - self.this.start), pace or 0)
        lines = {"this": this, "last": last, "pace": [] if pace is None else [this[-1], end]}
        most = max(each.value for points in lines.values() for each in points)
        amount = self.quota.limit.rule.amount if self.quota else None
        if amount is not None and amount <= HIGHEST_LIMIT * max(most, 1):
            lines["limit"] = [Point(0, amount), Point(1, amount)]
        return line_chart(lines, list(self._ticks()))

    @property
    def table(self) -> str:
        """The rows as parts of a table, in one piece: templates take their time over each cell."""
        cells = ((row.number, row.this_day, row.this, row.last_day, row.last) for row in self.rows)
        return format_html_join(
            "\n",
            '<tr><th scope="row">{}</th><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>',
            cells,
        )

    @property
    def rows(self) -> list[DayRow]:
        """The table behind the chart: by the number of the day, up to the longer month's last."""
        this = [each for each in self._days(self.this) if each[0] <= self._now]
        last = self._days(self.last)
        numbers = wording.numbers(range(1, max(len(this), len(last)) + 1))
        pairs = zip_longest(_cells(this), _cells(last), fillvalue=("", ""))
        return [
            DayRow(number, *one, *other)
            for number, (one, other) in zip(numbers, pairs, strict=True)
        ]

    def _quota(self) -> UsageLine | None:
        """The fullest monthly quota of the whole tenant that the chart can be held against."""
        found = [
            line
            for line in self._look.statement.usage.lines
            if isinstance(line.limit.rule, CalendarQuota)
            and line.limit.rule.unit is CalendarUnit.MONTH
            and line.limit.subject is SubjectKind.TENANT
            and (not self.scope or line.limit.scope == self.scope)
        ]
        return max(found, key=lambda each: each.percent or 0, default=None)

    def _curve(self, month: Month, until: datetime) -> list[Point]:
        """What had added up by the end of each bucket."""
        points, total = [Point(0, 0)], 0
        for each in month.buckets:
            if each.start < until:
                total += self.units(each)
                points.append(Point(self._share(min(each.end, until) - month.start), total))
        return points

    def _days(self, month: Month) -> list[tuple[datetime, int]]:
        """When each day began, and what had added up by its end."""
        found: dict[object, tuple[datetime, int]] = {}
        total = 0
        for each in month.buckets:
            total += self.units(each)
            start, _before = found.get(each.start.date(), (each.start, 0))
            found[each.start.date()] = (start, total)
        return list(found.values())

    @property
    def pace(self) -> int | None:
        """Units by the end of this month if it goes on as it began; None: too early to say."""
        return used_at_end(
            used=self._total(self.this),
            start_us=microseconds(self.this.start),
            now_us=microseconds(self._now),
            end_us=microseconds(self.this.end),
        )

    def _total(self, month: Month) -> int:
        return sum(self.units(each) for each in month.buckets)

    def units(self, bucket: Bucket) -> int:
        """Those of a bucket that the chart adds up."""
        if self.charted == EVERY_SCOPE:
            return bucket.sums.units
        return bucket.scopes.get(self.charted, Sums()).units

    def _share(self, elapsed: timedelta) -> float:
        """A time since a month's start as a share of the longer month."""
        longest = max(each.end - each.start for each in (self.this, self.last))
        return elapsed / longest

    def _ticks(self) -> Iterator[Tick]:
        days = [start for start, _total in self._days(self.this)]
        every = -(-len(days) // MOST_TICKS)
        for start in days[::every]:
            words = wording.dated(start, pgettext("date format", "j M"))
            yield tick(self._share(start - self.this.start), words)

    def _span(self, month: Month) -> str:
        """A month by its first and last day."""
        return wording.days(month.start, month.end - MICROSECOND)


def _cells(days: list[tuple[datetime, int]]) -> Iterator[tuple[str, str]]:
    """Totals and their days in words."""
    totals = wording.numbers(total for _start, total in days)
    form = pgettext("date format", "j M")
    return zip(totals, wording.dates((start for start, _total in days), form), strict=True)
