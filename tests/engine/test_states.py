"""What is kept of a limit: how large it is, whose it is, and what outlives its neighbours."""

from __future__ import annotations

from itertools import permutations
from statistics import median

import pytest

from quotas.domain.keys import record_name
from quotas.domain.words import Algorithm
from quotas.engine.connection import link
from tests.engine.asking import Asker, at, every_key, limit, one, remaining

DAY = 86_400
TAG = "t10001"
KEY_LENGTH = 23
ALL = [pytest.param(each.value, id=each.value) for each in Algorithm]
CELLS = [
    pytest.param(each.value, id=each.value)
    for each in Algorithm
    if each not in {Algorithm.SLIDING_WINDOW_LOG, Algorithm.CONCURRENCY, Algorithm.CALENDAR_QUOTA}
]


def bytes_of(key):
    return link().client.memory_usage(key, samples=0)


def usual_bytes(*limits):
    """What the only key of a subject takes, as most of them do: the allocator rounds a few up."""
    sizes = []
    for number in range(21):
        Asker(*limits, tag=f"t100{number:02}").consume()
        (key,) = every_key()
        assert KEY_LENGTH == len(key)
        sizes.append(bytes_of(key))
        link().client.flushdb()
    return median(sizes)


@pytest.fixture
def valkey_9():
    """Sizes are those of Valkey 9's memory layout; older servers take more."""
    version = link().client.info("server").get("valkey_version", "0")
    if int(version.split(".")[0]) < 9:
        pytest.skip(f"sizes are promised for Valkey 9, this server is {version}")


@pytest.mark.usefixtures("valkey_9")
@pytest.mark.parametrize("algorithm", CELLS)
def test_one_bucket_or_counter_takes_88_bytes(algorithm):
    assert usual_bytes(limit(algorithm, 100)) <= 88


@pytest.mark.usefixtures("valkey_9")
def test_four_limits_of_one_subject_take_176_bytes():
    four = [limit(algorithm, 100, name=algorithm) for algorithm in cells()]

    assert usual_bytes(*four) <= 176


@pytest.mark.usefixtures("valkey_9")
@pytest.mark.parametrize("cost", [1, 255])
def test_an_exact_log_takes_11_bytes_an_entry_at_1000_entries(cost):
    asker = Asker(limit("sliding_window_log", 10**6, DAY), tag=TAG)
    for second in range(1000):
        asker.consume(cost, second)

    assert 2 == len(every_key())
    assert sum(map(bytes_of, every_key())) <= 11 * 1000


def test_a_log_takes_an_entry_a_call_and_not_one_a_unit():
    asker = Asker(limit("sliding_window_log", 10**12, DAY))
    for cost in (1, 255, 256, 10**11):
        asker.consume(cost)

    (entries,) = [key for key in asker.key_names() if link().client.type(key) == b"list"]
    assert 4 == link().client.llen(entries)
    assert 10**12 - 10**11 - 512 == one(asker.peek()).remaining


def test_a_log_drops_what_has_left_its_window():
    asker = Asker(limit("sliding_window_log", 100, 10))
    for second in range(30):
        asker.consume(1, second)

    (entries,) = [key for key in asker.key_names() if link().client.type(key) == b"list"]
    assert 10 == link().client.llen(entries)


@pytest.mark.parametrize("algorithm", ALL)
def test_a_state_survives_the_addition_reordering_and_removal_of_its_neighbours(algorithm):
    mine = limit(algorithm, 10, DAY, name="mine")
    others = [limit(each.value, 10, DAY, name=each.value) for each in Algorithm]
    asker = Asker(mine)
    asker.consume(1)

    asker.edit(*others[:3], mine, *others[3:])
    asker.consume(1)
    asker.edit(*reversed([mine, *others]))
    asker.consume(1)
    asker.edit(others[0], mine)
    asker.consume(1)
    asker.edit(mine)

    assert 6 == one(asker.peek(0)).remaining


def test_a_state_that_is_removed_and_comes_back_has_kept_its_usage():
    a, b = limit("token_bucket", 10, DAY, name="a"), limit("fixed_window", 10, DAY, name="b")
    asker = Asker(a, b)
    asker.consume(3)

    asker.edit(b)
    asker.consume(3)
    asker.edit(a, b)

    assert [7, 4] == remaining(asker.peek(0))


def test_a_state_outlives_a_neighbour_written_with_a_short_expiry(redis_url):
    """By the server's clock: only then may an expiry be short."""
    slow, fast = (
        limit("token_bucket", 10, DAY, name="slow"),
        limit("token_bucket", 10, 1, name="fast"),
    )
    asker = Asker(slow, fast)
    asker.consume(now_us=0)

    asker.edit(fast)
    asker.consume(now_us=0)

    assert link().client.pttl(*every_key()) > 1000 * DAY / 11


def test_scopes_and_subjects_are_counted_apart():
    askers = [
        Asker(limit("token_bucket", 3, scope=scope), tag=tag, text=text)
        for scope in ("reports", "exports", "*")
        for tag, text in (("t1", "t"), ("t2", "t"), ("t1", "u7"), ("u7", "u7"))
    ]

    assert [2] * 12 == [one(asker.consume()).remaining for asker in askers]
    assert 12 == len(every_key())


@pytest.mark.parametrize("algorithm", ALL)
def test_a_new_epoch_counts_anew_and_leaves_the_old_to_expire(algorithm):
    asker = Asker(limit(algorithm, 1, DAY))
    asker.consume()
    kept = every_key()

    asker.subject = type(asker.subject)("t1", "t", epoch=1)

    assert asker.consume().allowed
    assert set(kept) < set(every_key())


def test_limits_whose_names_have_one_digest_are_counted_apart():
    first, second = colliding_names()
    for turn, (a, b) in enumerate(permutations((first, second))):
        asker = Asker(
            limit("fixed_window", 10, DAY, name=a),
            limit("fixed_window", 10, DAY, name=b),
            tag=f"t{turn}",
        )

        asker.consume([3, 4])

        assert [7, 6] == remaining(asker.peek(0))


def colliding_names():
    """Two names of one digest: among so many there are some."""
    seen = {}
    for number in range(300_000):
        name = f"limit-{number}"
        other = seen.setdefault(record_name(name), name)
        if other != name:
            return other, name
    raise AssertionError("No two names collide: is the digest longer now?")


def cells():
    return [parameter.values[0] for parameter in CELLS]


def test_the_state_of_a_fresh_limit_is_none():
    assert [10] == remaining(Asker(limit("token_bucket", 10)).peek(0, now_us=at(5)))
    assert [] == every_key()
