"""The buckets of a history in words: as bars of its chart, and as what is named below them."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from quotas.domain.history import Grain, Span
from quotas.views import wording
from quotas.views.charts import Stack, Tick, tick

if TYPE_CHECKING:
    from collections.abc import Iterator

    from quotas.domain.history import Bucket, History, Sums

MOST_TICKS = 7


class Buckets:
    """Every bucket with its sums; there may be hundreds, so that each is worded once."""

    def __init__(self, history: History) -> None:
        self.counted = [(each, each.sums) for each in history.buckets]
        self._by_day = history.grain is Grain.DAY
        self._finely = history.span is Span.HOUR
        self._said = {
            "admitted": _("%(count)s admitted"),
            "denied": _("%(count)s denied"),
            "shadow_denied": _("%(count)s that shadow limits would have denied"),
        }

    @cached_property
    def names(self) -> list[str]:
        """Each bucket's day, or its time with the day."""
        by_day, by_time = pgettext("date format", "D j M Y"), pgettext("date format", "j M Y, H:i")
        form = by_day if self._by_day else by_time
        filled = [each.start for each, sums in self.counted if sums.requests]
        dated = iter(wording.dates(filled, form))
        return [next(dated) if sums.requests else "" for _each, sums in self.counted]

    @property
    def busiest(self) -> tuple[str, Sums]:
        """The name and the sums of the bucket with the most requests."""
        number = max(range(len(self.counted)), key=lambda each: self.counted[each][1].requests)
        return self.names[number], self.counted[number][1]

    def filled(self) -> Iterator[tuple[str, Bucket, Sums]]:
        """The buckets that have anything, the latest first."""
        for name, (bucket, sums) in zip(reversed(self.names), reversed(self.counted), strict=True):
            if bucket.scopes:
                yield name, bucket, sums

    def stacks(self) -> list[Stack]:
        """A bar for each."""
        said = wording.named_each(zip(self.names, self._words(), strict=True))
        return [
            _stack(words, sums) for words, (_bucket, sums) in zip(said, self.counted, strict=True)
        ]

    def ticks(self) -> Iterator[Tick]:
        """A week names each day below its bar; else the edges and what lies evenly between."""
        count = len(self.counted)
        if self._by_day:
            every, form = -(-count // MOST_TICKS), pgettext("date format", "j M")
            for position in range(count - 1, -1, -every):
                words = wording.dated(self.counted[position][0].start, form)
                yield tick((position + 0.5) / count, words)
            return
        form = pgettext("date format", "H:i")
        hours = [
            (position, each.start)
            for position, (each, _sums) in enumerate(self.counted)
            if not each.start.minute % (15 if self._finely else 60)
        ]
        for position, start in hours[:: max(1, -(-len(hours) // MOST_TICKS))]:
            yield tick(position / count, wording.dated(start, form))

    def _words(self) -> Iterator[str]:
        """What was counted in each."""
        comma = wording.comma()
        kinds = (self._counts(kind, words) for kind, words in self._said.items())
        for parts in zip(*kinds, strict=True):
            yield comma.join(filter(None, parts))

    def _counts(self, kind: str, words: str) -> list[str]:
        """What is said of one kind in each; nothing where there was none, but for the admitted."""
        counts = [getattr(sums, kind) for _bucket, sums in self.counted]
        return [
            words % {"count": number} if count or kind == "admitted" else ""
            for count, number in zip(counts, wording.numbers(counts), strict=True)
        ]


def _stack(words: str, sums: Sums) -> Stack:
    shadow = min(sums.shadow_denied, sums.admitted)
    return Stack(words, sums.admitted - shadow, shadow, sums.denied)
