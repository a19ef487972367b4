"""The summary of a replay, for people: tables with meters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from quotas.domain.guarantees import guarantee
from quotas.domain.policies import Limit
from quotas.domain.words import Mode
from quotas.management.drawing import meter, shown, table
from quotas.services.simulation.summary import MINUTE_US, BadLines, Summary, Tally

WORST_MINUTES = 5
LONGEST_NAME = 46
METER = 16
SECOND_US = 1_000_000
TO_THE_SECOND, TO_THE_MINUTE = "%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M"


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What is told of a replay: times in ``zone``, ``top`` subjects by name.

    ``encoding`` is what the reader's terminal can show.
    """

    summary: Summary
    bad: BadLines
    limits: Sequence[Limit]
    zone: ZoneInfo
    top: int
    encoding: str | None = None

    def sections(self) -> Iterator[tuple[str, list[str]]]:
        """(heading, lines) of each part that has something to tell."""
        yield "Limits", list(self._limits())
        yield "Record", list(self._record())
        if self.summary.total.asked:
            yield "Subjects", list(self._subjects())
        if worst := self.summary.worst_minutes(WORST_MINUTES):
            yield (
                f"Worst minutes ({self.zone.key})",
                self._tallies(
                    "From",
                    [
                        (self._time(minute * MINUTE_US, TO_THE_MINUTE), tally)
                        for minute, tally in worst
                    ],
                ),
            )

    def _limits(self) -> Iterator[str]:
        if not self.limits:
            yield "None is in force: every call is admitted."
            return
        rows = [("Limit", "Algorithm", "Mode", "Did not fit", "Promises")]
        rows += [
            (
                shown(limit.title or f"{limit.scope}/{limit.name}", LONGEST_NAME),
                limit.rule.algorithm.replace("_", " "),
                limit.mode,
                f"{self.summary.refused(limit):,}",
                guarantee(limit.rule),
            )
            for limit in self.limits
        ]
        yield from table(rows, "<<<><", self.encoding)
        yield "Did not fit: calls that this limit alone would have denied."

    def _record(self) -> Iterator[str]:
        total, first_us = self.summary.total, self.summary.first_us
        calls = _count(total.asked, "call")
        if first_us is None:
            yield f"{calls}."
        else:
            subjects = _count(len(self.summary.subjects), "subject")
            first, last = (
                self._time(at_us, TO_THE_SECOND) for at_us in (first_us, self.summary.last_us)
            )
            yield f"{calls} of {subjects}, {_count(total.units_asked, 'unit')}"
            yield f"{first} to {last} ({self.zone.key})"
        if self.summary.late:
            yield (
                f"{_count(self.summary.late, 'call')} came after later ones of the subject, and "
                "counted as at their time"
            )
        yield from bad_lines(self.bad)

    def _subjects(self) -> Iterator[str]:
        top, others = self.summary.top_subjects(self.top)
        rows = [(shown(name, LONGEST_NAME), tally) for name, tally in top]
        if others and rows:
            rows.append((_count(len(others), "other"), Tally.of(others)))
        if len(self.summary.subjects) > 1 or not rows:
            rows.append((f"all {len(self.summary.subjects):,}", self.summary.total))
        yield from self._tallies("Subject", rows)

    def _tallies(self, heading: str, rows: Sequence[tuple[str, Tally]]) -> list[str]:
        shadows = any(limit.mode is Mode.SHADOW for limit in self.limits)
        heads = [heading, "Asked", "Admitted", "Units", *["Shadow-denied"] * shadows, "Denied"]
        cells = [[*heads, "", ""]]
        for name, tally in rows:
            numbers = [tally.asked, tally.admitted, tally.units_admitted]
            numbers += [*[tally.shadow_denied] * shadows, tally.denied]
            share = tally.denied / tally.asked
            cells.append([name, *(f"{n:,}" for n in numbers), f"{share:.1%}", meter(share, METER)])
        return table(cells, f"<{'>' * len(heads)}<", self.encoding)

    def _time(self, at_us: int, form: str) -> str:
        return datetime.fromtimestamp(at_us // SECOND_US, self.zone).strftime(form)


def bad_lines(bad: BadLines) -> Iterator[str]:
    """How many lines were left out, and why the first of them were."""
    if not bad.count:
        return
    yield f"{_count(bad.count, 'line')} left out:"
    for number, reason in bad.first:
        yield f"  line {number:,}: {shown(reason, 200)}"
    if bad.count > len(bad.first):
        yield f"  and {bad.count - len(bad.first):,} more"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
