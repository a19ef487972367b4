"""Whatever is granted between random calls, script and reference give and go on alike."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quotas.domain.limits import gives_at_once
from quotas.domain.words import Algorithm
from quotas.engine.connection import link
from quotas.engine.granting import grant
from tests import START_US
from tests.engine import drawn
from tests.engine.test_conformance import MOST_STEPS, Both, patient

GIVING = [
    Algorithm.TOKEN_BUCKET,
    Algorithm.LEAKY_BUCKET,
    Algorithm.SLIDING_WINDOW_COUNTER,
    Algorithm.SLIDING_WINDOW_LOG,
    Algorithm.CONCURRENCY,
]
FEW = settings(patient, max_examples=80)


class Granted(Both):
    """As `Both`, with grants."""

    def grant(self, position, units):
        limit = self._limits()[position]
        if not gives_at_once(limit.rule):
            assert self.references[position].grant(units, self.now_us) == 0
            return
        expected = self.references[position].grant(units, self.now_us)
        before = None if expected else self.contents()
        assert expected == grant(limit, self.asker.subject, units, now_us=self.now_us)
        assert before is None or before == self.contents()
        assert all(link().client.pttl(name) != -1 for name in self.names())

    def contents(self):
        return [link().client.dump(name) for name in self.names()]


def replay(data, rows, modes):
    both = Granted(rows, modes, START_US + data.draw(st.integers(0, drawn.DAY_US), label="start"))
    kinds = st.sampled_from(["consume"] * 6 + ["peek", "edit", "give back"] + ["grant"] * 3)
    for kind in data.draw(st.lists(kinds, max_size=MOST_STEPS), label="steps"):
        position = data.draw(st.integers(0, len(rows) - 1))
        if kind == "edit":
            both.edit(position, data.draw(drawn.edited(both.rows[position]), label="edit"))
        elif kind == "give back":
            if both.slots:
                both.give_back()
        else:
            both.pass_time(data.draw(drawn.steps_us(data.draw(st.sampled_from(both.rows)))))
            asked = [data.draw(drawn.costs(row)) for row in both.rows]
            if kind == "grant":
                both.grant(position, max(1, asked[position]))
            else:
                (both.consume if kind == "consume" else both.peek)(asked)


@pytest.mark.parametrize("algorithm", [pytest.param(each, id=each.value) for each in GIVING])
@FEW
@given(data=st.data())
def test_script_and_reference_grant_one_limit_alike(algorithm, data):
    replay(data, [data.draw(drawn.numbers(algorithm), label="limit")], [drawn.Mode.ENFORCE])


@FEW
@given(data=st.data())
def test_a_grant_of_one_limit_leaves_its_neighbours_alone(data):
    rows = data.draw(st.lists(drawn.numbers(), min_size=2, max_size=4), label="limits")
    modes = data.draw(st.tuples(*[drawn.modes] * len(rows)), label="modes")

    replay(data, rows, modes)
