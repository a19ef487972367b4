"""When people are told that a limit is nearly, or wholly, used up."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from quotas.domain.projection import reached_at_us

if TYPE_CHECKING:
    from collections.abc import Iterator

    from quotas.domain.policies import Limit

PROJECTED = "projected"
"""The threshold of a calendar quota that is not used up yet, but will be at this pace."""
PERCENT = 100


class DeliveryState(StrEnum):
    """How far the telling of an alert has come, by e-mail or by webhook.

    ``NONE``: turned off, or a higher threshold was told at once. ``NOBODY``: no manager has an
    e-mail address.
    """

    NONE = "none"
    PENDING = "pending"
    DONE = "done"
    FAILED = "failed"
    NOBODY = "nobody"


class Failure(StrEnum):
    """Why an alert was not told, or an address not taken; what it said of itself is kept beside."""

    UNREADABLE = "unreadable"
    NO_HTTPS = "no_https"
    LOGIN = "login"
    INSIDE = "inside"
    UNSIGNED = "unsigned"
    TOO_LATE = "too_late"
    NO_ANSWER = "no_answer"
    STATUS = "status"
    CUT_OFF = "cut_off"
    SOME = "some"
    OTHER = "other"


def thresholds_met(limit: Limit, used: int, most: int | None) -> Iterator[str]:
    """The thresholds of a limit, as alerts name them, that ``used`` of ``most`` units has come to.

    None for an unlimited one, and for an amount of 0, of which nothing can be used up.
    """
    for percent in limit.warn_at if most else ():
        if PERCENT * used >= percent * (most or 0):
            yield str(percent)


def is_projected(
    limit: Limit, used: int, most: int | None, *, start_us: int, now_us: int, end_us: int
) -> bool:
    """Whether people are to be told that the period's amount will be reached at this pace."""
    return (
        limit.warn_projected
        and most is not None
        and used < most
        and reached_at_us(used=used, amount=most, start_us=start_us, now_us=now_us, end_us=end_us)
        is not None
    )
