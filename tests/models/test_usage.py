from __future__ import annotations

from datetime import date, timedelta

import pytest
from django.db import IntegrityError, connection, transaction

from quotas.domain.calendar import EPOCH
from quotas.models import AnonymousQuarter, UsageDay, UsageQuarter
from tests import START_US
from tests.models.rows import a_tenant

pytestmark = pytest.mark.django_db

START = EPOCH + timedelta(microseconds=START_US)
SUMS = ["admitted", "denied", "shadow_denied", "units", "peak"]


def a_quarter(tenant=None, **fields):
    values = {"scope": "api", "start": START, "generation": 1, **fields}
    return UsageQuarter.objects.create(tenant=tenant or a_tenant(), **values)


def a_day(tenant=None, **fields):
    values = {"scope": "api", "day": date(2026, 10, 27), **fields}
    return UsageDay.objects.create(tenant=tenant or a_tenant(), **values)


@pytest.mark.parametrize("make", [a_quarter, a_day])
@pytest.mark.parametrize("name", SUMS)
def test_nothing_is_counted_below_zero(make, name):
    with pytest.raises(IntegrityError), transaction.atomic():
        make(**{name: -1})


@pytest.mark.parametrize("make", [a_quarter, a_day])
def test_a_span_of_one_scope_is_kept_once(make):
    row = make()

    with pytest.raises(IntegrityError), transaction.atomic():
        make(row.tenant)
    make(row.tenant, scope="other")
    make()


def test_what_was_counted_after_a_loss_of_memory_is_a_row_of_its_own():
    row = a_quarter()

    assert a_quarter(row.tenant, generation=2).pk != row.pk


@pytest.mark.parametrize(
    ("write", "table"),
    [
        pytest.param(a_quarter, "quarters", id="quarter"),
        pytest.param(a_day, "days", id="day"),
    ],
)
def test_writing_usage_announces_nothing_and_goes_with_its_tenant(hearing, write, table):
    tenant = a_tenant()
    with hearing() as heard:
        row = write(tenant)
        row.save()
        assert row == getattr(tenant, table).get()

    assert 0 == heard.times
    tenant.delete()
    assert not type(row).objects.exists()


def test_what_nobodys_tenant_used_is_kept_once_a_scope_quarter_and_generation():
    values = {"scope": "api", "start": START, "generation": 1}
    AnonymousQuarter.objects.create(**values)

    with pytest.raises(IntegrityError), transaction.atomic():
        AnonymousQuarter.objects.create(**values)
    for other in ({"scope": "b"}, {"start": START + timedelta(minutes=15)}, {"generation": 2}):
        AnonymousQuarter.objects.create(**values | other)


@pytest.mark.parametrize("name", [*SUMS, "generation"])
def test_nothing_of_nobodys_is_counted_below_zero(name):
    values = {"scope": "api", "start": START, "generation": 1}
    with pytest.raises(IntegrityError), transaction.atomic():
        AnonymousQuarter.objects.create(**values | {name: -1})


def test_a_span_of_a_tenant_is_read_by_an_index():
    rows = UsageQuarter.objects.filter(tenant=a_tenant(), start__gte=START).order_by("start")

    plan = rows.explain()

    if connection.vendor == "sqlite":
        assert "quotas_usagequarter_span" in plan
        assert "SCAN" not in plan
