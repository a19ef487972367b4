"""Adds up what a replay decided: in all, by subject, by limit and by minute."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from quotas.domain.decisions import Decision
from quotas.domain.policies import Limit
from quotas.domain.words import Outcome
from quotas.services.simulation.events import Event

MINUTE_US = 60_000_000
BAD_LINES_KEPT = 5


@dataclass(slots=True)
class Tally:
    """Calls and units: asked and admitted; the rest was denied.

    ``shadow_denied`` calls were admitted, and would not have been if every limit were enforced.
    """

    asked: int = 0
    admitted: int = 0
    shadow_denied: int = 0
    units_asked: int = 0
    units_admitted: int = 0

    @property
    def denied(self) -> int:
        """Calls that were denied."""
        return self.asked - self.admitted

    def count(self, event: Event, decision: Decision) -> None:
        """Add one decision."""
        self.asked += 1
        self.units_asked += event.cost
        if decision.allowed:
            self.admitted += 1
            self.units_admitted += event.cost
            self.shadow_denied += decision.outcome is Outcome.SHADOW_DENIED

    @classmethod
    def of(cls, tallies: Iterable[Tally]) -> Tally:
        """The sum of some."""
        total = cls()
        for each in tallies:
            total.asked += each.asked
            total.admitted += each.admitted
            total.shadow_denied += each.shadow_denied
            total.units_asked += each.units_asked
            total.units_admitted += each.units_admitted
        return total


@dataclass(slots=True)
class BadLines:
    """How many lines were no events, and which were the first: number and reason."""

    count: int = 0
    first: list[tuple[int, str]] = field(default_factory=list)

    def add(self, number: int, reason: str) -> None:
        """Count one."""
        self.count += 1
        if len(self.first) < BAD_LINES_KEPT:
            self.first.append((number, reason))


@dataclass(slots=True)
class Summary:
    """What came of a replay. Minutes are numbered from the epoch; ``limits`` by (scope, name).

    ``late`` counts events from before the last admitted one of their subject: time never runs back
    for a state, so it took them for its own instant.
    """

    total: Tally = field(default_factory=Tally)
    subjects: defaultdict[str, Tally] = field(default_factory=lambda: defaultdict(Tally))
    minutes: defaultdict[int, Tally] = field(default_factory=lambda: defaultdict(Tally))
    limits: defaultdict[tuple[str, str], int] = field(default_factory=lambda: defaultdict(int))
    first_us: int | None = None
    last_us: int = -1
    late: int = 0

    def count(self, event: Event, decision: Decision) -> None:
        """Add one decision."""
        for tally in (
            self.total,
            self.subjects[event.subject],
            self.minutes[event.at_us // MINUTE_US],
        ):
            tally.count(event, decision)
        for verdict in decision.verdicts:
            if not verdict.fits:
                self.limits[verdict.limit.scope, verdict.limit.name] += 1
        self.first_us = event.at_us if self.first_us is None else min(self.first_us, event.at_us)
        self.late += any(verdict.at_us > decision.now_us for verdict in decision.verdicts)
        self.last_us = max(self.last_us, event.at_us)

    def refused(self, limit: Limit) -> int:
        """Calls that did not fit into this limit, whether or not it denied them."""
        return self.limits.get((limit.scope, limit.name), 0)

    def top_subjects(self, most: int) -> tuple[list[tuple[str, Tally]], list[Tally]]:
        """Those denied most, then shadow-denied, then asking most; and all others."""
        ranked = sorted(self.subjects.items(), key=_rank)
        return ranked[:most], [tally for _, tally in ranked[most:]]

    def worst_minutes(self, most: int) -> list[tuple[int, Tally]]:
        """The minutes with denials or shadow denials, the worst first."""
        hit = [each for each in self.minutes.items() if each[1].denied or each[1].shadow_denied]
        return sorted(hit, key=_rank)[:most]


def _rank(entry: tuple[str, Tally] | tuple[int, Tally]) -> tuple[int, int, int, str | int]:
    name, tally = entry
    return -tally.denied, -tally.shadow_denied, -tally.asked, name
