"""What is told after a clock has stepped back, and counted after a key has gone alone."""

from __future__ import annotations

import pytest

from quotas.engine.connection import link
from tests.engine.asking import Asker, limit

PERIODIC = [
    "token_bucket",
    "leaky_bucket",
    "fixed_window",
    "sliding_window_counter",
    "sliding_window_log",
    "calendar_quota",
]


@pytest.mark.parametrize("algorithm", PERIODIC)
@pytest.mark.parametrize("behind", [1, 3600, 86_400], ids=["second", "hour", "day"])
def test_who_waits_as_told_after_the_clock_stepped_back_is_admitted(algorithm, behind):
    asker = Asker(limit(algorithm, 3))
    asker.consume(3, 7)

    told = asker.consume(1, 7 - behind).retry_after_us

    assert not asker.consume(1, 7 - behind + (told - 1) / 1e6).allowed
    assert asker.consume(1, 7 - behind + told / 1e6).allowed


def test_a_log_whose_list_has_gone_counts_what_is_there():
    asker = Asker(
        limit("sliding_window_log", 10, 60, name="log"), limit("token_bucket", 100, 3600, name="b")
    )
    asker.consume(5)

    link().client.delete(*[name for name in asker.key_names() if ":l:" in name])

    assert [9, 8, 7] == [asker.consume(1, 20 * turn).verdicts[0].remaining for turn in (1, 2, 3)][
        :3
    ]
    assert 7 == asker.consume(1, 85).verdicts[0].remaining


def test_a_log_whose_cell_has_gone_forgets_its_list_too():
    asker = Asker(limit("sliding_window_log", 10, 60))
    asker.consume(5)

    link().client.delete(*[name for name in asker.key_names() if ":c:" in name])

    assert [9, 8, 7] == [asker.consume(1, turn).verdicts[0].remaining for turn in (30, 59, 61)]


def test_a_log_whose_period_was_raised_after_its_list_had_ended_lets_go_of_it():
    bucket = limit("token_bucket", 100, 3600, name="b")
    asker = Asker(limit("sliding_window_log", 10, 0.5, name="log"), bucket)
    asker.consume(5)
    link().client.delete(*[name for name in asker.key_names() if ":l:" in name])  # it has ended

    asker.edit(limit("sliding_window_log", 10, 2, name="log"), bucket)

    seen = [asker.consume(1, 0.8 + turn).verdicts[0].remaining for turn in range(4)]
    assert [9, 8, 8, 8] == seen
