from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quotas.domain.projection import reached_at_us

START, END = 1_000_000, 11_000_000
TENTH = START + 1_000_000


def projected(**fields):
    values = {"used": 50, "amount": 100, "start_us": START, "now_us": START + 2_000_000}
    return reached_at_us(**{**values, "end_us": END, **fields})


def test_half_used_in_a_fifth_of_the_period_is_all_used_in_two_fifths():
    assert START + 4_000_000 == projected()


def test_an_instant_between_two_microseconds_is_the_later_one():
    assert START + 3_333_334 == projected(used=60)


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param({"used": 0}, id="nothing-used"),
        pytest.param({"used": 20}, id="reached-when-the-period-ends"),
        pytest.param({"used": 19}, id="not-reached-in-the-period"),
        pytest.param({"used": 100}, id="reached-already"),
        pytest.param({"used": 130}, id="above-already"),
        pytest.param({"used": 0, "amount": 0}, id="nothing-to-use"),
        pytest.param({"used": 99, "now_us": TENTH - 1}, id="less-than-a-tenth-has-passed"),
        pytest.param({"now_us": START}, id="just-begun"),
        pytest.param({"now_us": END}, id="over"),
        pytest.param({"now_us": START - 1}, id="not-begun"),
    ],
)
def test_nothing_is_projected(fields):
    assert projected(**fields) is None


def test_a_tenth_of_the_period_is_enough_to_judge():
    assert projected(used=99, now_us=TENTH) is not None


@given(
    used=st.integers(1, 10**12),
    more=st.integers(1, 10**12),
    length=st.integers(10, 10**14),
    part=st.fractions(0, 1),
)
def test_what_is_projected_lies_ahead_and_within_the_period(used, more, length, part):
    now_us = START + int(length * part)

    found = reached_at_us(
        used=used, amount=used + more, start_us=START, now_us=now_us, end_us=START + length
    )

    assert found is None or now_us < found < START + length
