"""The books after refusals and absences: nothing is there twice, and every denial has a name."""

from __future__ import annotations

from datetime import timedelta

import pytest

from quotas.engine.tallies import tallies_of
from quotas.models import UsageDay, UsageQuarter
from quotas.services.enforcement import Ask, enforce
from quotas.services.flush import flush
from quotas.services.prune import prune
from quotas.testing import frozen_clock
from tests import START_US
from tests.models.rows import a_limit, a_plan, a_tenant
from tests.services.asking import ask, in_code, of_tenant

pytestmark = pytest.mark.django_db(transaction=True)
DAY = timedelta(days=1)


@pytest.fixture
def tenant():
    plan = a_plan("free", is_default=True)
    for scope in ("api", "rare"):
        a_limit(plan, scope=scope, name="minute", amount=1000)
    a_limit(plan, scope="*", name="all", amount=2)
    return a_tenant("acme")


def counted(tenant):
    (tallied,) = tallies_of([f"t{tenant.pk}"])
    return tallied.quarters


def by_limit(tenant):
    return {each.label: each.denied for quarter in counted(tenant) for each in quarter.limits}


def test_what_was_pruned_is_not_copied_again_by_a_flush_that_was_long_away(tenant):
    with frozen_clock(START_US) as clock:
        for _ in range(2):
            ask(of_tenant(tenant), "rare")
        flush(clock.now_us)
        for _ in range(5):
            clock.tick(DAY)
            ask(of_tenant(tenant), "api")
        prune(quarters=4 * DAY, days=800 * DAY, now=clock.now)
        flush(clock.now_us)
        clock.tick(DAY)
        prune(quarters=4 * DAY, days=800 * DAY, now=clock.now)

    days = UsageDay.objects.filter(scope="rare").values_list("admitted", flat=True)
    rows = UsageQuarter.objects.filter(scope="rare").values_list("admitted", flat=True)
    assert 2 == sum(days) + sum(rows)


@pytest.mark.parametrize(
    "asks",
    [
        pytest.param([Ask(scope="api"), Ask(scope="api", subject="a")], id="one-scope-twice"),
        pytest.param([Ask(scope="api", cost=0), Ask(scope="rare")], id="the-first-costs-nothing"),
        pytest.param([Ask(scope="api"), Ask(limit=in_code(1, scope="api"))], id="beside-code"),
    ],
)
def test_every_denial_is_of_a_limit(tenant, asks):
    with frozen_clock(START_US):
        answers = [enforce(of_tenant(tenant), asks).decision.allowed for _ in range(6)]

    denied = answers.count(False)
    assert denied
    assert denied == max(quarter.denied for quarter in counted(tenant))
    assert denied == sum(by_limit(tenant).values())


def test_scopes_too_long_to_be_told_apart_by_their_ends_are_counted_apart(tenant):
    scopes = ["é" + "x" * 254, "è" + "x" * 254]
    with frozen_clock(START_US):
        for scope in scopes:
            enforce(of_tenant(tenant), [Ask(limit=in_code(5, scope=scope))])
        flush(START_US)

    assert 2 == UsageQuarter.objects.count()


def test_more_scopes_than_are_counted_are_decided_all_the_same(tenant):
    asks = [Ask(limit=in_code(5, scope=f"scope-{number}")) for number in range(300)]

    assert enforce(of_tenant(tenant), asks).decision.allowed
