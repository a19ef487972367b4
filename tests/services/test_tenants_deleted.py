"""What was counted of a deleted tenant is gone, whether Redis answered then or not."""

from __future__ import annotations

import pytest
from django.core.exceptions import ValidationError
from django.db import transaction

from quotas.domain.keys import denials_key, owner_key, tenant_tag
from quotas.engine import owners
from quotas.engine.connection import link
from quotas.models import Tenant
from quotas.models.versions import one_version
from quotas.services.deleted import bring_back, deleted, returns_of_deleted
from quotas.services.flush import flush
from quotas.services.usage import usage_of
from quotas.testing import forget
from tests.models.rows import a_limit, a_plan, a_tenant
from tests.services.asking import allowed, ask, of_tenant, used
from tests.services.auditing import named
from tests.services.counted import HOUR, QUARTER, hours_of, quarters_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clock")]


@pytest.fixture
def tenant(db, clock):
    """It has called for four quarters and once more: some of it copied and let go of, some not."""
    plan = a_plan("pro", is_default=True)
    a_limit(plan, name="month", algorithm="calendar_quota", unit="month", period=None, amount=30)
    a_limit(plan, scope="none", name="none", amount=0)
    tenant = a_tenant("acme")
    for _ in range(4):
        allowed(of_tenant(tenant), times=5)
        clock.tick(QUARTER)
    clock.tick(2 * HOUR)
    ask(of_tenant(tenant))
    flush()
    ask(of_tenant(tenant))
    assert not ask(of_tenant(tenant), "none").decision.allowed
    return tenant


def fields(tag):
    client, key = link()
    return client.hgetall(key(owner_key(tag))), client.exists(key(denials_key(tag)))


def back(pk):
    """Brings the tenant of this number back."""
    version = deleted(Tenant, "default").get(id=pk)
    with transaction.atomic(), one_version("default"):
        bring_back(returns_of_deleted(Tenant, version, "default"), "default", staff=None)
    forget()
    return Tenant.objects.get(pk=pk)


def test_a_deleted_tenant_leaves_nothing_but_its_version(
    tenant, django_capture_on_commit_callbacks
):
    tag = tenant_tag(tenant.pk)
    before = owners.version_of(tag, create=True)

    with django_capture_on_commit_callbacks(execute=True):
        tenant.delete()

    left, denials = fields(tag)
    assert ({b"version"}, 0) == (left.keys(), denials)
    one, two = (int.from_bytes(each, "little") for each in (before, left[b"version"]))
    assert one < two


def test_many_tenants_deleted_at_once_leave_nothing(tenant, django_capture_on_commit_callbacks):
    tags = [tenant_tag(tenant.pk), tenant_tag(a_tenant("bolt").pk)]
    ask(of_tenant("bolt"))

    with django_capture_on_commit_callbacks(execute=True):
        Tenant.objects.all().delete()

    assert [{b"version"}] * 2 == [fields(tag)[0].keys() for tag in tags]


def test_a_delete_that_is_rolled_back_loses_nothing(tenant, django_capture_on_commit_callbacks):
    before = fields(tenant_tag(tenant.pk))

    with django_capture_on_commit_callbacks(execute=True), transaction.atomic():
        Tenant.objects.filter(pk=tenant.pk).delete()
        transaction.set_rollback(True)

    assert before == fields(tenant_tag(tenant.pk))


def test_a_tenant_that_is_brought_back_has_no_usage_even_if_redis_was_away_when_it_went(tenant):
    pk = tenant.pk
    tenant.delete()  # no callback of this commit runs

    again = back(pk)

    seen = usage_of(pk)
    assert ({"month": 0, "none": 0}, ()) == (used("acme"), seen.denials)
    assert ((), ()) == (quarters_of(again), hours_of(again))
    flush()
    assert [] == named()
    assert 7 == allowed(of_tenant(again), times=7)
    flush()
    assert ([], {"month": 7, "none": 0}) == (named(), used("acme"))
    assert 7 == sum(again.quarters.values_list("admitted", flat=True))


def test_while_redis_is_away_no_tenant_is_brought_back(private_server, tenant):
    pk = tenant.pk
    tenant.delete()
    private_server.stop()

    with pytest.raises(ValidationError, match="Redis gives no answer"):
        back(pk)

    assert not Tenant.objects.exists()


def test_while_redis_is_away_a_tenant_is_deleted_all_the_same(
    private_server, tenant, django_capture_on_commit_callbacks, caplog
):
    private_server.stop()

    with django_capture_on_commit_callbacks(execute=True):
        tenant.delete()

    assert not Tenant.objects.exists()
    assert "stays in Redis" in caplog.text
