"""Case I1: without NUM_PROXIES, start-up warns when anybody is counted by address."""

from __future__ import annotations

from datetime import timedelta

import pytest
from rest_framework.permissions import IsAdminUser, IsAuthenticated

from quotas.drf import (
    AnonRateThrottle,
    ScopedRateThrottle,
    SimpleRateThrottle,
    TokenBucketThrottle,
    UserRateThrottle,
)
from quotas.models import Override, Plan, PlanLimit, Tenant
from tests.checks.views import a_view, urlconf

DATABASES = ["default"]
RULE = {"scope": "api", "name": "minute", "amount": 5, "period": timedelta(minutes=1)}
RATES = {"anon": "5/minute", "user": "5/minute", "api": "5/minute"}
BY_ADDRESS = TokenBucketThrottle.of("5/minute", subject="address", name="by-address")
BY_USER = TokenBucketThrottle.of("5/minute", name="by-user")


class ByDevice(SimpleRateThrottle):
    rate = "5/minute"

    get_cache_key = staticmethod(lambda *_: "device")


@pytest.fixture(autouse=True)
def rates(settings):
    """Rates for drop-ins; NUM_PROXIES is not set."""
    settings.REST_FRAMEWORK = {"DEFAULT_THROTTLE_RATES": RATES}


@pytest.mark.parametrize("value", [-1, "2", 1.0, True, [1]])
def test_a_number_of_proxies_that_is_none_is_refused(settings, said, value):
    settings.REST_FRAMEWORK = {"NUM_PROXIES": value}

    [message] = said()["quotas.E022"]

    assert repr(value) in message.msg


@pytest.mark.parametrize(
    "view",
    [
        a_view(AnonRateThrottle),
        a_view(UserRateThrottle),
        a_view(ScopedRateThrottle, throttle_scope="api"),
        a_view(BY_USER),
        a_view(BY_ADDRESS, permission_classes=[IsAuthenticated]),
    ],
    ids=["anon", "user", "scoped", "code", "code by address"],
)
def test_throttles_that_count_addresses_are_told(settings, said, view):
    settings.ROOT_URLCONF = urlconf(view)

    [message] = said()["quotas.W023"]

    assert "tests.checks.views.Reports" in message.msg
    assert "0 for none" in message.hint


@pytest.mark.parametrize("proxies", [0, 3])
def test_a_number_of_proxies_settles_it(settings, said, proxies):
    settings.REST_FRAMEWORK = {"DEFAULT_THROTTLE_RATES": RATES, "NUM_PROXIES": proxies}
    settings.ROOT_URLCONF = urlconf(a_view(AnonRateThrottle))

    assert {} == said()


@pytest.mark.parametrize(
    "view",
    [
        a_view(ByDevice),
        a_view(BY_USER, permission_classes=[IsAuthenticated]),
        a_view(UserRateThrottle, permission_classes=[IsAdminUser]),
        a_view(),
    ],
    ids=["a key of its own", "code, closed", "drop-in, closed", "none"],
)
def test_views_that_need_no_address_are_left_alone(settings, said, view):
    settings.ROOT_URLCONF = urlconf(view)

    assert {} == said()


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("plan", "limit", "told"),
    [
        ({"is_anonymous": True}, {}, True),
        ({}, {"subject": "address"}, True),
        ({}, {}, False),
        ({"is_anonymous": True}, {"mode": "off"}, False),
        ({"is_anonymous": True, "active": False}, {}, False),
    ],
    ids=["anonymous", "address", "tenant", "off", "not active"],
)
def test_plans_that_count_addresses_are_told(settings, said, plan, limit, told):
    row = Plan.objects.create(key="guests", name="Guests", **plan)
    PlanLimit.objects.create(plan=row, **RULE | limit)

    found = said(databases=DATABASES)

    assert told == ("quotas.W022" in found)
    assert all("plan 'guests'" in message.msg for message in found.get("quotas.W022", []))
    settings.REST_FRAMEWORK = {"NUM_PROXIES": 0}
    assert {} == said(databases=DATABASES)


@pytest.mark.django_db
def test_overrides_that_count_addresses_are_told(said):
    tenant = Tenant.objects.create(key="acme", name="Acme")
    Override.objects.create(tenant=tenant, subject="address", **RULE)

    [message] = said(databases=DATABASES)["quotas.W022"]

    assert "tenant 'acme'" in message.msg


def test_without_leave_the_database_is_not_asked(said):
    assert {} == said()  # a query would fail here


def test_before_the_first_migration_nothing_is_told(said, no_tables):
    assert {} == said(databases=DATABASES)
