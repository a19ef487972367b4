"""The script answers what the reference answers, whatever the limits, costs, times and edits.

Waits and delays are told up to 2^53 - 1 us, 285 years: the reference knows no such end.
"""

from __future__ import annotations

from itertools import count
from zoneinfo import ZoneInfo

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from quotas.domain.calendar import edges_around
from quotas.domain.limits import in_flight
from quotas.domain.policies import Limit
from quotas.domain.reference import Reference, ReferenceSet
from quotas.domain.words import Algorithm
from quotas.engine.connection import link
from tests import START_US
from tests.engine import drawn
from tests.engine.asking import Asker

LONGEST_TOLD_US = (1 << 53) - 1
ZONE = "America/St_Johns"
MOST_STEPS = 25
tags = count()
patient = settings(
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)


class Both:
    """Script and reference, asked alike: some limits of one subject in one scope."""

    def __init__(self, rows, modes, now_us):
        self.rows, self.modes, self.now_us = list(rows), modes, now_us
        self.references = [Reference(each.rule, edges=edges_of(each.unit)) for each in self.rows]
        self.asker = Asker(*self._limits(), tag=f"example{next(tags)}", zone=ZONE)
        self.slots = []
        self.lost_lists = set()

    def edit(self, position, row):
        self.rows[position] = row
        self.references[position].edit(row.rule, edges=edges_of(row.unit))
        self.asker.edit(*self._limits())

    def pass_time(self, step_us):
        self.now_us = max(START_US, min(drawn.LAST_US, self.now_us + step_us))

    def consume(self, costs):
        answer = self.asker.consume(costs, now_us=self.now_us)
        expected, outcome = self._set().consume(
            self._charged(costs), self.now_us, slot=answer.slot.hex()
        )
        if answer.holds_slots:
            self.slots.append(answer)
        assert outcome == answer.outcome
        self._compare(expected, expected, answer)

    def peek(self, costs):
        answer = self.asker.peek(costs, now_us=self.now_us)
        expected, outcome = self._set().judge(self._charged(costs), self.now_us)
        standing = [each.judge(0, self.now_us) for each in self.references]
        assert outcome == answer.outcome
        self._compare(expected, standing, answer)

    def give_back(self):
        held = self.slots.pop(0)
        self.asker.give_back(held)
        for reference in self.references:
            if in_flight(reference.rule):
                reference.release(held.slot.hex())

    def vanish(self, name):
        """What an eviction does to a key. The limits that it counted for are as if just made.

        Calls in flight are their slots: those are there, whatever becomes of the cell. Of a log
        without its list the cell still tells when it was used: its reset may be told too early.
        """
        link().client.delete(name)
        for position, row in enumerate(self.rows):
            slots = in_flight(row.rule)
            if name in self._names(position) and (":s:" in name or not slots):
                self.references[position] = Reference(row.rule, edges=edges_of(row.unit))
                self.lost_lists |= {position} if ":l:" in name else set()

    def names(self):
        return sorted({name for place in range(len(self.rows)) for name in self._names(place)})

    def _names(self, position):
        alone = Asker(self._limits()[position], zone=ZONE)
        alone.subject = self.asker.subject
        return alone.key_names()

    def _limits(self):
        return [
            Limit(scope="mixed", name=f"limit-{position}", rule=row.rule, mode=mode)
            for position, (row, mode) in enumerate(zip(self.rows, self.modes, strict=True))
        ]

    def _set(self):
        return ReferenceSet(self.references, modes=self.modes)

    def _charged(self, costs):
        """A call is one call in flight, whatever it costs."""
        return [
            min(cost, 1) if in_flight(reference.rule) else cost
            for cost, reference in zip(costs, self.references, strict=True)
        ]

    def _compare(self, expected, standing, answer):
        judgements = zip(expected, standing, answer.verdicts, strict=True)
        for position, (judged, left, verdict) in enumerate(judgements):
            assert judged.fits == verdict.fits
            assert told(judged.wait_us) == told(verdict.wait_us)
            if answer.allowed:
                assert told(judged.delay_us) == told(verdict.delay_us)
            assert left.remaining == verdict.remaining
            if position not in self.lost_lists:
                assert left.reset_us == verdict.reset_us


def told(duration_us):
    return None if duration_us is None else min(duration_us, LONGEST_TOLD_US)


def edges_of(unit):
    return lambda now_us: edges_around(unit, now_us, zone=ZoneInfo(ZONE))


def replay(data, rows, modes):
    """Some random calls, peeks, edits and slots given back, compared one by one."""
    both = Both(rows, modes, START_US + data.draw(st.integers(0, drawn.DAY_US), label="start"))
    kinds = st.sampled_from(["consume"] * 6 + ["peek", "edit", "give back"])
    for kind in data.draw(st.lists(kinds, max_size=MOST_STEPS), label="steps"):
        if kind == "edit":
            position = data.draw(st.integers(0, len(rows) - 1))
            both.edit(position, data.draw(drawn.edited(both.rows[position]), label="edit"))
        elif kind == "give back":
            if both.slots:
                both.give_back()
        else:
            both.pass_time(data.draw(drawn.steps_us(data.draw(st.sampled_from(both.rows)))))
            asked = [data.draw(drawn.costs(row)) for row in both.rows]
            (both.consume if kind == "consume" else both.peek)(asked)


def replay_while_keys_vanish(data, rows, modes):
    """As `replay`, of a clock that never steps back: the instant of the last call vanishes too."""
    both = Both(rows, modes, START_US + data.draw(st.integers(0, drawn.DAY_US), label="start"))
    kinds = st.sampled_from(["consume"] * 6 + ["peek", "give back"] + ["vanish"] * 3)
    for kind in data.draw(st.lists(kinds, max_size=MOST_STEPS), label="steps"):
        if kind == "vanish":
            both.vanish(data.draw(st.sampled_from(both.names()), label="vanishes"))
        elif kind == "give back":
            if both.slots:
                both.give_back()
        else:
            both.pass_time(max(0, data.draw(drawn.steps_us(data.draw(st.sampled_from(both.rows))))))
            asked = [data.draw(drawn.costs(row)) for row in both.rows]
            (both.consume if kind == "consume" else both.peek)(asked)


@pytest.mark.parametrize("algorithm", [pytest.param(each, id=each.value) for each in Algorithm])
@settings(patient, max_examples=100)
@given(data=st.data())
def test_script_and_reference_judge_one_limit_alike(algorithm, data):
    replay(data, [data.draw(drawn.numbers(algorithm), label="limit")], [drawn.Mode.ENFORCE])


@settings(patient, max_examples=250)
@given(data=st.data())
def test_script_and_reference_judge_several_limits_alike(data):
    rows = data.draw(st.lists(drawn.numbers(), min_size=2, max_size=4), label="limits")
    modes = data.draw(st.tuples(*[drawn.modes] * len(rows)), label="modes")

    replay(data, rows, modes)


def counted(algorithm=None):
    """Limits that keep state of their algorithm's own."""
    return drawn.numbers(algorithm).filter(lambda numbers: numbers.amount)


@pytest.mark.parametrize("algorithm", [pytest.param(each, id=each.value) for each in Algorithm])
@settings(patient, max_examples=100)
@given(data=st.data())
def test_a_limit_that_loses_a_key_goes_on_as_one_just_made(algorithm, data):
    """It neither raises nor blocks for longer, and hands out one new amount at most."""
    replay_while_keys_vanish(data, [data.draw(counted(algorithm))], [drawn.Mode.ENFORCE])


@settings(patient, max_examples=150)
@given(data=st.data())
def test_of_several_limits_only_those_that_lose_a_key_begin_anew(data):
    rows = data.draw(st.lists(counted(), min_size=2, max_size=4), label="limits")
    modes = data.draw(st.tuples(*[drawn.modes] * len(rows)), label="modes")

    replay_while_keys_vanish(data, rows, modes)
