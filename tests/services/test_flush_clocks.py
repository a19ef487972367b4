"""A clock that is ahead while a flush runs, and steps back: no call is missing from the books."""

from __future__ import annotations

import time
from types import SimpleNamespace

import pytest

from quotas.engine import clock as clocks
from quotas.services.flush import flush
from quotas.testing import frozen_clock
from tests.models.rows import a_limit, a_plan, a_tenant
from tests.services.asking import allowed, of_tenant
from tests.services.auditing import named
from tests.services.counted import admitted, hours_of, quarters_of

pytestmark = pytest.mark.django_db
HOUR_US = 3600 * 1_000_000
AHEAD = pytest.mark.parametrize("hours", [5, 30, 100])


@pytest.fixture
def tenant(db):
    plan = a_plan("pro", is_default=True)
    a_limit(plan, name="year", algorithm="calendar_quota", unit="year", period=None, amount=100)
    return a_tenant("acme")


@pytest.fixture
def earlier(monkeypatch):
    """Puts this host's clock back, by hours: Redis is so far ahead of it."""

    def by(hours):
        past = SimpleNamespace(time_ns=lambda: time.time_ns() - hours * HOUR_US * 1000)
        monkeypatch.setattr(clocks, "time", past)
        return past.time_ns() // 1000

    return by


@AHEAD
def test_what_a_clock_ahead_calls_old_is_counted_on_when_it_steps_back(tenant, earlier, hours):
    now_us = earlier(hours)
    with frozen_clock(now_us):
        assert 5 == allowed(of_tenant(tenant), times=5)
        flush()

    flush()

    with frozen_clock(now_us):
        assert 3 == allowed(of_tenant(tenant), times=3)
        flush()
        assert [] == named()
    assert 8 == admitted(tenant)


@AHEAD
def test_what_no_flush_had_copied_before_the_clock_was_ahead_is_copied_after(
    tenant, earlier, hours
):
    now_us = earlier(hours)
    with frozen_clock(now_us):
        assert 5 == allowed(of_tenant(tenant), times=5)

    flush()

    with frozen_clock(now_us):
        flush()
    assert 5 == admitted(tenant)


def test_what_both_clocks_call_old_is_let_go_of(tenant):
    with frozen_clock(time.time_ns() // 1000 - 5 * HOUR_US):
        allowed(of_tenant(tenant), times=5)

    flush()

    assert ((), (), 5) == (quarters_of(tenant), hours_of(tenant), admitted(tenant))
