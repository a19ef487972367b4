"""How full each limit got, as the decision script keeps it by the hour."""

from __future__ import annotations

import random
from collections import Counter
from datetime import timedelta

import pytest

from quotas.engine.hours import HOUR_US
from quotas.testing import forget, frozen_clock
from tests import START_US
from tests.models.rows import a_limit, a_plan, a_tenant
from tests.services.asking import ask, of_tenant, used
from tests.services.counted import HOUR, hour_of, hours_of

pytestmark = pytest.mark.django_db

MINUTE = timedelta(minutes=1)


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


def peaks(tenant):
    return {each.label: (each.used, each.most) for each in hour_of(tenant).peaks}


def fullest(tenant):
    return {each.label: (each.used, each.most) for each in hour_of(tenant).fullest}


def edited(limit, amount):
    limit.amount = amount
    limit.save()
    forget()


def test_the_peak_of_a_limit_is_the_most_that_the_page_ever_showed_as_used(plan, tenant, clock):
    rng = random.Random(7)
    for number, algorithm in enumerate(
        ("token_bucket", "leaky_bucket", "fixed_window", "sliding_window_counter"), start=1
    ):
        a_limit(plan, name=f"l{number}", algorithm=algorithm, amount=60, period=MINUTE)
    a_limit(plan, name="l5", algorithm="sliding_window_log", amount=60, period=MINUTE)
    a_limit(plan, name="l6", algorithm="calendar_quota", amount=1000, unit="day", period=None)
    seen = Counter()

    for _ in range(60):
        clock.move_to(clock.now_us + rng.randrange(4_000_000))
        answer = ask(of_tenant(tenant), cost=rng.randrange(1, 12))
        if answer.decision.allowed:
            for name, taken in used(tenant.pk).items():
                seen[name] = max(seen[name], taken)

    assert {f"api/{name}": taken for name, taken in seen.items()} == {
        label: taken for label, (taken, _) in peaks(tenant).items()
    }


def test_a_denied_call_raises_no_peak(plan, tenant):
    a_limit(plan, name="wide", amount=100)
    a_limit(plan, name="narrow", amount=3)

    ask(of_tenant(tenant), cost=3)
    ask(of_tenant(tenant), cost=3)

    assert {"api/wide": (3, 100), "api/narrow": (3, 3)} == peaks(tenant)


def test_of_a_limit_that_counts_each_user_the_peak_is_that_of_the_fullest(plan, tenant):
    a_limit(plan, amount=10, subject="user")

    ask(of_tenant(tenant, user=1), cost=7)
    ask(of_tenant(tenant, user=2), cost=4)

    assert {"api/minute": (7, 10)} == peaks(tenant)


def test_what_fits_at_once_is_that_of_the_last_call_after_an_edit(plan, tenant):
    limit = a_limit(plan, amount=10, algorithm="fixed_window", period=HOUR)
    ask(of_tenant(tenant), cost=8)

    edited(limit, 20)
    ask(of_tenant(tenant))

    assert {"api/minute": (9, 20)} == peaks(tenant)


@pytest.mark.parametrize(
    ("edits", "expected"),
    [
        pytest.param([(10, 8), (20, 1)], (8, 10), id="raised"),
        pytest.param([(10, 8), (20, 11)], (19, 20), id="raised-and-fuller"),
        pytest.param([(100, 8), (10, 1)], (9, 10), id="lowered"),
        pytest.param([(10, 2), (20, 2)], (2, 10), id="as-full-as-before"),
        pytest.param([(None, 8), (20, 1)], (9, 20), id="limited"),
        pytest.param([(10, 8), (None, 90)], (8, 10), id="unlimited"),
        pytest.param([(10**9, 10**8), (10**9 - 1, 1)], (10**8 + 1, 10**9 - 1), id="large"),
    ],
)
def test_a_limit_is_fullest_when_most_of_what_fitted_then_was_taken(plan, tenant, edits, expected):
    limit = a_limit(plan, amount=1, algorithm="fixed_window", period=HOUR)

    for amount, cost in edits:
        edited(limit, amount)
        assert ask(of_tenant(tenant), cost=cost).decision.allowed

    assert {"api/minute": expected} == fullest(tenant)


def test_a_lowered_limit_that_denies_is_as_full_as_it_was_then_and_has_no_peak(plan, tenant, clock):
    limit = a_limit(plan, amount=100, period=3 * HOUR, algorithm="sliding_window_log")
    ask(of_tenant(tenant), cost=8)
    clock.tick(4000)
    edited(limit, 5)
    assert not ask(of_tenant(tenant)).decision.allowed

    later = hours_of(tenant)[-1]

    assert ((), 1) == (later.peaks, later.denied)
    assert [("api/minute", 8, 5)] == [(each.label, each.used, each.most) for each in later.fullest]


def test_neither_shadow_nor_an_amount_of_0_nor_a_neighbour_that_fits_is_full_on_a_denial(
    plan, tenant
):
    a_limit(plan, name="none", amount=0)
    a_limit(plan, name="wide", amount=100)
    a_limit(plan, name="tried", amount=1, mode="shadow")

    assert not ask(of_tenant(tenant), cost=2).decision.allowed

    assert {} == fullest(tenant)


def test_a_bucket_is_measured_by_its_capacity_and_an_unlimited_row_by_nothing(plan, tenant):
    a_limit(plan, name="burst", algorithm="token_bucket", amount=100, capacity=20)
    a_limit(plan, name="free", algorithm="fixed_window", amount=None)

    ask(of_tenant(tenant), cost=5)

    assert {"api/burst": (5, 20), "api/free": (5, None)} == peaks(tenant)


def test_calls_in_flight_peak_at_the_most_that_ran_at_once(plan, tenant):
    a_limit(plan, algorithm="concurrency", amount=5, period=MINUTE)

    answers = [ask(of_tenant(tenant), cost=4) for _ in range(3)]
    for answer in answers:
        answer.give_back()
    ask(of_tenant(tenant))

    assert {"api/minute": (3, 5)} == peaks(tenant)
