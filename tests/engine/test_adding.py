"""What a process sums up itself is added in Redis whole, and reads as what the script counts."""

from __future__ import annotations

import pytest

from quotas.domain.decisions import Decision, Verdict
from quotas.domain.words import Outcome
from quotas.engine.adding import QUARTERS, Sum, add
from quotas.engine.tallies import QUARTER_US, tallies_of
from quotas.testing import frozen_clock
from tests import START_US
from tests.engine.asking import limit

QUARTER = START_US // QUARTER_US
MINUTE_US = 60_000_000


@pytest.fixture(autouse=True)
def _clock():
    with frozen_clock(START_US):
        yield


def calls(*minutes, quarter=QUARTER, scope="reports", outcome=Outcome.ALLOWED, units=1):
    """One call in each of these minutes of a quarter."""
    found = Sum(quarter, scope)
    for minute in minutes:
        instant = quarter * QUARTER_US + minute * MINUTE_US
        verdict = Verdict(limit("fixed_window", 1), 1, True, 0, 0, instant, 0, 0)
        found.count(Decision(outcome, (verdict,), instant), units)
    return found


def kept(tag="nobody"):
    (found,) = tallies_of([tag])
    return found


def test_what_is_added_reads_as_it_was_counted():
    counted = calls(0, 0, 3, 14, units=7)
    counted.add(calls(3, outcome=Outcome.DENIED))
    counted.add(calls(5, outcome=Outcome.SHADOW_DENIED))
    counted.count_limit(b"\x03a/b", denied=True)

    add("nobody", [counted])

    (quarter,) = kept().quarters
    assert ("reports", QUARTER * QUARTER_US) == (quarter.scope, quarter.start_us)
    assert (5, 1, 1, 29, 2) == (
        quarter.admitted, quarter.denied, quarter.shadow_denied, quarter.units, quarter.peak,
    )  # fmt: skip
    assert (1, 1) == quarter.minutes[3]
    (denied,) = quarter.limits
    assert ("a/b", 1, 0) == (denied.label, denied.denied, denied.shadow_denied)
    assert START_US == kept().generation


def test_adding_again_adds_every_number_and_each_limit_by_its_label():
    for labels in ([b"\x03a/b", b"\x05a/b/c"], [b"\x05a/b/c", b"\x00", b"\x05a/b/c"]):
        counted = calls(1, 2, units=3)
        for label in labels:
            counted.count_limit(label, denied=len(label) == 4)
        add("nobody", [counted])

    (quarter,) = kept().quarters
    assert (4, 12, 2) == (quarter.admitted, quarter.units, quarter.peak)
    assert {"a/b": (1, 0), "a/b/c": (0, 3), "": (0, 1)} == {
        each.label: (each.denied, each.shadow_denied) for each in quarter.limits
    }


def test_the_generation_is_that_of_the_first_record():
    add("nobody", [calls(0)])
    with frozen_clock(START_US + QUARTER_US):
        add("nobody", [calls(0, quarter=QUARTER + 1)])

    assert START_US == kept().generation
    assert 2 == len(kept().quarters)


def test_scopes_and_owners_are_kept_apart():
    add("nobody", [calls(0), calls(0, 1, scope="reports/daily"), calls(0, scope="東京" * 200)])
    add("somebody", [calls(0)])

    found = {each.scope: each.admitted for each in kept().quarters}
    assert (1, 2, 3) == (found["reports"], found["reports/daily"], len(found))
    assert [1] == [each.admitted for each in kept("somebody").quarters]


def test_a_later_quarter_takes_the_place_and_an_earlier_one_does_not():
    add("nobody", [calls(0, 0, quarter=QUARTER + QUARTERS)])
    add("nobody", [calls(0)])
    assert [2] == [each.admitted for each in kept().quarters]

    add("nobody", [calls(0, quarter=QUARTER + 2 * QUARTERS)])

    assert [1] == [each.admitted for each in kept().quarters]


def test_sums_stop_at_the_largest_number_that_fits():
    huge = calls(0)
    huge.units, huge.shadow_denied = (1 << 48) + 5, (1 << 48) - 1
    huge.counts = [(1 << 32) - 1] * 30
    huge.limits = {b"\x03a/b": [(1 << 40) - 1, 1 << 41]}
    for _ in range(2):
        add("nobody", [huge])

    (quarter,) = kept().quarters
    assert ((1 << 48) - 1, (1 << 48) - 1) == (quarter.units, quarter.shadow_denied)
    assert {((1 << 32) - 1, (1 << 32) - 1)} == set(quarter.minutes)
    assert ((1 << 40) - 1, (1 << 40) - 1) == (
        quarter.limits[0].denied, quarter.limits[0].shadow_denied,
    )  # fmt: skip
