"""A host whose own clock is wrong decides by the engine's, and pays no round trip for it."""

from __future__ import annotations

import time
from types import SimpleNamespace

import pytest

from quotas.engine import clock as clocks
from quotas.testing import forget
from tests.engine.watching import watching
from tests.models.rows import a_limit, a_plan, a_tenant
from tests.services.asking import ask, of_tenant

pytestmark = pytest.mark.django_db

DAY_US = 86_400_000_000
MINUTE = 61


YEAR = 366


@pytest.fixture
def skew(monkeypatch):
    """Puts this host's clock wrong, by days; decisions are taken at the server's time."""

    def by(days):
        wrong = SimpleNamespace(time_ns=lambda: time.time_ns() + days * DAY_US * 1000)
        monkeypatch.setattr(clocks, "time", wrong)

    return by


@pytest.fixture(params=[-YEAR, 0, YEAR], ids=["year-behind", "right", "year-ahead"])
def caller(request, skew, plan):
    skew(request.param)
    return of_tenant(a_tenant("acme"))


@pytest.fixture
def plan(db, settings):
    settings.QUOTAS_PLAN_POLL = 60
    plan = a_plan("free", is_default=True)
    a_limit(plan, name="day", algorithm="calendar_quota", amount=100, unit="day", period=None)
    return plan


def test_in_steady_state_a_request_takes_one_round_trip_whatever_the_hosts_clock_says(
    caller, redis_url
):
    ask(caller)

    with watching(redis_url) as watched:
        for _ in range(5):
            ask(caller)

    assert ["EVALSHA"] * 5 == watched.names


def test_a_policy_read_anew_takes_no_further_trip_to_learn_the_time(caller, redis_url, later):
    ask(caller)
    later(MINUTE)

    with watching(redis_url) as watched:
        ask(caller)

    assert ["EVALSHA"] * 3 == watched.names  # two versions, one decision


def test_a_clock_that_goes_wrong_later_costs_no_further_trip(plan, skew, redis_url, later):
    caller = of_tenant(a_tenant("acme"))
    ask(caller)
    forget()
    ask(caller)  # nothing was outdated: the decision itself told the time
    skew(YEAR)
    later(MINUTE)

    with watching(redis_url) as watched:
        ask(caller)

    assert ["EVALSHA"] * 3 == watched.names


def test_a_calendar_quota_counts_in_the_engines_day_whatever_the_hosts_clock_says(caller):
    for turn in range(3):
        decision = ask(caller).decision

        (verdict,) = decision.verdicts
        assert 99 - turn == verdict.remaining
        assert DAY_US - decision.now_us % DAY_US == verdict.reset_us
