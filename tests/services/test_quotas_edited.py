"""Whatever is edited, copied and wiped in any order: a quota counts each period once."""

from __future__ import annotations

from datetime import timedelta
from random import Random
from zoneinfo import ZoneInfo

import pytest

from quotas.domain.calendar import edges_around
from quotas.domain.words import CalendarUnit
from quotas.models import Override, PlanLimit
from quotas.services.flush import flush
from quotas.testing import forget
from tests.models.rows import a_limit, a_plan, a_tenant, an_override
from tests.services.asking import allowed, of_tenant, used
from tests.services.auditing import named, wipe
from tests.services.counted import HOUR, START

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clock")]
QUOTA = {"name": "quota", "algorithm": "calendar_quota", "amount": 10, "period": None}
PAIRS = [(one, two) for one in CalendarUnit for two in CalendarUnit if one is not two]
ZONES = ["UTC", "Europe/Berlin", "Asia/Tokyo", "Pacific/Kiritimati", "Pacific/Pago_Pago"]
UNITS = pytest.mark.parametrize(("before", "after"), PAIRS)


@pytest.fixture
def tenant(db):
    return a_tenant("acme", plan=a_plan("pro"))


class ByPlan:
    """The unit is edited in the plan."""

    @staticmethod
    def edit(tenant, unit):
        rows = PlanLimit.objects.filter(plan=tenant.plan)
        for row in rows:
            row.unit = unit
            row.save()
        if not rows:
            a_limit(tenant.plan, unit=unit, **QUOTA)
        forget()


class ByOverride:
    """The plan counts by the year; overrides come and go."""

    @staticmethod
    def edit(tenant, unit):
        for row in Override.objects.filter(tenant=tenant):
            row.delete()
        if not PlanLimit.objects.filter(plan=tenant.plan).exists():
            a_limit(tenant.plan, unit="year", **QUOTA)
        if unit != "year":
            an_override(tenant, unit=unit, starts_at=START - timedelta(days=1), **QUOTA)
        forget()


WAYS = pytest.mark.parametrize("way", [ByPlan, ByOverride], ids=lambda each: each.__name__)


@UNITS
@WAYS
def test_a_wiped_redis_does_not_hand_out_what_was_used_before_or_after_the_unit_changed(
    tenant, clock, way, before, after
):
    way.edit(tenant, before)
    assert 4 == allowed(of_tenant(tenant), times=4)
    flush()
    way.edit(tenant, after)
    assert 10 == allowed(of_tenant(tenant), times=12)
    flush()

    wipe()
    clock.tick(1)

    assert {"quota": 10} == used("acme")
    assert 0 == allowed(of_tenant(tenant), times=2)
    way.edit(tenant, before)
    assert {"quota": 4} == used("acme")
    assert 6 == allowed(of_tenant(tenant), times=8)
    flush()
    assert [] == named()


@UNITS
@WAYS
def test_the_unit_there_and_back_finds_what_was_used_again(tenant, way, before, after):
    way.edit(tenant, before)
    allowed(of_tenant(tenant), times=8)
    flush()

    way.edit(tenant, after)
    assert {"quota": 0} == used("acme")
    allowed(of_tenant(tenant), times=3)
    flush()
    way.edit(tenant, before)

    assert {"quota": 8} == used("acme")
    assert 2 == allowed(of_tenant(tenant), times=5)
    flush()
    assert [] == named()


class Books:
    """What is used of a quota, by the rules of decision 6 and nothing else."""

    def __init__(self, unit):
        self.unit = unit
        self.periods = {}

    def used(self, tenant, at_us):
        return self._period(tenant, at_us)[1]

    def take(self, tenant, at_us):
        end_us, taken = self._period(tenant, at_us)
        if taken < QUOTA["amount"]:
            self.periods[self.unit] = end_us, taken + 1

    def _period(self, tenant, at_us):
        end_us, taken = self.periods.get(self.unit, (0, 0))
        if at_us < end_us:
            return end_us, taken
        zone, anchor = ZoneInfo(tenant.time_zone), tenant.anchor_day
        return edges_around(CalendarUnit(self.unit), at_us, zone=zone, anchor=anchor)[2], 0


class Story:
    """Random steps in the life of one quota, each held against the books."""

    STEPS = ("call", "call", "call", "pass", "edit", "move", "flush", "wipe")

    def __init__(self, seed, tenant, way, clock):
        self.random, self.tenant, self.way, self.clock = Random(seed), tenant, way, clock
        self.books = Books("year")
        way.edit(tenant, "year")

    def step(self):
        getattr(self, f"_{self.random.choice(self.STEPS)}")()
        at_us = self.clock.now_us
        assert {"quota": self.books.used(self.tenant, at_us)} == used("acme")
        for row in self.tenant.balances.filter(period_end__gt=self.clock.now):
            assert row.period_start <= self.clock.now

    def _call(self):
        allowed(of_tenant(self.tenant))
        self.books.take(self.tenant, self.clock.now_us)

    def _pass(self):
        span = self.random.choice([HOUR / 60, HOUR, 5 * HOUR, 26 * HOUR, 400 * HOUR])
        if span > 5 * HOUR:
            flush()  # what is not copied for three days is let go of
        self.clock.tick(span)
        forget()

    def _edit(self):
        flush()  # what is not copied of a limit that is no more, a wipe takes
        self.books.unit = self.random.choice(list(CalendarUnit))
        self.way.edit(self.tenant, self.books.unit)

    def _move(self):
        self.tenant.time_zone = self.random.choice(ZONES)
        self.tenant.anchor_day = self.random.choice([1, 15, 28, 31])
        self.tenant.save()
        forget()

    def _flush(self):
        flush()
        assert [] == named()

    def _wipe(self):
        flush()
        wipe()
        self.clock.tick(1)


@pytest.mark.parametrize("seed", range(10))
@WAYS
def test_any_order_of_edits_copies_and_wipes_counts_each_period_once(tenant, way, clock, seed):
    story = Story(seed, tenant, way, clock)

    for _ in range(60):
        story.step()
