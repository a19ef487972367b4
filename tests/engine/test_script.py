"""One command decides; EVAL follows EVALSHA when the script is unknown, and nothing else is asked
twice: a lost answer may be a charge that was made."""

from __future__ import annotations

import pytest

from quotas.domain.keys import owner_key, tenant_tag
from quotas.domain.words import Algorithm
from quotas.engine.connection import link
from quotas.engine.limiter import Owner, Refused
from quotas.engine.script import decide_script
from quotas.errors import EngineUnavailable
from tests.engine.asking import Asker, admitted, at, limit, one, remaining
from tests.engine.proxy import Proxy
from tests.engine.watching import slot_of, watching

DAY = 86_400
NO_VERSION = bytes(7)
algorithms = pytest.mark.parametrize(
    "algorithm", [pytest.param(each.value, id=each.value) for each in Algorithm]
)


def all_limits():
    return [limit(each.value, 5, DAY, name=each.value.replace("_", "-")) for each in Algorithm]


def flush_scripts():
    link().client.script_flush()


@pytest.fixture
def proxy(settings, redis_url):
    """A proxy between the limiter and the server; answers are waited for half a second."""
    with Proxy(redis_url) as made:
        quotas = settings.CACHES["quotas"] | {"LOCATION": made.url}
        settings.CACHES = settings.CACHES | {"quotas": quotas}
        settings.QUOTAS_TIMEOUT = 0.5
        yield made


@pytest.mark.parametrize("algorithm", ["sliding_window_log", "token_bucket", "fixed_window"])
def test_F1_an_emptied_script_cache_loses_and_doubles_nothing(algorithm):
    asker = Asker(limit(algorithm, 5, 60))
    assert [4, 3] == [one(asker.consume()).remaining for _ in range(2)]

    flush_scripts()

    assert 2 == one(asker.consume()).remaining
    assert [True, True, False] == [asker.consume().allowed for _ in range(3)]


def test_F1_a_flush_before_each_of_several_requests_over_two_limits_loses_nothing():
    asker = Asker(limit("sliding_window_log", 5, 60, name="a"), limit("token_bucket", 9, name="b"))
    outcomes = []
    for _ in range(6):
        flush_scripts()
        outcomes.append(asker.consume().allowed)

    assert [True] * 5 + [False] == outcomes
    assert [0, 4] == remaining(asker.peek(0))


def test_an_unknown_script_is_sent_once_and_known_from_then_on(redis_url):
    asker = Asker(limit("token_bucket", 5))
    asker.consume()
    flush_scripts()

    with watching(redis_url) as watched:
        asker.consume()
        asker.consume()

    assert ["EVALSHA", "EVAL", "EVALSHA"] == watched.names


def test_a_decision_is_one_command_however_many_limits_it_has(redis_url):
    asker = Asker(*all_limits())
    asker.consume()

    with watching(redis_url) as watched:
        for _ in range(10):  # the last five are denied
            asker.consume()
        asker.peek()

    assert ["EVALSHA"] * 11 == watched.names


def test_what_is_given_back_is_one_command(redis_url):
    asker = Asker(limit("concurrency", 5, name="a"), limit("concurrency", 9, name="b"))
    asker.give_back(asker.consume())
    held = asker.consume()

    with watching(redis_url) as watched:
        asker.give_back(held)

    assert ["EVALSHA"] == watched.names
    assert [5, 9] == remaining(asker.peek(0))


@algorithms
@pytest.mark.parametrize("losing", ["close", "swallow"])
def test_a_call_whose_answer_is_lost_is_not_asked_again(proxy, algorithm, losing):
    asker = Asker(limit(algorithm, 10, DAY))
    asker.consume()

    proxy.losing = losing
    with pytest.raises(EngineUnavailable):
        asker.consume()
    proxy.losing = None

    assert 1 == proxy.lost
    assert 8 == one(asker.peek(0)).remaining  # the server did execute it, once


@pytest.mark.parametrize("losing", ["close", "swallow"])
def test_after_a_lost_answer_the_next_call_gets_its_own(proxy, losing):
    small, large = (
        Asker(limit("fixed_window", 3), tag="t1"),
        Asker(limit("fixed_window", 50), tag="t2"),
    )
    small.consume()

    for _ in range(3):
        proxy.losing = losing
        with pytest.raises(EngineUnavailable):
            large.consume()
        proxy.losing = None

        assert 2 == one(small.peek(0)).remaining


def test_an_answer_that_comes_too_late_is_taken_for_no_other(private_server, settings):
    settings.QUOTAS_TIMEOUT = 0.5
    small, large = (
        Asker(limit("fixed_window", 3), tag="t1"),
        Asker(limit("fixed_window", 50), tag="t2"),
    )
    small.consume()

    private_server.hang()
    with pytest.raises(EngineUnavailable):
        large.consume()
    private_server.resume()

    assert 2 == one(small.peek(0)).remaining


def test_an_error_of_the_script_is_an_outage_and_not_asked_again(redis_url):
    asker = Asker(limit("sliding_window_log", 5))
    asker.consume()
    (log,) = [name for name in asker.key_names() if ":l:" in name]
    link().client.set(log, "not a list", ex=60)

    with watching(redis_url) as watched, pytest.raises(EngineUnavailable, match="WRONGTYPE"):
        asker.consume()

    assert ["EVALSHA"] == watched.names


@pytest.mark.parametrize("primary_key", [1, 2**63 - 1, "a-uuid-4f3c", "{1}", "東京支店", "}{", ""])
def test_F2_every_key_of_a_tenant_is_declared_and_in_one_slot(redis_url, primary_key):
    tag = tenant_tag(primary_key)
    asker = Asker(*all_limits(), tag=tag)
    asker.consume()
    owner = Owner(tag, NO_VERSION, marked=False)

    with watching(redis_url) as watched:
        for seconds in (0, 3600, 2 * DAY):
            asker.consume(1, seconds, owner=owner)
        asker.peek(1, owner=owner)

    declared = {link().key(owner_key(tag)), *asker.key_names()}
    for command in watched.by_clients:
        assert declared == set(command[3 : 3 + int(command[2])])
    assert 1 == len({slot_of(key) for key in declared})
    assert keys_of(watched.by_scripts) <= declared


def keys_of(commands):
    """The keys that a script touched: the first word after the command, all of them for MGET."""
    found = set()
    for name, *words in commands:
        if name != "TIME":
            found |= set(words if name == "MGET" else words[:1])
    return found


def test_F2_numbers_are_arguments_so_that_one_script_serves_every_limit(redis_url):
    Asker(limit("token_bucket", 5)).consume()

    with watching(redis_url) as watched:
        for algorithm in Algorithm:
            for amount in (1, 7, 10**12):
                Asker(limit(algorithm, amount, amount % 100 + 1)).consume(amount % 3)

    assert {decide_script().digest} == {command[1] for command in watched.by_clients}
    assert ["EVALSHA"] * 21 == watched.names


def test_W3_server_time_is_taken_when_none_is_given():
    seconds, microseconds = link().client.time()
    before = seconds * 1_000_000 + microseconds

    decision = Asker(limit("token_bucket", 5)).consume(now_us=0)

    seconds, microseconds = link().client.time()
    assert before <= decision.now_us <= seconds * 1_000_000 + microseconds


def test_W3_an_older_instant_refills_nothing_twice():
    asker = Asker(limit("token_bucket", 5, 1))

    allowed = [asker.consume(1, seconds).allowed for seconds in (0, 0, 0, 0, 0, -1, 0, 0.2, 0.2)]

    assert [True] * 5 + [False, False, True, False] == allowed


def test_a_call_that_the_policy_does_not_reach_to_is_stale_and_charges_nothing():
    quota = limit("calendar_quota", 5, unit="day")
    asker = Asker(quota)
    assert [0] == admitted(asker, [0])
    bundle = asker.bundle()

    asker.bundle = lambda _: bundle
    late, early = asker.consume(1, 3 * DAY), asker.consume(1, -2 * DAY)

    assert [Refused, Refused] == [type(late), type(early)]
    assert at(3 * DAY) == late.now_us
    del asker.bundle
    assert 4 == one(asker.peek(0)).remaining
