"""Units of one limit given back at once: never more than were taken; what is written expires."""

from __future__ import annotations

from dataclasses import replace

import pytest

from quotas.domain.reference import Reference
from quotas.engine import owners
from quotas.engine.connection import link
from quotas.engine.granting import grant
from quotas.errors import EngineUnavailable
from tests import START_US
from tests.engine.asking import Asker, at, contents, every_key, limit, one
from tests.engine.proxy import Proxy, black_hole, nobody

GIVING = [
    "token_bucket",
    "leaky_bucket",
    "sliding_window_counter",
    "sliding_window_log",
    "concurrency",
]
giving = pytest.mark.parametrize("algorithm", GIVING)
VERSION = b"version"


def used_up(algorithm, amount=10, calls=10, **fields):
    """A limit of which so many calls of cost 1 have been admitted at the start."""
    asker = Asker(limit(algorithm, amount, **fields))
    assert all(asker.consume().allowed for _ in range(calls))
    return asker


def give(asker, units, seconds=0, **options):
    (row,) = asker.limits
    return grant(row, asker.subject, units, now_us=at(seconds), **options)


@giving
def test_what_is_given_can_be_taken_again_at_once_and_no_more(algorithm):
    asker = used_up(algorithm)

    assert 4 == give(asker, 4)

    assert [True] * 4 + [False] == [asker.consume().allowed for _ in range(5)]


@giving
def test_no_more_is_given_than_was_taken(algorithm):
    asker = used_up(algorithm, calls=3)

    assert [2, 1, 0] == [give(asker, units) for units in (2, 10**12, 1)]

    assert [True] * 10 + [False] == [asker.consume().allowed for _ in range(11)]


@giving
def test_where_nothing_was_taken_nothing_is_given_and_nothing_is_written(algorithm):
    asker = Asker(limit(algorithm, 10))

    assert 0 == give(asker, 5)
    assert [] == every_key()


@giving
def test_what_came_back_by_itself_is_not_given_once_more(algorithm):
    asker = used_up(algorithm)
    before = contents()

    assert 0 == give(asker, 5, seconds=121)
    assert before == contents()


@pytest.mark.parametrize("algorithm", ["token_bucket", "leaky_bucket"])
def test_the_part_of_a_unit_is_kept_and_goes_with_the_last(algorithm):
    asker = used_up(algorithm)  # 10 a minute: one in six seconds

    assert 5 == give(asker, 5, seconds=3)
    assert [5, 6] == [one(asker.peek(seconds=seconds)).remaining for seconds in (3, 6)]
    assert 5 == give(asker, 9, seconds=3)
    assert 10 == one(asker.peek(seconds=3)).remaining


def test_a_counter_gives_this_window_first_and_then_the_share_of_the_one_before():
    asker = Asker(limit("sliding_window_counter", 100))
    asker.consume(80, 15)
    asker.consume(30, 75)  # 80 x 0.75 + 30 = 90

    assert 40 == give(asker, 40, seconds=75)
    assert 50 == one(asker.peek(seconds=75)).remaining
    assert 50 == give(asker, 99, seconds=75)
    assert 100 == one(asker.peek(seconds=75)).remaining


def test_of_a_log_the_newest_entries_go_and_the_oldest_keep_their_time():
    asker = Asker(limit("sliding_window_log", 10))
    for seconds, cost in ((0, 3), (10, 4), (20, 3)):
        asker.consume(cost, seconds)

    assert 5 == give(asker, 5, seconds=30)

    assert [5, 5, 8, 8, 10] == [
        one(asker.peek(seconds=seconds)).remaining for seconds in (30, 59, 60, 69, 70)
    ]


def test_the_last_entry_that_is_given_of_counts_for_what_is_left_of_it():
    asker = Asker(limit("sliding_window_log", 10))
    for seconds in (0, 10):
        asker.consume(2, seconds)

    assert 1 == give(asker, 1, seconds=20)
    asker.consume(5, 20)

    waits = [one(asker.peek(cost, 20)).wait_us // 10**6 for cost in (2, 4, 5, 6)]
    assert [0, 40, 50, 60] == waits


def test_entries_that_have_left_are_neither_given_nor_counted():
    asker = Asker(limit("sliding_window_log", 10))
    asker.consume(3, 0)
    asker.consume(4, 50)

    assert 1 == give(asker, 1, seconds=65)
    assert 7 == one(asker.peek(seconds=65)).remaining
    assert 3 == give(asker, 9, seconds=65)


def test_a_flight_whose_lease_has_run_out_is_not_given_in_place_of_one_that_flies():
    asker = Asker(limit("concurrency", 2))
    asker.consume(seconds=0)
    asker.consume(seconds=30)

    assert 1 == give(asker, 1, seconds=70)
    assert 2 == one(asker.peek(seconds=70)).remaining


@pytest.mark.parametrize("units", [1, 63, 64, 65, 130, 199, 200, 300])
@pytest.mark.parametrize("cost", [1, 2, 300])
def test_a_long_log_gives_as_the_reference_does(units, cost):
    row = limit("sliding_window_log", 200 * cost)
    asker, reference = Asker(row), Reference(row.rule)
    for second in range(200):
        asker.consume(cost, second / 10)
        reference.consume(cost, at(second / 10))

    assert reference.grant(units, at(30)) == give(asker, units, seconds=30)

    for seconds in (30, 60, 61, 70, 75.5, 79.9, 80):
        judged, verdict = reference.judge(cost, at(seconds)), one(asker.peek(cost, seconds))
        assert (judged.fits, judged.wait_us) == (verdict.fits, verdict.wait_us)
        assert reference.judge(0, at(seconds)).remaining == verdict.remaining


def test_the_places_of_the_oldest_flights_are_free_and_ending_they_free_no_more():
    asker = Asker(limit("concurrency", 2))
    first, second = (asker.consume(seconds=seconds) for seconds in (0, 1))

    assert 1 == give(asker, 1, seconds=2)
    third = asker.consume(seconds=2)
    asker.give_back(first)

    assert not asker.consume(seconds=3).allowed
    asker.give_back(second)
    asker.give_back(third)
    assert 2 == one(asker.peek(seconds=3)).remaining


def test_under_a_lowered_capacity_the_bucket_is_full_at_that():
    asker = used_up("token_bucket", 100, calls=100)
    asker.edit(limit("token_bucket", 5))

    assert 5 == give(asker, 50)
    assert 5 == one(asker.peek()).remaining


@giving
@pytest.mark.parametrize("units", [4, 10])
def test_every_key_expires_when_what_is_left_is_worth_nothing(algorithm, units):
    asker = Asker(limit(algorithm, 10, 60))
    for _ in range(10):
        asker.consume(now_us=0)

    assert units == grant(asker.limits[0], asker.subject, units)

    lives = [link().client.pttl(key) for key in every_key()]
    if units == 10:
        assert all(life == -2 or 0 <= life < 100 for life in lives)
        return
    most = {"sliding_window_counter": 120_000, "token_bucket": 36_000, "leaky_bucket": 36_000}
    assert lives
    assert all(30_000 < life <= most.get(algorithm, 60_000) + 2 for life in lives)


def test_a_neighbour_in_the_same_cell_keeps_its_state_and_its_expiry():
    bucket, window = limit("token_bucket", 10, name="a"), limit("fixed_window", 5, 3600, name="b")
    asker = Asker(bucket, window)
    for _ in range(5):
        asker.consume(now_us=0)
    before = [link().client.pttl(key) for key in every_key()]

    assert 5 == grant(bucket, asker.subject, 9)

    assert [10, 0] == [verdict.remaining for verdict in asker.peek(now_us=0).verdicts]
    assert [link().client.pttl(key) for key in every_key()] == pytest.approx(before, abs=500)


@pytest.mark.parametrize(
    "options",
    [
        pytest.param({"version": VERSION}, id="another-version"),
        pytest.param({"span": (0, START_US)}, id="no-longer-in-force"),
        pytest.param({"span": (START_US + 1, START_US + 2)}, id="not-yet-in-force"),
    ],
)
def test_under_a_policy_that_does_not_hold_nothing_is_given(options):
    asker = used_up("token_bucket")
    before = contents()

    assert give(asker, 5, **options) is None
    assert before == contents()


def test_under_the_owners_version_it_is_given():
    asker = used_up("token_bucket")
    version = owners.version_of(asker.subject.tag, create=True)

    assert give(asker, 5) is None
    assert 5 == give(asker, 5, version=version)


def test_without_the_script_loaded_it_is_given_once():
    asker = used_up("token_bucket")
    link().client.script_flush()

    assert 5 == give(asker, 5)
    assert 5 == one(asker.peek()).remaining


@pytest.mark.parametrize("losing", ["close", "swallow"])
def test_a_lost_answer_is_not_known_and_not_asked_again(losing, redis_url, settings, monkeypatch):
    asker = used_up("token_bucket")
    with Proxy(redis_url) as proxy:
        aim(settings, proxy.url)
        assert 1 == give(asker, 1)
        ping = link().client.ping

        def then_lose():
            ping()
            proxy.losing = losing

        monkeypatch.setattr(link().client, "ping", then_lose)
        with pytest.raises(EngineUnavailable) as caught:
            give(asker, 5)
        assert 1 == proxy.lost
    aim(settings, redis_url)

    assert caught.value.perhaps_done
    assert 6 == one(asker.peek()).remaining  # the server did execute it, once


@pytest.mark.parametrize("address", ["nobody", "black-hole"])
def test_where_nobody_answers_nothing_was_given(address, redis_url, settings):
    asker = used_up("token_bucket")
    with black_hole() as silent:
        aim(settings, nobody() if address == "nobody" else silent)
        with pytest.raises(EngineUnavailable) as caught:
            give(asker, 5)
    aim(settings, redis_url)

    assert not caught.value.perhaps_done
    assert 0 == one(asker.peek()).remaining


def aim(settings, url):
    quotas = settings.CACHES["quotas"] | {"LOCATION": url}
    settings.CACHES = settings.CACHES | {"quotas": quotas}


def test_a_bucket_under_a_cap_is_remembered_until_it_is_full_without_it():
    row = replace(limit("token_bucket", 5, 60), kept_us=3_600_000_000)
    asker = Asker(row)
    asker.consume(5, now_us=0)

    assert 5 == grant(row, asker.subject, 9)

    (key,) = every_key()
    assert 3_590_000 < link().client.pttl(key) <= 3_600_002
