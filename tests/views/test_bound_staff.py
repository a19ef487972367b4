"""Staff who are bound to tenants: on the pages of tenants, too, they see no other."""

from __future__ import annotations

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from quotas.errors import StaffTenantsUnknown
from quotas.models import AlertSettings
from tests.models.rows import a_membership, a_user
from tests.views.denying import a_denial, decision, decision_data
from tests.views.looking import Reading, a_customer, browser, staff_who_may

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.views.urls")]

PAGES = ["", "usage.json", "usage.csv", "alerts/"]
BOUND_TO: list[int] = []


def told(user):
    return BOUND_TO


@pytest.fixture
def mine():
    return a_customer({"name": "minute"}, key="mine")


@pytest.fixture
def foreign():
    return a_customer({"name": "secret"}, key="foreign", name="Foreign Affairs")


@pytest.fixture
def bound(settings, monkeypatch, mine):
    """Staff with both permissions, who are bound to one tenant and members of none."""
    settings.QUOTAS_STAFF_TENANTS = f"{__name__}.told"
    monkeypatch.setitem(globals(), "BOUND_TO", [mine.pk])
    return staff_who_may("view_tenant", "change_tenant")


def asked(client, address):
    """The queries of a look at a page, without the texts in them."""
    with CaptureQueriesContext(connection) as queries:
        assert 404 == client.get(address).status_code
    return [re.sub("'[^']*'", "?", each["sql"]) for each in queries]


def by_keys(settings):
    settings.QUOTAS_STAFF_TENANTS = f"{__name__}.told"


def by_membership(settings):
    settings.QUOTAS_STAFF_TENANTS = "quotas.services.staff.by_membership"


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("bind", [by_keys, by_membership])
def test_a_look_at_anothers_page_asks_the_same_as_at_one_that_is_not_there(
    settings, bound, foreign, name, bind
):
    bind(settings)
    found = [asked(bound, f"/quotas/{key}/{name}") for key in ("foreign", "nothing")]

    assert found[0] == found[1]
    assert found[0]


@pytest.mark.parametrize("name", PAGES)
def test_where_the_project_does_not_tell_whose_staff_it_is_no_page_is_told_apart(
    settings, bound, foreign, name
):
    settings.QUOTAS_STAFF_TENANTS = f"{__name__}.MISSING"

    for key in ("foreign", "nothing"):
        with pytest.raises(StaffTenantsUnknown):
            bound.get(f"/quotas/{key}/{name}")


@pytest.mark.parametrize("name", PAGES)
def test_anothers_page_answers_as_one_that_is_not_there(bound, mine, foreign, name):
    own, other, none = (
        bound.get(f"/quotas/{key}/{name}") for key in ("mine", "foreign", "nothing")
    )

    assert [200, 404, 404] == [each.status_code for each in (own, other, none)]
    assert other.content == none.content


def test_the_list_shows_and_searches_the_own_tenants_alone(bound, mine, foreign):
    listed, sought = (bound.get("/quotas/", asked) for asked in ({}, {"q": "Foreign"}))

    assert "mine" in Reading(listed).text
    for shown in (listed, sought):
        assert "Foreign Affairs" not in Reading(shown).text


def test_a_denied_call_of_another_is_nowhere(bound, mine, foreign):
    answers = [
        look(bound, a_denial(tenant))
        for tenant in (mine, foreign)
        for look in (decision, decision_data)
    ]

    assert [200, 200, 404, 404] == [each.status_code for each in answers]


def test_nothing_of_another_is_changed(bound, mine, foreign):
    for key in ("mine", "foreign"):
        bound.post(f"/quotas/{key}/alerts/", {"do": "settings", "email": "on"})

    assert [mine.pk] == list(AlertSettings.objects.values_list("tenant", flat=True))


def test_who_belongs_to_another_tenant_looks_at_it_as_a_member_and_manages_nothing(
    settings, bound, mine, foreign
):
    user = a_user("both", is_staff=True, is_superuser=True)
    a_membership(foreign, user, role="viewer")
    both = browser(user)

    looked = both.get("/quotas/foreign/")
    posted = both.post("/quotas/foreign/alerts/", {"do": "settings", "email": "on"})

    assert (200, False) == (looked.status_code, looked.context["staff"])
    assert both.get("/quotas/mine/").context["staff"]
    assert 403 == posted.status_code
    assert not AlertSettings.objects.exists()


def test_what_tells_nothing_opens_nothing(settings, bound, mine):
    settings.QUOTAS_STAFF_TENANTS = "shop.staff.tenants"

    for path in ("/quotas/", "/quotas/mine/"):
        with pytest.raises(StaffTenantsUnknown):
            bound.get(path)
