"""Peek says what consume would answer; it writes nothing, creates nothing and extends nothing."""

from __future__ import annotations

import pytest

from quotas.domain.words import Algorithm
from quotas.engine.connection import link
from tests.engine.asking import SHADOW, Asker, dumped, every_key, limit, remaining

DAY = 86_400
WRITING = {"set", "del", "unlink", "pexpire", "expire", "rpush", "ltrim", "zadd", "zrem", "hset"}
algorithms = pytest.mark.parametrize(
    "algorithm", [pytest.param(each.value, id=each.value) for each in Algorithm]
)


def commands():
    """How often the server has run each command, those inside scripts included."""
    return {
        name.removeprefix("cmdstat_"): values["calls"]
        for name, values in link().client.info("commandstats").items()
    }


def ran(before):
    after = commands()
    return {name for name, calls in after.items() if calls > before.get(name, 0)}


@algorithms
@pytest.mark.parametrize("used", [0, 1, 2], ids=["unused", "part-used", "used-up"])
def test_U4_100_peeks_change_no_byte_and_no_expiry(algorithm, used):
    asker = Asker(limit(algorithm, 2, DAY), limit("token_bucket", 9, DAY, name="other"))
    for _ in range(used):
        asker.consume()
    before = dumped()

    for turn in range(100):
        asker.peek(1, turn)

    assert before == dumped()


@algorithms
def test_U4_peeks_at_what_was_never_called_create_no_key(algorithm):
    asker = Asker(limit(algorithm, 5, DAY))

    decisions = [asker.peek(1, now_us=0) for _ in range(100)]

    assert [] == every_key()
    assert {0} == {decision.verdicts[0].used for decision in decisions}


@algorithms
def test_a_peek_runs_no_command_that_writes(algorithm):
    asker = Asker(limit(algorithm, 1, DAY))
    asker.consume()
    before = commands()

    asker.peek(1)
    asker.peek(0)
    asker.peek(1, DAY)

    assert set() == ran(before) & WRITING


def test_a_peek_extends_no_expiry_even_after_an_edit_that_a_denial_would_follow():
    asker = Asker(limit("token_bucket", 100, 1))
    asker.consume(100, now_us=0)
    before = dumped()

    asker.edit(limit("token_bucket", 1, 3600))
    asker.peek(1, now_us=0)

    assert before == dumped() or [] == every_key()  # on a slow machine the key has ended


def test_a_peek_mends_no_missing_expiry():
    asker = Asker(limit("fixed_window", 1, DAY))
    asker.consume()
    link().client.persist(*every_key())

    asker.peek()

    assert [-1] == [link().client.ttl(key) for key in every_key()]


@algorithms
def test_a_peek_says_what_the_next_call_is_answered(algorithm):
    asker = Asker(
        limit("fixed_window", 4, DAY, name="one"),
        limit(algorithm, 3, DAY, name="two"),
        limit(algorithm, 2, DAY, name="three", mode=SHADOW),
    )

    for _ in range(6):
        seen, answer = asker.peek(), asker.consume()

        assert seen.outcome == answer.outcome
        assert seen.retry_after == answer.retry_after
        for ahead, verdict in zip(seen.verdicts, answer.verdicts, strict=True):
            assert (ahead.fits, ahead.wait_us) == (verdict.fits, verdict.wait_us)
            assert ahead.remaining - verdict.remaining == (answer.allowed and verdict.fits)


def test_a_peek_tells_what_is_left_before_the_call():
    asker = Asker(limit("token_bucket", 5, DAY))
    asker.consume(2)

    assert [3] == remaining(asker.peek(1)) == remaining(asker.peek(3))


def test_a_peek_holds_no_place_in_flight():
    asker = Asker(limit("concurrency", 1))

    assert all(asker.peek().allowed for _ in range(5))
    assert asker.consume().allowed
    assert not asker.peek().allowed
