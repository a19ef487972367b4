"""A history for programs: as JSON takes it, and as lines of CSV."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from quotas.domain.history import Grain

if TYPE_CHECKING:
    from collections.abc import Iterator

    from quotas.domain.history import History, Sums

COLUMNS = ("start", "end", "scope", "requests", "admitted", "denied", "shadow_denied", "units")
FORMULA = tuple("=+-@\uff1d\uff0b\uff0d\uff20\t\r\n")  # full width ones, too
BLANK = " \u00a0\ufeff\u3000\0"


def history_data(history: History) -> dict[str, Any]:
    """The history as JSON takes it; instants are ISO 8601 in the tenant's zone.

    Of buckets of a minute, what shadow would have denied and units are not known: null.
    """
    detailed = history.grain is not Grain.MINUTE
    return {
        "span": history.span.value,
        "grain": history.grain.value,
        "start": history.start.isoformat(),
        "end": history.end.isoformat(),
        "stale": history.stale,
        "totals": _sums(history.totals, detailed=True),
        "buckets": [
            {"start": each.start.isoformat(), "end": each.end.isoformat()}
            | _sums(each.sums, detailed=detailed)
            for each in history.buckets
        ],
        "scopes": [
            {"scope": scope} | _sums(sums, detailed=True) for scope, sums in history.scopes.items()
        ],
        "denied_by_limit": [
            {"limit": label, "denied": each.denied, "shadow_denied": each.shadow_denied}
            for label, each in history.limits.items()
        ],
    }


def history_lines(history: History) -> Iterator[list[object]]:
    """A head, then a line for each bucket and scope in which anything was counted."""
    detailed = history.grain is not Grain.MINUTE
    yield list(COLUMNS)
    for each in history.buckets:
        for scope, sums in each.scopes.items():
            instants = [each.start.isoformat(), each.end.isoformat()]
            yield [*instants, cell(scope), *_sums(sums, detailed=detailed).values()]


def cell(text: str) -> str:
    """A text that no spreadsheet takes for a formula."""
    return f"'{text}" if text.lstrip(BLANK).startswith(FORMULA) else text


def _sums(sums: Sums, *, detailed: bool) -> dict[str, int | None]:
    return {
        "requests": sums.requests,
        "admitted": sums.admitted,
        "denied": sums.denied,
        "shadow_denied": sums.shadow_denied if detailed else None,
        "units": sums.units if detailed else None,
    }
