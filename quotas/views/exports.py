"""A history for programs: as JSON takes it, and as lines of CSV."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from django.http import HttpResponse, JsonResponse

from quotas.domain.history import Grain
from quotas.services.projections import projection_of
from quotas.views.months import MonthsView

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import datetime

    from quotas.domain.calls import CallsByHour
    from quotas.domain.history import History, Sums
    from quotas.domain.months import Month
    from quotas.services.usage import UsageLine
    from quotas.views.looks import Look

COLUMNS = ("start", "end", "scope", "requests", "admitted", "denied", "shadow_denied", "units")
FORMULA = tuple("=+-@\uff1d\uff0b\uff0d\uff20\t\r\n")  # full width ones, too
WRONG_RANGE = "wrong_range"
"""The machine-readable code of a range that cannot be shown."""
BLANK = " \u00a0\ufeff\u3000\0"


def history_data(look: Look) -> dict[str, Any]:
    """The history as JSON takes it; instants are ISO 8601 in the history's zone.

    Of buckets of a minute, what shadow would have denied and units are not known: null.
    """
    history = look.history
    detailed = history.grain is not Grain.MINUTE
    return {
        "span": history.span.value,
        "grain": history.grain.value,
        "start": history.start.isoformat(),
        "end": history.end.isoformat(),
        "stale": history.stale,
        "whole_days": history.whole_days,
        "totals": _sums(history.totals, detailed=True),
        "buckets": [
            {"start": each.start.isoformat(), "end": each.end.isoformat()}
            | _sums(each.sums, detailed=detailed)
            for each in history.buckets
        ],
        "scopes": [
            {"scope": scope} | _sums(sums, detailed=True) for scope, sums in history.scopes.items()
        ],
        "denied_by_limit": _denied(history, look.statement.titles),
    }


def months_data(look: Look) -> dict[str, Any]:
    """This month so far and the last one; of each the days that have begun.

    ``charted`` units are of the scope that the page adds up in its chart.
    """
    months, view, now = look.months, MonthsView(look), look.statement.instant()
    quota = view.quota
    return {
        "this": _month(months.this, view, now),
        "last": _month(months.last, view, now),
        "same_point_of_last": months.same_point.isoformat(),
        "last_at_same_point": _sums(months.then, detailed=True),
        "charted": {
            "scope": view.charted,
            "amount": quota.limit.rule.amount if quota else None,
            "used_at_end": view.pace,
        },
    }


def peaks_data(calls: CallsByHour, look: Look) -> list[dict[str, Any]]:
    """How full each limit got, as JSON takes it; of the scope that is asked for, or of all."""
    titles, scope = look.statement.titles, look.filters.scope
    return [
        {
            "limit": label,
            "title": _titled(label, titles),
            "start": peak.start.isoformat(),
            "end": peak.end.isoformat(),
            "used": peak.used,
            "most": peak.most,
            "percent": 100 * peak.used // peak.most if peak.most else None,
        }
        for label, peaks in calls.peaks.items()
        if not scope or label.rpartition("/")[0] == scope
        for peak in peaks
    ]


def projection_data(line: UsageLine, look: Look) -> dict[str, Any] | None:
    """Where a calendar quota is heading; None for other limits, and where it is too early."""
    found = projection_of(line)
    if found is None or found.used_at_end is None:
        return None
    at = found.reached_at_us
    return {
        "reached_at": None if at is None else look.at(at).isoformat(),
        "used_at_end": found.used_at_end,
    }


def _month(month: Month, view: MonthsView, now: datetime) -> dict[str, Any]:
    return {
        "start": month.start.isoformat(),
        "end": month.end.isoformat(),
        **_sums(month.sums, detailed=True),
        "days": [
            {"start": each.start.isoformat(), "end": each.end.isoformat()}
            | _sums(each.sums, detailed=True)
            | {"charted": view.units(each)}
            for each in month.buckets
            if each.start <= now
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


def _denied(history: History, titles: Mapping[str, str]) -> list[dict[str, Any]]:
    return [
        {
            "limit": label,
            "title": _titled(label, titles),
            "denied": each.denied,
            "shadow_denied": each.shadow_denied,
        }
        for label, each in history.limits.items()
    ]


def _titled(label: str, titles: Mapping[str, str]) -> str:
    return titles.get(label) or label.rpartition("/")[2]


def wrong_range(trouble: str) -> HttpResponse:
    """The answer to a program that asks for a range which cannot be shown (RFC 9457)."""
    problem = {
        "type": "about:blank",
        "title": HTTPStatus.BAD_REQUEST.phrase,
        "status": HTTPStatus.BAD_REQUEST.value,
        "detail": trouble,
        "code": WRONG_RANGE,
    }
    return JsonResponse(
        problem, status=HTTPStatus.BAD_REQUEST, content_type="application/problem+json"
    )


def _sums(sums: Sums, *, detailed: bool) -> dict[str, int | None]:
    return {
        "requests": sums.requests,
        "admitted": sums.admitted,
        "denied": sums.denied,
        "shadow_denied": sums.shadow_denied if detailed else None,
        "units": sums.units if detailed else None,
    }
