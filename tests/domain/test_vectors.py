from __future__ import annotations

from decimal import Decimal

import pytest

from quotas.domain.reference import Reference
from tests.vectors_reading import exact_us, read_vectors

TOLERANCE_US = 2

vectors = pytest.mark.parametrize(
    "vector", [pytest.param(vector, id=vector.id) for vector in read_vectors()]
)


@vectors
def test_the_reference_answers_as_the_vector_says(vector):
    limit = Reference(vector.rule)

    judgements = [limit.consume(cost, at_us) for at_us, cost in vector.events]

    expected = [row.allowed for row in vector.expected]
    assert expected == [judgement.fits for judgement in judgements]
    if not vector.compares_allowed_alone:
        for row, judgement in zip(vector.expected, judgements, strict=True):
            assert row.remaining == judgement.remaining
            assert_close(row.retry_after_us, judgement.wait_us)
            assert_close(row.delay_us or 0, judgement.delay_us)


@vectors
def test_every_call_of_a_vector_has_its_answer(vector):
    assert len(vector.events) == len(vector.expected) > 0


def test_a_fraction_of_a_microsecond_in_a_vector_is_refused():
    with pytest.raises(ValueError, match="correct the vector"):
        exact_us(Decimal("0.0000001"))


def assert_close(expected_us, actual_us):
    if expected_us is None:
        assert actual_us is None
    else:
        assert actual_us is not None
        assert abs(expected_us - actual_us) <= TOLERANCE_US
