from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from quotas.domain.binding import Flaw, flags, more_in_less, never_binds
from quotas.domain.limits import CalendarQuota, DenyAll, Unlimited
from quotas.domain.policies import Limit
from quotas.domain.reference import Reference, ReferenceSet
from quotas.domain.rules import build_rule
from quotas.domain.words import Algorithm, CalendarUnit, Mode, OutagePolicy, SubjectKind
from tests.domain.calls import START_US, rule
from tests.domain.drawn import unhurried

MINUTE, HOUR, DAY = 60, 3600, 86_400
RATES = [each for each in Algorithm if each not in {"calendar_quota", "concurrency"}]
ALL_DENIED = DenyAll(algorithm=Algorithm.TOKEN_BUCKET)
NO_END = Unlimited(algorithm=Algorithm.FIXED_WINDOW, period=timedelta(minutes=1))


def a_limit(judged, name="one", **fields):
    return Limit(**{"scope": "api", "name": name, "rule": judged, **fields})


def quota(amount, unit):
    return CalendarQuota(amount=amount, unit=CalendarUnit(unit))


@pytest.mark.parametrize(
    ("judged", "other", "never"),
    [
        pytest.param(
            rule("fixed_window", 600, HOUR), rule("fixed_window", 10, MINUTE), True, id="aligned"
        ),
        pytest.param(
            rule("fixed_window", 599, HOUR), rule("fixed_window", 10, MINUTE), False, id="one-less"
        ),
        pytest.param(
            rule("sliding_window_log", 600, HOUR),
            rule("fixed_window", 10, MINUTE),
            False,
            id="an-hour-touches-61-minutes",
        ),
        pytest.param(
            rule("sliding_window_log", 610, HOUR),
            rule("fixed_window", 10, MINUTE),
            True,
            id="61-minutes",
        ),
        pytest.param(
            rule("sliding_window_log", 120, MINUTE),
            rule("token_bucket", 100, MINUTE, capacity=20),
            True,
            id="burst-and-refill",
        ),
        pytest.param(
            rule("sliding_window_log", 119, MINUTE),
            rule("token_bucket", 100, MINUTE, capacity=20),
            False,
            id="less-than-burst-and-refill",
        ),
        pytest.param(
            rule("token_bucket", 100, MINUTE, capacity=20),
            rule("token_bucket", 1, 1, capacity=20),
            True,
            id="slower-bucket",
        ),
        pytest.param(
            rule("token_bucket", 100, MINUTE, capacity=20),
            rule("token_bucket", 1, 1, capacity=21),
            False,
            id="larger-bucket",
        ),
        pytest.param(
            rule("token_bucket", 10, MINUTE, capacity=10),
            rule("fixed_window", 10, MINUTE),
            False,
            id="twice-around-an-edge",
        ),
        pytest.param(
            rule("sliding_window_counter", 19, MINUTE),
            rule("sliding_window_log", 10, MINUTE),
            False,
            id="counter-weighs-two-windows",
        ),
        pytest.param(quota(5_000, "month"), rule("fixed_window", 1, HOUR), True, id="month"),
        pytest.param(rule("fixed_window", 5, HOUR), quota(1, "day"), False, id="cut-short"),
        pytest.param(quota(32, "month"), quota(1, "day"), True, id="days-of-a-month"),
        pytest.param(quota(10, "day"), quota(10, "month"), False, id="month-before-day"),
        pytest.param(quota(10, "day"), quota(10, "day"), True, id="same-quota"),
        pytest.param(
            rule("concurrency", 5, 60), rule("concurrency", 4, 60), True, id="fewer-in-flight"
        ),
        pytest.param(
            rule("concurrency", 5, 60), rule("concurrency", 4, 30), False, id="shorter-lease"
        ),
        pytest.param(
            rule("concurrency", 5, 60), rule("fixed_window", 1, 60), False, id="rate-in-flight"
        ),
        pytest.param(rule("fixed_window", 5, HOUR), ALL_DENIED, True, id="all-denied-already"),
        pytest.param(ALL_DENIED, ALL_DENIED, False, id="denies-all"),
        pytest.param(NO_END, rule("fixed_window", 5, HOUR), False, id="never-meant-to-bind"),
        pytest.param(rule("fixed_window", 5, HOUR), NO_END, False, id="beside-no-limit"),
    ],
)
def test_only_a_limit_that_cannot_deny_is_said_never_to_bind(judged, other, never):
    assert never is never_binds(a_limit(judged), a_limit(other, "other"))


@pytest.mark.parametrize(
    ("fields", "others", "never"),
    [
        ({}, {}, True),
        ({}, {"scope": "*"}, True),
        ({"scope": "*"}, {}, False),
        ({}, {"scope": "else"}, False),
        ({"subject": SubjectKind.USER}, {}, True),
        ({"subject": SubjectKind.ADDRESS}, {}, False),
        ({}, {"subject": SubjectKind.USER}, False),
        ({}, {"mode": Mode.SHADOW}, False),
        ({}, {"mode": Mode.OFF}, False),
        ({"mode": Mode.SHADOW}, {}, True),
        ({"mode": Mode.OFF}, {}, False),
        ({"outage_policy": OutagePolicy.DENY}, {}, False),
        ({"outage_policy": OutagePolicy.DENY}, {"outage_policy": OutagePolicy.DENY}, True),
    ],
)
def test_only_what_counts_the_same_calls_and_denies_can_come_first(fields, others, never):
    limit = a_limit(rule("fixed_window", 10, 60), **fields)
    other = a_limit(rule("fixed_window", 9, 60), "other", **others)

    assert never is never_binds(limit, other)


@st.composite
def small(draw):
    algorithm = draw(st.sampled_from(RATES))
    bucket = algorithm in {Algorithm.TOKEN_BUCKET, Algorithm.LEAKY_BUCKET}
    return build_rule(
        algorithm=algorithm,
        amount=draw(st.integers(1, 12)),
        period=timedelta(microseconds=draw(st.sampled_from([2, 3, 4, 6, 12]))),
        capacity=draw(st.integers(1, 12)) if bucket else None,
    )


@unhurried
@given(
    judged=small(),
    other=small(),
    offset=st.integers(0, 12),
    steps=st.lists(st.integers(0, 12), min_size=3, max_size=8),
)
def test_what_is_said_never_to_bind_denies_nothing_that_the_other_admits(
    judged, other, offset, steps
):
    assume(never_binds(a_limit(judged), a_limit(other, "other")))
    mine, its = Reference(judged), Reference(other)
    both, now_us = ReferenceSet([mine, its]), START_US + offset

    for step in steps:
        now_us += step
        while its.judge(1, now_us).fits:  # all that the other gives
            assert mine.judge(1, now_us).fits
            both.consume([1, 1], now_us)


@pytest.mark.parametrize(
    ("judged", "other", "odd"),
    [
        (rule("fixed_window", 1000, HOUR), quota(500, "day"), True),
        (rule("fixed_window", 500, HOUR), quota(500, "day"), False),
        (quota(500, "day"), rule("fixed_window", 1000, HOUR), False),
        (rule("concurrency", 1000, HOUR), quota(500, "day"), False),
    ],
)
def test_more_in_a_shorter_period_than_in_a_longer_is_a_contradiction(judged, other, odd):
    assert odd is more_in_less(a_limit(judged), a_limit(other, "other"))


def test_of_two_alike_the_later_is_flagged_and_of_two_flaws_the_first():
    limits = [
        a_limit(rule("fixed_window", 10, MINUTE), "a"),
        a_limit(rule("fixed_window", 10, MINUTE), "b"),
        a_limit(rule("fixed_window", 5, DAY), "c"),
    ]

    told = [[(flag.flaw, flag.other.name) for flag in each] for each in flags(limits)]

    never = Flaw.NEVER_BINDS
    assert [[(never, "c")], [(never, "a")], []] == told
