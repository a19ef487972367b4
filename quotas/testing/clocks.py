"""The limiter's clock, stopped and moved by a test."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

from quotas.engine.clock import clock
from quotas.engine.wire import LAST_US

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)


class FrozenClock:
    """The limiter's clock while it stands still: it moves when it is told to."""

    @property
    def now_us(self) -> int:
        """The instant of the next decision, microseconds since the epoch."""
        return clock.given_us

    @property
    def now(self) -> datetime:
        """The same, in UTC."""
        return EPOCH + clock.given_us * MICROSECOND

    def tick(self, by: timedelta | float) -> None:
        """Move by a duration, or by seconds; below 0 is a clock that steps back."""
        span = by if isinstance(by, timedelta) else timedelta(seconds=by)
        clock.given_us = _instant_us(clock.given_us + span // MICROSECOND)

    def move_to(self, instant: datetime | int) -> None:
        """Move to an aware datetime, or to microseconds since the epoch."""
        clock.given_us = _instant_us(instant)


@contextmanager
def frozen_clock(at: datetime | int | None = None) -> Iterator[FrozenClock]:
    """Stop the limiter's clock: every decision of this process is taken at ``at``.

    An aware datetime, or microseconds since the epoch; None is now, by this machine's clock, or
    the instant of the frozen clock around this one. Then the clock around is back. Redis itself
    goes on: what it keeps for decisions at a given time, it keeps for an hour at least.
    """
    before = clock.given_us
    if at is None:
        at = before or time.time_ns() // 1000
    clock.given_us = _instant_us(at)
    try:
        yield FrozenClock()
    finally:
        clock.given_us = before


def _instant_us(instant: object) -> int:
    if isinstance(instant, datetime):
        if instant.tzinfo is None:
            raise ValueError(f"{instant!r} has no time zone: give one, such as tzinfo=UTC.")
        instant = (instant - EPOCH) // MICROSECOND
    if not isinstance(instant, int) or isinstance(instant, bool):
        raise TypeError(f"{instant!r} is no instant: give an aware datetime, or microseconds.")
    if not 0 < instant <= LAST_US:
        raise ValueError(f"{instant} is no instant: give 1 to {LAST_US} microseconds.")
    return instant
