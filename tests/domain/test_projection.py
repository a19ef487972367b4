from __future__ import annotations

import pytest

from quotas.domain.projection import reached_at_us, used_at_end

START, END = 1_000, 31_000
SPAN = {"start_us": START, "end_us": END}


@pytest.mark.parametrize(
    ("used", "now", "expected"),
    [
        pytest.param(500, START + 15_000, None, id="just-at-the-end"),
        pytest.param(501, START + 15_000, START + 29_941, id="a-little-before-the-end"),
        pytest.param(750, START + 15_000, START + 20_000, id="after-two-thirds"),
        pytest.param(999, START + 15_000, START + 15_016, id="soon"),
        pytest.param(1_000, START + 15_000, START + 15_000, id="now"),
        pytest.param(2_000, START + 15_000, START + 15_000, id="long-since"),
        pytest.param(0, START + 15_000, None, id="nothing-used"),
        pytest.param(900, START + 2_999, None, id="too-early-to-say"),
        pytest.param(900, START + 3_000, START + 3_334, id="a-tenth-has-passed"),
        pytest.param(900, START, None, id="the-first-instant"),
    ],
)
def test_the_amount_is_reached_when_the_pace_so_far_leads_there(used, now, expected):
    assert expected == reached_at_us(used=used, amount=1_000, now_us=now, **SPAN)


def test_what_is_reached_is_never_before_now_nor_at_the_end_or_later():
    for used in range(0, 1_200, 7):
        for now in range(START, END, 1_111):
            at = reached_at_us(used=used, amount=1_000, now_us=now, **SPAN)
            assert at is None or now <= at < END


def test_a_pace_that_reaches_the_amount_ends_at_the_amount_or_above():
    for used in range(0, 1_200, 7):
        for now in range(START + 3_000, END, 1_111):
            at = reached_at_us(used=used, amount=1_000, now_us=now, **SPAN)
            at_end = used_at_end(used=used, now_us=now, **SPAN)
            assert at_end >= used
            assert at_end >= 1_000 if at is not None else at_end <= 1_000


def test_no_end_is_told_before_a_tenth_of_the_period():
    assert used_at_end(used=900, now_us=START + 2_999, **SPAN) is None
    assert 9_000 == used_at_end(used=900, now_us=START + 3_000, **SPAN)
