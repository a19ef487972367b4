"""A tenant's own cap holds down what staff give it, and they are told."""

from __future__ import annotations

from datetime import timedelta

import pytest

from quotas.models import Cap, Override
from quotas.services.caps import set_cap
from tests.admin.test_tenant_steps import LATER, take
from tests.models.rows import a_limit, a_plan, a_tenant
from tests.services.asking import allowed, of_tenant

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.urls("tests.admin.urls")]

HELD = (
    "%s: done for acme. The tenant's own cap of %s stays in force: no more than that is allowed, "
    "until the tenant raises it."
)


@pytest.fixture
def tenant(transactional_db):
    """A tenant to which its plan allows 10 a day."""
    plan = a_plan("pro", is_default=True)
    a_limit(plan, amount=10, period=timedelta(days=1))
    return a_tenant("acme", plan=plan)


def told(client, answer):
    """What the tenant's page says was done; besides, it tells when that is in force."""
    messages = client.get(answer.url).context["messages"]
    return [(each.level_tag, str(each)) for each in messages if "done for" in str(each)]


def test_a_boost_raises_above_the_limit_itself_and_not_above_the_tenants_cap(staff, tenant):
    set_cap(tenant.pk, "api", "minute", 3)

    page = take(staff, tenant, "boost", limit="api/minute", amount="10", until=LATER)
    assert "The limit allows 10" in page.content.decode()
    answer = take(staff, tenant, "boost", limit="api/minute", amount="20", until=LATER)

    assert 20 == Override.objects.get().amount
    assert [("warning", HELD % ("Boost until a date", 3))] == told(staff, answer)
    assert 3 == allowed(of_tenant(tenant), times=9)


def test_extra_units_have_no_effect_until_the_cap_is_raised(staff, tenant):
    set_cap(tenant.pk, "api", "minute", 5)
    assert 5 == allowed(of_tenant(tenant), times=6)

    answer = take(staff, tenant, "grant", limit="api/minute", extra="20")

    assert 30 == Override.objects.get().amount
    assert [("warning", HELD % ("Grant extra now", 5))] == told(staff, answer)
    assert 0 == allowed(of_tenant(tenant), times=1)
    set_cap(tenant.pk, "api", "minute", 7)
    assert 2 == allowed(of_tenant(tenant), times=3)


def test_a_cap_that_holds_down_a_part_alone_is_told_too(staff, tenant):
    # Set when the plan allowed more: now it is above what the limit allows, and lowers nothing.
    Cap.objects.create(tenant=tenant, scope="api", name="minute", amount=12)

    whole = told(staff, take(staff, tenant, "grant", limit="api/minute", extra="2"))
    part = told(staff, take(staff, tenant, "grant", limit="api/minute", extra="3"))

    assert [("success", "Grant extra now: done for acme.")] == whole
    assert [("warning", HELD % ("Grant extra now", 12))] == part
    assert 12 == allowed(of_tenant(tenant), times=20)


def test_another_tenants_cap_holds_nothing_down(staff, tenant):
    set_cap(a_tenant("other", plan=tenant.plan).pk, "api", "minute", 3)

    answer = take(staff, tenant, "grant", limit="api/minute", extra="2")

    assert [("success", "Grant extra now: done for acme.")] == told(staff, answer)


@pytest.mark.parametrize("step", ["boost", "grant"])
def test_the_page_tells_beforehand(staff, tenant, step):
    page = take(staff, tenant, step).content.decode()

    assert "A cap of the tenant&#x27;s own stays in force." in page
