"""A frozen clock stands still for the whole process, and is gone afterwards."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from threading import Thread

import pytest

from quotas.engine.clock import clock
from quotas.testing import frozen_clock

NOON = datetime(2027, 3, 1, 12, tzinfo=UTC)
NOON_US = 1_803_902_400_000_000


def test_it_stands_at_the_instant_that_was_given():
    with frozen_clock(NOON) as frozen:
        assert NOON_US == frozen.now_us == clock.given_us
        assert NOON == frozen.now
    assert clock.given_us == 0


@pytest.mark.parametrize(
    "at", [NOON_US, NOON, datetime(2027, 3, 1, 21, tzinfo=timezone(timedelta(hours=9)))]
)
def test_an_instant_is_microseconds_or_a_datetime_of_any_zone(at):
    with frozen_clock(at) as frozen:
        assert NOON_US == frozen.now_us


def test_without_an_instant_it_is_now():
    before = datetime.now(UTC)

    with frozen_clock() as frozen:
        assert before <= frozen.now <= datetime.now(UTC)


def test_it_moves_when_it_is_told_to():
    with frozen_clock(NOON) as frozen:
        frozen.tick(1.5)
        assert NOON_US + 1_500_000 == frozen.now_us
        frozen.tick(timedelta(days=1, microseconds=1))
        assert NOON + timedelta(days=1, seconds=1.5, microseconds=1) == frozen.now
        frozen.tick(-2)
        frozen.move_to(NOON)
        assert NOON == frozen.now
        frozen.move_to(1)
        assert frozen.now_us == 1


def test_one_inside_another_starts_there_and_gives_back_the_outer_instant():
    with frozen_clock(NOON) as outer:
        with frozen_clock() as inner:
            assert NOON_US == inner.now_us
            inner.tick(60)
        assert NOON_US == outer.now_us


def test_the_clock_comes_back_after_an_error():
    with pytest.raises(RuntimeError), frozen_clock(NOON):
        raise RuntimeError

    assert clock.given_us == 0


def test_every_thread_sees_it():
    seen = []
    with frozen_clock(NOON):
        thread = Thread(target=lambda: seen.append(clock.given_us))
        thread.start()
        thread.join()

    assert [NOON_US] == seen


@frozen_clock(NOON)
def test_it_decorates_a_function():
    assert clock.given_us == NOON_US


def test_the_fixture_stands_still_for_the_test(quotas_clock):
    assert clock.given_us == quotas_clock.now_us > 0


@pytest.mark.parametrize(
    ("at", "error"),
    [
        (datetime(2027, 3, 1, 12), ValueError),  # noqa: DTZ001 - the mistake
        (0, ValueError),
        (-1, ValueError),
        (1 << 53, ValueError),
        (True, TypeError),
        (1.5, TypeError),
        ("2027-03-01", TypeError),
    ],
)
def test_what_is_no_instant_is_refused(at, error):
    with pytest.raises(error, match=r"give|no instant"), frozen_clock(at):
        pass  # pragma: no cover


def test_it_cannot_be_moved_before_the_epoch():
    with frozen_clock(1_000_000) as frozen:
        with pytest.raises(ValueError, match="no instant"):
            frozen.tick(-1)
        assert frozen.now_us == 1_000_000
