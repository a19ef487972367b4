"""Of several rows for one limit it is known which acts, and which stand behind it, in order."""

from __future__ import annotations

from datetime import timedelta

import pytest

from quotas.services.caps import set_cap
from quotas.services.effective import standing_of
from tests.models.rows import a_limit, a_plan, a_tenant, an_override
from tests.services.asking import allowed, of_tenant
from tests.services.counted import DAY, HOUR, START

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clock")]


@pytest.fixture
def tenant(transactional_db):
    plan = a_plan("pro")
    a_limit(plan, amount=10)
    return a_tenant(plan=plan)


def amounts(tenant, name="minute"):
    """What acts, and what stands behind it."""
    found = standing_of(tenant.pk).of("api", name)
    return [found.limit.rule.amount, *(each.rule.amount for each in found.beaten)]


def test_a_limit_alone_has_none_behind_it(tenant):
    assert [10] == amounts(tenant)


def test_the_override_that_began_last_acts_and_the_others_stand_behind_it(tenant):
    an_override(tenant, amount=30, starts_at=START - HOUR)
    an_override(tenant, amount=20, starts_at=START - DAY)
    an_override(tenant, amount=1, starts_at=START + HOUR)
    an_override(tenant, amount=2, starts_at=START - DAY, ends_at=START - HOUR)

    assert [30, 20, 10] == amounts(tenant)


def test_an_override_begins_and_ends_at_its_instant_by_the_servers_clock(tenant, clock):
    an_override(tenant, amount=20, starts_at=START + HOUR, ends_at=START + 2 * HOUR)

    seen = [amounts(tenant)]
    for step in (HOUR - timedelta(seconds=1), timedelta(seconds=1), HOUR):
        clock.tick(step)
        seen.append(amounts(tenant))

    assert [[10], [10], [20, 10], [10]] == seen


def test_behind_a_cap_stands_what_it_lowers(tenant):
    an_override(tenant, amount=20, starts_at=START - HOUR)
    set_cap(tenant.pk, "api", "minute", 4)

    assert [4, 20, 10] == amounts(tenant)


def test_an_override_that_is_off_acts_as_well_and_has_no_use(tenant):
    an_override(tenant, mode="off", starts_at=START - HOUR)

    assert standing_of(tenant.pk).of("api", "minute").line is None


def test_what_is_used_is_told_of_the_limits_that_count_the_tenant(tenant):
    a_limit(tenant.plan, name="each", subject="user")
    allowed(of_tenant(tenant, user=1), times=3)

    standing = standing_of(tenant.pk)

    assert 3 == standing.of("api", "minute").line.used
    assert standing.of("api", "each").line is None
    assert standing.of("api", "none") is None


def test_a_tenant_that_is_gone_has_no_standing(db):
    assert standing_of(4711) is None
