"""The `instance` of a 429's body: the address of the page of what was denied to a tenant."""

from __future__ import annotations

import json

import pytest
from django.test import override_settings
from django.urls import include, path

from quotas.domain.denials import Denial
from quotas.drf import ConcurrencyThrottle, PlanThrottle, SlidingWindowLogThrottle
from quotas.drf.throttles import QuotaThrottle
from quotas.services.denials import decision_id
from tests import START_US
from tests.checks.views import module
from tests.drf.calling import call, calls, view_with
from tests.drf.rows import make_plan, make_tenant, make_user, row

pytestmark = pytest.mark.django_db


class Reports(PlanThrottle):
    scope = "reports"


class Apart(PlanThrottle):
    scope = "apart"

    def allow_request(self, request, view):
        return QuotaThrottle.allow_request(self, request, view)


@pytest.fixture(autouse=True)
def handler(settings):
    settings.ROOT_URLCONF = module([path("quotas/", include("quotas.urls"))])
    with override_settings(REST_FRAMEWORK={"EXCEPTION_HANDLER": "quotas.drf.exception_handler"}):
        yield


def a_member(*limits):
    tenant = make_tenant(plan=make_plan(*limits))
    return tenant, make_user("ada", tenant)


def body(response):
    return json.loads(response.content)


def instance(tenant, **fields):
    usual = {"scope": "reports", "name": "minute", "cost": 1, "retry_after": 60}
    denial = Denial(tenant_pk=tenant.pk, at_us=START_US, **{**usual, **fields})
    return f"/quotas/decisions/{decision_id(denial)}/"


def test_a_tenants_denial_has_an_instance_that_carries_what_was_denied():
    tenant, ada = a_member(row(amount=1))

    denied = calls(2, view_with(Reports), user=ada)[1]

    assert instance(tenant) == body(denied)["instance"]


def test_of_several_limits_it_carries_the_one_with_the_longest_wait():
    tenant, ada = a_member(row(amount=1), row(name="hour", amount=1, seconds=3600))

    denied = calls(2, view_with(Reports), user=ada)[1]

    assert instance(tenant, name="hour", retry_after=3600) == body(denied)["instance"]
    assert 3600 == body(denied)["retry_after"]


def test_where_waiting_does_not_help_no_retry_after_is_carried():
    tenant, ada = a_member(row(amount=3))
    costly = type("Costly", (Reports,), {"get_cost": lambda *_: 4})

    denied = call(view_with(costly), user=ada)

    assert instance(tenant, cost=4, retry_after=None) == body(denied)["instance"]


def test_limits_in_code_count_inside_a_tenant_too():
    tenant, ada = a_member(row(scope="exports"))
    throttle = SlidingWindowLogThrottle.of("1/minute", name="burst", scope="uploads")

    denied = calls(2, view_with(throttle), user=ada)[1]

    assert instance(tenant, scope="uploads", name="burst") == body(denied)["instance"]


def test_a_full_flight_is_carried_as_one_place_for_one_second():
    tenant, ada = a_member(row(scope="exports"))
    slots = ConcurrencyThrottle.of(1, name="slots", scope="batches")
    throttle = type("Costly", (slots,), {"get_cost": lambda *_: 7})
    view = view_with(throttle)
    view.get = lambda *_: call(inner, user=ada)
    inner = view_with(throttle)

    denied = call(view, user=ada)

    carried = instance(tenant, scope="batches", name="slots", retry_after=1)
    assert carried == body(denied)["instance"]


@pytest.mark.parametrize("listed", [(Reports, Apart), (Apart, Reports)])
def test_of_several_evaluations_it_carries_the_one_whose_wait_is_told(listed):
    tenant, ada = a_member(row(amount=1), row(scope="apart", name="hour", amount=1, seconds=3600))

    denied = calls(2, view_with(*listed), user=ada)[1]

    assert 3600 == body(denied)["retry_after"]
    carried = instance(tenant, scope="apart", name="hour", retry_after=3600)
    assert carried == body(denied)["instance"]


def test_without_a_tenant_there_is_no_instance():
    make_plan(row(amount=1), anonymous=True)

    denied = calls(2, view_with(Reports))[1]

    assert 429 == denied.status_code
    assert "instance" not in body(denied)


def test_without_the_limiter_there_is_no_instance(settings):
    _, ada = a_member(row(amount=0))
    gone = settings.CACHES["quotas"] | {"LOCATION": "redis://127.0.0.1:1/0"}
    settings.CACHES = settings.CACHES | {"quotas": gone}

    denied = call(view_with(Reports), user=ada)

    assert 429 == denied.status_code
    assert "instance" not in body(denied)


def test_without_the_pages_there_is_no_instance(settings):
    settings.ROOT_URLCONF = module([])
    _, ada = a_member(row(amount=0))

    denied = call(view_with(Reports), user=ada)

    assert 429 == denied.status_code
    assert "instance" not in body(denied)


def test_what_was_admitted_has_no_instance():
    _, ada = a_member(row(amount=1))

    assert {"ok": True} == body(call(view_with(Reports), user=ada))
