from __future__ import annotations

from datetime import timedelta

from quotas.domain.decisions import Decision, Verdict
from quotas.domain.limits import FixedWindow
from quotas.domain.policies import Limit
from quotas.domain.words import Outcome
from quotas.services.simulation.events import Event
from quotas.services.simulation.summary import BadLines, Summary, Tally

LIMIT = Limit(scope="api", name="minute", rule=FixedWindow(amount=1, period=timedelta(minutes=1)))
MINUTE_US = 60_000_000


def counted(*rows):
    """A summary of (at_us, subject, cost, outcome)."""
    summary = Summary()
    for at_us, subject, cost, outcome in rows:
        fits = outcome is Outcome.ALLOWED
        verdict = Verdict(LIMIT, cost, fits, 0 if fits else 1, 0, at_us, 0, 0)
        event = Event(at=str(at_us), at_us=at_us, subject=subject, cost=cost)
        summary.count(event, Decision(outcome, (verdict,), at_us))
    return summary


def rows(number, subject, outcome, minute=0, cost=1):
    return [(minute * MINUTE_US + at, subject, cost, outcome) for at in range(number)]


def test_calls_and_units_add_up():
    summary = counted(
        *rows(3, "a", Outcome.ALLOWED, cost=5),
        *rows(2, "a", Outcome.DENIED, cost=7),
        *rows(1, "b", Outcome.SHADOW_DENIED, cost=2),
    )

    expected = Tally(asked=6, admitted=4, shadow_denied=1, units_asked=31, units_admitted=17)
    assert expected == summary.total
    assert summary.total.denied == 2
    assert summary.total == Tally.of(summary.subjects.values())
    assert summary.refused(LIMIT) == 3


def test_subjects_are_ranked_by_denials_and_the_rest_is_summed():
    summary = counted(
        *rows(9, "busy", Outcome.ALLOWED),
        *rows(1, "worst", Outcome.DENIED) * 4,
        *rows(1, "bad", Outcome.DENIED) * 2,
        *rows(1, "warned", Outcome.SHADOW_DENIED) * 3,
    )

    top, others = summary.top_subjects(3)

    assert ["worst", "bad", "warned"] == [name for name, _ in top]
    assert [9] == [tally.asked for tally in others]


def test_the_worst_minutes_are_those_with_most_denials():
    summary = counted(
        *rows(9, "a", Outcome.ALLOWED, minute=1),
        *rows(2, "a", Outcome.DENIED, minute=2),
        *rows(3, "b", Outcome.DENIED, minute=7),
    )

    assert [7, 2] == [minute for minute, _ in summary.worst_minutes(5)]
    assert [7] == [minute for minute, _ in summary.worst_minutes(1)]


def test_the_span_is_from_the_earliest_to_the_latest_whatever_their_order():
    summary = counted(*[(at, "a", 1, Outcome.ALLOWED) for at in (50, 70, 60, 40)])

    assert (40, 70) == (summary.first_us, summary.last_us)


def test_only_the_first_bad_lines_are_kept():
    bad = BadLines()
    for number in range(1, 101):
        bad.add(number, "no event")

    assert bad.count == 100
    assert [1, 2, 3, 4, 5] == [number for number, _ in bad.first]
