"""A tenant that gets another time zone or anchor day before anything of its period was copied."""

from __future__ import annotations

from zoneinfo import ZoneInfo

import pytest

from quotas.domain.calendar import period_at
from quotas.domain.words import CalendarUnit
from quotas.models import Tenant
from quotas.services.flush import flush
from quotas.testing import forget
from tests.models.rows import a_limit, a_plan, a_tenant
from tests.services.alerting import periods
from tests.services.asking import allowed, ask, of_tenant, used
from tests.services.auditing import named, wipe
from tests.services.counted import HOUR

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clock")]
MOVES = [
    *[
        pytest.param(unit, {"time_zone": zone}, id=f"{unit}-{zone}")
        for unit in CalendarUnit
        for zone in ("Asia/Tokyo", "America/New_York", "Pacific/Kiritimati")
    ],
    pytest.param(CalendarUnit.MONTH, {"anchor_day": 15}, id="anchor-before-the-end"),
    pytest.param(CalendarUnit.MONTH, {"anchor_day": 28}, id="anchor-just-before-the-end"),
]


@pytest.fixture
def moved(request, clock):
    """(tenant, its period): 9 of 10 were used of it before the tenant moved."""
    unit, fields = request.param
    plan = a_plan("pro")
    quota = {"name": "quota", "algorithm": "calendar_quota", "unit": unit, "period": None}
    a_limit(plan, amount=10, warn_projected=False, **quota)
    tenant = a_tenant("mover", plan=plan, time_zone="Europe/Berlin")
    clock.tick(16 * HOUR)
    period = period_at(unit, clock.now, zone=ZoneInfo("Europe/Berlin"))
    assert 9 == allowed(of_tenant(tenant), times=9)
    Tenant.objects.filter(pk=tenant.pk).update(**fields)
    forget()
    return tenant, (period.start, period.end)


moves = pytest.mark.parametrize(
    "moved", [pytest.param(each.values, id=each.id) for each in MOVES], indirect=True
)


@moves
def test_its_period_is_copied_as_it_began_and_resumed_by_page_and_limiter(moved, clock):
    tenant, period = moved

    flush()

    assert [period] == [(each.period_start, each.period_end) for each in tenant.balances.all()]
    wipe()
    clock.tick(1)
    assert {"quota": 9} == used("mover")
    assert 1 == allowed(of_tenant(tenant), times=3)
    flush()
    assert [] == named()


@moves
def test_its_period_is_told_of_and_so_is_the_next(moved, clock):
    tenant, period = moved
    flush()
    assert [period] == periods(tenant)

    clock.move_to(period[1])
    allowed(of_tenant(tenant), times=9)
    flush()

    first, (start, end) = periods(tenant)
    assert period == first
    assert start <= clock.now < end


@moves
def test_the_header_tells_how_long_its_period_is(moved):
    tenant, (start, end) = moved

    (verdict,) = ask(of_tenant(tenant)).decision.verdicts

    assert (end - start).total_seconds() * 1_000_000 == verdict.window_us
