"""Before a limit is deleted it is said who loses it, and what is refused then."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from quotas.models import Plan, PlanLimit
from tests.admin.asking import YES, answer
from tests.admin.pages import act, change_url, submit
from tests.models.rows import a_limit, a_tenant

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.admin.urls")]

LAST = "is for scope api: its calls are refused with 403 not_in_plan"


@pytest.fixture
def limit():
    limit = a_limit()
    for _ in range(2):
        a_tenant(plan=limit.plan)
    return limit


def delete_url(row):
    return change_url(row).replace("change", "delete")


def test_the_delete_page_tells_it(staff, limit):
    text = staff.get(delete_url(limit)).content.decode()

    assert "2 tenants lose it." in text
    assert LAST in text
    a_limit(limit.plan, name="hour")
    assert LAST not in staff.get(delete_url(limit)).content.decode()


def test_deleting_the_selected_tells_it_of_each(staff, limit):
    other = a_limit(limit.plan, name="hour")

    text = act(staff, PlanLimit, "delete_selected", [limit, other]).content.decode()

    assert 2 == text.count("2 tenants lose it.")
    assert 2 == text.count(LAST)
    assert 2 == PlanLimit.objects.count()
    act(staff, PlanLimit, "delete_selected", [limit, other], post="yes")
    assert not PlanLimit.objects.exists()


def test_deleting_many_takes_as_many_queries_as_deleting_one(staff, limit):
    counts = []
    for many in (1, 10):
        rows = [a_limit() for _ in range(many)]
        with CaptureQueriesContext(connection) as queries:
            act(staff, PlanLimit, "delete_selected", rows)
        counts.append(len(queries))

    assert counts[0] == counts[1]


def test_ticking_delete_in_the_plan_asks_and_a_yes_deletes(staff, limit):
    page = submit(staff, change_url(limit.plan), Plan, **{"limits-0-DELETE": "on"})

    assert "2 tenants lose it." in page.content.decode()
    assert LAST in page.content.decode()
    assert PlanLimit.objects.exists()
    answer(staff, change_url(limit.plan), page, YES)
    assert not PlanLimit.objects.exists()


def test_a_row_that_is_deleted_although_it_is_wrong_asks_too(staff, limit):
    changes = {"limits-0-DELETE": "on", "limits-0-period": "soon"}

    page = submit(staff, change_url(limit.plan), Plan, **changes)

    assert "2 tenants lose it." in page.content.decode()


def test_a_row_of_a_plan_that_nobody_has_goes_without_a_question(staff):
    row = a_limit()

    answer = submit(staff, change_url(row.plan), Plan, **{"limits-0-DELETE": "on"})

    assert 302 == answer.status_code


def test_a_row_that_takes_the_scope_of_another_leaves_nothing_refused(staff, limit):
    other = a_limit(limit.plan, scope="b", name="b")

    page = submit(
        staff, change_url(limit.plan), Plan, **{"limits-0-scope": "b", "limits-1-scope": "api"}
    )

    assert other.scope == "b"
    assert 200 == page.status_code
    assert "not_in_plan" not in page.content.decode()


def test_who_may_only_look_sees_no_delete_page(staff_who_may, limit):
    viewer = staff_who_may("view")

    assert 403 == viewer.get(delete_url(limit)).status_code
    assert 403 == act(viewer, PlanLimit, "delete_selected", [limit]).status_code
