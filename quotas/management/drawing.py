"""Tables and meters of plain text, for terminals of any encoding."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

EIGHTHS = " ▏▎▍▌▋▊▉"
FULL = "█"
PLAIN = str.maketrans(
    {FULL: "#", "…": "...", **dict.fromkeys("▏▎▍", ""), **dict.fromkeys("▌▋▊▉", "#")}
)
GAP = "   "


def meter(share: float, width: int) -> str:
    """A bar of ``share`` of ``width`` columns, to an eighth of one; more than nothing shows."""
    share = min(1.0, max(0.0, share))
    eighths = max(round(share * width * 8), share > 0)
    return (FULL * (eighths // 8) + EIGHTHS[eighths % 8]).strip()


def plain(text: str, encoding: str | None) -> str:
    """``text`` as a terminal of ``encoding`` can show it; meters turn into ``#``."""
    codec = encoding or "utf-8"
    try:
        text.encode(codec)
    except UnicodeEncodeError:
        return text.translate(PLAIN).encode(codec, "backslashreplace").decode(codec)
    return text


def table(rows: Sequence[Sequence[str]], alignment: str, encoding: str | None = None) -> list[str]:
    """Lines of aligned columns, `plain`; ``alignment`` has ``<`` or ``>`` for each column."""
    rows = [[plain(cell, encoding) for cell in row] for row in rows]
    widths = [max(columns(row[at]) for row in rows) for at in range(len(alignment))]
    return [GAP.join(map(_padded, row, widths, alignment)).rstrip() for row in rows]


def shown(text: str, most: int) -> str:
    """``text`` of others, fit for a line: escaped where it would steer a terminal, cut if long."""
    safe = "".join(char if char.isprintable() else _escaped(char) for char in text)
    if columns(safe) <= most:
        return safe or '""'
    while columns(safe) > most - 1:
        safe = safe[:-1]
    return f"{safe}…"


def columns(text: str) -> int:
    """How many columns of a terminal ``text`` takes."""
    return sum(_width(char) for char in text)


def _width(char: str) -> int:
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def _escaped(char: str) -> str:
    return char.encode("unicode_escape").decode()


def _padded(text: str, width: int, alignment: str) -> str:
    padding = " " * (width - columns(text))
    return padding + text if alignment == ">" else text + padding
