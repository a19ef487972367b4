"""Buckets at their hardest edges, against fractions that nothing rounds."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor
from random import Random

import pytest

from tests.domain.calls import START_US, limit

HOUR, MONTH, YEAR = 3600, 30 * 86_400, 365 * 86_400
STEPS = 20_000
HARD_EDGES = pytest.mark.parametrize(
    ("amount", "seconds", "capacity"),
    [
        pytest.param(7, HOUR, 7, id="7-an-hour"),
        pytest.param(1, YEAR, 1, id="1-a-year"),
        pytest.param(10**6, MONTH, 10**6, id="1000000-a-month"),
        pytest.param(1_000_003, YEAR, 10**6, id="1000003-a-year"),
    ],
)


@dataclass
class FractionalBucket:
    """The textbook's token bucket, with a level that is a fraction."""

    rate: Fraction
    capacity: int
    level: Fraction
    at_us: int

    def consume(self, cost, now_us):
        """(fits, remaining, wait in us) of a call; time must not run back."""
        level = min(Fraction(self.capacity), self.level + (now_us - self.at_us) * self.rate)
        if cost <= level:
            self.level, self.at_us = level - cost, now_us
            return True, floor(self.level), 0
        return False, floor(level), ceil((cost - level) / self.rate)


@HARD_EDGES
def test_20000_decisions_equal_those_of_a_bucket_of_fractions(amount, seconds, capacity):
    fair = Random(f"{amount} in {seconds}")
    reference = limit("token_bucket", amount, seconds, capacity=capacity)
    rate = Fraction(amount, seconds * 10**6)
    model = FractionalBucket(rate, capacity, Fraction(capacity), START_US)
    a_unit_us = ceil(1 / rate)
    now_us = START_US
    for _ in range(STEPS):
        cost = 1 if fair.random() < 0.99 else fair.randint(1, capacity)
        now_us += fair.randint(0, 2 * a_unit_us)

        judgement = reference.consume(cost, now_us)

        assert model.consume(cost, now_us) == (
            judgement.fits,
            judgement.remaining,
            judgement.wait_us,
        )


@HARD_EDGES
@pytest.mark.parametrize("algorithm", ["token_bucket", "leaky_bucket"])
def test_after_20000_decisions_nothing_is_lost_or_won(algorithm, amount, seconds, capacity):
    fair = Random(f"{amount} in {seconds}")
    reference = limit(algorithm, amount, seconds, capacity=capacity)
    rate = Fraction(amount, seconds * 10**6)
    now_us, held = START_US, capacity
    reference.consume(held, now_us)
    for _ in range(STEPS):
        # Calls further apart could meet a bucket that overflows, and lose what it cannot hold.
        now_us += fair.randint(0, reference.judge(0, now_us).reset_us)
        held += reference.consume(1, now_us).fits

    expected = capacity - held + (now_us - START_US) * rate
    assert floor(expected) == reference.judge(0, now_us).remaining
    due_us = ceil((1 - (expected - floor(expected))) / rate)
    assert due_us == reference.judge(0, now_us).reset_us


@HARD_EDGES
def test_every_token_comes_in_its_microsecond(amount, seconds, capacity):
    emptied = limit("token_bucket", amount, seconds, capacity=capacity)
    emptied.consume(capacity, START_US)

    for token in {1, 2, 3, capacity // 2, capacity - 1, capacity} & set(range(1, capacity + 1)):
        due_us = ceil(Fraction(token * seconds * 10**6, amount))
        assert not emptied.judge(token, START_US + due_us - 1).fits
        assert emptied.judge(token, START_US + due_us).fits


def test_seven_an_hour_is_as_exact_in_the_year_9000_as_in_1970():
    reference = limit("token_bucket", 7, HOUR, capacity=7)

    for year in range(0, 8000, 1000):
        now_us = year * YEAR * 10**6
        assert reference.consume(7, now_us).remaining == 0
        assert reference.judge(1, now_us).wait_us == ceil(Fraction(HOUR * 10**6, 7))
