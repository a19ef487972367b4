"""Staff look at how the limiter stands: whoever may view plans, and nobody changes anything."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Permission
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from quotas.models import Plan, Status
from tests.admin.browsers import client_of
from tests.admin.pages import list_url
from tests.engine.proxy import nobody
from tests.models.rows import a_limit, a_tenant, a_user
from tests.services.asking import ask, of_tenant

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.admin.urls")]

URL = "/admin/quotas/status/"


@pytest.fixture
def away(settings):
    entry = settings.CACHES["quotas"] | {"LOCATION": nobody()}
    settings.CACHES = settings.CACHES | {"quotas": entry}


def staff_with(*codenames):
    user = a_user(is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__in=codenames))
    return client_of(user)


def text_of(response):
    assert 200 == response.status_code
    return " ".join(response.content.decode().split())


def test_whoever_may_view_plans_may_look():
    assert URL == list_url(Status)

    assert 200 == staff_with("view_plan").get(URL).status_code


@pytest.mark.parametrize("codename", ["view_tenant", "view_planlimit", "add_plan", "change_tenant"])
def test_staff_who_may_not_view_plans_are_refused(codename):
    client = staff_with(codename)

    assert 403 == client.get(URL).status_code
    assert URL not in client.get("/admin/").content.decode()


def test_who_is_no_staff_is_asked_to_log_in():
    user = a_user()
    user.user_permissions.set(Permission.objects.filter(codename="view_plan"))

    for client in (Client(), client_of(user)):
        assert reverse("admin:login") in client.get(URL).url


def test_the_index_of_the_admin_leads_there_and_offers_no_change():
    page = text_of(staff_with("view_plan").get("/admin/"))

    assert f'href="{URL}"' in page
    assert f"{URL}add/" not in page


@pytest.mark.parametrize("method", ["post", "put", "patch", "delete"])
def test_it_can_only_be_looked_at(staff, method):
    assert 405 == getattr(staff, method)(URL, {"action": "delete_selected"}).status_code


@pytest.mark.parametrize("path", ["add/", "1/change/", "1/delete/", "1/history/", "1/"])
def test_there_is_no_other_address_of_it(staff, path):
    Plan.objects.create(pk=1, key="free", name="Free")

    assert staff.get(URL + path).status_code == 404


def test_it_tells_of_redis_the_flush_and_each_worker(staff):
    ask(of_tenant(a_tenant(plan=a_limit().plan)))

    page = text_of(staff.get(URL))

    for told in (
        '<th scope="row">Reachable</th> <td>yes</td>',
        "ms in the middle",
        "noeviction: counters stay, and writes are refused",
        "buckets and windows 1",
        '<th scope="row">Last copied to the database</th> <td>never</td>',
        "0 by e-mail, 0 by webhook",
        "1 of 1 busy worker has applied the latest edit.",
        "(busy)</td> <td>current</td> <td>1</td> <td>0</td>",
    ):
        assert told in page.replace("</td></tr>", "</td> ").replace("</td><td>", "</td> <td>")
    assert "Warning:" not in page


def test_it_says_that_redis_is_away_and_what_the_database_knows(staff, away):
    page = text_of(staff.get(URL))

    assert "no: Redis gave no answer" in page
    assert "<strong>Warning:</strong> Each limit decides by its own outage policy" in page
    assert "Last copied to the database" in page
    assert "cannot be told" in page
    assert "Keys of ours" not in page


def test_it_has_nothing_inline(staff):
    page = text_of(staff.get(URL)).lower()
    own = page[page.index('id="content-main"') :]

    assert not [each for each in ("style=", "<script", "<style", "onclick=") if each in own]


def test_it_takes_the_same_few_queries_whatever_there_is(staff):
    numbers = []
    for _ in range(2):
        staff.get(URL)
        with CaptureQueriesContext(connection) as queries:
            staff.get(URL)
        numbers.append(len(queries))
        for _ in range(5):
            ask(of_tenant(a_tenant(plan=a_limit().plan)))

    assert numbers[0] == numbers[1] <= 6
