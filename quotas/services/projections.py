"""Where the calendar quotas of a reading are heading."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from quotas.domain import projection
from quotas.domain.limits import CalendarQuota

if TYPE_CHECKING:
    from quotas.services.usage import UsageLine


@dataclass(frozen=True, slots=True, kw_only=True)
class Projection:
    """What becomes of a calendar quota if its period goes on as it began; instants in us.

    ``used_at_end`` is None while it is too early to say, and ``reached_at_us`` when the amount
    outlasts the period, and when it is used up: since when nobody knows, and nothing is added.
    """

    end_us: int
    reached_at_us: int | None
    used_at_end: int | None


def projection_of(line: UsageLine) -> Projection | None:
    """The projection of a limit; None for what is no calendar quota, and in an outage."""
    verdict, rule = line.verdict, line.limit.rule
    if verdict is None or not isinstance(rule, CalendarQuota):
        return None
    end_us = verdict.at_us + verdict.part
    length = verdict.window_us
    if not length:
        return None
    if verdict.used >= rule.amount:
        return Projection(end_us=end_us, reached_at_us=None, used_at_end=verdict.used)
    span = {"start_us": end_us - length, "now_us": verdict.at_us, "end_us": end_us}
    return Projection(
        end_us=end_us,
        reached_at_us=projection.reached_at_us(used=verdict.used, amount=rule.amount, **span),
        used_at_end=projection.used_at_end(used=verdict.used, **span),
    )
