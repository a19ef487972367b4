"""Counts callers without a tenant, for people: in the process, and added in Redis once a second.

Many callers without a tenant share no hash that their decisions could count in; one for them all
would be asked by every call. So a process sums up what the script would have counted, and adds it
at the first decision after a second, and when it ends. What that loses: of a worker that is killed,
what it counted since it last added, a second's worth at most; of an answer that is lost, the same,
for it is never added twice. A worker that decides nothing keeps what it has until it ends.
"""

from __future__ import annotations

import atexit
import logging
import os
import time
from threading import Lock
from typing import TYPE_CHECKING

from quotas.domain.keys import ANONYMOUS_TAG
from quotas.domain.words import Outcome
from quotas.engine import adding
from quotas.engine.adding import QUARTERS, Sum
from quotas.engine.tallies import QUARTER_US
from quotas.errors import ConfigurationError, EngineUnavailable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from quotas.domain.decisions import Decision
    from quotas.engine.wire import Tally

logger = logging.getLogger("quotas")

EVERY = 1.0
"""Seconds from one adding to the next."""
MOST_SUMS = 1000
"""Scopes times quarters that a process holds; beyond it the oldest is given up."""


class Anonymous:
    """What this process has counted and not yet added, by quarter and scope. Safe for threads."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.clock = clock
        self.forget()

    def forget(self) -> None:
        """Start from nothing: for a forked worker, whose parent adds what it had itself."""
        self._lock = Lock()  # another thread may have held the old one at the fork
        self._sums: dict[tuple[int, str], Sum] = {}
        self._added_at: float | None = None
        self._failing = False

    def count(self, decision: Decision, scopes: Sequence[Tally]) -> None:
        """Count a call as usage.lua does, and add all sums when it is time. Never raises.

        What was decided without the engine, in an outage, is not counted.
        """
        if not decision.now_us or not scopes:
            return
        quarter, now = decision.now_us // QUARTER_US, self.clock()
        with self._lock:
            sums = [self._sum(quarter, each.scope) for each in scopes]
            for each, scope in zip(sums, scopes, strict=True):
                each.count(decision, scope.units)
            if decision.outcome is not Outcome.ALLOWED:
                for place, label in adding.denials(decision, scopes):
                    sums[place].count_limit(label, denied=decision.outcome is Outcome.DENIED)
            if self._added_at is None:
                self._added_at = now
            due = now - self._added_at >= EVERY
            if due:
                self._added_at = now
        if due:
            self.add()

    def add(self) -> None:
        """Add what is held now. Never raises: what was surely not added waits for the next time."""
        with self._lock:
            sums, self._sums = self._sums, {}
        if not sums:
            return
        try:
            adding.add(ANONYMOUS_TAG, sums.values())
            self._failing = False
        except (EngineUnavailable, ConfigurationError) as error:
            perhaps_added = isinstance(error, EngineUnavailable) and error.perhaps_done
            if not perhaps_added:
                self._take_back(sums)
            if not self._failing:
                self._failing = True
                fate = "may not have been added" if perhaps_added else "was not added yet"
                logger.warning("Usage of callers without a tenant %s: %s", fate, error)

    def _take_back(self, sums: dict[tuple[int, str], Sum]) -> None:
        with self._lock:
            newer, self._sums = self._sums, sums
            for (quarter, scope), each in newer.items():
                self._sum(quarter, scope).add(each)
            latest = max(quarter for quarter, _ in self._sums)
            for key in [key for key in self._sums if key[0] <= latest - QUARTERS]:
                del self._sums[key]

    def _sum(self, quarter: int, scope: str) -> Sum:
        found = self._sums.get((quarter, scope))
        if found is None:
            if len(self._sums) >= MOST_SUMS:
                del self._sums[next(iter(self._sums))]
            found = self._sums[quarter, scope] = Sum(quarter, scope)
        return found


anonymous = Anonymous()

os.register_at_fork(after_in_child=anonymous.forget)
atexit.register(anonymous.add)
