"""An edit in one process acts on the next request in another, or within ``QUOTAS_PLAN_POLL``."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest
from django.core import serializers
from django.core.management import call_command
from django.db import transaction
from django.db.models import F

from quotas.domain.calendar import EPOCH
from quotas.models import Override, Plan, PlanLimit
from quotas.testing import forget
from tests import START_US
from tests.models.rows import a_limit, a_plan, a_tenant, an_override
from tests.services.asking import allowed, ask, left, of_tenant

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clock")]

HOUR = timedelta(hours=1)
START = EPOCH + timedelta(microseconds=START_US)
POLL = 1.001
"""Seconds: a little more than QUOTAS_PLAN_POLL."""


@pytest.fixture
def plan(transactional_db):
    made = a_plan("pro")
    a_limit(made, amount=5, period=HOUR)
    return made


@pytest.fixture
def tenant(plan):
    return a_tenant("acme", plan=plan)


@pytest.fixture
def override(tenant):
    return an_override(tenant, amount=5, period=HOUR, starts_at=START)


def test_the_neighbour_counts_in_the_same_counters(tenant, neighbour):
    assert {"minute": 4} == left(ask(of_tenant(tenant)))
    assert ("allowed", {"minute": 3}) == neighbour.ask(tenant)
    assert {"minute": 2} == left(ask(of_tenant(tenant)))


def test_P1_each_change_of_an_override_acts_on_the_next_request_in_another_process(
    tenant, override, neighbour
):
    assert 5 == allowed(of_tenant(tenant), times=6)
    assert ("denied", {"minute": 0}) == neighbour.ask(tenant)

    seen = []
    for amount in (100, 0, 150):
        override.amount = amount
        override.save()
        seen.append(neighbour.ask(tenant))

    assert [
        ("allowed", {"minute": 94}),
        ("denied", {"minute": 0}),
        ("allowed", {"minute": 143}),
    ] == seen


def test_P1_each_change_of_a_plan_acts_within_the_plan_poll_in_another_process(
    plan, tenant, neighbour
):
    assert 5 == allowed(of_tenant(tenant), times=6)
    assert ("denied", {"minute": 0}) == neighbour.ask(tenant)

    seen = []
    for amount in (100, 0, 150):
        limit = plan.limits.get()
        limit.amount = amount
        limit.save()
        neighbour.later(POLL)
        seen.append(neighbour.ask(tenant))

    assert [
        ("allowed", {"minute": 94}),
        ("denied", {"minute": 0}),
        ("allowed", {"minute": 143}),
    ] == seen


def save(override):
    override.amount = 100
    override.save()


def save_one_field(override):
    override.amount = 100
    override.save(update_fields=["amount"])


def update(override):
    Override.objects.filter(pk=override.pk).update(amount=100)


def update_by_an_expression(override):
    Override.objects.update(amount=F("amount") + 95)


def bulk_update(override):
    override.amount = 100
    Override.objects.bulk_update([override], ["amount"])


def replaced(override):
    override.delete()
    an_override(override.tenant, amount=100, period=HOUR, starts_at=START)


def replaced_in_bulk(override):
    Override.objects.all().delete()
    override.pk, override.amount = None, 100
    Override.objects.bulk_create([override])


def added_later(override):
    an_override(override.tenant, amount=100, period=HOUR, starts_at=START + timedelta(seconds=0))


def update_or_create(override):
    Override.objects.update_or_create(pk=override.pk, defaults={"amount": 100})


def through_the_tenant(override):
    override.tenant.overrides.update(amount=100)


EDITS = [
    save,
    save_one_field,
    update,
    update_by_an_expression,
    bulk_update,
    replaced,
    replaced_in_bulk,
    added_later,
    update_or_create,
    through_the_tenant,
]


@pytest.mark.parametrize("edit", [pytest.param(each, id=each.__name__) for each in EDITS])
def test_P4_an_override_edited_in_any_way_acts_on_the_next_request_elsewhere(
    tenant, override, neighbour, edit
):
    assert ("allowed", {"minute": 4}) == neighbour.ask(tenant)

    edit(override)

    assert ("allowed", {"minute": 98}) == neighbour.ask(tenant)


def test_P4_a_fixture_that_is_loaded_acts_on_the_next_request_elsewhere(
    tenant, override, neighbour, tmp_path
):
    neighbour.ask(tenant)
    rows = json.loads(serializers.serialize("json", [override]))
    rows[0]["fields"]["amount"] = 100
    fixture = tmp_path / "override.json"
    fixture.write_text(json.dumps(rows))

    call_command("loaddata", str(fixture), verbosity=0)

    assert ("allowed", {"minute": 98}) == neighbour.ask(tenant)


@pytest.mark.parametrize(
    "delete",
    [
        pytest.param(lambda row: row.delete(), id="row"),
        pytest.param(lambda row: type(row).objects.filter(pk=row.pk).delete(), id="queryset"),
    ],
)
def test_P4_a_deleted_override_gives_the_plans_limit_back(plan, tenant, neighbour, delete):
    override = an_override(tenant, amount=100, period=HOUR, starts_at=START)
    assert ("allowed", {"minute": 99}) == neighbour.ask(tenant)

    delete(override)

    assert ("allowed", {"minute": 3}) == neighbour.ask(tenant)


def test_P4_three_plans_updated_at_once_act_on_their_tenants(neighbour):
    tenants = [a_tenant(plan=a_limit(amount=10).plan) for _ in range(3)]
    for each in tenants:
        assert 10 == allowed(of_tenant(each), times=11)
        assert ("denied", {"minute": 0}) == neighbour.ask(each)

    PlanLimit.objects.all().update(amount=100)

    assert [{"minute": 89}] * 3 == [left(ask(of_tenant(each))) for each in tenants]
    neighbour.later(POLL)
    assert [("allowed", {"minute": 88})] * 3 == [neighbour.ask(each) for each in tenants]


def test_P2_denials_before_the_raise_take_nothing_of_it(plan, tenant):
    plan.limits.update(amount=10)
    assert 10 == allowed(of_tenant(tenant), times=50)

    plan.limits.update(amount=20)

    answers = [ask(of_tenant(tenant)).decision.allowed for _ in range(11)]
    assert [True] * 10 + [False] == answers


def test_a_plan_edited_here_acts_here_on_the_next_request(plan, tenant):
    ask(of_tenant(tenant))

    plan.limits.update(amount=100)

    assert {"minute": 98} == left(ask(of_tenant(tenant)))


@pytest.mark.parametrize("write", ["save", "update"])
def test_a_plan_switched_off_gives_way_to_the_default_within_the_poll(
    plan, tenant, neighbour, write
):
    a_limit(a_plan(is_default=True), amount=2, period=HOUR)
    assert ("allowed", {"minute": 4}) == neighbour.ask(tenant)

    if write == "save":
        plan.active = False
        plan.save()
    else:
        Plan.objects.filter(pk=plan.pk).update(active=False)
    neighbour.later(POLL)

    assert ("allowed", {"minute": 0}) == neighbour.ask(tenant)


def test_an_edit_that_is_rolled_back_has_no_effect(tenant, override, neighbour):
    neighbour.ask(tenant)

    with transaction.atomic():
        Override.objects.update(amount=100)
        transaction.set_rollback(True)

    assert ("allowed", {"minute": 3}) == neighbour.ask(tenant)
    assert 0 == neighbour.queries(tenant)


def test_an_edit_acts_after_its_commit_and_not_before(tenant, override, neighbour):
    neighbour.ask(tenant)

    with transaction.atomic():
        Override.objects.update(amount=100)
        assert ("allowed", {"minute": 3}) == neighbour.ask(tenant)

    assert ("allowed", {"minute": 97}) == neighbour.ask(tenant)


def test_what_was_read_inside_a_transaction_that_is_rolled_back_is_read_again_after_a_second(
    tenant, override, later
):
    """As with ATOMIC_REQUESTS: a view may edit and be limited in one transaction."""
    with transaction.atomic():
        Override.objects.update(amount=100)
        forget()
        assert {"minute": 99} == left(ask(of_tenant(tenant)))
        transaction.set_rollback(True)

    later(POLL)

    assert {"minute": 3} == left(ask(of_tenant(tenant)))
