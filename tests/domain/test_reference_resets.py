"""The ``t`` of the headers, as each algorithm reckons it; and the counter's worked example."""

from __future__ import annotations

import pytest

from tests.domain.calls import admitted, at, limit, us

LOG, COUNTER, FIXED = "sliding_window_log", "sliding_window_counter", "fixed_window"
TOKENS, LEAKY = "token_bucket", "leaky_bucket"


@pytest.mark.parametrize(
    ("algorithm", "used_at", "asked_at", "remaining", "reset"),
    [
        pytest.param(FIXED, [], 10, 4, 50, id="fixed-untouched-to-the-window's-end"),
        pytest.param(FIXED, [5, 5], 10, 2, 50, id="fixed-to-the-window's-end"),
        pytest.param(LOG, [], 10, 4, 60, id="log-untouched-its-period"),
        pytest.param(LOG, [5, 8], 10, 2, 55, id="log-until-the-oldest-leaves"),
        pytest.param(LOG, [5, 8, 8, 9], 10, 0, 55, id="log-full-until-one-fits"),
        pytest.param(COUNTER, [], 10, 4, 60, id="counter-untouched-its-period"),
        pytest.param(COUNTER, [5, 8], 10, 2, 80, id="counter-until-one-unit-is-overlapped-less"),
        pytest.param(TOKENS, [], 10, 4, 15, id="bucket-full-time-to-gain-one"),
        pytest.param(TOKENS, [10, 10], 10, 2, 15, id="bucket-until-one-token-more"),
        pytest.param(TOKENS, [0, 0, 0], 10, 1, 5, id="bucket-part-of-a-token-is-there"),
        pytest.param(LEAKY, [], 10, 4, 15, id="leaky-empty-time-to-leak-one"),
        pytest.param(LEAKY, [0, 0, 0], 10, 1, 5, id="leaky-until-one-place-more"),
    ],
)
def test_the_reset_is_the_time_until_more_fits(algorithm, used_at, asked_at, remaining, reset):
    quota = limit(algorithm, 4, 60)
    admitted(quota, used_at)

    now = quota.judge(0, at(asked_at))

    assert (remaining, us(reset)) == (now.remaining, now.reset_us)


def test_a_log_lowered_below_its_use_resets_when_one_unit_fits():
    window = limit(LOG, 4, 60)
    admitted(window, [0, 1, 2, 3])

    window.edit(limit(LOG, 2, 60).rule)

    now = window.judge(0, at(10))
    assert (0, us(52)) == (now.remaining, now.reset_us)


def test_a_counter_holds_the_share_of_the_previous_window_that_is_overlapped():
    window = limit(COUNTER, 100, 60)
    window.consume(80, at(30))
    window.consume(30, at(75))

    now = window.judge(0, at(75))

    assert 100 - (30 + 80 * 0.75) == now.remaining


def test_a_counter_rounds_the_share_up():
    window = limit(COUNTER, 10, 60)
    window.consume(1, at(59))

    assert window.judge(0, at(119.999_999)).remaining == 9
    assert window.judge(0, at(120)).remaining == 10


def test_a_counter_forgets_a_window_that_is_not_the_previous_one():
    window = limit(COUNTER, 10, 60)
    window.consume(10, at(0))

    assert window.judge(0, at(121)).remaining == 10
