"""What a client may rely on, whatever it did before: r within t, Retry-After, and denials."""

from __future__ import annotations

from itertools import count

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from quotas.domain.policies import Limit
from quotas.domain.words import Algorithm
from tests import START_US
from tests.engine import drawn
from tests.engine.asking import Asker, one

tags = count()
SECOND_US = 1_000_000
patient = settings(
    deadline=None,
    max_examples=25,
    suppress_health_check=[
        HealthCheck.too_slow,
        HealthCheck.function_scoped_fixture,
        HealthCheck.filter_too_much,
    ],
)
IN_TIME = [each for each in Algorithm if each is not Algorithm.CONCURRENCY]
algorithms = pytest.mark.parametrize(
    "algorithm", [pytest.param(each, id=each.value) for each in IN_TIME]
)


class Client:
    """A lone client of one limit, with a past of some calls."""

    def __init__(self, data, algorithm):
        self.numbers = data.draw(drawn.numbers(algorithm), label="limit")
        assume(self.numbers.amount)
        self.asker = Asker(
            Limit(scope="alone", name="only", rule=self.numbers.rule), tag=f"client{next(tags)}"
        )
        self.now_us = START_US + data.draw(st.integers(0, drawn.DAY_US))
        for _ in range(data.draw(st.integers(0, 8), label="calls before")):
            self.pass_time(abs(data.draw(drawn.steps_us(self.numbers))))
            self.consume(data.draw(drawn.costs(self.numbers)))

    def pass_time(self, us):
        self.now_us += us

    def consume(self, cost=1):
        return one(self.asker.consume(cost, now_us=self.now_us))

    def peek(self, cost=1, after_us=0):
        return one(self.asker.peek(cost, now_us=self.now_us + after_us))


@algorithms
@patient
@given(data=st.data())
def test_a_lone_client_that_sends_r_more_within_t_gets_no_denial(algorithm, data):
    client = Client(data, algorithm)
    seen = client.peek(0)
    start_us = client.now_us
    more = min(seen.remaining, 12)

    waits = sorted(
        data.draw(st.lists(st.integers(0, seen.reset_us - 1), min_size=more, max_size=more))
    )
    for wait in waits:
        client.now_us = start_us + wait
        assert client.consume(1).fits
    if seen.remaining > more:
        assert client.consume(seen.remaining - more).fits


@algorithms
@patient
@given(data=st.data())
def test_who_waits_is_admitted_and_not_a_microsecond_earlier(algorithm, data):
    client = Client(data, algorithm)
    cost = data.draw(drawn.costs(client.numbers))
    denied = client.peek(cost)
    assume(denied.wait_us and client.now_us + denied.wait_us < drawn.LAST_US)

    assert client.peek(cost, after_us=denied.wait_us).fits
    assert not client.peek(cost, after_us=denied.wait_us - 1).fits


@algorithms
@patient
@given(data=st.data())
def test_a_denial_changes_no_later_answer(algorithm, data):
    client = Client(data, algorithm)
    most = client.numbers.most
    calm = []
    eager = []
    plan = data.draw(
        st.lists(st.tuples(drawn.steps_us(client.numbers), drawn.costs(client.numbers)), max_size=8)
    )
    start_us = client.now_us

    for answers, impatient in ((calm, False), (eager, True)):
        client.asker.subject = type(client.asker.subject)(f"client{next(tags)}", "t")
        client.now_us = start_us
        for step, cost in plan:
            client.pass_time(abs(step))
            if impatient:
                for denied in (most + 1, cost):
                    if not client.peek(denied).fits:
                        client.consume(denied)
            answer = client.consume(cost)
            answers.append((answer.fits, answer.wait_us, answer.remaining, answer.reset_us))

    assert calm == eager


@pytest.mark.parametrize("algorithm", ["token_bucket", "leaky_bucket", "sliding_window_counter"])
@patient
@given(data=st.data())
def test_at_t_and_not_before_one_unit_more_fits(algorithm, data):
    client = Client(data, Algorithm(algorithm))
    seen = client.peek(0)
    assume(seen.used and seen.remaining < client.numbers.most)
    assume(client.now_us + seen.reset_us < drawn.LAST_US)

    assert client.peek(seen.remaining + 1, after_us=seen.reset_us).fits
    assert not client.peek(seen.remaining + 1, after_us=seen.reset_us - 1).fits
