"""Lines that add up over a period, laid out in a square of 100 that is stretched to any size."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from quotas.views import wording
from quotas.views.charts import WHOLE, Tick, rounded_up

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class Point(NamedTuple):
    """A share of the width, and how much by then."""

    x: float
    value: int


@dataclass(frozen=True, slots=True)
class Line:
    """A line as SVG takes its points: ``kind`` is this, last, pace or limit."""

    kind: str
    points: str


@dataclass(frozen=True, slots=True)
class LineChart:
    """Lines with the numbers of the scale beside them, from the top, and the ticks below."""

    lines: tuple[Line, ...]
    scale: tuple[str, ...]
    ticks: tuple[Tick, ...]


def line_chart(lines: Mapping[str, Sequence[Point]], ticks: Sequence[Tick]) -> LineChart:
    """A chart of these lines by their kind, whose top is a round number."""
    top = rounded_up(max((each.value for points in lines.values() for each in points), default=0))
    drawn = tuple(Line(kind, _drawn(points, top)) for kind, points in lines.items() if points)
    scale = tuple(wording.number(each) for each in (top, top // 2, 0))
    return LineChart(drawn, scale, tuple(ticks))


def _drawn(points: Sequence[Point], top: int) -> str:
    return " ".join(f"{WHOLE * x:.2f},{WHOLE - WHOLE * value / top:.2f}" for x, value in points)
