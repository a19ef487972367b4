"""However many ask at once, exactly as much is admitted as the limit says."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from quotas.domain.words import Algorithm
from tests import START_US
from tests.engine.asking import Asker, limit, one, remaining
from tests.engine.crowd import crowd

DAY = 86_400
HUNDRED_A_DAY = [
    pytest.param(dict(algorithm=each.value, amount=100, seconds=DAY), id=each.value)
    for each in Algorithm
]


@pytest.mark.parametrize("numbers", HUNDRED_A_DAY)
def test_16_processes_of_50_calls_are_admitted_exactly_100(numbers):
    counts = crowd([numbers], processes=16, calls=50, now_us=START_US)

    assert 100 == sum(counts)
    assert 0 == one(Asker(limit(**numbers)).peek()).remaining


def test_16_processes_of_50_calls_against_every_algorithm_at_once_are_admitted_exactly_100():
    mixed = [
        dict(algorithm=each.value, amount=100, seconds=DAY, name=each.value.replace("_", "-"))
        for each in Algorithm
    ]

    counts = crowd(mixed, processes=16, calls=50, now_us=START_US)

    assert 100 == sum(counts)
    assert {0} == set(remaining(Asker(*(limit(**each) for each in mixed)).peek()))


def test_what_one_limit_denies_is_charged_to_none_in_a_crowd():
    roomy = dict(algorithm="token_bucket", amount=500, seconds=DAY, name="roomy")
    tight = dict(algorithm="sliding_window_log", amount=100, seconds=DAY, name="tight")

    counts = crowd([roomy, tight], processes=8, calls=50, now_us=START_US)

    assert 100 == sum(counts)
    assert [400, 0] == remaining(Asker(limit(**roomy), limit(**tight)).peek())


def test_calls_of_cost_3_are_admitted_as_often_as_3_goes_into_the_amount():
    numbers = dict(algorithm="sliding_window_counter", amount=100, seconds=DAY)

    counts = crowd([numbers], processes=8, calls=20, cost=3, now_us=START_US)

    assert 33 == sum(counts)
    assert 1 == one(Asker(limit(**numbers)).peek()).remaining


@pytest.mark.parametrize(
    "numbers",
    [
        pytest.param(
            dict(algorithm="token_bucket", amount=1, seconds=365 * DAY, capacity=3_000), id="bucket"
        ),
        pytest.param(dict(algorithm="sliding_window_log", amount=3_000, seconds=DAY), id="log"),
    ],
)
def test_10_000_contenders_over_8_processes_are_admitted_exactly_as_many_as_fit(numbers):
    counts = crowd([numbers], processes=8, calls=1_250)

    assert 3_000 == sum(counts)


R1 = [
    pytest.param(dict(algorithm="sliding_window_log", amount=50), id="window"),
    pytest.param(dict(algorithm="token_bucket", amount=1, seconds=3600, capacity=50), id="bucket"),
]


@pytest.mark.parametrize("numbers", R1)
def test_R1_20_threads_of_10_requests_are_admitted_exactly_50(numbers):
    asker = Asker(limit(**numbers))

    with ThreadPoolExecutor(20) as pool:
        allowed = list(pool.map(lambda _: asker.consume().allowed, range(200)))

    assert (50, 150) == (allowed.count(True), allowed.count(False))
    verdict = one(asker.peek())
    assert (0, 50) == (verdict.remaining, verdict.used)


@pytest.mark.parametrize("numbers", R1)
def test_R1_two_processes_of_10_threads_are_admitted_exactly_50(numbers):
    counts = crowd([numbers], processes=2, threads=10, calls=10, now_us=START_US)

    assert 50 == sum(counts)
    verdict = one(Asker(limit(**numbers)).peek())
    assert (0, 50) == (verdict.remaining, verdict.used)


def test_R2_requests_of_one_instant_are_counted_each():
    asker = Asker(limit("sliding_window_log", 5))

    allowed = [asker.consume().allowed for _ in range(8)]

    assert [True] * 5 + [False] * 3 == allowed
    verdict = one(asker.peek())
    assert (5, 0) == (verdict.used, verdict.remaining)
