from __future__ import annotations

import random
from datetime import timedelta
from zoneinfo import ZoneInfo

import pytest

from quotas.domain.keys import Subject
from quotas.domain.limits import (
    CalendarQuota,
    Concurrency,
    DenyAll,
    FixedWindow,
    LeakyBucket,
    SlidingWindowCounter,
    SlidingWindowLog,
    TokenBucket,
    Unlimited,
)
from quotas.domain.policies import Limit
from quotas.domain.words import Algorithm, CalendarUnit, Mode
from quotas.engine import limiter
from quotas.engine.bundle import Asked, pack
from quotas.engine.connection import link
from quotas.services.simulation.events import BadLine, Event
from quotas.services.simulation.replay import Replay

UTC = ZoneInfo("UTC")
START_US = 1_793_059_200_000_000
SECOND = timedelta(seconds=1)
RULES = {
    "bucket": TokenBucket(amount=7, period=3 * SECOND, capacity=5),
    "queue": LeakyBucket(amount=5, period=2 * SECOND, capacity=6),
    "window": FixedWindow(amount=9, period=4 * SECOND),
    "counter": SlidingWindowCounter(amount=11, period=5 * SECOND),
    "log": SlidingWindowLog(amount=8, period=3 * SECOND),
    "slots": Concurrency(amount=4, period=2 * SECOND),
}


def limit(rule, name="limit", **fields):
    return Limit(scope="api", name=name, rule=rule, **fields)


def event(at_us, subject="a", cost=1):
    return Event(at=f"{at_us / 1e6}", at_us=at_us, subject=subject, cost=cost)


def replayed(limits, events, at_once=50, **fields):
    decisions = []
    with Replay(limits, **{"zone": UTC, **fields}) as replay:
        for start in range(0, len(events), at_once):
            decisions += replay.decide(events[start : start + at_once])
    assert keys() == []
    return decisions


def keys():
    return list(link().client.scan_iter(match="*scratch-*"))


def answers(decisions):
    """What the decisions say, without the instants that they say it of."""
    return [
        (each.outcome, each.retry_after_us, each.delay_us, [v.remaining for v in each.verdicts])
        for each in decisions
    ]


def random_events(seed, number=150):
    draw = random.Random(seed)
    at_us = START_US
    events = []
    for _ in range(number):
        at_us += draw.choice([0, 1, 999, 10_000, 300_000, 2_500_000, -400_000])
        events.append(event(at_us, draw.choice("ab"), draw.choice([0, 1, 1, 1, 2, 3, 20])))
    return events


@pytest.mark.parametrize("names", [*([name] for name in RULES), list(RULES)], ids="-".join)
def test_a_replay_answers_as_the_limiter_does_call_by_call(names):
    limits = [limit(RULES[name], name) for name in names]
    events = random_events(seed=len(names))
    bundle = pack([Asked(each, "subject") for each in limits])

    expected = [
        limiter.consume(
            bundle,
            {"subject": Subject("scratch-peer", each.subject)},
            [each.cost] * len(limits),
            now_us=each.at_us,
        )
        for each in events
    ]

    link().client.delete(*keys())
    assert answers(expected) == answers(replayed(limits, events))


@pytest.mark.parametrize("name", RULES)
def test_time_may_be_counted_from_zero(name):
    later = 40 * 366 * 24 * 3600 * 1_000_000 // 60_000_000 * 60_000_000
    offsets = [0, 0, 1, 250_000, 1_000_000, 1_999_999, 2_000_000, 3_000_000, 5_000_001]
    events = [event(offset, cost=2) for offset in offsets]
    moved = [event(later + offset, cost=2) for offset in offsets]

    expected = answers(replayed([limit(RULES[name])], moved))

    assert expected == answers(replayed([limit(RULES[name])], events))


def test_periods_without_a_common_multiple_take_no_time_near_the_epoch():
    odd = [
        limit(FixedWindow(amount=2, period=timedelta(seconds=86_399, microseconds=999_999)), "a"),
        limit(FixedWindow(amount=2, period=timedelta(seconds=100, microseconds=7)), "b"),
    ]
    with Replay(odd, zone=UTC) as replay:
        with pytest.raises(BadLine, match="no time before 1973"):
            replay.admit(event(5))
        recent = event(START_US)
        assert recent == replay.admit(recent)
        assert replay.decide([recent])[0].allowed


def test_a_calendar_quota_begins_anew_in_the_given_zone_and_from_the_anchor_day():
    quota = limit(CalendarQuota(amount=1, unit=CalendarUnit.MONTH))
    ends_us = 1_796_338_800_000_000  # 2026-12-04 00:00 in Berlin
    instants = [ends_us - 2, ends_us - 1, ends_us, ends_us + 1]

    decisions = replayed(
        [quota], [event(at) for at in instants], zone=ZoneInfo("Europe/Berlin"), anchor_day=4
    )

    assert [True, False, True, False] == [decision.allowed for decision in decisions]
    assert decisions[1].retry_after_us == 1


@pytest.mark.parametrize("unit", CalendarUnit)
def test_calendar_quotas_hold_over_years_and_at_the_epoch(unit):
    quota = limit(CalendarQuota(amount=1, unit=unit))
    year_us = 366 * 24 * 3600 * 1_000_000
    instants = [0, 1, year_us, 30 * year_us, 119 * year_us, 29 * year_us]

    decisions = replayed([quota], [event(at) for at in instants], zone=ZoneInfo("Asia/Kathmandu"))

    # The last one comes too late: its state is in the period of the one before.
    assert [True, False, True, True, True, False] == [each.allowed for each in decisions]


def test_several_limits_are_charged_all_or_none_and_shadow_limits_never_deny():
    limits = [
        limit(FixedWindow(amount=5, period=timedelta(days=1)), "day"),
        limit(FixedWindow(amount=2, period=60 * SECOND), "minute"),
        limit(FixedWindow(amount=1, period=60 * SECOND), "trial", mode=Mode.SHADOW),
    ]
    seconds = [0, 1, 2, 3, 4, 70, 71, 72, 140, 141, 142]

    decisions = replayed(limits, [event(START_US + second * 10**6) for second in seconds])

    expected = [True, True, False, False, False, True, True, False, True, False, False]
    assert expected == [decision.allowed for decision in decisions]
    assert [4, 3] == [decision.verdicts[0].remaining for decision in decisions[:2]]


def test_deny_all_and_unlimited_are_replayed_too():
    deny = limit(DenyAll(algorithm=Algorithm.FIXED_WINDOW), "none")
    free = [
        limit(Unlimited(algorithm=Algorithm.TOKEN_BUCKET, period=SECOND), "bucket"),
        limit(Unlimited(algorithm=Algorithm.CALENDAR_QUOTA, unit=CalendarUnit.DAY), "day"),
    ]

    assert replayed([deny], [event(0)])[0].retry_after_us is None
    assert replayed(free, [event(0, cost=10**9)])[0].allowed
    assert replayed([], [event(0)])[0].allowed


def test_an_error_on_the_way_leaves_no_key():
    def fail(replay):
        with replay:
            replay.decide([event(START_US)])
            assert keys() != []
            raise RuntimeError("on the way")

    with pytest.raises(RuntimeError, match="on the way"):
        fail(Replay([limit(RULES["log"])], zone=UTC))

    assert keys() == []
