"""Bars of a history, laid out in percent of the chart's width and height: it is drawn at any size.

Texts, so that no template writes a number in the reader's language into an attribute.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from quotas.views import wording

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

WHOLE = 100
SLIMMEST = 0.75
"""Percent of the height that even one call among thousands has."""
GAP = 0.22
STEPS = (1, 2, 3, 4, 5)


class Stack(NamedTuple):
    """What one bar piles up, from the ground; ``words`` say it. The parts do not overlap."""

    words: str
    admitted: int
    shadow: int
    denied: int

    @property
    def height(self) -> int:
        """Of all parts together."""
        return self.admitted + self.shadow + self.denied


@dataclass(frozen=True, slots=True)
class Part:
    """A rectangle of a bar: ``kind`` is admitted, shadow or denied."""

    kind: str
    y: str
    height: str


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar with its parts; ``words`` for whoever points at it."""

    x: str
    width: str
    words: str
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Tick:
    """A word below the chart, and where: ``anchor`` is start, middle or end."""

    x: str
    anchor: str
    words: str


@dataclass(frozen=True, slots=True)
class Chart:
    """Bars with the numbers of the scale beside them, from the top, and the ticks below."""

    bars: tuple[Bar, ...]
    scale: tuple[str, ...]
    ticks: tuple[Tick, ...]


def chart(stacks: Sequence[Stack], ticks: Sequence[Tick]) -> Chart:
    """A chart with a place for each stack, whose top is a round number of calls."""
    top = rounded_up(max((each.height for each in stacks), default=0))
    width = WHOLE / len(stacks)
    bars = tuple(
        Bar(
            x=percent(width * (position + GAP / 2)),
            width=percent(width * (1 - GAP)),
            words=each.words,
            parts=tuple(_parts(each, top)),
        )
        for position, each in enumerate(stacks)
        if each.height
    )
    scale = tuple(wording.number(each) for each in (top, top // 2, 0))
    return Chart(bars, scale, tuple(ticks))


def tick(position: float, words: str) -> Tick:
    """A tick at a share of the width; those at the edges stay inside."""
    anchor = "start" if position <= 0 else "end" if position >= 1 else "middle"
    return Tick(percent(WHOLE * position), anchor, words)


def rounded_up(most: int) -> int:
    """The next even number of one digit and zeros, so that half of it is whole, too."""
    unit = 2
    while most > unit * STEPS[-1]:
        unit *= 10
    return next(unit * step for step in STEPS if unit * step >= most)


def percent(share: float) -> str:
    """A length as SVG takes it."""
    return f"{share:.3f}".rstrip("0").rstrip(".") + "%"


def _parts(stack: Stack, top: int) -> Iterator[Part]:
    ground = float(WHOLE)
    for kind in ("admitted", "shadow", "denied"):
        count: int = getattr(stack, kind)
        if count:
            height = max(SLIMMEST, WHOLE * count / top)
            ground -= height
            yield Part(kind, percent(ground), percent(height))
