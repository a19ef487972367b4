from __future__ import annotations

import pytest

from quotas.models import Tenant
from tests.models.rows import a_membership, a_plan, a_tenant, a_user
from tests.views.looking import Reading, browser, member_of, staff_who_may

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.views.urls")]


def keys(response):
    return [tenant.key for tenant in response.context["page"]]


def test_a_member_of_one_tenant_goes_straight_on():
    a_tenant("other")

    answer = member_of(a_tenant("acme")).get("/quotas/")

    assert (302, "/quotas/acme/") == (answer.status_code, answer["Location"])
    assert "private, no-store" == answer["Cache-Control"]


def test_a_member_of_several_sees_these_and_no_others():
    a_tenant("other")
    client = member_of(a_tenant("bolt", name="Bolt"), a_tenant("acme", name="Acme"))

    answer = client.get("/quotas/", {"q": "other"})

    assert ["acme", "bolt"] == keys(answer)
    assert [] == Reading(answer).all("form")
    assert "Your tenants" in Reading(client.get("/quotas/acme/")).text


def test_a_user_of_no_tenant_is_told_so():
    a_tenant("other")

    answer = member_of().get("/quotas/")

    assert "You belong to no tenant." in Reading(answer).text
    assert b"other" not in answer.content


def test_staff_find_tenants_by_key_and_name():
    a_tenant("acme", name="Kites")
    a_tenant("bolt", name="Parcels of Acme")
    a_tenant("東京支店", name="Tokyo")
    chief = staff_who_may("view_tenant")

    assert ["acme", "bolt", "東京支店"] == keys(chief.get("/quotas/"))
    assert ["acme", "bolt"] == keys(chief.get("/quotas/", {"q": " ACME "}))
    assert ["東京支店"] == keys(chief.get("/quotas/", {"q": "東京"}))
    nothing = chief.get("/quotas/", {"q": "zzz\0"})
    assert "No tenant has “zzz” in its key or name." in Reading(nothing).text


def test_staff_who_are_members_of_one_tenant_still_see_all():
    a_tenant("other")
    user = a_user(is_staff=True, is_superuser=True)
    a_membership(tenant=a_tenant("acme"), user=user)

    assert ["acme", "other"] == keys(browser(user).get("/quotas/"))


def test_many_tenants_come_page_by_page(django_assert_num_queries):
    Tenant.objects.bulk_create(Tenant(key=f"t{n:03}", name=f"T {n}") for n in range(60))
    chief = staff_who_may("view_tenant")

    first = chief.get("/quotas/")
    with django_assert_num_queries(7):
        last = chief.get("/quotas/", {"q": "t 1", "page": "999"})

    assert 25 == len(keys(first))
    assert "Page 1 of 3" in Reading(first).text
    assert 11 == len(keys(last))
    second = chief.get("/quotas/", {"page": "2", "q": "t"})
    links = [each["href"] for each in Reading(second).all("a") if each.get("rel")]
    assert ["?q=t&page=1", "?q=t&page=3"] == links


@pytest.mark.parametrize("number", ["0", "-1", "x", "", "9" * 5000])
def test_a_page_that_is_none_is_the_nearest(number):
    a_tenant("acme")

    assert ["acme"] == keys(staff_who_may("view_tenant").get("/quotas/", {"page": number}))


def test_the_plan_in_the_list_is_the_one_in_force():
    a_plan(name="Basic", is_default=True)
    a_tenant("a", plan=a_plan(name="Gold"))
    a_tenant("b", plan=a_plan(name="Gone", active=False))
    a_tenant("c", suspended=True)

    text = Reading(staff_who_may("view_tenant").get("/quotas/")).text

    assert "a a Gold b b Basic c c Basic suspended" in text
