"""What calendar quotas have used is copied, so that a wiped Redis goes on with the month."""

from __future__ import annotations

import pytest

from quotas.domain.keys import owner_key, subject_text, tenant_tag
from quotas.domain.words import SubjectKind
from quotas.engine.connection import link
from quotas.models import CalendarBalance, Tenant
from quotas.services.flush import flush
from quotas.testing import forget
from tests import START_US
from tests.engine.asking import dumped
from tests.engine.watching import watching
from tests.models.rows import a_limit, a_membership, a_plan, a_tenant, a_user, an_override
from tests.services.asking import allowed, ask, left, of_tenant, used
from tests.services.auditing import wipe
from tests.services.counted import DAY, START, admitted, balances

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clock")]


@pytest.fixture
def plan(db):
    plan = a_plan("pro", is_default=True)
    a_limit(plan, name="month", algorithm="calendar_quota", unit="month", period=None)
    return plan


@pytest.fixture
def tenant(plan):
    return a_tenant("acme")


def test_a_wiped_redis_goes_on_with_the_month_where_it_was_copied(tenant, clock):
    assert 7 == allowed(of_tenant(tenant), times=7)
    assert 1 == flush().balances
    wipe()
    clock.tick(60)

    assert {"month": 2} == left(ask(of_tenant(tenant)))
    assert 2 == allowed(of_tenant(tenant), times=5)
    flush()
    assert {("api", "month", ""): 10} == balances(tenant)
    assert 10 == admitted(tenant)


def test_what_was_used_since_the_last_copy_is_all_that_a_wipe_gives_back(tenant):
    allowed(of_tenant(tenant), times=4)
    flush()
    allowed(of_tenant(tenant), times=3)
    wipe()

    assert {"month": 5} == left(ask(of_tenant(tenant)))


def test_a_flush_after_a_wipe_and_before_any_request_lowers_nothing(tenant):
    allowed(of_tenant(tenant), times=7)
    flush()
    wipe()

    flush()

    assert {("api", "month", ""): 7} == balances(tenant)
    assert {} == dumped()


def test_after_three_idle_days_a_month_is_copied_on_while_another_quota_was_never_used(
    plan, tenant
):
    a_limit(plan, scope="mail", algorithm="calendar_quota", unit="month", period=None)
    allowed(of_tenant(tenant), times=4)
    flush()
    client, key = link()
    assert client.delete(key(owner_key(tenant_tag(tenant.pk))))  # what its expiry does

    allowed(of_tenant(tenant), times=3)
    assert 1 == flush().balances

    assert {("api", "month", ""): 7} == balances(tenant)
    wipe()
    assert {"month": 2} == left(ask(of_tenant(tenant)))


def test_what_redis_has_lost_has_no_balance_to_give(tenant):
    """Redis has forgotten, and a first call was counted before its month was read back."""
    allowed(of_tenant(tenant), times=7)
    flush()
    client, key = link()
    client.hdel(key(owner_key(tenant_tag(tenant.pk))), "mark")
    client.delete(*[each for each in client.scan_iter() if b":q:" in each])

    assert 0 == flush().balances
    assert {("api", "month", ""): 7} == balances(tenant)


def test_each_member_has_a_balance_of_its_own(plan, tenant):
    plan.limits.update(subject="user")
    ada, bob, eve = (a_membership(tenant, a_user(name)).user for name in ("ada", "bob", "eve"))
    allowed(of_tenant(tenant, user=ada), times=4)
    allowed(of_tenant(tenant, user=bob), times=6)

    flush()

    texts = [subject_text(SubjectKind.USER, each.pk) for each in (ada, bob)]
    assert {("api", "month", texts[0]): 4, ("api", "month", texts[1]): 6} == balances(tenant)
    wipe()
    assert [5, 3, 9] == [
        left(ask(of_tenant(tenant, user=each)))["month"] for each in (ada, bob, eve)
    ]


def test_an_override_and_every_unit_are_copied_with_their_periods(plan, tenant):
    for unit in ("day", "week", "year"):
        a_limit(plan, name=unit, algorithm="calendar_quota", unit=unit, period=None, amount=None)
    an_override(
        tenant, name="month", algorithm="calendar_quota", unit="month", period=None, starts_at=START
    )
    ask(of_tenant(tenant), cost=3)

    flush()

    found = {each.unit: each for each in CalendarBalance.objects.all()}
    assert {"day": 3, "week": 3, "month": 3, "year": 3} == {
        unit: row.used for unit, row in found.items()
    }
    assert [("2026-10-27", "2026-10-28"), ("2026-10-26", "2026-11-02")] == [
        (f"{found[unit].period_start:%F}", f"{found[unit].period_end:%F}")
        for unit in ("day", "week")
    ]
    assert ("2026-10-01", "2026-11-01", "2026-01-01") == (
        f"{found['month'].period_start:%F}",
        f"{found['month'].period_end:%F}",
        f"{found['year'].period_start:%F}",
    )


def test_t3_a_day_of_tokyo_is_copied_as_the_day_of_tokyo(plan, clock):
    plan.limits.update(name="day", unit="day")
    tenant = a_tenant("tokyo", time_zone="Asia/Tokyo")
    clock.move_to(START.replace(month=9, day=8, hour=14, minute=30))
    assert 10 == allowed(of_tenant(tenant), times=11)
    flush()
    clock.tick(30 * 60)
    assert {"day": 9} == left(ask(of_tenant(tenant)))
    flush()

    assert [("2026-09-07 15:00", 10), ("2026-09-08 15:00", 1)] == [
        (f"{each.period_start:%F %R}", each.used)
        for each in tenant.balances.order_by("period_start")
    ]


def test_a_period_that_began_under_another_zone_is_kept_as_one(plan, clock):
    plan.limits.update(name="day", unit="day")
    tenant = a_tenant("mover")
    clock.move_to(START + DAY / 2)
    allowed(of_tenant(tenant), times=3)
    flush()
    Tenant.objects.filter(pk=tenant.pk).update(time_zone="Asia/Tokyo")
    forget()
    clock.tick(4 * 3600)
    allowed(of_tenant(tenant), times=2)

    flush()

    assert [(START, START + DAY, 5)] == [
        (each.period_start, each.period_end, each.used) for each in tenant.balances.all()
    ]
    clock.move_to(START + DAY + DAY / 24)
    ask(of_tenant(tenant))
    flush()
    assert 1 == tenant.balances.get(period_end__gt=START + DAY).used


def test_after_a_reset_the_balance_starts_anew(tenant):
    allowed(of_tenant(tenant), times=7)
    flush()
    Tenant.objects.filter(pk=tenant.pk).update(epoch=1)
    forget()
    allowed(of_tenant(tenant), times=2)

    flush()

    assert [(0, 7), (1, 2)] == [
        (each.epoch, each.used) for each in tenant.balances.order_by("epoch")
    ]


def test_a_new_month_is_a_row_of_its_own(tenant, clock):
    allowed(of_tenant(tenant), times=7)
    flush()
    clock.move_to(START + 6 * DAY)
    allowed(of_tenant(tenant), times=2)

    flush()

    assert [7, 2] == [each.used for each in tenant.balances.order_by("period_start")]


def test_a_host_whose_clock_is_a_month_off_copies_the_servers_month(tenant, monkeypatch):
    allowed(of_tenant(tenant), times=7)

    flush(START_US + 40 * 86_400_000_000)

    assert "2026-10-01" == f"{tenant.balances.get().period_start:%F}"


def test_tenants_without_calendar_quotas_cost_no_peek(tenant, redis_url):
    tenant.plan = a_plan("plain")
    tenant.save()
    a_limit(tenant.plan, algorithm="sliding_window_log")
    a_limit(
        tenant.plan,
        name="zero",
        scope="other",
        algorithm="calendar_quota",
        unit="day",
        period=None,
        amount=0,
    )
    ask(of_tenant(tenant))

    with watching(redis_url) as watched:
        flush()

    assert not {"EVAL", "EVALSHA"} & set(watched.names)


def test_copying_creates_nothing_in_redis(plan, tenant):
    a_limit(plan, scope="other", name="year", algorithm="calendar_quota", unit="year", period=None)
    ask(of_tenant(tenant))
    before = dumped()

    flush()

    assert before == dumped()
    assert {"month": 1} == used("acme", scope="api")
