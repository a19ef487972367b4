from __future__ import annotations

import time
from datetime import timedelta

import pytest

from quotas.domain.limits import CalendarQuota, Concurrency, FixedWindow, SlidingWindowLog
from quotas.domain.policies import Limit
from quotas.domain.words import CalendarUnit
from quotas.engine import scratch as scratch_module
from quotas.engine.bundle import Asked, pack
from quotas.engine.connection import link
from quotas.engine.scratch import LIFE, Call, Scratch, StatesLost
from quotas.errors import EngineUnavailable

START_US = 1_793_059_200_000_000
DAY_US = 24 * 3600 * 1_000_000
MINUTE = timedelta(minutes=1)
TEN_A_MINUTE = FixedWindow(amount=10, period=MINUTE)


def bundle_of(*rules):
    limits = [
        Limit(scope="api", name=f"limit-{number}", rule=rule) for number, rule in enumerate(rules)
    ]
    edges = (
        START_US - 366 * DAY_US,
        START_US - 9,
        START_US + 365 * DAY_US,
        START_US + 730 * DAY_US,
    )
    return pack(
        [Asked(limit, "subject") for limit in limits], edges_of={CalendarUnit.YEAR: edges}.get
    )


def calls(number, bundle=None, subject="a", cost=1):
    bundle = bundle or bundle_of(TEN_A_MINUTE)
    return [Call(bundle, subject, cost, START_US + at) for at in range(number)]


def keys(tag):
    return list(link().client.scan_iter(match=f"*{tag}*"))


@pytest.fixture
def scratch():
    made = Scratch()
    yield made
    made.remove()
    assert keys(made.tag) == []


@pytest.fixture
def sent(monkeypatch):
    """What goes to Redis: a list of functions, each given the commands of one pipeline."""
    changes = []
    unchanged = scratch_module._pipeline

    def pipeline(commands):
        return changes.pop(0)(list(commands), unchanged) if changes else unchanged(commands)

    monkeypatch.setattr(scratch_module, "_pipeline", pipeline)
    return changes


def test_calls_are_decided_in_their_order(scratch):
    decisions = scratch.consume(calls(12))

    assert [True] * 10 + [False] * 2 == [decision.allowed for decision in decisions]
    assert list(range(9, -1, -1)) == [each.verdicts[0].remaining for each in decisions[:10]]


def test_subjects_are_counted_apart_whatever_their_text(scratch):
    names = ["a", "", "*", "a:b", "{a}", "東京", "\ud800", "a" * 5000, "a" * 4999 + "b", "~a"]

    decisions = [scratch.consume(calls(1, subject=name))[0] for name in names * 2]

    assert [9] * 10 + [8] * 10 == [decision.verdicts[0].remaining for decision in decisions]


def test_two_replays_do_not_see_each_other(scratch):
    other = Scratch()
    scratch.consume(calls(10))

    decisions = other.consume(calls(1))

    other.remove()
    assert decisions[0].verdicts[0].remaining == 9
    assert len(keys(scratch.tag)) == 1


def test_each_call_takes_a_place_in_flight_of_its_own(scratch):
    bundle = bundle_of(Concurrency(amount=3, period=MINUTE))

    decisions = scratch.consume(calls(4, bundle))

    assert [True, True, True, False] == [decision.allowed for decision in decisions]


@pytest.mark.parametrize(
    "rule",
    [
        pytest.param(FixedWindow(amount=10, period=timedelta(microseconds=1)), id="a-microsecond"),
        pytest.param(CalendarQuota(amount=10, unit=CalendarUnit.YEAR), id="a-year"),
        pytest.param(SlidingWindowLog(amount=10, period=timedelta(days=300)), id="long-log"),
        pytest.param(Concurrency(amount=10, period=timedelta(days=300)), id="long-lease"),
    ],
)
def test_every_key_lives_two_hours_of_real_time_however_long_it_matters(scratch, rule):
    scratch.consume(calls(3, bundle_of(rule)))

    left = [link().client.ttl(key) for key in keys(scratch.tag)]
    assert left
    assert all(LIFE - 60 < each <= LIFE for each in left)


def test_states_are_renewed_when_a_replay_takes_long(scratch, monkeypatch):
    scratch.consume(calls(5, bundle_of(TEN_A_MINUTE, Concurrency(amount=10, period=MINUTE))))
    for key in keys(scratch.tag):
        link().client.expire(key, 100)
    later = time.time() + 30 * 60
    monkeypatch.setattr(time, "time", lambda: later)

    scratch.consume([])

    left = [link().client.ttl(key) for key in keys(scratch.tag)]
    assert len(left) == 2
    assert min(left) > LIFE - 60


def test_a_replay_that_stood_still_too_long_is_not_gone_on_from(scratch, monkeypatch):
    scratch.consume(calls(1))
    later = time.time() + LIFE
    monkeypatch.setattr(time, "time", lambda: later)

    with pytest.raises(StatesLost, match=r"stood still for 2\.0 hours"):
        scratch.consume(calls(1))


def test_forgotten_scripts_are_loaded_again_between_calls(scratch):
    scratch.consume(calls(4))
    link().client.script_flush()

    decisions = scratch.consume(calls(4))

    assert [5, 4, 3, 2] == [decision.verdicts[0].remaining for decision in decisions]


def test_scripts_forgotten_in_the_middle_lose_no_call_and_double_none(scratch, sent):
    scratch.consume(calls(1))

    def forgetful(commands, pipeline):
        replies = pipeline([*commands[:3], ("SCRIPT FLUSH",), *commands[3:]])
        return replies[:3] + replies[4:]

    sent.append(forgetful)
    decisions = scratch.consume(calls(8))

    assert list(range(8, 0, -1)) == [decision.verdicts[0].remaining for decision in decisions]


def test_calls_that_were_overtaken_make_the_replay_void(scratch, sent):
    scratch.consume(calls(1))

    def jumbled(commands, pipeline):
        load = ("SCRIPT LOAD", scratch_module.decide_script().source)
        replies = pipeline([("SCRIPT FLUSH",), *commands[:2], load, *commands[2:]])
        return replies[1:3] + replies[4:]

    sent.append(jumbled)
    with pytest.raises(StatesLost, match="forgot its scripts"):
        scratch.consume(calls(8))


def test_an_error_of_the_server_ends_the_replay(scratch):
    bundle = bundle_of(Concurrency(amount=3, period=MINUTE))
    for key in scratch._keys_of(calls(1, bundle)[0]):
        link().client.set(key, "planted", ex=60)

    with pytest.raises(EngineUnavailable, match="WRONGTYPE"):
        scratch.consume(calls(1, bundle))


def test_a_policy_that_has_ended_decides_nothing(scratch):
    bundle = bundle_of(CalendarQuota(amount=10, unit=CalendarUnit.YEAR))

    with pytest.raises(StatesLost, match="decided nothing"):
        scratch.consume([Call(bundle, "a", 1, START_US + 800 * DAY_US)])


def test_a_thousand_subjects_are_removed(scratch):
    bundle = bundle_of(TEN_A_MINUTE)
    for start in range(0, 1000, 250):
        scratch.consume([Call(bundle, str(start + n), 1, START_US) for n in range(250)])
    assert len(keys(scratch.tag)) == 1000

    scratch.remove()

    assert keys(scratch.tag) == []


def test_a_cost_above_every_amount_never_fits(scratch):
    bundle = bundle_of(FixedWindow(amount=10**12, period=MINUTE))

    costs = [10**12 + 1, 10**18, 10**12, 1]
    decisions = [scratch.consume(calls(1, bundle, cost=cost))[0] for cost in costs]

    assert [False, False, True, False] == [decision.allowed for decision in decisions]
    assert [None, None] == [decision.retry_after_us for decision in decisions[:2]]
