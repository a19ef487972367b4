"""What the decision script counts of callers by the hour, and which it lists."""

from __future__ import annotations

import random
from collections import Counter
from datetime import timedelta

import pytest

from quotas.domain.keys import digest
from quotas.engine.hours import HOUR_US
from quotas.testing import frozen_clock
from tests import START_US
from tests.models.rows import a_limit, a_plan, a_tenant
from tests.services.asking import ask, of_tenant
from tests.services.counted import HOUR, hour_of, hours_of

pytestmark = pytest.mark.django_db

MINUTE = timedelta(minutes=1)
MOST_LISTED = 16


@pytest.fixture
def clock():
    with frozen_clock(START_US - START_US % HOUR_US) as frozen:
        yield frozen


@pytest.fixture
def plan(db, clock):
    return a_plan("pro")


@pytest.fixture
def tenant(plan):
    return a_tenant("acme", plan=plan)


def listed(tenant):
    """(admitted, denied, units, early) of each caller."""
    return {
        each.caller: (each.admitted, each.denied, each.units, each.early)
        for each in hour_of(tenant).callers
    }


def test_each_caller_is_counted_by_user_by_credential_or_by_both(plan, tenant):
    a_limit(plan, amount=100)

    ask(of_tenant(tenant, user=7), cost=2)
    ask(of_tenant(tenant, user=7, credential="key-1"), cost=3)
    ask(of_tenant(tenant, user=7, credential="key-1"))
    ask(of_tenant(tenant, credential="key-2"))

    shown = [digest(text)[1:9] for text in ("key-1", "key-2")]
    assert {
        "u7": (1, 0, 2, 0),
        f"u7 c{shown[0]}": (2, 0, 4, 0),
        f"c{shown[1]}": (1, 0, 1, 0),
    } == listed(tenant)


def test_who_is_only_an_address_is_in_the_sums_and_not_listed(plan, tenant):
    a_limit(plan, amount=1)

    for _ in range(3):
        ask(of_tenant(tenant))

    hour = hour_of(tenant)
    assert ((), 1, 2, 1) == (hour.callers, hour.admitted, hour.denied, hour.units)


def test_a_call_for_several_scopes_is_one_call_of_its_caller_with_the_units_of_all(plan, tenant):
    a_limit(plan, scope="api", amount=100)
    a_limit(plan, scope="reports", amount=100)

    ask(of_tenant(tenant, user=7), "api", "reports", cost=5)

    assert {"u7": (1, 0, 10, 0)} == listed(tenant)


def test_of_many_callers_the_busiest_are_listed_and_the_sums_are_of_all(plan, tenant):
    a_limit(plan, amount=100_000)
    rng = random.Random(20261)
    heavy, light = ["u1", "u2", "u3"], [f"u{pk}" for pk in range(100, 160)]
    calls = heavy * 60 + light * 2
    rng.shuffle(calls)

    for caller in calls:
        ask(of_tenant(tenant, user=int(caller[1:])))

    hour, truth = hour_of(tenant), Counter(calls)
    assert MOST_LISTED == len(hour.callers)
    assert len(calls) == hour.admitted == hour.units
    assert set(heavy) <= {each.caller for each in hour.callers}
    assert all(each.admitted <= truth[each.caller] for each in hour.callers)


def test_whoever_made_more_than_a_sixteenth_of_the_calls_is_listed_whatever_their_order(
    plan, tenant
):
    a_limit(plan, amount=100_000)
    crowd = list(range(1000, 1090))

    for turn in range(3):  # the heavy one first, so that a crowd could push it out each time
        for _ in range(8):
            ask(of_tenant(tenant, user=1))
        for pk in crowd[turn * 30 : turn * 30 + 30]:
            ask(of_tenant(tenant, user=pk))

    assert "u1" in listed(tenant)


def test_numbers_that_look_like_a_caller_are_not_taken_for_one(plan, tenant):
    a_limit(plan, amount=10**9)
    looks = int.from_bytes(b"\x02u9", "little")

    ask(of_tenant(tenant, user=10), cost=looks)
    ask(of_tenant(tenant, user=9), cost=4)
    ask(of_tenant(tenant, user=9), cost=1)

    assert {"u10": (1, 0, looks, 0), "u9": (2, 0, 5, 0)} == listed(tenant)


def test_a_caller_with_a_long_name_is_counted_under_the_same_cut_text(plan, tenant):
    a_limit(plan, amount=10)

    for _ in range(2):
        ask(of_tenant(tenant, user="\u00e9" * 300, credential="x" * 300))

    assert [(2, 0, 2, 0)] == list(listed(tenant).values())


def test_a_call_denied_before_the_retry_after_it_was_given_came_early(plan, tenant, clock):
    a_limit(plan, algorithm="fixed_window", amount=1, period=MINUTE)
    caller = of_tenant(tenant, user=7)

    ask(caller)
    told = ask(caller).decision.retry_after_seconds
    clock.move_to(clock.now_us + 30 * 1_000_000)
    ask(caller)  # early
    clock.move_to(clock.now_us + (told - 30) * 1_000_000)
    ask(caller)  # it waited, and is admitted
    ask(caller)  # denied, with nothing told in between that it could have waited for

    assert {"u7": (2, 3, 2, 1)} == listed(tenant)
    assert 1 == hour_of(tenant).early


@pytest.mark.parametrize(("waited_ms", "early"), [(59_700, 1), (59_999, 1), (60_000, 0)])
def test_early_is_sooner_than_the_whole_seconds_that_the_header_said(
    plan, tenant, clock, waited_ms, early
):
    a_limit(plan, algorithm="fixed_window", amount=1, period=MINUTE)
    caller = of_tenant(tenant, user=7)
    clock.move_to(clock.now_us + 500_000)  # 59.5 seconds to wait, told as 60
    ask(caller)
    assert 60 == ask(caller).decision.retry_after_seconds

    clock.move_to(clock.now_us + waited_ms * 1000)
    ask(of_tenant(tenant, user=8))  # takes what the other had waited for
    ask(caller)

    assert early == hour_of(tenant).early


def test_another_callers_retry_after_and_another_limits_say_nothing_of_a_call(plan, tenant):
    a_limit(plan, scope="api", name="one", amount=1)
    a_limit(plan, scope="reports", name="two", amount=1)
    for scope in ("api", "reports"):
        ask(of_tenant(tenant, user=1), scope)

    ask(of_tenant(tenant, user=7), "api")
    ask(of_tenant(tenant, user=8), "api")
    ask(of_tenant(tenant, user=7), "reports")

    assert 0 == hour_of(tenant).early


def test_where_waiting_does_not_help_no_call_is_early(plan, tenant):
    a_limit(plan, amount=0)

    for _ in range(3):
        ask(of_tenant(tenant, user=7))

    assert {"u7": (0, 3, 0, 0)} == listed(tenant)


def test_a_retry_after_is_remembered_for_as_long_as_it_says(plan, tenant, clock):
    a_limit(plan, algorithm="sliding_window_log", amount=1, period=10 * HOUR)
    caller = of_tenant(tenant, user=7)

    ask(caller)
    ask(caller)
    clock.move_to(clock.now_us + 9 * HOUR_US)
    ask(caller)

    assert [0, 1] == [each.early for each in hours_of(tenant)]


def test_who_turns_to_another_limit_in_between_is_early_all_the_same(plan, tenant):
    for scope in ("api", "reports"):
        a_limit(plan, scope=scope, name="one", amount=1, algorithm="fixed_window", period=HOUR)
    caller = of_tenant(tenant, user=7)

    for _ in range(4):
        for scope in ("api", "reports"):
            ask(caller, scope)

    assert {"u7": (2, 6, 2, 4)} == listed(tenant)


def test_of_many_that_were_told_to_wait_the_latest_are_remembered(plan, tenant):
    a_limit(plan, amount=1, algorithm="fixed_window", period=HOUR)
    ask(of_tenant(tenant))

    for user in (*range(1, 41), 40, 1):  # the first was told too long ago, the last was not
        ask(of_tenant(tenant, user=user))

    assert 1 == hour_of(tenant).early
