"""The scopes of the project's views, offered to who edits a plan."""

from __future__ import annotations

import pytest
from django.contrib import admin
from django.urls import path
from rest_framework.views import APIView

from quotas.drf import PlanThrottle
from quotas.models import Plan
from tests.admin.pages import add_url, change_url, submit
from tests.models.rows import a_limit, a_plan

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.admin.test_plan_scopes")]


class Own(PlanThrottle):
    scope = "own"


class Asking(PlanThrottle):
    """Says itself what it asks for."""

    scope = "unseen"

    def ask(self, request, view, cost, subject):
        return None


class OwnView(APIView):
    throttle_classes = [Own, Asking]


class ScopedView(APIView):
    throttle_classes = [PlanThrottle]
    throttle_scope = "viewed"


urlpatterns = [
    path("admin/", admin.site.urls),
    path("own/", OwnView.as_view()),
    path("viewed/", ScopedView.as_view()),
    path("told/", ScopedView.as_view(throttle_scope="told")),
]


def notice(page):
    return page.content.decode().partition('id="quotas-missing"')[2].partition("</div>")[0]


def test_the_scopes_of_views_are_offered(staff):
    page = staff.get(add_url(Plan)).content.decode()

    offered = page.partition('<datalist id="quotas-scopes">')[2].partition("</datalist>")[0]
    assert ["own", "told", "viewed"] == [part.split('"')[0] for part in offered.split('="')[1:]]
    assert 'list="quotas-scopes"' in page


def test_a_scope_without_a_row_is_shown_as_the_page_stands(staff):
    plan = a_limit(scope="own").plan

    stored = notice(staff.get(change_url(plan)))
    changes = {"limits-0-scope": "told", "_preview": "Preview"}
    previewed = notice(submit(staff, change_url(plan), Plan, **changes))

    assert "have no row in this plan: told, viewed (their requests are answered 403)" in stored
    assert "own, viewed" in previewed


@pytest.mark.parametrize("mode", ["enforce", "off"])
def test_a_row_for_every_scope_leaves_none_without(staff, mode):
    plan = a_limit(scope="*", mode=mode).plan

    assert "answered 403" not in notice(staff.get(change_url(plan)))


def test_one_scope_alone_is_told_in_the_singular(staff):
    plan = a_plan()
    for scope in ("own", "told"):
        a_limit(plan, scope=scope)

    told = notice(staff.get(change_url(plan)))

    assert "This scope of your views has no row in this plan: viewed (its requests" in told
