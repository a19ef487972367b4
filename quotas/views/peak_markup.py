"""The parts of a peak chart as markup: a page has hundreds, which a template would draw slowly."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, NamedTuple

from django.utils.safestring import SafeString

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


def drawing(bars: Iterable[Rectangle], lines: Iterable[Line]) -> SafeString:
    """Bars, each with its words for whoever points at it, and the lines above them."""
    return SafeString("\n".join([*map(_bar, bars), *map(_line, lines)]))


def table_rows(rows: Iterable[PeakRow]) -> SafeString:
    """A line of the table for each row."""
    return SafeString("\n".join(map(_row, rows)))


# Words are escaped, and nothing else: kinds, lengths and instants are of our own making, and to
# look at each of them took a tenth of the page's time.


def _bar(bar: Rectangle) -> str:
    return (
        f'<rect class="q-peak-{bar.kind}" x="{bar.x}" width="{bar.width}" y="{bar.y}" '
        f'height="{bar.height}"><title>{escape(bar.words)}</title></rect>'
    )


def _line(line: Line) -> str:
    return f'<line class="q-most" x1="{line.x1}" y1="{line.y1}" x2="{line.x2}" y2="{line.y2}"/>'


def _row(row: PeakRow) -> str:
    numbers = "</td><td>".join(map(escape, (row.used, row.most, row.percent)))
    when = f'<time datetime="{row.iso}">{escape(row.words)}</time>'
    return f'<tr><th scope="row">{when}</th><td>{numbers}</td></tr>'
