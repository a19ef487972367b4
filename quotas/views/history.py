"""A history as the usage page shows it: totals, a chart, and the tables behind it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.utils.formats import date_format
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext

from quotas.domain.history import Bucket, Grain, History, Span, Sums
from quotas.services.history import history_of
from quotas.views import wording
from quotas.views.charts import Chart, Stack, Tick, chart, tick

if TYPE_CHECKING:
    from collections.abc import Iterator

    from quotas.services.statement import Statement

SPANS = {
    Span.HOUR: gettext_lazy("last hour"),
    Span.DAY: gettext_lazy("24 hours"),
    Span.WEEK: gettext_lazy("7 days"),
    Span.MONTH: gettext_lazy("31 days"),
}
GRAINS = {
    Grain.MINUTE: gettext_lazy("by minute"),
    Grain.QUARTER: gettext_lazy("by quarter of an hour"),
    Grain.DAY: gettext_lazy("by day"),
}
MOST_TICKS = 7


@dataclass(frozen=True, slots=True)
class Row:
    """A line of a table: what it is about, and its numbers in words; ``iso`` of an instant."""

    words: str
    requests: str
    admitted: str
    denied: str
    shadow_denied: str
    units: str
    iso: str = ""


@dataclass(frozen=True, slots=True)
class DenialRow:
    """A limit that denied, or would have in shadow."""

    title: str
    scope: str
    denied: str
    shadow_denied: str


@dataclass(frozen=True, slots=True)
class Link:
    """A link to another span of the same page."""

    span: str
    words: str
    current: bool


def span_asked(text: str) -> Span:
    """The span of this name; the last 24 hours for whatever else is asked."""
    return Span(text) if text in frozenset(Span) else Span.DAY


def history_for(statement: Statement, asked: str) -> History:
    """The history up to the reading, in the tenant's zone."""
    usage = statement.usage
    return history_of(
        usage.tenant.pk,
        span_asked(asked),
        statement.at_us,
        zone=statement.zone,
        live=not usage.outage,
    )


class HistoryView:
    """What the templates ask of a history."""

    def __init__(self, history: History, statement: Statement) -> None:
        self.history = history
        self.span = history.span.value
        self.stale = history.stale
        self.grain = str(GRAINS[history.grain])
        self.totals = _row("", history.totals)
        self.anything = bool(history.totals.requests)
        self._titles = {
            f"{each.scope}/{each.name}": each.title
            for each in (*(line.limit for line in statement.usage.lines), *statement.apart)
        }

    @property
    def links(self) -> list[Link]:
        """The spans, this one among them."""
        return [
            Link(span.value, capfirst(str(words)), span is self.history.span)
            for span, words in SPANS.items()
        ]

    @property
    def detailed(self) -> bool:
        """Whether each bucket knows its units and what shadow would have denied."""
        return self.history.grain is not Grain.MINUTE

    @property
    def by_day(self) -> bool:
        """Whether a bucket is a day."""
        return self.history.grain is Grain.DAY

    @property
    def described(self) -> str:
        """The chart in a sentence."""
        return _(
            "%(requests)s requests, %(admitted)s admitted and %(denied)s denied. "
            "The busiest bar has %(most)s requests: %(when)s."
        ) % {
            "requests": self.totals.requests,
            "admitted": self.totals.admitted,
            "denied": self.totals.denied,
            "most": wording.number(self._busiest.sums.requests),
            "when": self._named(self._busiest),
        }

    @property
    def chart(self) -> Chart:
        """Bars of what was admitted and denied."""
        return chart([self._stack(each) for each in self.history.buckets], list(self._ticks()))

    @property
    def rows(self) -> list[Row]:
        """The table behind the chart, the latest first; without the buckets that have nothing."""
        return [
            _row(self._named(each), each.sums, each.start.isoformat())
            for each in reversed(self.history.buckets)
            if each.scopes
        ]

    @property
    def scopes(self) -> list[Row]:
        """By scope, the busiest first."""
        found = sorted(self.history.scopes.items(), key=lambda each: -each[1].requests)
        return [_row(scope, sums) for scope, sums in found]

    @property
    def denials(self) -> list[DenialRow]:
        """By limit, the one that denied most first."""
        found = sorted(
            self.history.limits.items(),
            key=lambda each: (-each[1].denied, -each[1].shadow_denied),
        )
        return [
            DenialRow(
                title=self._titles.get(label) or label.rpartition("/")[2],
                scope=wording.scope_named(label.rpartition("/")[0]),
                denied=wording.number(each.denied),
                shadow_denied=wording.number(each.shadow_denied),
            )
            for label, each in found
        ]

    @property
    def _busiest(self) -> Bucket:
        return max(self.history.buckets, key=lambda each: each.sums.requests)

    def _named(self, bucket: Bucket) -> str:
        """A bucket in words: its day, or its time with the day where there are two."""
        if self.by_day:
            return date_format(bucket.start, pgettext("date format", "D j M Y"))
        return date_format(bucket.start, pgettext("date format", "j M Y, H:i"))

    def _stack(self, bucket: Bucket) -> Stack:
        sums = bucket.sums
        said = [_("%(count)s admitted") % {"count": wording.number(sums.admitted)}]
        if sums.denied:
            said.append(_("%(count)s denied") % {"count": wording.number(sums.denied)})
        if sums.shadow_denied:
            count = wording.number(sums.shadow_denied)
            said.append(_("%(count)s that shadow limits would have denied") % {"count": count})
        shadow = min(sums.shadow_denied, sums.admitted)
        words = f"{self._named(bucket)}: {', '.join(said)}"
        return Stack(words, sums.admitted - shadow, shadow, sums.denied)

    def _ticks(self) -> Iterator[Tick]:
        """A week names each day below its bar; else the edges and what lies evenly between."""
        buckets = self.history.buckets
        if self.by_day:
            every = -(-len(buckets) // MOST_TICKS)
            for position in range(len(buckets) - 1, -1, -every):
                words = date_format(buckets[position].start, pgettext("date format", "j M"))
                yield tick((position + 0.5) / len(buckets), words)
            return
        hours = [
            (position, each.start)
            for position, each in enumerate(buckets)
            if not each.start.minute % (15 if self.span == Span.HOUR else 60)
        ]
        every = -(-len(hours) // MOST_TICKS)
        for position, start in hours[::every]:
            words = date_format(start, pgettext("date format", "H:i"))
            yield tick(position / len(buckets), words)


def _row(words: str, sums: Sums, iso: str = "") -> Row:
    return Row(
        words=words,
        requests=wording.number(sums.requests),
        admitted=wording.number(sums.admitted),
        denied=wording.number(sums.denied),
        shadow_denied=wording.number(sums.shadow_denied),
        units=wording.number(sums.units),
        iso=iso,
    )
