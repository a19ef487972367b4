from __future__ import annotations

import pytest
from django.db import transaction

from quotas.models import Tenant
from quotas.signals import policy_changed
from tests.models.conftest import Heard
from tests.models.rows import a_limit, a_tenant

pytestmark = pytest.mark.django_db


@pytest.mark.django_db(transaction=True)
def test_what_is_rolled_back_is_not_announced():
    tenant, limit = a_tenant(), a_limit()
    heard = Heard()
    policy_changed.connect(heard.hear)
    try:
        with transaction.atomic():
            Tenant.objects.update(suspended=True)
            limit.save()
            tenant.delete()
            transaction.set_rollback(True)
    finally:
        policy_changed.disconnect(heard.hear)

    assert Heard() == heard


@pytest.mark.django_db(transaction=True)
def test_outside_a_transaction_a_write_is_announced_once_it_is_there():
    tenant = a_tenant()
    seen = []

    def look(*, tenant_ids, **_):
        seen.extend(Tenant.objects.filter(pk__in=tenant_ids).values_list("name", flat=True))

    policy_changed.connect(look)
    try:
        Tenant.objects.update(name="One")
        tenant.name = "Two"
        tenant.save()
    finally:
        policy_changed.disconnect(look)

    assert ["One", "Two"] == seen


def test_a_listener_that_fails_spoils_neither_the_write_nor_the_other_listeners(hearing, caplog):
    def fail(**_):
        raise RuntimeError("a listener's own trouble")

    tenant = a_tenant()
    policy_changed.connect(fail)
    try:
        with hearing() as heard:
            tenant.suspended = True
            tenant.save()
    finally:
        policy_changed.disconnect(fail)

    assert {tenant.pk} == heard.tenants
    assert "a listener's own trouble" in caplog.text
    assert Tenant.objects.get().suspended
