"""What a limit would have denied of the last day, by what is recorded of it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.db.models import F, Q
from django.test.utils import CaptureQueriesContext
from django.urls import path
from rest_framework.views import APIView

from quotas.domain.limits import CalendarQuota, DenyAll
from quotas.domain.policies import Limit
from quotas.domain.words import Algorithm, CalendarUnit, Mode, SubjectKind
from quotas.drf import PlanThrottle, TokenBucketThrottle
from quotas.models import Tenant, UsageHour, UsageQuarter
from quotas.services import hindsight
from quotas.services.hindsight import Hindsight, hindsight_of
from quotas.services.last_day import last_day
from tests.domain.calls import rule
from tests.models.rows import a_tenant

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.services.test_hindsight")]

NOW = datetime(2026, 12, 1, 9, 40, tzinfo=UTC)
QUARTER, HOUR = timedelta(minutes=15), timedelta(hours=1)
WINDOW = rule("fixed_window", 10, 60)


class Subjected(PlanThrottle):
    def get_subject(self, request, view):
        return "project"


class CodeView(APIView):
    throttle_classes = [PlanThrottle, TokenBucketThrottle.of("9/minute")]
    throttle_scope = "code"


class SubjectView(APIView):
    throttle_classes = [Subjected]
    throttle_scope = "own"


urlpatterns = [path("code/", CodeView.as_view()), path("own/", SubjectView.as_view())]


def a_limit(judged=WINDOW, scope="api", **fields):
    return Limit(scope=scope, name="one", rule=judged, **fields)


def used(tenant, units, *, ago=0, scope="api", generation=1, calls=1):
    """Units of the quarter so many quarters before 9:30, in a call of its own."""
    hours = UsageHour.objects.filter(tenant=tenant, generation=generation)
    hour, _ = hours.get_or_create(tenant=tenant, generation=generation, start=NOW.replace(minute=0))
    hours.filter(pk=hour.pk).update(units=F("units") + units, admitted=F("admitted") + 1)
    UsageQuarter.objects.create(
        tenant=tenant,
        scope=scope,
        start=NOW.replace(minute=30) - ago * QUARTER,
        generation=generation,
        units=units,
        admitted=calls,
    )


def told(limit, *tenants):
    """What is told of these tenants, or of all."""
    known = [each.pk for each in tenants] or list(Tenant.objects.values_list("pk", flat=True))
    return hindsight_of(limit, known, last_day(Q(tenant__in=known), now=NOW))


def test_what_was_beyond_the_most_that_fits_is_counted_over_tenants_and_quarters():
    calm, busy, idle = a_tenant(), a_tenant(), a_tenant()
    used(calm, 150)
    used(busy, 160)
    used(busy, 151, ago=1)
    used(busy, 999, scope="other")
    used(idle, 0)

    assert Hindsight(units=461, tenants=2, denied=11, denied_tenants=1) == told(a_limit())


def test_the_last_day_is_that_of_whole_hours():
    tenant = a_tenant()
    used(tenant, 1, ago=4 * 23 + 2)
    used(tenant, 10, ago=4 * 23 + 3)

    assert 1 == told(a_limit()).units


def test_only_the_tenants_concerned_count():
    mine, other = a_tenant(), a_tenant()
    used(mine, 1)
    used(other, 999)

    assert 1 == told(a_limit(), mine).units


def test_what_redis_had_counted_before_it_lost_its_memory_is_judged_apart():
    tenant = a_tenant()
    for generation in (1, 2):
        used(tenant, 100, generation=generation)

    assert (200, 0) == (told(a_limit()).units, told(a_limit()).denied)


def test_a_limit_of_every_scope_sums_over_them():
    tenant = a_tenant()
    used(tenant, 100)
    used(tenant, 60, scope="b")

    found = told(a_limit(scope="*"))

    assert (160, 10) == (found.units, found.denied)


def test_a_call_that_asked_for_several_scopes_is_not_counted_twice():
    tenant = a_tenant()
    used(tenant, 155)
    used(tenant, 150, scope="b")
    UsageHour.objects.update(admitted=1)

    found = told(a_limit(scope="*"))

    assert (155, 5) == (found.units, found.denied)


def test_scopes_in_which_a_limit_in_code_counts_are_left_out_of_every_scope():
    tenant = a_tenant()
    used(tenant, 160)
    used(tenant, 900, scope="code")
    used(tenant, 900, scope="own")

    found = told(a_limit(scope="*"))

    assert (160, 10) == (found.units, found.denied)


@pytest.mark.parametrize(
    ("limit", "why"),
    [
        pytest.param(a_limit(mode=Mode.SHADOW), "not_enforced", id="shadow"),
        pytest.param(a_limit(subject=SubjectKind.USER), "apart", id="of-each-user"),
        pytest.param(a_limit(rule("concurrency", 1, 60)), "in_flight", id="in-flight"),
        pytest.param(a_limit(scope="code"), "besides", id="a-limit-in-code-beside-it"),
        pytest.param(a_limit(scope="own"), "besides", id="subjects-of-the-project"),
    ],
)
def test_what_records_cannot_tell_is_said_to_be_untold(limit, why):
    used(a_tenant(), 999, scope=limit.scope)

    assert why == told(limit)


def test_without_records_nothing_is_claimed():
    a_tenant()

    assert Hindsight() == told(a_limit())


def test_all_is_denied_by_an_amount_of_0():
    used(a_tenant(), 3)
    used(a_tenant(), 4, ago=9)

    found = told(a_limit(DenyAll(algorithm=Algorithm.FIXED_WINDOW)))

    assert (7, 2) == (found.denied, found.denied_tenants)


@pytest.mark.parametrize(("zone", "over"), [("UTC", 0), ("Asia/Tokyo", 0), ("Asia/Kolkata", 60)])
def test_a_civil_day_is_one_of_the_tenants_zone(zone, over):
    tenant = a_tenant(time_zone=zone)
    used(tenant, 80, ago=2)  # at 9:00 UTC, 18:00 in Tokyo, 14:30 in Kolkata
    used(tenant, 80, ago=2 + {"UTC": 37, "Asia/Tokyo": 73, "Asia/Kolkata": 37}[zone])

    found = told(a_limit(CalendarQuota(amount=100, unit=CalendarUnit.DAY)))

    assert over == found.denied


def test_of_too_many_tenants_those_who_used_most_are_looked_at(monkeypatch):
    monkeypatch.setattr(hindsight, "MOST_LOOKED_AT", 2)
    for units in (151, 170, 160):
        used(a_tenant(), units)

    assert Hindsight(units=330, tenants=2, denied=30, denied_tenants=2, some=True) == told(
        a_limit()
    )


@pytest.mark.parametrize("at_first", [1, 2, 3, 9])
def test_those_who_used_most_are_found_by_the_scope_of_the_limit(monkeypatch, at_first):
    monkeypatch.setattr(hindsight, "MOST_LOOKED_AT", 2)
    monkeypatch.setattr(hindsight, "AT_FIRST", at_first)
    for units in (160, 170, 0, 155):
        tenant = a_tenant()
        used(tenant, 1000 - units, scope="other")
        used(tenant, units)
    used(a_tenant(), 900)

    found = told(a_limit())

    assert (1070, 2, 770, True) == (found.units, found.tenants, found.denied, found.some)
    assert Hindsight(units=900, tenants=1, denied=750, denied_tenants=1) == told(
        a_limit(), Tenant.objects.last()
    )


def test_the_only_one_who_used_a_scope_is_found_behind_all_who_used_others(monkeypatch):
    monkeypatch.setattr(hindsight, "MOST_LOOKED_AT", 2)
    monkeypatch.setattr(hindsight, "AT_FIRST", 2)
    for _ in range(3):
        used(a_tenant(), 500, scope="other")
    used(a_tenant(), 160)

    assert Hindsight(units=160, tenants=1, denied=10, denied_tenants=1) == told(a_limit())


def test_where_only_some_are_looked_at_and_used_nothing_that_counts_it_may_be_elsewhere(
    monkeypatch,
):
    monkeypatch.setattr(hindsight, "MOST_LOOKED_AT", 2)
    for _ in range(3):
        used(a_tenant(), 500, scope="code")
    used(a_tenant(), 160)

    assert told(a_limit(scope="*")).is_blind


@pytest.mark.parametrize(
    ("limit", "queries"),
    [
        pytest.param(a_limit(), 3, id="one-scope"),
        pytest.param(a_limit(scope="*"), 3, id="every-scope"),
        pytest.param(a_limit(CalendarQuota(amount=1, unit=CalendarUnit.DAY)), 4, id="civil"),
    ],
)
def test_it_takes_as_many_queries_whatever_is_recorded(limit, queries):
    for number in range(10):
        tenant = a_tenant(time_zone=["UTC", "Asia/Tokyo"][number % 2])
        for ago in range(10):
            used(tenant, 200, ago=ago)

    with CaptureQueriesContext(connection) as seen:
        assert 10 == told(limit).denied_tenants

    assert queries == len(seen)
