"""The parts of a peak chart as markup: a page has hundreds, which a template would draw slowly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from django.utils.html import format_html_join

if TYPE_CHECKING:
    from collections.abc import Iterable


class Rectangle(NamedTuple):
    """A bar: ``kind`` is ok, full (all was taken) or free (no limit to be measured by).

    Free is, too, what was taken before the limit was lowered: nothing above a limit is admitted.
    """

    kind: str
    x: str
    width: str
    y: str
    height: str
    words: str


class Line(NamedTuple):
    """A part of what fitted at once: across while it stood, upright where it changed."""

    x1: str
    y1: str
    x2: str
    y2: str


@dataclass(frozen=True, slots=True)
class PeakRow:
    """A line of the table behind a chart."""

    iso: str
    words: str
    used: str
    most: str
    percent: str


def drawing(bars: Iterable[Rectangle], lines: Iterable[Line]) -> str:
    """Bars, each with its words for whoever points at it, and the lines above them."""
    rectangles = format_html_join(
        "\n",
        '<rect class="q-peak-{}" x="{}" width="{}" y="{}" height="{}"><title>{}</title></rect>',
        bars,
    )
    return rectangles + format_html_join(
        "\n", '<line class="q-most" x1="{}" y1="{}" x2="{}" y2="{}"/>', lines
    )


def table_rows(rows: Iterable[PeakRow]) -> str:
    """A line of the table for each row."""
    return format_html_join(
        "\n",
        '<tr><th scope="row"><time datetime="{}">{}</time></th>'
        "<td>{}</td><td>{}</td><td>{}</td></tr>",
        ((each.iso, each.words, each.used, each.most, each.percent) for each in rows),
    )
