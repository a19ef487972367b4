"""A history as the usage page shows it: totals, a chart, and the tables behind it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from django.utils.html import format_html_join
from django.utils.safestring import SafeString
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext

from quotas.domain.history import Grain, Span, Sums
from quotas.domain.words import EVERY_SCOPE
from quotas.views import wording
from quotas.views.buckets import Buckets
from quotas.views.charts import Chart, Part, chart, lying
from quotas.views.filters import FilterForm

if TYPE_CHECKING:
    from quotas.views.looks import Look

SPANS = {
    Span.HOUR: gettext_lazy("last hour"),
    Span.DAY: gettext_lazy("24 hours"),
    Span.WEEK: gettext_lazy("7 days"),
    Span.MONTH: gettext_lazy("31 days"),
    Span.PERIOD: gettext_lazy("this period"),
    Span.CUSTOM: gettext_lazy("chosen days"),
}
CAPTIONS = {
    Grain.MINUTE: gettext_lazy("Requests by minute from %(since)s, %(zone)s"),
    Grain.QUARTER: gettext_lazy("Requests by quarter of an hour from %(since)s, %(zone)s"),
    Grain.DAY: gettext_lazy("Requests by day, %(zone)s"),
}


@dataclass(frozen=True, slots=True)
class Row:
    """A line of a table: what it is about, and its numbers in words.

    ``iso`` of an instant; ``query`` leads to this alone.
    """

    words: str
    requests: str
    admitted: str
    denied: str
    shadow_denied: str
    units: str
    iso: str = ""
    query: str = ""


@dataclass(frozen=True, slots=True)
class DenyingLimit:
    """A limit that denied, or would have in shadow; its bar is held against the longest."""

    title: str
    scope: str
    denied: str
    shadow_denied: str
    bar: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Link:
    """A link to the same page with one filter changed, of which all others are kept."""

    query: str
    words: str
    current: bool


class HistoryView:
    """What the templates ask of a history."""

    def __init__(self, look: Look) -> None:
        history = look.history
        self.history = history
        self.filters = look.filters
        self.trouble = look.filters.trouble
        self.form = FilterForm(look.filters, look.scopes)
        self.in_other_days = history.whole_days and look.filters.utc
        self.zone_name = look.zone_name
        self.span = history.span.value
        self.stale = history.stale
        since = wording.dated(history.start, pgettext("date format", "j M Y, H:i"))
        self.caption = str(CAPTIONS[history.grain]) % {"zone": look.zone_name, "since": since}
        self.totals = _row("", history.totals)
        self.anything = bool(history.totals.requests)
        self._buckets = Buckets(history)
        self._titles = {
            f"{each.scope}/{each.name}": each.title
            for each in (
                *(line.limit for line in look.statement.usage.lines),
                *look.statement.apart,
            )
        }

    @property
    def links(self) -> list[Link]:
        """The spans, this one among them; a custom one only while it is shown."""
        return [
            Link(self.filters.query(span=span.value), capfirst(str(words)), current)
            for span, words in SPANS.items()
            if (current := span is self.history.span) or span is not Span.CUSTOM
        ]

    @property
    def scope(self) -> str:
        """The only scope that is shown; blank for all."""
        return self.filters.scope

    @property
    def every_scope(self) -> str:
        """A query string for the same of all scopes."""
        return self.filters.query(scope="")

    @property
    def query(self) -> str:
        """A query string for the same numbers elsewhere."""
        return self.filters.query()

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
        busiest, sums = self._buckets.busiest
        return _(
            "%(requests)s requests, %(admitted)s admitted and %(denied)s denied. "
            "The busiest bar has %(most)s requests: %(when)s."
        ) % {
            "requests": self.totals.requests,
            "admitted": self.totals.admitted,
            "denied": self.totals.denied,
            "most": wording.number(sums.requests),
            "when": busiest,
        }

    @property
    def chart(self) -> Chart:
        """Bars of what was admitted and denied."""
        return chart(self._buckets.stacks(), list(self._buckets.ticks()))

    @property
    def rows(self) -> list[Row]:
        """The table behind the chart, the latest first; without the buckets that have nothing."""
        return [
            _row(name, sums, bucket.start.isoformat())
            for name, bucket, sums in self._buckets.filled()
        ]

    @property
    def table(self) -> str:
        """The rows as parts of a table, in one piece: templates take their time over each cell."""
        return format_html_join(
            "\n",
            '<tr><th scope="row"><time datetime="{}">{}</time></th>{}</tr>',
            ((row.iso, row.words, self._cells(row)) for row in self.rows),
        )

    @property
    def scopes(self) -> list[Row]:
        """By scope, the busiest first; calls that named none cannot be looked at alone."""
        found = sorted(self.history.scopes.items(), key=lambda each: -each[1].requests)
        return [
            _row(_("no scope"), sums)
            if scope == EVERY_SCOPE
            else replace(_row(scope, sums), query=self.filters.query(scope=scope))
            for scope, sums in found
        ]

    @property
    def denials(self) -> list[DenyingLimit]:
        """By limit, the one that denied most first."""
        found = sorted(
            self.history.limits.items(),
            key=lambda each: (-each[1].denied, -each[1].shadow_denied),
        )
        most = max((each.denied + each.shadow_denied for _label, each in found), default=0)
        return [
            DenyingLimit(
                title=self._titles.get(label) or label.rpartition("/")[2],
                scope=wording.scope_named(label.rpartition("/")[0]),
                denied=wording.number(each.denied),
                shadow_denied=wording.number(each.shadow_denied),
                bar=lying(each.denied, each.shadow_denied, most),
            )
            for label, each in found
        ]

    def _cells(self, row: Row) -> SafeString:
        numbers = [row.requests, row.admitted, row.denied]
        if self.detailed:
            numbers += [row.shadow_denied, row.units]
        return SafeString(f"<td>{'</td><td>'.join(numbers)}</td>")


def _row(words: str, sums: Sums, iso: str = "") -> Row:
    requests, admitted, denied, shadow_denied, units = wording.numbers(
        (sums.requests, sums.admitted, sums.denied, sums.shadow_denied, sums.units)
    )
    return Row(
        words=words,
        requests=requests,
        admitted=admitted,
        denied=denied,
        shadow_denied=shadow_denied,
        units=units,
        iso=iso,
    )
