"""What an audit found, as lines of text and as data, for operators."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any

from quotas.management.drawing import shown

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from quotas.services.audit.differences import Audited, Difference

LONGEST = 80
DAY = timedelta(days=1)


def report(done: Audited, seconds: float) -> Iterable[str]:
    """Two lines a difference, then what is not copied yet, then the summary."""
    for each in done.differences:
        yield _named(each)
        yield f"    {each.meaning}"
    if done.waiting:
        yield (
            f"Not copied yet, which is no difference: {done.waiting:,} records, the oldest of "
            f"{_instant(done.oldest)}"
        )
    yield (
        f"{done.tenants:,} tenants: {done.quarters:,} quarters, {done.hours:,} hours, "
        f"{done.quotas:,} calendar quotas ({done.exact:,} charged what was counted, to the unit), "
        f"{done.balances:,} balances and {done.pages:,} pages compared in {seconds:.1f} s; "
        f"{len(done.differences):,} differences"
    )


def as_data(done: Audited) -> dict[str, Any]:
    """The same as JSON takes it; instants are ISO 8601 in UTC."""
    return {
        "tenants": done.tenants,
        "quarters": done.quarters,
        "hours": done.hours,
        "calendar_quotas": done.quotas,
        "charged_what_was_counted": done.exact,
        "balances": done.balances,
        "pages": done.pages,
        "not_copied_yet": done.waiting,
        "oldest_not_copied": done.oldest and done.oldest.isoformat(),
        "differences": [
            {
                "tenant": each.tenant,
                "kind": each.kind.value,
                "of": each.of,
                "number": each.number,
                "from": each.start.isoformat(),
                "until": each.end.isoformat(),
                "numbers": [
                    {"of": name, "value": value}
                    for name, value in zip(each.sides, (each.first, each.second), strict=True)
                ],
                "meaning": each.meaning,
            }
            for each in done.differences
        ],
    }


def _named(each: Difference) -> str:
    numbers = ", ".join(
        f"{name} {'nothing' if value is None else format(value, ',')}"
        for name, value in zip(each.sides, (each.first, each.second), strict=True)
    )
    return (
        f"{shown(each.tenant, LONGEST)}: {shown(each.of, LONGEST)}, {_span(each.start, each.end)}, "
        f"{shown(each.number, LONGEST)}: {numbers}"
    )


def _span(start: datetime, end: datetime) -> str:
    if start == end:
        return f"at {_instant(start)}"
    last = f"{end:%H:%M}" if end - start < DAY else f"{end:%Y-%m-%d %H:%M}"
    return f"{start:%Y-%m-%d %H:%M} to {last} UTC"


def _instant(when: datetime | None) -> str:
    return f"{when:%Y-%m-%d %H:%M} UTC"
