"""The script answers the vectors; the reference does so in `tests.domain.test_vectors`."""

from __future__ import annotations

import pytest

from quotas.domain.policies import Limit
from tests.engine.asking import Asker, one
from tests.vectors_reading import read_vectors

TOLERANCE_US = 2

vectors = pytest.mark.parametrize(
    "vector", [pytest.param(vector, id=vector.id) for vector in read_vectors()]
)


@vectors
def test_the_script_answers_as_the_vector_says(vector):
    asker = Asker(Limit(scope="vectors", name="only", rule=vector.rule))

    answers = [one(asker.consume(cost, now_us=now_us)) for now_us, cost in vector.events]

    expected = [row.allowed for row in vector.expected]
    assert expected == [answer.fits for answer in answers]
    if not vector.compares_allowed_alone:
        for row, answer in zip(vector.expected, answers, strict=True):
            assert row.remaining == answer.remaining
            assert_close(row.retry_after_us, answer.wait_us)
            assert_close(row.delay_us or 0, answer.delay_us)


@vectors
def test_a_peek_before_each_call_of_a_vector_says_what_the_call_is_answered(vector):
    asker = Asker(Limit(scope="vectors", name="only", rule=vector.rule))

    for now_us, cost in vector.events:
        seen, answer = one(asker.peek(cost, now_us=now_us)), one(asker.consume(cost, now_us=now_us))

        assert seen.fits == answer.fits
        assert seen.wait_us == answer.wait_us
        assert seen.delay_us == answer.delay_us


def assert_close(expected_us, actual_us):
    if expected_us is None:
        assert actual_us is None
    else:
        assert actual_us is not None
        assert abs(expected_us - actual_us) <= TOLERANCE_US
