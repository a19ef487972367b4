"""This process among the workers: it registers at its first decision, and tells of itself.

Apart from the decision, which it never fails: at most every ten seconds, and at once when it has
applied edited plans, so that staff see when an edit is in force. A worker that decides nothing
tells nothing: it is idle, and looks for edits before its next decision.
"""

from __future__ import annotations

import atexit
import logging
import os
import socket
import time
from secrets import token_hex
from threading import Lock
from typing import TYPE_CHECKING

from quotas.engine import workers
from quotas.errors import ConfigurationError, EngineUnavailable
from quotas.services.store import store

if TYPE_CHECKING:
    from collections.abc import Callable

    from quotas.domain.decisions import Decision

logger = logging.getLogger("quotas")

EVERY = 10.0
"""Seconds from one beat to the next."""


class ThisWorker:
    """Counts the decisions of this process, and registers it. Safe for threads."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.clock = clock
        self.forget()

    def forget(self) -> None:
        """Be a new worker, as after a fork: the parent goes on as the old one."""
        self._lock = Lock()  # another thread may have held the old one at the fork
        self._id = token_hex(6)
        self._began = self.clock()
        self._due_at = 0.0
        self._told: bytes | None = None
        self._decisions = self._missed = 0
        self._registered = self._failing = False

    def count(self, decision: Decision) -> None:
        """Count a decision, and beat when it is time. Never raises.

        Not after one that was made without the engine: that would wait for it once more.
        """
        now, version = self.clock(), store.plans_version
        with self._lock:
            self._decisions += 1
            if not decision.now_us:
                self._missed += 1
                return
            if now < self._due_at and version == self._told:
                return
            self._due_at, self._told = now + EVERY, version
            decisions, missed = self._decisions, self._missed
        self._beat(round((now - self._began) * 1_000_000), version, decisions, missed)

    def leave(self) -> None:
        """Strike this worker out when it ends. Never raises: otherwise it goes after an hour."""
        if self._registered:
            self._registered = False
            self._ask(lambda: workers.leave(self._id))

    def _beat(self, age_us: int, version: bytes | None, decisions: int, missed: int) -> None:
        self._registered = True
        self._ask(
            lambda: workers.beat(
                self._id,
                age_us=max(0, age_us),
                version=version,
                pid=os.getpid(),
                host=socket.gethostname().partition(".")[0],
                decisions=decisions,
                missed=missed,
            )
        )

    def _ask(self, question: Callable[[], None]) -> None:
        try:
            question()
            self._failing = False
        except (EngineUnavailable, ConfigurationError) as error:
            if not self._failing:
                self._failing = True
                logger.warning("This worker could not tell of itself: %s", error)


worker = ThisWorker()

os.register_at_fork(after_in_child=worker.forget)
atexit.register(worker.leave)
