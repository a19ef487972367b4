"""Decides recorded events by the real script, at the times that they were recorded with."""

from __future__ import annotations

from collections.abc import Sequence
from math import lcm
from types import TracebackType
from typing import Self
from zoneinfo import ZoneInfo

from quotas.domain.calendar import edges_around
from quotas.domain.decisions import Decision
from quotas.domain.keys import WINDOWED, counted_as
from quotas.domain.limits import CalendarQuota, DenyAll
from quotas.domain.policies import Limit
from quotas.domain.words import CalendarUnit
from quotas.engine.bundle import ALWAYS, Asked, Bundle, pack
from quotas.engine.scratch import Call, Scratch
from quotas.errors import EngineUnavailable
from quotas.services.simulation.events import BadLine, Event

SUBJECT = "subject"
YEAR_US = 366 * 24 * 3600 * 1_000_000
NEEDED_US = 3 * YEAR_US
MOST_US = 16 * YEAR_US
NO_WINDOW = CalendarQuota | DenyAll


class Replay:
    """A replay of events against ``limits``, judged together: all are charged or none.

    Each limit counts by the event's subject, whatever its own is. Calls in flight end with their
    lease: a record does not say when they did. Use it as a context: on leaving, no key of it is
    left in Redis, unless Redis is gone; then they end within two hours.

    `decide` and leaving must not be interrupted, else Redis may write after the keys are removed.
    """

    def __init__(self, limits: Sequence[Limit], *, zone: ZoneInfo, anchor_day: int = 1) -> None:
        self.limits = tuple(limits)
        self.zone = zone
        self.anchor_day = anchor_day
        self.ahead_us = _ahead_us(self.limits)
        self._scratch = Scratch()
        self._bundle: Bundle | None = None
        self._span = (0, 0)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            self._scratch.remove()
        except EngineUnavailable:
            if error is None:  # otherwise the first error is the one to tell
                raise

    def admit(self, event: Event) -> Event:
        """The event, if it can be replayed against these limits; raises `BadLine` otherwise."""
        if event.at_us + self.ahead_us < NEEDED_US:
            raise BadLine(f"at is {event.at}: these limits take no time before 1973")
        return event

    def decide(self, events: Sequence[Event]) -> list[Decision]:
        """Decide a few hundred events, one after the other. Raises `EngineUnavailable`."""
        calls = [
            Call(self._bundle_at(now_us), event.subject, event.cost, now_us)
            for event in events
            for now_us in (event.at_us + self.ahead_us,)
        ]
        return self._scratch.consume(calls)

    def _bundle_at(self, now_us: int) -> Bundle:
        """The limits packed with the civil periods around an instant; kept while they hold."""
        start, stop = self._span
        if self._bundle is None or not start <= now_us < stop:
            asked = [Asked(limit, SUBJECT) for limit in self.limits]
            self._bundle = pack(asked, edges_of=lambda unit: self._edges(unit, now_us))
            edges = self._bundle.edges.values()
            starts, stops = [each[0] for each in edges], [each[3] for each in edges]
            self._span = (max([ALWAYS[0], *starts]), min([ALWAYS[1], *stops]))
        return self._bundle

    def _edges(self, unit: CalendarUnit, now_us: int) -> tuple[int, int, int, int]:
        at_us = now_us - self.ahead_us
        previous, current, following, end = (
            edge + self.ahead_us
            for edge in edges_around(unit, at_us, zone=self.zone, anchor=self.anchor_day)
        )
        return previous, current, following, end


def _ahead_us(limits: Sequence[Limit]) -> int:
    """How far the time that the script is given runs ahead of the record's, so that 0 is a time.

    The script takes 0 for the server's clock, and the civil periods around the epoch begin before
    it. Nothing else changes: it is a multiple of every window that is counted from the epoch. 0
    when there is no such multiple within reach.
    """
    windowed = [each.rule for each in limits if counted_as(each.rule) in WINDOWED]
    step = lcm(*(rule.period_us for rule in windowed if not isinstance(rule, NO_WINDOW)))
    ahead_us = -(-NEEDED_US // step) * step
    return ahead_us if ahead_us <= MOST_US else 0
