"""Since when a plan has been the default one is right, whatever made it so."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from quotas.models import Plan
from quotas.services.statement import statement_of
from quotas.testing import forget
from tests.models.rows import a_plan, a_tenant

pytestmark = pytest.mark.django_db

LONG_AGO, LATELY = datetime(2026, 3, 1, 12, tzinfo=UTC), datetime(2026, 6, 1, 12, tzinfo=UTC)


def by_save(plan):
    plan.is_default = True
    plan.save()


def by_some_fields(plan):
    plan.is_default = True
    plan.save(update_fields=["is_default"])


def by_update(plan):
    Plan.objects.filter(pk=plan.pk).update(is_default=True)


def by_bulk(plan):
    plan.is_default = True
    Plan.objects.bulk_update([plan], ["is_default"])


@pytest.fixture
def plan():
    plan = a_plan("pro")
    Plan.objects.update(default_since=LONG_AGO)
    plan.refresh_from_db()
    return plan


@pytest.mark.parametrize("made", [by_save, by_some_fields, by_update, by_bulk])
def test_a_plan_that_becomes_the_default_one_is_so_since_then(plan, made):
    made(plan)

    plan.refresh_from_db()
    assert plan.default_since > LATELY


@pytest.mark.parametrize("made", [by_save, by_some_fields, by_update, by_bulk])
def test_what_is_the_default_plan_already_stays_so_since_before(plan, made):
    Plan.objects.update(is_default=True, default_since=LONG_AGO)
    plan.name = "Renamed"

    made(plan)

    plan.refresh_from_db()
    assert LONG_AGO == plan.default_since


@pytest.mark.parametrize(
    ("tenant_since", "default_since"), [(LONG_AGO, LATELY), (LATELY, LONG_AGO)]
)
def test_a_tenant_without_a_plan_has_the_default_one_since_both_were_so(
    plan, tenant_since, default_since
):
    tenant = a_tenant(plan=None, plan_since=tenant_since)
    Plan.objects.update(is_default=True, default_since=default_since)
    forget()

    assert LATELY == statement_of(tenant.pk).plan_since
