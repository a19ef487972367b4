"""Where a calendar quota is heading: when its amount is reached if it goes on like this."""

from __future__ import annotations

JUDGED_FROM = 10
"""The part of a period, one tenth, that must have passed before its pace says anything."""


def reached_at_us(*, used: int, amount: int, start_us: int, now_us: int, end_us: int) -> int | None:
    """The instant at which ``used``, growing on as since the period's start, comes to ``amount``.

    None: not before the period ends, reached already, or less than a tenth of the period has
    passed. Instants in microseconds; the answer is rounded up.
    """
    passed = now_us - start_us
    early = JUDGED_FROM * passed < end_us - start_us
    if early or now_us >= end_us or not 0 < used < amount:
        return None
    at_us = start_us - (-passed * amount // used)
    return at_us if at_us < end_us else None
