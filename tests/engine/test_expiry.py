"""Every key ends by itself: not before its states are worth nothing, and not long after.

Instants are the server's (``now_us=0``) where an expiry is measured: a given time makes it longer.
"""

from __future__ import annotations

import pytest

from quotas.domain.words import Algorithm
from quotas.engine.connection import link
from tests.engine.asking import Asker, admitted, contents, every_key, limit, one

DAY = 86_400
YEAR = 365 * DAY
TEN_YEARS_MS = 10 * 366 * DAY * 1000
HOUR_MS = 3_600_000
SLACK_MS = 100
"""What may pass between a script's own clock and the server's expiry of its keys."""

algorithms = pytest.mark.parametrize(
    "algorithm", [pytest.param(each.value, id=each.value) for each in Algorithm]
)


def left_ms():
    """Milliseconds until each key expires, by the server's own clock."""
    return [link().client.pttl(key) for key in every_key()]


def lived_ms(decision):
    """From the instant of a decision until each key expires."""
    client = link().client
    return [client.pexpiretime(key) - decision.now_us / 1000 for key in every_key()]


@algorithms
@pytest.mark.parametrize(
    ("amount", "seconds"),
    [
        pytest.param(1, 0.000001, id="1-a-microsecond"),
        pytest.param(3, 60, id="3-a-minute"),
        pytest.param(1, YEAR, id="1-a-year"),
        pytest.param(1, 5 * 366 * DAY, id="1-in-5-years"),
        pytest.param(10**12, 1, id="10^12-a-second"),
        pytest.param(None, YEAR, id="unlimited"),
    ],
)
def test_F3_every_key_ends_within_ten_years_whether_the_call_was_allowed_or_denied(
    algorithm, amount, seconds
):
    asker = Asker(limit(algorithm, amount, seconds))
    for _ in range(4):
        asker.consume()

        assert all(0 < left < TEN_YEARS_MS for left in left_ms())
        assert every_key()


@pytest.mark.parametrize("algorithm", ["token_bucket", "leaky_bucket"])
def test_F3_a_bucket_that_takes_ages_to_fill_ends_within_ten_years(algorithm):
    asker = Asker(limit(algorithm, 1, YEAR, capacity=10**12))
    for cost in (10**12, 1):
        asker.consume(cost)

        assert all(0 < left < TEN_YEARS_MS for left in left_ms())


@algorithms
@pytest.mark.parametrize("used", [pytest.param(3, id="denied"), pytest.param(1, id="allowed")])
def test_F3_a_counter_without_expiry_is_mended_by_the_next_request(algorithm, used):
    asker = Asker(limit(algorithm, 3, DAY))
    for _ in range(used):
        asker.consume(now_us=0)
    for key in every_key():
        link().client.persist(key)

    decision = asker.consume(now_us=0)

    assert (used < 3) is decision.allowed
    windows = 2 if algorithm == "sliding_window_counter" else 1
    assert all(0 < left <= windows * DAY * 1000 + SLACK_MS for left in left_ms())


@pytest.mark.parametrize("algorithm", ["sliding_window_log", "fixed_window", "token_bucket"])
def test_F3_a_tenant_blocked_by_a_counter_without_expiry_is_served_within_one_window(algorithm):
    asker = Asker(limit(algorithm, 3, 60))
    asker.consume(3)
    for key in every_key():
        link().client.persist(key)

    assert not asker.consume(1).allowed
    assert asker.consume(1, 60).allowed


MINUTE_MS = 60_000
WORTH_MS = [
    pytest.param("token_bucket", 6_000, 0, id="token-bucket-until-full"),
    pytest.param("leaky_bucket", 6_000, 0, id="leaky-bucket-until-empty"),
    pytest.param("fixed_window", MINUTE_MS, 1, id="window-until-its-end"),
    pytest.param("sliding_window_counter", 2 * MINUTE_MS, 1, id="counter-until-no-overlap"),
    pytest.param("sliding_window_log", MINUTE_MS, 0, id="log-until-the-newest-leaves"),
    pytest.param("concurrency", MINUTE_MS, 0, id="slots-until-the-last-lease"),
]


@pytest.mark.parametrize(("algorithm", "most_ms", "from_the_epoch"), WORTH_MS)
def test_a_key_ends_when_its_state_is_as_good_as_none(algorithm, most_ms, from_the_epoch):
    decision = Asker(limit(algorithm, 10, 60)).consume(now_us=0)

    worth_ms = most_ms - from_the_epoch * (decision.now_us / 1000 % MINUTE_MS)
    assert all(0 <= lived - worth_ms <= SLACK_MS for lived in lived_ms(decision))


def test_a_calendar_quota_ends_with_its_period():
    asker = Asker(limit("calendar_quota", 10, unit="month"))
    decision = asker.consume(now_us=server_now_us())

    (lived,) = lived_ms(decision)
    assert 0 <= lived - one(decision).reset_us / 1000 <= SLACK_MS + HOUR_MS


def server_now_us():
    seconds, microseconds = link().client.time()
    return seconds * 1_000_000 + microseconds


def test_W8_a_key_lives_until_its_bucket_is_full():
    slow = limit("token_bucket", 1, 15, capacity=3)
    emptied = Asker(slow, tag="t2").consume(3, now_us=0)
    (lived,) = lived_ms(emptied)
    asker = Asker(slow)
    asker.consume(3)

    assert lived >= 45_000
    assert 8 == asker.consume(1, 7).retry_after_seconds
    assert [15] == admitted(asker, [7, 15, 16])
    assert 14 == asker.consume(1, 16).retry_after_seconds


@algorithms
def test_a_denial_changes_no_byte_of_a_state(algorithm):
    asker = Asker(limit(algorithm, 2, 60), limit("token_bucket", 50, 60, name="roomy"))
    asker.consume(1, 0)
    asker.consume(1, 10)
    before = contents()

    assert [] == admitted(asker, [10, 11, 5, 15.5])
    assert before == contents()


@algorithms
def test_a_denial_under_the_same_numbers_moves_no_expiry(algorithm):
    asker = Asker(limit(algorithm, 2, DAY))
    for _ in range(2):
        asker.consume(now_us=0)
    before = [link().client.pexpiretime(key) for key in every_key()]

    for _ in range(20):
        assert not asker.consume(now_us=0).allowed

    after = [link().client.pexpiretime(key) for key in every_key()]
    assert all(now - then <= SLACK_MS for then, now in zip(before, after, strict=True))


def test_a_denial_lengthens_the_expiry_of_a_bucket_that_now_fills_more_slowly():
    asker = Asker(limit("token_bucket", 100, 1))
    asker.consume(100, now_us=0)
    before = contents()
    assert left_ms() <= [1000 + SLACK_MS]

    asker.edit(limit("token_bucket", 1, 3600, capacity=100))

    assert not asker.consume(1, now_us=0).allowed
    assert before == contents()
    assert left_ms() >= [99 * HOUR_MS]


@pytest.mark.parametrize(
    ("algorithm", "longer_ms"),
    [
        pytest.param("sliding_window_log", 3_590_000, id="log"),
        pytest.param("leaky_bucket", 3_590_000, id="leaky-bucket"),
    ],
)
def test_a_denial_lengthens_the_expiry_after_a_longer_period(algorithm, longer_ms):
    asker = Asker(limit(algorithm, 1, 60))
    asker.consume(1, now_us=0)
    before = contents()

    asker.edit(limit(algorithm, 1, 3600))

    assert not asker.consume(1, now_us=0).allowed
    assert before == contents()
    assert all(left >= longer_ms for left in left_ms())


@algorithms
@pytest.mark.parametrize("calls", [pytest.param(1, id="allowed"), pytest.param(2, id="denied")])
def test_under_a_given_time_no_key_ends_within_an_hour(algorithm, calls):
    asker = Asker(limit(algorithm, 1, 0.001))
    for _ in range(calls):
        asker.consume()

    assert every_key()
    assert all(left > HOUR_MS - 60_000 for left in left_ms())


@algorithms
def test_under_a_given_time_a_denial_gives_a_key_about_to_end_another_hour(algorithm):
    asker = Asker(limit(algorithm, 1, 60))
    asker.consume()
    for key in every_key():
        link().client.pexpire(key, 60_000)

    assert not asker.consume().allowed
    assert all(left > HOUR_MS - 60_000 for left in left_ms())


def test_a_record_that_no_limit_of_the_call_knows_keeps_its_time():
    """A limit may be out of the plan for a while: what it had counted is not cut short."""
    asker = Asker(limit("token_bucket", 1, YEAR, name="slow"))
    asker.consume(now_us=0)

    asker.edit(limit("token_bucket", 10, 1, name="quick"))
    for _ in range(3):
        asker.consume(now_us=0)

    assert left_ms() >= [(YEAR - DAY) * 1000]


def test_a_slot_given_back_and_a_lease_run_out_leave_no_key_for_ever():
    asker = Asker(limit("concurrency", 2, 60))
    held = asker.consume(now_us=0)
    asker.consume(now_us=0)
    asker.give_back(held)

    assert all(0 < left <= 60_000 + SLACK_MS for left in left_ms())


def test_a_slot_under_a_lowered_lease_cuts_no_longer_lease_short():
    """Slots share a key: ending with the newest lease, it would free those that run on."""
    asker = Asker(limit("concurrency", 2, 3600))
    asker.consume(now_us=0)
    slots = next(name for name in every_key() if ":s:" in name)

    asker.edit(limit("concurrency", 2, 0.001))

    assert asker.consume(now_us=0).allowed
    assert link().client.pttl(slots) > HOUR_MS - 60_000
    assert 1 <= one(asker.peek(0, now_us=0)).used
