"""What is said about an outage of the engine.

One log line and one signal an interval, whatever the load. Why each limit chooses for itself:
docs/decisions/0005-outage-policy.md.
"""

from __future__ import annotations

import logging
import time
from threading import Lock

from quotas.conf import conf
from quotas.errors import EngineUnavailable
from quotas.signals import engine_unavailable

logger = logging.getLogger("quotas")


class Outage:
    """Counts the decisions that the engine did not make, and tells of them once an interval."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.forget()

    def forget(self) -> None:
        """Start an interval anew."""
        self.missed = 0
        self.told_at: float | None = None

    def report(self, error: EngineUnavailable) -> None:
        """Count one.

        Log and send `engine_unavailable` when the interval since the last line is over.
        """
        now = time.monotonic()
        with self.lock:
            self.missed += 1
            if (
                self.told_at is not None
                and now - self.told_at < conf.outage_log_interval.total_seconds()
            ):
                return
            missed, self.missed, self.told_at = self.missed, 0, now
        logger.error(
            "The limiter cannot reach Redis (%s decisions without it since the last line): %s",
            missed,
            error,
        )
        engine_unavailable.send_robust(sender=Outage, error=error, missed=missed)


outage = Outage()
