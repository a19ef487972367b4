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
from tests.services.counted import HOUR, hour_of

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

    limit.amount = 20
    limit.save()
    forget()
    ask(of_tenant(tenant))

    assert {"api/minute": (9, 20)} == peaks(tenant)


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
