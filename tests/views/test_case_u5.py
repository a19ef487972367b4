from __future__ import annotations

from urllib.parse import quote

import pytest
from django.contrib.auth.models import Permission
from django.test import Client

from quotas.models import Membership, Tenant
from tests.models.rows import a_user
from tests.views.looking import (
    a_customer,
    browser,
    data,
    headers_but_for_the_count,
    member_of,
    page,
    staff_who_may,
)

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.views.urls")]

ROUTES = [
    f"/quotas/{{}}/{name}{asked}"
    for name in ("", "usage.json", "usage.csv")
    for asked in ("", "?span=month")
]
SECRET = {"name": "secret", "title": "Hush", "amount": 7654321}


@pytest.fixture
def mine():
    return a_customer({"name": "open"}, key="mine")


@pytest.fixture
def foreign():
    return a_customer(SECRET, key="foreign", name="Foreign Affairs")


def outsiders(mine):
    """Everybody who may not look at a tenant that is not their own."""
    return {
        "member of another": member_of(mine),
        "user of none": browser(a_user()),
        "staff without the permission": staff_who_may("view_plan"),
        "the permission without staff": browser(_with_permission()),
    }


def _with_permission():
    user = a_user()
    user.user_permissions.set(Permission.objects.filter(codename="view_tenant"))
    return user


@pytest.mark.parametrize("route", ROUTES)
def test_u5_foreign_and_unknown_tenants_answer_alike(mine, foreign, route):
    for who, client in outsiders(mine).items():
        of_foreign = client.get(route.format("foreign"))
        of_nobody = client.get(route.format("nobody"))

        assert 404 == of_foreign.status_code, who
        assert 404 == of_nobody.status_code, who
        assert of_nobody.content == of_foreign.content, who
        headers = headers_but_for_the_count(of_foreign)
        assert headers_but_for_the_count(of_nobody) == headers, who
        for number in (b"7654321", b"7,654,321", b"Hush", b"Foreign Affairs"):
            assert number not in of_foreign.content, who


@pytest.mark.parametrize("route", ROUTES)
def test_u5_a_foreign_tenant_costs_as_many_queries_as_an_unknown_one(
    mine, foreign, route, django_assert_num_queries
):
    client = member_of(mine)
    counts = []
    for key in ("foreign", "nobody"):
        with django_assert_num_queries(3) as captured:
            client.get(route.format(key))
        counts.append([query["sql"].split("WHERE")[0] for query in captured.captured_queries])

    assert counts[0] == counts[1]


@pytest.mark.parametrize("route", ROUTES)
def test_u5_a_query_parameter_or_a_body_names_no_other_tenant(mine, foreign, route):
    client = member_of(mine)
    path = route.format("mine")

    plain = client.get(path)
    asked = client.get(path, {"tenant": "foreign", "key": "foreign", "tenants": ["foreign"]})
    headed = client.get(path, headers={"X-Tenant": "foreign"})
    bodied = client.generic("GET", path, b'["foreign"]', content_type="application/json")

    for answer in (plain, asked, headed, bodied):
        assert 200 == answer.status_code
        assert b"7654321" not in answer.content
        assert b"7,654,321" not in answer.content
        assert b"foreign" not in answer.content.lower()


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("method", ["post", "put", "patch", "delete"])
def test_u5_a_page_takes_no_orders(mine, route, method):
    assert 405 == getattr(member_of(mine), method)(route.format("mine")).status_code


@pytest.mark.parametrize("route", ROUTES)
def test_u5_members_see_their_own_and_staff_with_the_permission_all(mine, foreign, route):
    assert 200 == member_of(mine).get(route.format("mine")).status_code
    chief = staff_who_may("view_tenant")
    for key in ("mine", "foreign"):
        assert 200 == chief.get(route.format(key)).status_code
    assert 404 == chief.get(route.format("nobody")).status_code


def test_u5_whoever_has_not_logged_in_is_sent_to_the_login_page(mine, settings):
    settings.LOGIN_URL = "/log-in/"
    for path in ("/quotas/", "/quotas/mine/", "/quotas/nobody/", "/quotas/nobody/usage.csv"):
        answer = Client().get(path)

        assert 302 == answer.status_code
        assert f"/log-in/?next={quote(path)}" == answer["Location"]
    assert Client().get("/quotas/mine/usage.json").status_code in {401, 403}


def test_u5_a_membership_that_ended_shows_nothing_from_the_next_look_on(mine):
    client = member_of(mine)
    assert 200 == page(client, mine).status_code

    Membership.objects.all()._raw_delete("default")  # unannounced, as by another process

    assert 404 == page(client, mine).status_code
    assert 404 == data(client, mine).status_code


@pytest.mark.parametrize(
    "key",
    [
        pytest.param("東京支店", id="japanese"),
        pytest.param("a b?c#d%41&e=f;g", id="what-addresses-use"),
        pytest.param("{brace}\\'\"<b>", id="markup"),
        pytest.param("usage.json", id="the-name-of-a-route"),
        pytest.param("é", id="composed"),
        pytest.param("e\u0301", id="decomposed"),
    ],
)
def test_u5_a_key_of_any_text_leads_to_its_own_tenant_only(key):
    tenant = a_customer({"name": "open"}, key=key, name="Ours")
    Tenant.objects.create(key="other", name="Other")
    client = member_of(tenant)

    straight_on = client.get("/quotas/")
    shown = client.get(straight_on["Location"])

    assert 200 == shown.status_code
    assert key == shown.context["tenant"].key
    assert key == data(client, tenant).json()["tenant"]["key"]
    assert "<b>" not in shown.content.decode()


@pytest.mark.parametrize("key", ["%00", "a%00b", "%FF", "%ED%A0%80", "x" * 5000, "%2E%2E", "a%0Ab"])
def test_u5_what_can_be_no_key_is_not_found(key):
    for client in (member_of(), staff_who_may("view_tenant")):
        assert 404 == client.get(f"/quotas/{key}/").status_code
        assert 404 == client.get(f"/quotas/{key}/usage.json").status_code
        assert 404 == client.get(f"/quotas/{key}/usage.csv").status_code


@pytest.mark.parametrize("route", ROUTES)
def test_u5_what_another_tenant_used_is_in_no_history_but_its_own(mine, foreign, route):
    chief = member_of(foreign)
    for _ in range(7):
        chief.get("/reports/?cost=7654")
    client = member_of(mine)

    shown = client.get(route.format("mine"), {"tenant": "foreign", "span": "day"})

    assert 200 == shown.status_code
    for number in (b"53578", b"53,578", b"reports,7"):
        assert number not in shown.content
    assert 53578 == data(chief, foreign).json()["history"]["totals"]["units"]
