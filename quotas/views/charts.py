"""Bars of a history, laid out in percent of the chart's width and height: it is drawn at any size.

Texts, so that no template writes a number in the reader's language into an attribute.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from quotas.views import wording

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

WHOLE = 100
SLIMMEST = 0.75
"""Percent of the height that even one call among thousands has."""
GAP = 0.22
EDGE = 0.05
SMALL_TOPS = (2, 4, 6, 8, 10)
TOPS = (12, 16, 20, 24, 30, 40, 50, 60, 80, 100)


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


class Part(NamedTuple):
    """A rectangle of a bar: ``kind`` is admitted, shadow or denied."""

    kind: str
    x: str
    width: str
    y: str
    height: str


class Bar(NamedTuple):
    """A bar with its parts; ``words`` for whoever points at it."""

    words: str
    parts: tuple[Part, ...]

    @property
    def drawn(self) -> SafeString:
        """Its parts as SVG."""
        return SafeString("".join(map(_drawn, self.parts)))


@dataclass(frozen=True, slots=True)
class Tick:
    """A word below the chart, and where: ``anchor`` is start, middle or end."""

    x: str
    anchor: str
    words: str


@dataclass(frozen=True, slots=True)
class Chart:
    """Bars with the numbers of the scale beside them, from the top, and the ticks below.

    ``drawn`` are the bars as SVG, in one piece: templates take their time over each variable.
    """

    bars: tuple[Bar, ...]
    scale: tuple[str, ...]
    ticks: tuple[Tick, ...]

    @property
    def drawn(self) -> str:
        """Each bar with its words for whoever points at it."""
        return format_html_join(
            "\n", "<g><title>{}</title>{}</g>", ((each.words, each.drawn) for each in self.bars)
        )


def chart(stacks: Sequence[Stack], ticks: Sequence[Tick]) -> Chart:
    """A chart with a place for each stack, whose top is a round number of calls."""
    top = rounded_up(max((each.height for each in stacks), default=0))
    width = WHOLE / len(stacks)
    slim = percent(width * (1 - GAP))
    bars = tuple(
        Bar(each.words, tuple(_parts(each, top, percent(width * (position + GAP / 2)), slim)))
        for position, each in enumerate(stacks)
        if each.height
    )
    scale = tuple(wording.number(each) for each in (top, top // 2, 0))
    return Chart(bars, scale, tuple(ticks))


def lying(denied: int, shadow: int, most: int) -> tuple[Part, ...]:
    """A bar from the left, as wide as all there is at ``most`` calls."""
    parts, x = [], 0.0
    for kind, count in (("denied", denied), ("shadow", shadow)):
        if count:
            width = max(SLIMMEST, WHOLE * count / most)
            parts.append(Part(kind, percent(x), percent(width), "0", percent(WHOLE)))
            x += width
    return tuple(parts)


def tick(position: float, words: str) -> Tick:
    """A tick at a share of the width; those at the edges stay inside."""
    anchor = "start" if position < EDGE else "end" if position > 1 - EDGE else "middle"
    return Tick(percent(WHOLE * position), anchor, words)


def rounded_up(most: int) -> int:
    """The next round number whose half is whole, too."""
    if most <= SMALL_TOPS[-1]:
        return next(top for top in SMALL_TOPS if top >= most)
    unit = 1
    while most > unit * TOPS[-1]:
        unit *= 10
    return next(unit * top for top in TOPS if unit * top >= most)


def percent(share: float) -> str:
    """A length as SVG takes it."""
    return f"{share:.3f}".rstrip("0").rstrip(".") + "%"


def _drawn(part: Part) -> str:
    """A rectangle, whose pattern is of the page's own: colour never tells alone."""
    plain = part.kind == "admitted"
    paint = 'class="q-bar-admitted"' if plain else f'fill="url(#chart-{part.kind})"'
    return f'<rect {paint} x="{part.x}" width="{part.width}" y="{part.y}" height="{part.height}"/>'


def _parts(stack: Stack, top: int, x: str, width: str) -> Iterator[Part]:
    ground = float(WHOLE)
    for kind in ("admitted", "shadow", "denied"):
        count: int = getattr(stack, kind)
        if count:
            height = max(SLIMMEST, WHOLE * count / top)
            ground -= height
            yield Part(kind, x, width, percent(ground), percent(height))
