"""What is brought back acts on the next request; two who bring it back at once do it once."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.admin.models import LogEntry

from quotas.errors import NotInPlan
from quotas.models import Override, PlanLimit, Tenant
from quotas.models.limit_resets import reset_limit
from tests.admin.browsers import client_of
from tests.admin.pages import form_of
from tests.admin.test_deleted import back_url, bring_back, gone
from tests.models.rows import a_limit, a_plan, a_tenant, a_user, an_override
from tests.services.asking import allowed, ask, of_tenant
from tests.services.company import in_threads

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.urls("tests.admin.urls")]

DAY = timedelta(days=1)


@pytest.fixture
def chief(transactional_db):
    return client_of(a_user("chief", is_staff=True, is_superuser=True))


@pytest.fixture
def limit(transactional_db):
    return a_limit(a_plan("pro"), amount=5, period=DAY)


@pytest.fixture
def tenant(limit):
    return a_tenant("acme", plan=limit.plan)


def test_a_tenant_is_served_at_once_and_what_it_had_used_is_not_used(chief, tenant):
    assert 5 == allowed(of_tenant("acme"), times=9)
    pk = gone(tenant).pk
    with pytest.raises(NotInPlan):
        ask(of_tenant("acme"))

    bring_back(chief, tenant)

    assert pk == Tenant.objects.get().pk
    assert 5 == allowed(of_tenant("acme"), times=9)


def test_a_counter_that_was_reset_does_not_come_back_with_the_tenant(chief, tenant):
    assert 5 == allowed(of_tenant("acme"), times=9)
    reset_limit(tenant.pk, "api", "minute")

    bring_back(chief, gone(tenant))

    assert 5 == allowed(of_tenant("acme"), times=9)


def test_a_limit_is_in_force_at_once_and_what_was_used_of_it_is_used(chief, tenant, limit):
    assert 3 == allowed(of_tenant(tenant), times=3)
    gone(limit)
    a_limit(limit.plan, name="other", amount=100)
    assert 4 == allowed(of_tenant(tenant), times=4)

    bring_back(chief, limit)

    assert 2 == allowed(of_tenant(tenant), times=9)


def test_an_override_is_in_force_at_once(chief, tenant):
    override = gone(an_override(tenant, amount=7, period=DAY))
    assert 5 == allowed(of_tenant(tenant), times=9)

    bring_back(chief, override)

    assert 2 == allowed(of_tenant(tenant), times=9)


def test_of_several_who_bring_it_back_at_once_one_does(chief, tenant):
    an_override(tenant)
    url = back_url(gone(tenant))
    sent = {**form_of(chief.get(url), "bring_back_form"), "reason": "r"}
    chiefs = [client_of(a_user(is_staff=True, is_superuser=True)) for _ in range(3)]
    answered = []

    in_threads(*(lambda each=each: answered.append(each.post(url, sent)) for each in chiefs))

    assert [200, 200, 302] == sorted(each.status_code for each in answered)
    assert (1, 1) == (Tenant.objects.count(), Override.objects.count())
    assert 1 == LogEntry.objects.count()
    assert 2 == Tenant.history.filter(history_type="+").count()
    assert PlanLimit.objects.exists()
