"""Old quarters become days, once; what is older still goes."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from quotas.models import CalendarBalance, UsageDay, UsageQuarter
from quotas.services import prune as pruning
from quotas.services.prune import Pruned, prune
from tests.models.rows import a_tenant
from tests.services.company import in_threads
from tests.services.counted import DAY, QUARTER, START

pytestmark = pytest.mark.django_db

NOW = START + 40 * DAY


@pytest.fixture
def tenant(db):
    return a_tenant("acme")


def run(now=NOW, quarters=35, days=800, **options):
    return prune(quarters=timedelta(quarters), days=timedelta(days), now=now, **options)


def a_quarter(tenant, start=START, **fields):
    values = {"scope": "api", "generation": 1, "admitted": 1, "units": 1, "peak": 1, **fields}
    return UsageQuarter.objects.create(tenant=tenant, start=start, **values)


def days_of(tenant):
    return {(each.day.isoformat(), each.scope): each.admitted for each in tenant.days.all()}


def test_quarters_of_a_day_are_summed_up_and_deleted(tenant):
    a_quarter(tenant, denied=2, shadow_denied=1, units=5, peak=3, limits={"api/minute": [2, 1]})
    a_quarter(tenant, START + QUARTER, admitted=4, peak=2, limits={"api/minute": [1, 0]})
    a_quarter(tenant, START + QUARTER, generation=2, limits={"api/hour": [0, 7]})

    assert Pruned(quarters=3) == run()

    day = tenant.days.get()
    assert (date(2026, 10, 27), "api", 6, 2, 1) == (
        day.day, day.scope, day.admitted, day.denied, day.shadow_denied,
    )  # fmt: skip
    assert (7, 3) == (day.units, day.peak)
    assert {"api/minute": [3, 1], "api/hour": [0, 7]} == day.limits
    assert not UsageQuarter.objects.exists()


def test_running_again_adds_nothing(tenant):
    a_quarter(tenant)
    run()

    assert Pruned() == run()
    assert {("2026-10-27", "api"): 1} == days_of(tenant)


def test_only_whole_days_of_the_tenants_zone_are_summed_up(tenant):
    tokyo = a_tenant("tokyo", time_zone="Asia/Tokyo")
    for number in range(96):
        for each in (tenant, tokyo):
            a_quarter(each, START + number * QUARTER)

    run(START + 36 * DAY)

    assert {("2026-10-27", "api"): 96} == days_of(tenant)
    assert {("2026-10-27", "api"): 60} == days_of(tokyo)
    assert 36 == tokyo.quarters.count()


def test_t3_a_day_is_the_tenants_own(tenant):
    tokyo = a_tenant("tokyo", time_zone="Asia/Tokyo")
    evening = START.replace(month=9, day=8, hour=14, minute=45)
    for each in (tenant, tokyo):
        a_quarter(each, evening, admitted=10)
        a_quarter(each, evening + QUARTER, admitted=1)

    run()

    assert {("2026-09-08", "api"): 11} == days_of(tenant)
    assert {("2026-09-08", "api"): 10, ("2026-09-09", "api"): 1} == days_of(tokyo)


def test_what_was_interrupted_goes_on_and_adds_up(tenant, monkeypatch):
    monkeypatch.setattr(pruning, "BATCH", 10)
    for number in range(96):
        a_quarter(tenant, START + number * QUARTER)
    add, added = pruning._add, []

    def crash(*args):
        if len(added) == 5:
            add(*args)
            raise KeyboardInterrupt
        added.append(args)
        add(*args)

    monkeypatch.setattr(pruning, "_add", crash)
    with pytest.raises(KeyboardInterrupt):
        run()
    assert {("2026-10-27", "api"): 50} == days_of(tenant)
    assert 46 == tenant.quarters.count()
    monkeypatch.setattr(pruning, "_add", add)

    run()

    assert {("2026-10-27", "api"): 96} == days_of(tenant)


def test_a_batch_of_which_another_process_took_a_part_is_left_and_read_anew(tenant):
    batch = [a_quarter(tenant, START + number * QUARTER) for number in range(3)]
    UsageQuarter.objects.filter(pk=batch[1].pk).delete()

    assert 0 == pruning._sum_up(batch, pruning.zone_of("UTC"))
    assert (2, {}) == (tenant.quarters.count(), days_of(tenant))


@pytest.mark.django_db(transaction=True)
def test_two_at_once_add_up(transactional_db, monkeypatch):
    monkeypatch.setattr(pruning, "BATCH", 10)
    tenant = a_tenant("acme")
    for number in range(96):
        a_quarter(tenant, START + number * QUARTER)

    in_threads(run, run)

    assert {("2026-10-27", "api"): 96} == days_of(tenant)
    assert not tenant.quarters.exists()


def test_days_and_balances_that_are_older_than_days_go(tenant):
    for number in (799, 800, 801):
        UsageDay.objects.create(tenant=tenant, scope="api", day=(NOW - number * DAY).date())
        CalendarBalance.objects.create(
            tenant=tenant,
            scope="api",
            name="day",
            unit="day",
            period_start=NOW - (number + 1) * DAY - QUARTER,
            period_end=NOW - number * DAY - QUARTER,
        )

    assert Pruned(days=1, balances=2) == run()
    assert 2 == tenant.days.count()


@pytest.mark.parametrize(("quarters", "days"), [(3, 800), (35, 34)])
def test_what_redis_may_still_hold_and_days_before_their_quarters_are_not_pruned(
    tenant, quarters, days
):
    with pytest.raises(ValueError, match="at least 4"):
        run(quarters=quarters, days=days)


def test_it_tells_how_far_it_is(tenant):
    a_tenant()
    seen = []

    run(after_tenant=seen.append)

    assert [1, 2] == seen
