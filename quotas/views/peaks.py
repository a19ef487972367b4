"""How full each limit got over time, drawn against what it admits at once."""

from __future__ import annotations

from datetime import timedelta
from functools import cached_property
from itertools import groupby, pairwise
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from quotas.domain.words import Algorithm
from quotas.views import wording
from quotas.views.charts import SLIMMEST, WHOLE, percent, rounded_up
from quotas.views.peak_markup import Line, PeakRow, Rectangle, drawing, table_rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from quotas.domain.calls import CallsByHour, Peak
    from quotas.domain.policies import Limit
    from quotas.services.statement import Statement

MOST_DRAWN = 8
GAP = 0.2
HOUR = timedelta(hours=1)
OVER_TIME = frozenset(
    {
        Algorithm.CALENDAR_QUOTA,
        Algorithm.FIXED_WINDOW,
        Algorithm.SLIDING_WINDOW_COUNTER,
        Algorithm.SLIDING_WINDOW_LOG,
    }
)
"""What these count was taken over a period, not at once."""


class PeakChart:
    """One limit: its peaks as bars, what fitted at once as a line with steps where it changed.

    ``limit`` is how it stands now; None: it is gone. ``ended``: the span has, before now.
    """

    def __init__(
        self,
        label: str,
        peaks: Sequence[Peak],
        calls: CallsByHour,
        title: str,
        limit: Limit | None = None,
        *,
        ended: bool = False,
    ) -> None:
        self.title = title
        self._over_time = limit is None or limit.rule.algorithm in OVER_TIME
        rule = None if limit is None or ended else limit.rule
        self._now: int | None = getattr(rule, "most_at_once", None)
        self.scope = wording.scope_named(label.rpartition("/")[0])
        self._peaks = peaks
        self._start = calls.start
        self._length = (calls.end - calls.start).total_seconds()
        most = max(max(each.used, each.most or 0) for each in peaks)
        self._top = rounded_up(max(most, self._now or 0))
        self.scale = tuple(wording.numbers((self._top, self._top // 2, 0)))
        self._used = wording.numbers(each.used for each in peaks)
        self._most = wording.numbers(each.most or 0 for each in peaks)

    @property
    def fullest(self) -> float:
        """The largest share of what fitted that was ever taken."""
        return max(each.used / each.most if each.most else 0 for each in self._peaks)

    @cached_property
    def described(self) -> str:
        """The chart in a sentence."""
        number = max(range(len(self._peaks)), key=lambda each: _fullness(self._peaks[each]))
        peak = self._peaks[number]
        values = {
            "used": self._used[number],
            "when": self._names[number],
            "most": self._most[number],
        }
        said = self._sentence(peak) % values
        if peak.most is None:
            return said
        steps = len(list(self._steps())) - 1
        if steps:
            more = ngettext(
                "The limit changed %(count)s time.", "The limit changed %(count)s times.", steps
            )
            said = wording.sentences(said, more % {"count": wording.number(steps)})
        return said

    @property
    def drawn(self) -> str:
        """The bars and lines as parts of an SVG."""
        return drawing(self.bars, self.lines)

    @property
    def table(self) -> str:
        """The rows as parts of a table."""
        return table_rows(self.rows)

    @property
    def bars(self) -> list[Rectangle]:
        """A bar for each time in which the limit was charged."""
        said = wording.named_each(zip(self._names, self._taken(), strict=True))
        return list(map(self._bar, self._peaks, said))

    @property
    def lines(self) -> list[Line]:
        """What fitted at once."""
        levels = list(self._steps())
        found = [
            Line(self._x(start), self._y(most), self._x(end), self._y(most))
            for start, end, most in levels
        ]
        for (_start, end, most), (_next, _end, after) in pairwise(levels):
            found.append(Line(self._x(end), self._y(most), self._x(end), self._y(after)))
        return found

    @property
    def rows(self) -> list[PeakRow]:
        """The table behind the chart, the latest first."""
        unlimited = _("unlimited")
        rows = zip(self._peaks, self._names, self._used, self._most, self._shares(), strict=True)
        return [
            PeakRow(
                iso=each.start.isoformat(),
                words=name,
                used=used,
                most=unlimited if each.most is None else most,
                percent=share,
            )
            for each, name, used, most, share in reversed(list(rows))
        ]

    @cached_property
    def _names(self) -> list[str]:
        """When each peak was: its day, or its hour."""
        # The days at the edges may be short: the longest tells.
        daily = max(each.end - each.start for each in self._peaks) > HOUR
        form = (
            pgettext("date format", "D j M Y") if daily else pgettext("date format", "j M Y, H:i")
        )
        return wording.dates((each.start for each in self._peaks), form)

    def _sentence(self, peak: Peak) -> str:
        if peak.most is None and self._over_time:
            return _("At most %(used)s were in use, without a limit: %(when)s.")
        if peak.most is None:
            return _("At most %(used)s were taken at once, without a limit: %(when)s.")
        if _lowered(peak):
            return _("%(used)s were taken before the limit was lowered to %(most)s: %(when)s.")
        if self._over_time:
            return _("At most %(used)s of %(most)s were in use: %(when)s.")
        return _("At most %(used)s of %(most)s were taken at once: %(when)s.")

    def _steps(self) -> Iterator[tuple[float, float, int]]:
        """Start and end, as shares of the width, of each time in which the same fitted at once.

        A change is drawn where the limit was first charged after it, else behind the last charge.
        """
        known = [
            (self._share(each.start), each.most) for each in self._peaks if each.most is not None
        ]
        if known and self._now is not None:
            end = self._share(self._peaks[-1].end)
            known.append((min(end, (1 + known[-1][0]) / 2), self._now))
        runs = [(most, next(run)[0]) for most, run in groupby(known, key=lambda each: each[1])]
        starts = [0.0, *(start for _most, start in runs[1:])]
        for (most, _start), start, end in zip(runs, starts, [*starts[1:], 1.0], strict=False):
            yield start, end, most or 0

    def _taken(self) -> Iterator[str]:
        """How much was taken of what, for each bar."""
        of = _("%(used)s of %(most)s")
        lowered = _("%(used)s, taken before the limit was lowered to %(most)s")
        for peak, used, most in zip(self._peaks, self._used, self._most, strict=True):
            if peak.most is None:
                yield used
            else:
                words = lowered if _lowered(peak) else of
                yield words % {"used": used, "most": most}

    def _shares(self) -> Iterator[str]:
        """How much was taken of what fitted, for each bar; blank without a limit."""
        lowered = _("taken before it was lowered")
        percents = [100 * each.used // each.most if each.most else 0 for each in self._peaks]
        for peak, share in zip(self._peaks, wording.shares(percents), strict=True):
            yield lowered if _lowered(peak) else share if peak.most else ""

    def _bar(self, peak: Peak, words: str) -> Rectangle:
        start, end = self._share(peak.start), self._share(peak.end)
        height = max(SLIMMEST, WHOLE * peak.used / self._top)
        free = peak.most is None or _lowered(peak)
        return Rectangle(
            kind="free" if free else "full" if peak.used == peak.most else "ok",
            x=percent(WHOLE * (start + (end - start) * GAP / 2)),
            width=percent(WHOLE * (end - start) * (1 - GAP)),
            y=percent(WHOLE - height),
            height=percent(height),
            words=words,
        )

    def _share(self, when: datetime) -> float:
        return (when - self._start).total_seconds() / self._length

    def _x(self, share: float) -> str:
        return percent(WHOLE * share)

    def _y(self, most: int) -> str:
        return percent(WHOLE - WHOLE * most / self._top)


def peak_charts(calls: CallsByHour, statement: Statement, scope: str = "") -> list[PeakChart]:
    """A chart for each limit, the fullest first; of ``scope`` alone when it is named."""
    titles = statement.titles
    limits = {f"{each.scope}/{each.name}": each for each in _limits(statement)}
    ended = calls.end < statement.instant()
    charts = [
        PeakChart(
            label,
            peaks,
            calls,
            titles.get(label) or label.rpartition("/")[2],
            limits.get(label),
            ended=ended,
        )
        for label, peaks in calls.peaks.items()
        if not scope or label.rpartition("/")[0] == scope
    ]
    return sorted(charts, key=lambda each: -each.fullest)


def _limits(statement: Statement) -> Iterator[Limit]:
    yield from (line.limit for line in statement.usage.lines)
    yield from statement.apart


def _fullness(peak: Peak) -> float:
    return peak.used / peak.most if peak.most else peak.used


def _lowered(peak: Peak) -> bool:
    """Whether the limit was lowered after this was taken, which fitted then."""
    return peak.most is not None and peak.used > peak.most
