"""Workers and flushes are killed at any moment, and Redis may be wiped: the books balance.

Real processes and the real clock, for a few seconds each.
"""

from __future__ import annotations

from io import StringIO
from random import Random
from threading import Event

import pytest
from django.core.management import call_command

from quotas.domain.keys import owner_key, tenant_tag
from quotas.engine.connection import link
from quotas.engine.tallies import tallied
from quotas.models import UsageQuarter
from quotas.services.audit.walk import audit
from quotas.services.flush import flush
from tests.models.rows import a_limit, a_plan, a_tenant
from tests.services.crew import Crew

pytestmark = pytest.mark.django_db(transaction=True)
KILLS = 10


@pytest.fixture
def tenants(transactional_db):
    """One that is denied by its bucket, one by its month, one hardly ever."""
    found = []
    for amount, capacity in ((100_000, 50), (150, 5_000), (100_000, 5_000)):
        plan = a_plan()
        month = {"name": "month", "algorithm": "calendar_quota", "unit": "month", "period": None}
        a_limit(plan, amount=amount, **month)
        a_limit(plan, algorithm="token_bucket", amount=600, capacity=capacity)
        found.append(a_tenant(plan=plan))
    return found


@pytest.fixture
def crew(tmp_path, tenants):
    crew = Crew(tmp_path, tenants)
    for work in ("enforce", "enforce", "enforce", "flush"):
        crew.start(work)
    yield crew
    crew.close()


def disturb(crew, random):
    """Some work, then somebody is killed at a moment of chance, and another takes the place."""
    for _ in range(KILLS):
        Event().wait(random.uniform(0.05, 0.4))
        work, pid = random.choice(crew.running)
        crew.kill(work, pid)
        crew.start(work)


def audited():
    """The last line of the command; it fails with any difference."""
    out = StringIO()
    call_command("quotas_audit", stdout=out)
    return out.getvalue().splitlines()[-1]


def wiped(crew, tenants):
    """Redis loses all, while it works; what it had counted and nobody had copied, by tenant."""
    crew.kill_all("flush")
    client, key = link()
    with client.pipeline(transaction=True) as pipeline:
        for each in tenants:
            pipeline.hgetall(key(owner_key(tenant_tag(each.pk))))
        pipeline.flushdb()
        *found, _ = pipeline.execute()
    crew.start("flush")
    return {
        each.pk: tuple(
            sum(getattr(quarter, name) for quarter in counted.quarters)
            - sum(
                UsageQuarter.objects.filter(
                    tenant=each.pk, generation=counted.generation
                ).values_list(name, flat=True)
            )
            for name in ("admitted", "denied", "units")
        )
        for each, counted in zip(tenants, map(tallied, found), strict=True)
    }


@pytest.mark.parametrize("wipe", [False, True], ids=["kills", "kills-and-a-wipe"])
def test_under_load_with_kills_no_difference_is_found(crew, tenants, wipe):
    random, lost = Random(7), {each.pk: (0, 0, 0) for each in tenants}

    disturb(crew, random)
    if wipe:
        lost = wiped(crew, tenants)
    assert "; 0 differences" in audited()
    disturb(crew, random)
    crew.kill_all("enforce", "flush")
    flush()

    assert "; 0 differences" in audited()
    done = audit()
    assert (3, 3, 0) == (done.quotas, done.balances, done.waiting)
    assert wipe or 3 == done.exact
    assert crew.killed["flush"]
    _sums_are_those_that_were_answered(crew, tenants, lost)


def _sums_are_those_that_were_answered(crew, tenants, lost):
    """To the call, but for those in flight: at most one for each worker that was killed."""
    calls, units = crew.answered()
    in_flight = crew.killed["enforce"]
    over = 0
    for each in tenants:
        counted = [
            sum(each.quarters.values_list(name, flat=True)) + lost[each.pk][place]
            for place, name in enumerate(("admitted", "denied", "units"))
        ]
        answered = [calls[each.pk, "A"], calls[each.pk, "D"], units[each.pk]]
        assert answered[0] > 50
        assert all(mine <= ours for mine, ours in zip(answered, counted, strict=True))
        over += sum(counted[:2]) - sum(answered[:2])
        assert counted[2] - answered[2] <= 3 * (counted[0] - answered[0])
    assert over <= in_flight
