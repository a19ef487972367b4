"""Every change of a reset is announced, once it is committed; resets add up in the database."""

from __future__ import annotations

import pytest
from django.db import IntegrityError, transaction
from django.db.models import F

from quotas.models import LimitReset
from quotas.models.limit_resets import reset_limit
from tests.models.rows import a_tenant
from tests.services.company import in_threads

pytestmark = pytest.mark.django_db

WRITES = {
    "reset": lambda row: reset_limit(row.tenant_id, row.scope, row.name),
    "first-reset": lambda row: reset_limit(row.tenant_id, row.scope, "another"),
    "save": lambda row: row.save(),
    "delete": lambda row: row.delete(),
    "queryset-delete": lambda _: LimitReset.objects.all().delete(),
    "queryset-update": lambda _: LimitReset.objects.update(epoch=F("epoch") + 1),
    "through-the-tenant": lambda row: row.tenant.resets.update(epoch=7),
    "bulk-create": lambda row: LimitReset.objects.bulk_create(
        [LimitReset(tenant=row.tenant, scope="api", name="day")]
    ),
}


@pytest.fixture
def row():
    return LimitReset.objects.create(tenant=a_tenant(), scope="api", name="minute")


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
def test_every_write_is_announced_to_its_tenant_alone(row, hearing, write):
    tenant_pk = row.tenant_id

    with hearing() as heard:
        write(row)

    assert heard.tenants == {tenant_pk}
    assert not heard.plans


def test_each_reset_raises_the_epoch_by_one_whatever_was_read_before(row):
    stale = LimitReset.objects.get()

    assert [2, 3] == [reset_limit(row.tenant_id, "api", "minute") for _ in range(2)]
    assert 1 == stale.epoch


@pytest.mark.django_db(transaction=True)
def test_of_first_resets_at_once_each_is_one():
    tenant_pk = a_tenant().pk

    epochs = in_threads(*[lambda: reset_limit(tenant_pk, "api", "minute")] * 4)

    assert [1, 2, 3, 4] == sorted(epochs)
    assert 4 == LimitReset.objects.get().epoch


def test_the_epoch_of_a_limit_is_kept_once(row):
    with pytest.raises(IntegrityError), transaction.atomic():
        LimitReset.objects.create(tenant=row.tenant, scope="api", name="minute")


def test_an_epoch_of_0_is_no_reset(row):
    with pytest.raises(IntegrityError), transaction.atomic():
        LimitReset.objects.update(epoch=0)


def test_a_reset_is_called_by_its_limit(row):
    assert "api/minute" == str(row)
