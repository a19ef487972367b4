"""Where a calendar quota is heading, if what is left of its period goes on at the same pace.

Pure arithmetic on whole numbers; instants are microseconds (``_us``). Before a tenth of the period
has passed nothing is projected: a busy first hour says little about a month.
"""

from __future__ import annotations

EARLIEST = 10
"""A projection begins when one part of so many of the period has passed."""


def reached_at_us(*, used: int, amount: int, start_us: int, now_us: int, end_us: int) -> int | None:
    """When ``amount`` is used up at this pace: ``now_us`` when it is already.

    None: not before the end, or too early in the period to say.
    """
    if _too_early(start_us, now_us, end_us):
        return None
    if used >= amount:
        return now_us
    if used <= 0:
        return None
    at = start_us - (-amount * (now_us - start_us) // used)
    return at if at < end_us else None


def used_at_end(*, used: int, start_us: int, now_us: int, end_us: int) -> int | None:
    """What is used by the period's end at this pace, rounded down; None: too early to say."""
    if _too_early(start_us, now_us, end_us):
        return None
    return used * (end_us - start_us) // (now_us - start_us)


def _too_early(start_us: int, now_us: int, end_us: int) -> bool:
    return EARLIEST * (now_us - start_us) < end_us - start_us
