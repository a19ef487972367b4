"""The records that the decision script keeps by the hour: how many, how long, and their sums."""

from __future__ import annotations

import pytest

from quotas.domain.keys import owner_key, tenant_tag
from quotas.engine.connection import link
from quotas.engine.hours import HOUR_US
from quotas.testing import frozen_clock
from tests import START_US
from tests.models.rows import a_limit, a_plan, a_tenant
from tests.services.asking import ask, of_tenant, used
from tests.services.counted import hour_of, hours_of, only

pytestmark = pytest.mark.django_db

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


def test_each_hour_has_its_own_record_and_three_days_are_kept(plan, tenant, clock):
    a_limit(plan, amount=10**6)
    start = clock.now_us

    for number in range(75):
        clock.move_to(start + number * HOUR_US)
        ask(of_tenant(tenant, user=7), cost=number + 1)

    hours = hours_of(tenant)
    assert [start + number * HOUR_US for number in range(3, 75)] == [
        each.start_us for each in hours
    ]
    assert [number + 1 for number in range(3, 75)] == [each.units for each in hours]


def test_what_costs_nothing_or_is_only_looked_at_is_not_counted(plan, tenant):
    a_limit(plan, amount=10)

    ask(of_tenant(tenant, user=7), cost=0)
    used(tenant.pk)

    assert () == hours_of(tenant)


def test_an_hours_sums_are_those_of_its_quarters(plan, tenant, clock):
    a_limit(plan, amount=20)

    for _ in range(30):
        ask(of_tenant(tenant, user=7))

    hour, quarter = hour_of(tenant), only(tenant)
    assert (quarter.admitted, quarter.denied, quarter.units) == (
        hour.admitted,
        hour.denied,
        hour.units,
    )


def test_an_hour_takes_a_bounded_part_of_memory_however_many_call(plan, tenant):
    for number in range(4):
        a_limit(plan, name=f"minute{number}", amount=10**6)
    client, key = link()

    def length():
        fields = client.hgetall(key(owner_key(tenant_tag(tenant.pk))))
        return sum(len(field) + len(raw) for field, raw in fields.items() if field[:1] == b"h")

    for pk in range(MOST_LISTED):
        ask(of_tenant(tenant, user=1000 + pk, credential="key"))
    full = length()
    for pk in range(100):
        ask(of_tenant(tenant, user=2000 + pk, credential="key"))

    assert full == length()
    assert full <= 900
