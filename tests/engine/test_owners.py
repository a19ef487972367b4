"""Beside a tenant's states: a version that never repeats, and a mark that Redis has its memory."""

from __future__ import annotations

from datetime import timedelta

import pytest

from quotas.domain.keys import PLANS_KEY, Subject, owner_key
from quotas.domain.limits import CalendarQuota
from quotas.domain.words import CalendarUnit
from quotas.engine import owners
from quotas.engine.connection import link
from quotas.engine.limiter import Owner, Refused
from quotas.errors import EngineUnavailable
from quotas.testing import frozen_clock
from tests import START_US
from tests.engine.asking import Asker, at, contents, every_key, limit, one
from tests.engine.proxy import nobody

TAG = "t1"
DAY = 86_400
NO_VERSION = owners.NO_VERSION
UNITS = [pytest.param(each, id=each.value) for each in CalendarUnit]


def balance(used=7, *, unit="day", name="quota", scope="reports", **fields):
    """What was used of a quota in the UTC day from the start on."""
    values = {
        "subject": Subject(TAG, "t"),
        "scope": scope,
        "name": name,
        "rule": CalendarQuota(amount=10, unit=CalendarUnit(unit)),
        "used": used,
        "start_us": START_US,
        "end_us": at(DAY),
    }
    return owners.Balance(**{**values, **fields})


def quota(amount=10, **numbers):
    return limit("calendar_quota", amount, name="quota", **numbers)


def marked(version=NO_VERSION):
    return Owner(TAG, version, marked=True)


@pytest.fixture
def clock():
    with frozen_clock(START_US) as frozen:
        yield frozen


def test_a_version_only_ever_rises():
    versions = [owners.version_of(TAG)]
    for _ in range(50):
        owners.bump([TAG])
        versions.append(owners.version_of(TAG))

    numbers = [int.from_bytes(version, "little") for version in versions]
    assert numbers == sorted(set(numbers))
    assert {7} == {len(version) for version in versions}


def test_a_version_that_was_lost_does_not_repeat():
    seen = set()
    for _ in range(20):
        owners.bump([TAG])
        seen.add(owners.version_of(TAG))
        link().client.delete(link().key(owner_key(TAG)))

    assert NO_VERSION == owners.version_of(TAG)
    assert 20 == len(seen - {NO_VERSION})


def test_a_version_is_made_where_there_is_none_and_left_where_there_is_one():
    assert NO_VERSION == owners.version_of(TAG)
    assert [] == every_key()

    made = owners.version_of(TAG, create=True)

    assert NO_VERSION < made == owners.version_of(TAG) == owners.version_of(TAG, create=True)
    assert 0 < link().client.pttl(link().key(owner_key(TAG))) <= 3 * DAY * 1000
    assert NO_VERSION != owners.plans_version(create=True) == owners.plans_version()


def test_a_version_ahead_of_the_clock_still_rises():
    """The server's clock was put back, or a version was restored from a server that is ahead."""
    ahead = (1 << 52).to_bytes(7, "little")
    link().client.hset(link().key(owner_key(TAG)), "version", ahead)

    owners.bump([TAG])

    assert (1 << 52) + 1 == int.from_bytes(owners.version_of(TAG), "little")


def test_owners_and_plans_have_versions_of_their_own():
    owners.bump(["t1", "u1"], plans=True)

    versions = [owners.version_of("t1"), owners.version_of("u1"), owners.plans_version()]
    assert NO_VERSION not in versions
    assert NO_VERSION == owners.version_of("t2")
    owners.bump(["t1"])
    assert versions[1:] == [owners.version_of("u1"), owners.plans_version()]


def test_versions_and_marks_end_by_themselves_within_three_days():
    owners.bump([TAG], plans=True)
    owners.seed(TAG, [])

    for key in every_key():
        assert 0 < link().client.pttl(key) <= 3 * DAY * 1000
    assert {link().key(PLANS_KEY), link().key(owner_key(TAG))} == set(every_key())


def test_a_call_under_another_version_is_refused_and_charges_nothing():
    asker = Asker(limit("token_bucket", 5))
    asker.consume(owner=Owner(TAG, NO_VERSION))
    owners.bump([TAG])
    now = owners.version_of(TAG)
    before = contents()

    refused = asker.consume(owner=Owner(TAG, NO_VERSION))

    assert Refused(START_US, version=now) == refused
    assert before == contents()
    assert 3 == one(asker.consume(owner=Owner(TAG, now))).remaining


def test_a_peek_under_another_version_is_refused_too():
    owners.bump([TAG])

    refused = Asker(limit("token_bucket", 5)).peek(owner=Owner(TAG, NO_VERSION))

    assert isinstance(refused, Refused)
    assert owners.version_of(TAG) == refused.version


def test_a_version_that_was_lost_is_another_version():
    owners.bump([TAG])
    held = owners.version_of(TAG)
    link().client.flushdb()

    refused = Asker(limit("token_bucket", 5)).consume(owner=Owner(TAG, held))

    assert NO_VERSION == refused.version


def test_an_absent_quota_without_the_mark_is_unseeded_and_charges_nothing():
    asker = Asker(quota(), limit("token_bucket", 5, name="bucket"))

    refused = asker.consume(owner=marked())

    assert Refused(START_US, unseeded=True) == refused
    assert {} == contents()


def test_limits_without_a_calendar_need_no_mark():
    assert Asker(limit("token_bucket", 5)).consume(owner=marked()).allowed


def test_a_quota_that_is_there_needs_no_mark():
    asker = Asker(quota())
    asker.consume()

    assert 8 == one(asker.consume(owner=marked())).remaining


def test_with_the_mark_an_absent_quota_is_unused(clock):
    owners.seed(TAG, [])

    assert 9 == one(Asker(quota()).consume(owner=marked())).remaining


@pytest.mark.parametrize("unit", UNITS)
def test_a_seeded_quota_goes_on_where_it_was(clock, unit):
    owners.seed(TAG, [balance(7, unit=unit)])
    asker = Asker(quota(unit=unit))

    assert [2, 1, 0] == [one(asker.consume(owner=marked())).remaining for _ in range(3)]
    denied = asker.consume(owner=marked())
    assert (False, DAY) == (denied.allowed, denied.retry_after_seconds)
    assert asker.consume(1, DAY, owner=marked()).allowed


def test_a_seeded_quota_of_another_unit_is_no_state_of_it(clock):
    owners.seed(TAG, [balance(7, unit="month")])

    assert 9 == one(Asker(quota(unit="day")).consume(owner=marked())).remaining


def test_a_seed_keeps_what_is_newer_than_the_database(clock):
    asker = Asker(quota())
    asker.consume(9)

    owners.seed(TAG, [balance(2)])

    assert 1 == one(asker.peek(0)).remaining


def test_a_period_that_has_ended_is_not_seeded(clock):
    clock.move_to(at(2 * DAY))

    owners.seed(TAG, [balance(7)])

    assert [link().key(owner_key(TAG))] == every_key()


def test_two_seeds_at_once_write_the_same(clock):
    owners.seed(TAG, [balance(7)])
    Asker(quota()).consume(owner=marked())
    owners.seed(TAG, [balance(7)])

    assert 2 == one(Asker(quota()).peek(0)).remaining


def test_quotas_by_the_thousand_are_seeded_and_the_mark_comes_last(clock, monkeypatch):
    """Dying between two batches leaves no mark, so that the next call asks for them again."""
    balances = [balance(7, scope=f"scope-{number}") for number in range(1_001)]
    run, calls = owners.SEED.run, []

    def dying(client, keys, args):
        calls.append(len(keys) - 1)
        if len(calls) == 3:
            raise EngineUnavailable("gone")
        return run(client, keys, args)

    monkeypatch.setattr(owners.SEED, "run", dying)
    with pytest.raises(EngineUnavailable):
        owners.seed(TAG, balances)
    assert link().client.hget(link().key(owner_key(TAG)), "mark") is None
    monkeypatch.undo()
    owners.seed(TAG, balances)

    assert 1_001 == sum(calls)
    assert b"1" == link().client.hget(link().key(owner_key(TAG)), "mark")
    last = Asker(quota(scope="scope-1000"))
    assert 2 == one(last.consume(owner=marked())).remaining


def test_under_a_given_time_a_seeded_quota_is_not_ended_by_real_time(clock):
    clock.move_to(at(DAY - 1))

    owners.seed(TAG, [balance(7)])

    assert all(link().client.pttl(key) > 3_500_000 for key in every_key())


def test_a_seeded_quota_ends_with_its_period_by_the_servers_clock():
    now_us = server_now_us()
    hour_us = timedelta(hours=1) // timedelta(microseconds=1)
    owners.seed(TAG, [balance(7, start_us=now_us - hour_us, end_us=now_us + hour_us)])

    (cell,) = [key for key in every_key() if key != link().key(owner_key(TAG))]
    assert 3_590_000 < link().client.pttl(cell) <= 3_600_000 + 100


def server_now_us():
    seconds, microseconds = link().client.time()
    return seconds * 1_000_000 + microseconds


@pytest.mark.parametrize(
    "ask",
    [
        pytest.param(lambda: owners.version_of(TAG), id="version"),
        pytest.param(owners.plans_version, id="plans"),
        pytest.param(lambda: owners.bump([TAG]), id="bump"),
        pytest.param(lambda: owners.seed(TAG, []), id="seed"),
    ],
)
def test_a_server_that_is_away_is_an_outage_of_the_engine(settings, ask):
    quotas = settings.CACHES["quotas"] | {"LOCATION": nobody()}
    settings.CACHES = settings.CACHES | {"quotas": quotas}

    with pytest.raises(EngineUnavailable):
        ask()
