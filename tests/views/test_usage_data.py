from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.contrib.auth import get_user_model
from rest_framework.authentication import TokenAuthentication
from rest_framework.authtoken.models import Token
from rest_framework.test import APIClient
from rest_framework.views import APIView

from quotas.drf import PlanThrottle
from quotas.models import Tenant
from quotas.testing import forget
from quotas.views.twin import UsageData
from tests.models.rows import a_limit, a_membership, an_override
from tests.views.looking import a_customer, data, member_of, page

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.views.urls")]


def test_the_data_are_the_numbers_of_the_page(clock):
    tenant = a_customer(
        {"name": "minute", "algorithm": "token_bucket", "amount": 100, "capacity": 20},
        time_zone="Asia/Tokyo",
        name="Acme",
    )
    Tenant.objects.update(plan_since=datetime(2026, 3, 1, 18, 30, tzinfo=UTC))
    client = member_of(tenant)
    client.get("/reports/?cost=3")

    found = data(client, tenant)

    assert "application/json" == found["Content-Type"]
    assert "private, no-store" == found["Cache-Control"]
    assert {
        "tenant": {
            "key": "acme",
            "name": "Acme",
            "time_zone": "Asia/Tokyo",
            "suspended": False,
        },
        "plan": {
            "key": tenant.plan.key,
            "name": tenant.plan.name,
            "since": "2026-03-02T03:30:00+09:00",
        },
        "read_at": "2026-10-27T09:00:00+09:00",
        "outage": False,
        "state": "ok",
        "summary": ["No limit denies now."],
        "filters": {"zone": "Asia/Tokyo", "scope": None, "scopes": ["reports"]},
        "limits": [
            {
                "scope": "reports",
                "name": "minute",
                "title": "minute",
                "subject": "tenant",
                "algorithm": "token_bucket",
                "guarantee": "any 2 seconds at most 23, any minute at most 120",
                "amount": 100,
                "period": 60.0,
                "unit": None,
                "capacity": 20,
                "most": 20,
                "cap": None,
                "uncapped": None,
                "warn_at": [80, 100],
                "mode": "enforce",
                "source": {
                    "kind": "plan",
                    "title": tenant.plan.name,
                    "from": None,
                    "until": None,
                },
                "state": "ok",
                "used": 3,
                "remaining": 17,
                "percent": 15,
                "next_admission_in": 0.0,
                "next_admission_at": "2026-10-27T09:00:00+09:00",
                "delay": 0.0,
                "reset_in": 0.6,
                "renews_at": None,
                "projection": None,
            }
        ],
        "counted_apart": [],
        "overrides": [],
    } == {
        name: part
        for name, part in found.json().items()
        if name not in {"history", "calls", "denials", "month", "alerts"}
    }


def test_an_override_tells_when_it_ends(clock):
    tenant = a_customer({"name": "minute"}, time_zone="Europe/Berlin")
    an_override(
        tenant,
        scope="reports",
        name="minute",
        amount=77,
        starts_at=clock.now - timedelta(days=1),
        ends_at=datetime(2126, 1, 1, tzinfo=UTC),
    )

    found = data(member_of(tenant), tenant).json()

    [limit], [override] = found["limits"], found["overrides"]
    assert 77 == limit["amount"] == override["amount"]
    assert {
        "kind": "override",
        "title": None,
        "from": "2026-10-26T01:00:00+01:00",
        "until": "2126-01-01T01:00:00+01:00",
    } == limit["source"]


def test_a_token_reads_its_own_tenant_and_spends_nothing(monkeypatch, clock):
    monkeypatch.setattr(UsageData, "authentication_classes", [TokenAuthentication])
    monkeypatch.setattr(APIView, "throttle_classes", [PlanThrottle])
    tenant = a_customer({"name": "all", "scope": "*", "amount": 2})
    user = get_user_model().objects.create_user("ada")
    a_membership(tenant=tenant, user=user)
    client = APIClient(headers={"Authorization": f"Token {Token.objects.create(user=user).key}"})

    answers = [client.get("/quotas/acme/usage.json") for _ in range(5)]

    assert {0} == {each.json()["limits"][0]["used"] for each in answers}
    assert 404 == client.get("/quotas/other/usage.json").status_code
    assert client.get("/quotas/acme/").status_code == 302


@pytest.mark.parametrize("look", [page, data])
def test_a_page_takes_the_same_queries_however_many_limits(
    look, clock, django_assert_max_num_queries
):
    tenant = a_customer({"name": "minute"})
    client = member_of(tenant)
    look(client, tenant)
    with django_assert_max_num_queries(10) as few:
        look(client, tenant)

    for number in range(20):
        a_limit(plan=tenant.plan, scope=f"s{number}")
        an_override(tenant, scope=f"s{number}", starts_at=clock.now - timedelta(days=1))
    forget()
    assert 21 == len(data(client, tenant).json()["limits"])
    with django_assert_max_num_queries(10) as many:
        look(client, tenant)

    assert len(few) == len(many)
