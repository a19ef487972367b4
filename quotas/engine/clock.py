"""The clock of decisions: the Redis server's, or a time given by tests and the simulator.

Why: docs/decisions/0001-server-clock.md.

A given time is process-wide, threads included, so that a test freezes the limiter as a whole.
"""

from __future__ import annotations

import time


class Clock:
    """``given_us`` is the instant that decisions are taken at, microseconds since the epoch.

    0: the server's clock.
    """

    given_us: int = 0


clock = Clock()


def now_us() -> int:
    """The given time, or this host's: a guess at the engine's, which the script then checks."""
    return clock.given_us or time.time_ns() // 1000
