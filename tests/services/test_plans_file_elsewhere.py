"""A file that is imported here acts in another process as a plan that is saved does."""

from __future__ import annotations

from datetime import timedelta

import pytest

from quotas.models import Plan
from tests.models.rows import a_limit, a_plan, a_tenant
from tests.services.planning import imported

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clock")]

POLL = 1.001
"""Seconds: a little more than QUOTAS_PLAN_POLL."""
LIMIT = """
[[plans.free.limits]]
scope = "api"
name = "minute"
algorithm = "fixed_window"
period = "1 hour"
"""


@pytest.fixture
def tenant(transactional_db):
    plan = a_plan("free", name="Free")
    a_limit(plan, amount=5, period=timedelta(hours=1))
    return a_tenant("acme", plan=plan)


def a_file(limits="", more=""):
    return f'[plans.free]\nname = "Free"\n{more}{limits}'


def test_each_amount_acts_within_the_plan_poll_zero_and_unlimited_too(tenant, neighbour):
    assert ("allowed", {"minute": 4}) == neighbour.ask(tenant)

    seen = []
    for amount in ("100", "0", '"unlimited"', "3"):
        imported(a_file(f"{LIMIT}amount = {amount}"))
        neighbour.later(POLL)
        seen.append(neighbour.ask(tenant))

    assert [
        ("allowed", {"minute": 98}),
        ("denied", {"minute": 0}),
        ("allowed", {"minute": None}),
        ("denied", {"minute": 0}),
    ] == seen


def test_a_limit_that_is_removed_and_one_that_is_added_act(tenant, neighbour):
    neighbour.ask(tenant)

    imported(a_file(f"{LIMIT.replace('minute', 'hour')}amount = 7"))
    neighbour.later(POLL)

    assert ("allowed", {"hour": 6}) == neighbour.ask(tenant)


def test_a_plan_that_is_switched_off_and_a_new_default_act(tenant, neighbour):
    neighbour.ask(tenant)

    other = f"[plans.basic]\nname = 'Basic'\ndefault = true\n{LIMIT.replace('free', 'basic')}"
    imported(f"{a_file(more='active = false')}\n{other}amount = 2")
    neighbour.later(POLL)

    assert ("allowed", {"minute": 0}) == neighbour.ask(tenant)


def test_an_import_that_changes_nothing_makes_nobody_read_again(tenant, neighbour):
    neighbour.ask(tenant)
    neighbour.later(POLL)
    assert 0 == neighbour.queries(tenant)

    imported(a_file(f"{LIMIT}amount = 5"))
    neighbour.later(2 * POLL)

    assert 0 == neighbour.queries(tenant)
    assert "Free" == Plan.objects.get().name
