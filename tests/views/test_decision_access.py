"""The page of a denied call is its tenant's alone, whoever has got hold of its address."""

from __future__ import annotations

from dataclasses import replace

import pytest
from django.contrib.auth.models import Permission
from django.test import Client
from rest_framework.authentication import TokenAuthentication
from rest_framework.authtoken.models import Token
from rest_framework.test import APIClient

from quotas.models import Membership, Tenant
from quotas.services.denials import decision_id
from quotas.views.decisions import DecisionData
from tests.models.rows import a_membership, a_user
from tests.views.denying import a_denial, address, decision, decision_data
from tests.views.looking import (
    a_customer,
    browser,
    headers_but_for_the_count,
    member_of,
    page,
    staff_who_may,
)

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.views.urls")]

ROUTES = ["", "decision.json"]
SECRETS = (b"Hush", b"Foreign Affairs", b"foreign", b"secret", b"api/hush/", b"7654321")


@pytest.fixture
def mine():
    return a_customer({"name": "minute"}, key="mine")


@pytest.fixture
def foreign():
    limit = {"name": "secret", "title": "Hush", "amount": 7654321}
    return a_customer(limit, key="foreign", name="Foreign Affairs")


def of_foreign(foreign):
    return a_denial(foreign, name="secret", operation="POST api/hush/", cost=7654321)


def strangers(mine):
    """Everybody who has logged in and may not look at a tenant that is not their own."""
    permitted = a_user()
    permitted.user_permissions.set(Permission.objects.filter(codename="view_tenant"))
    return {
        "member of another": member_of(mine),
        "user of none": browser(a_user()),
        "staff without the permission": staff_who_may("view_plan"),
        "the permission without staff": browser(permitted),
    }


def insiders(foreign):
    """Everybody who may."""
    manager = a_user()
    a_membership(tenant=foreign, user=manager, role="manager")
    return {
        "viewer": member_of(foreign),
        "manager": browser(manager),
        "staff with the permission": staff_who_may("view_tenant"),
        "superuser": browser(a_user(is_staff=True, is_superuser=True)),
    }


@pytest.mark.parametrize("route", ROUTES)
def test_u5_a_foreign_decision_and_what_is_none_answer_alike(mine, foreign, route):
    known = decision_id(of_foreign(foreign))
    unknown = decision_id(replace(of_foreign(foreign), tenant_pk=foreign.pk + 10**6))
    others = [unknown, known[:-1], f"{known[:-1]}A", "acme", "x" * 5000, "%00", "%FF", "a%0Ab"]

    for who, client in strangers(mine).items():
        answer = client.get(f"/quotas/decisions/{known}/{route}")

        assert 404 == answer.status_code, who
        assert not [each for each in SECRETS if each in answer.content], who
        for other in others:
            of_other = client.get(f"/quotas/decisions/{other}/{route}")
            assert 404 == of_other.status_code, (who, other)
            assert answer.content == of_other.content, (who, other)
            headers = headers_but_for_the_count(of_other)
            assert headers_but_for_the_count(answer) == headers, (who, other)


def test_u5_it_is_the_answer_to_a_tenant_that_is_not_there(mine, foreign):
    for client in strangers(mine).values():
        assert page(client, foreign).content == decision(client, of_foreign(foreign)).content


@pytest.mark.parametrize("route", ROUTES)
def test_u5_a_foreign_decision_costs_as_many_queries_as_one_of_a_tenant_that_is_gone(
    mine, foreign, route, django_assert_num_queries
):
    client = member_of(mine)
    known = of_foreign(foreign)

    for denial in (known, replace(known, tenant_pk=foreign.pk + 10**6)):
        with django_assert_num_queries(3):
            client.get(address(denial) + route)


@pytest.mark.parametrize("route", ROUTES)
def test_u5_members_and_staff_with_the_permission_see_it(foreign, route):
    for who, client in insiders(foreign).items():
        answer = client.get(address(of_foreign(foreign)) + route)

        assert 200 == answer.status_code, who
        assert b"Hush" in answer.content, who
        assert "private, no-store" == answer["Cache-Control"], who


@pytest.mark.parametrize("route", ROUTES)
def test_u5_staff_too_find_nothing_behind_an_id_of_nobody(foreign, route):
    chief = staff_who_may("view_tenant")
    known = decision_id(of_foreign(foreign))
    gone = decision_id(replace(of_foreign(foreign), tenant_pk=foreign.pk + 10**6))

    for other in (gone, known[:-1], f"B{known[1:]}", "x" * 5000, "%00"):
        assert 404 == chief.get(f"/quotas/decisions/{other}/{route}").status_code


def test_u5_whoever_has_not_logged_in_is_sent_to_the_login_page(mine, settings):
    settings.LOGIN_URL = "/log-in/"
    known = address(a_denial(mine))
    for path in (known, "/quotas/decisions/nothing/"):
        answer = Client().get(path)

        assert (302, f"/log-in/?next={path}") == (answer.status_code, answer["Location"])
        assert Client().get(f"{path}decision.json").status_code in {401, 403}


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("method", ["post", "put", "patch", "delete"])
def test_u5_a_decision_takes_no_orders(mine, route, method):
    answer = getattr(member_of(mine), method)(address(a_denial(mine)) + route)

    assert 405 == answer.status_code


def test_u5_a_membership_that_ended_shows_nothing_from_the_next_look_on(mine):
    client = member_of(mine)
    assert 200 == decision(client, a_denial(mine)).status_code

    Membership.objects.all()._raw_delete("default")  # unannounced, as by another process

    assert 404 == decision(client, a_denial(mine)).status_code
    assert 404 == decision_data(client, a_denial(mine)).status_code


def test_u5_a_decision_stays_with_its_tenant_when_another_takes_over_the_key(mine, foreign):
    denial = of_foreign(foreign)
    Tenant.objects.filter(pk=foreign.pk).update(key="old")
    Tenant.objects.filter(pk=mine.pk).update(key="foreign")

    assert 404 == decision(member_of(mine), denial).status_code
    assert 200 == decision(member_of(foreign), denial).status_code


def test_a_token_reads_the_data_of_its_own_tenant(monkeypatch, mine, foreign):
    monkeypatch.setattr(DecisionData, "authentication_classes", [TokenAuthentication])
    user = a_user()
    a_membership(tenant=mine, user=user)
    client = APIClient(headers={"Authorization": f"Token {Token.objects.create(user=user).key}"})

    assert 200 == decision_data(client, a_denial(mine)).status_code
    assert 404 == decision_data(client, of_foreign(foreign)).status_code
    assert 302 == decision(client, a_denial(mine)).status_code


@pytest.mark.parametrize("key", ["decisions", "decision.json"])
def test_a_tenant_called_like_the_route_keeps_its_own_pages(key):
    tenant = a_customer({"name": "minute"}, key=key, name="Ours")
    client = member_of(tenant)

    assert key == page(client, tenant).context["tenant"].key
    for name in ("usage.json", "usage.csv"):
        assert 200 == client.get(f"/quotas/{key}/{name}").status_code
    assert 200 == decision(client, a_denial(tenant)).status_code
