"""Calendar quotas: what was charged, counted and copied is held against each other."""

from __future__ import annotations

from datetime import timedelta

import pytest

from quotas.domain.keys import owner_key, tenant_tag
from quotas.engine.connection import link
from quotas.models import CalendarBalance, PlanLimit, Tenant, UsageDay, UsageQuarter
from quotas.services.audit.walk import audit
from quotas.services.flush import flush
from quotas.services.prune import prune
from quotas.testing import forget
from tests.models.rows import a_limit, a_plan, a_tenant, an_override
from tests.services.asking import allowed, ask, in_code, of_tenant
from tests.services.auditing import alter_state, named
from tests.services.counted import DAY, HOUR, START

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clock")]
MONTH = {"name": "month", "algorithm": "calendar_quota", "unit": "month", "period": None}


@pytest.fixture
def plan(db):
    plan = a_plan("pro", is_default=True)
    a_limit(plan, amount=100, **MONTH)
    return plan


@pytest.fixture
def tenant(plan):
    return a_tenant("acme")


@pytest.fixture
def used(tenant, clock):
    """Seven units of this month, copied."""
    clock.tick(60)
    assert 7 == allowed(of_tenant(tenant), times=7)
    flush()
    return tenant


def use(units):
    """Writes the units used where a state has them: behind the name, the instant and the kind."""
    return lambda record: record.__setitem__(slice(11, 17), units.to_bytes(6, "little"))


def test_what_is_charged_is_what_was_counted_over_days_and_copies(used, clock):
    for _ in range(4):
        clock.tick(DAY)
        ask(of_tenant(used), cost=2)
        flush()

    done = audit()

    assert () == done.differences
    assert (1, 1, 1) == (done.quotas, done.exact, done.balances)


def test_what_was_summed_up_by_the_day_is_counted_in(plan, used, clock):
    a_limit(plan, amount=100, **{**MONTH, "name": "year", "unit": "year"})
    forget()
    ask(of_tenant(used), cost=2)
    for _ in range(30):
        clock.tick(DAY)
        ask(of_tenant(used))
        flush()
    prune(quarters=4 * DAY, days=800 * DAY, now=clock.now)
    flush()
    assert 26 == UsageDay.objects.count()

    done = audit()
    assert ((), 2, 1) == (done.differences, done.quotas, done.exact)
    UsageDay.objects.all().delete()
    assert ("charged_uncounted", "api/month", "units", 26, 5) in named()


def test_a_lost_row_is_named_when_nothing_else_knows_of_it(used, clock):
    clock.tick(4 * DAY + 2 * HOUR)
    ask(of_tenant(used))
    flush()
    UsageQuarter.objects.filter(start=START).delete()

    assert [("charged_uncounted", "api/month", "units", 8, 1)] == named()


def test_what_was_not_copied_for_three_days_is_named(used, clock):
    ask(of_tenant(used), "api", cost=2)
    clock.tick(4 * DAY)
    ask(of_tenant(used))
    flush()

    assert ("charged_uncounted", "api/month", "units", 10, 8) in named()


def test_older_rows_of_the_period_are_summed_and_missed(used, clock):
    for _ in range(20):
        clock.tick(DAY)
        ask(of_tenant(used), cost=3)
        flush()
    assert [] == named()
    assert 1 == audit().exact
    UsageQuarter.objects.filter(start__lt=START + 7 * DAY, units=3).delete()

    assert [("charged_uncounted", "api/month", "units", 48, 42)] == named()


@pytest.mark.parametrize(
    ("units", "found"),
    [
        pytest.param(
            9,
            {
                ("charged_uncounted", "api/month", "units", 9, 7),
            },
            id="raised",
        ),
        pytest.param(6, {("balance_ahead", "api/month", "units", 7, 6)}, id="lowered"),
    ],
)
def test_an_altered_state_is_named(used, units, found):
    alter_state(use(units))

    assert found == set(named())


def test_a_state_that_redis_lost_alone_is_named(used):
    client, _ = link()
    client.delete(*[each for each in client.scan_iter() if b":q:" in each])

    assert [("balance_ahead", "api/month", "units", 7, 0)] == named()


def test_an_altered_balance_is_named(used):
    CalendarBalance.objects.update(used=8)
    assert [("balance_ahead", "api/month", "units", 8, 7)] == named()
    CalendarBalance.objects.update(used=7)
    assert [] == named()


def test_a_lowered_balance_is_named_once_it_is_too_low_for_its_copy(used, clock):
    clock.tick(HOUR)
    ask(of_tenant(used))
    flush()
    CalendarBalance.objects.update(used=3)

    assert [("balance_far_behind", "api/month", "units", 5, 1)] == named()


def test_a_wiped_redis_goes_on_without_a_difference(used, clock):
    ask(of_tenant(used))
    link().client.flushdb()
    clock.tick(60)
    assert [] == named()
    ask(of_tenant(used))
    assert [] == named()
    flush()

    done = audit()

    assert ((), 1) == (done.differences, done.exact)


def test_after_a_wipe_an_altered_state_is_named_still(used, clock):
    link().client.flushdb()
    clock.tick(HOUR)
    ask(of_tenant(used))
    flush()
    alter_state(use(11))

    assert [("balance_far_behind", "api/month", "units", 3, 1)] == named()


def test_a_balance_a_call_ahead_of_its_quarters_is_no_difference_after_a_wipe(used, clock):
    """The quarters were read, a call came, the balance was read; then Redis lost its memory."""
    UsageQuarter.objects.update(admitted=6, units=6, peak=6)
    used.hours.update(admitted=6, units=6)
    link().client.flushdb()
    clock.tick(60)
    ask(of_tenant(used))
    flush()

    assert [] == named()


def test_a_tenant_without_its_mark_has_nothing_to_compare_with(used):
    client, key = link()
    client.hdel(key(owner_key(tenant_tag(used.pk))), "mark")
    client.delete(*[each for each in client.scan_iter() if b":q:" in each])

    done = audit()

    assert ((), 0) == (done.differences, done.quotas)


def test_a_limit_made_in_the_middle_of_the_month_has_charged_less(plan, used):
    a_limit(plan, amount=100, **{**MONTH, "name": "later"})
    a_limit(plan, scope="*", amount=100, **{**MONTH, "name": "all"})
    forget()
    ask(of_tenant(used), "api", "rare")

    done = audit()

    assert ((), 3, 1) == (done.differences, done.quotas, done.exact)


def test_shadow_own_subjects_code_and_denials_are_no_difference(plan, used):
    from quotas.services.enforcement import Ask, enforce

    PlanLimit.objects.update(amount=8, mode="shadow")
    forget()
    for asks in (
        [Ask(scope="api")],
        [Ask(scope="api", cost=50)],
        [Ask(scope="api", subject="a part of the tenant")],
        [Ask(limit=in_code(5, scope="api"))],
    ):
        enforce(of_tenant(used), asks)

    done = audit()

    assert ((), 1, 0) == (done.differences, done.quotas, done.exact)


def test_a_reset_and_an_override_are_no_difference(used):
    an_override(used, amount=1000, starts_at=START - DAY, **MONTH)
    Tenant.objects.filter(pk=used.pk).update(epoch=1)
    forget()
    ask(of_tenant(used))
    flush()

    done = audit()

    assert ((), 1, 0) == (done.differences, done.quotas, done.exact)


def test_a_period_that_began_under_another_zone_is_no_difference(plan, tenant, clock):
    PlanLimit.objects.update(name="day", unit="day")
    clock.move_to(START + 2 * HOUR)
    allowed(of_tenant(tenant), times=3)
    clock.move_to(START + 15.5 * HOUR)
    Tenant.objects.filter(pk=tenant.pk).update(time_zone="Asia/Tokyo")
    forget()
    allowed(of_tenant(tenant), times=2)

    assert [] == named()
    flush()
    assert [] == named()
    alter_state(use(6))
    assert [("charged_uncounted", "api/day", "units", 6, 5)] == named()


def test_a_day_of_tokyo_is_counted_from_its_own_midnight(plan, clock):
    PlanLimit.objects.update(name="day", unit="day")
    tenant = a_tenant("tokyo", time_zone="Asia/Tokyo")
    clock.move_to(START + timedelta(hours=14.5))
    allowed(of_tenant(tenant), times=5)
    clock.tick(HOUR)
    allowed(of_tenant(tenant), times=2)
    flush()
    assert 1 == audit().exact

    alter_state(use(3))

    assert ("charged_uncounted", "api/day", "units", 3, 2) in named()
