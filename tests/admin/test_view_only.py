"""Staff who may only look change nothing, whichever route of the admin they post to."""

from __future__ import annotations

import pytest

from quotas.admin.parents import LookOnlyAdmin
from quotas.models import Tenant
from tests.admin.asking import answered
from tests.admin.companies import OWN, Company, stored
from tests.admin.routes import posts, routes
from tests.models.rows import a_plan, a_tenant, a_user

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.admin.urls")]

CHANGING = ("add/", "<path:object_id>/change/", "<path:object_id>/delete/")
each_route = pytest.mark.parametrize("route", routes())


def changes_something(route):
    """Whether all that may be posted there would change something."""
    return route.text in CHANGING or "/step/" in route.text or "deleted/<" in route.text


@pytest.fixture
def company(db):
    return Company(OWN)


@pytest.fixture
def chosen(db):
    """What the fields of a new row choose among others."""
    return {"tenant": a_tenant().pk, "user": a_user().pk, "plan": a_plan().pk}


@each_route
def test_view_only_staff_change_nothing_by_any_button_of_any_page(
    staff, staff_who_may, company, chosen, route
):
    viewer, pk = staff_who_may("view"), company.row(route.model).pk
    asked = list(posts(route, staff, pk, **chosen))
    before = stored()

    for address, data in asked:
        answer = viewer.post(address, data)

        assert before == stored(), (address, data)
        assert 403 == answer.status_code or not changes_something(route), (address, data)


@each_route
def test_view_only_staff_are_offered_no_button_that_changes_anything(staff_who_may, company, route):
    viewer = staff_who_may("view")

    for address in route.addresses(company.row(route.model).pk):
        shown = viewer.get(address).content.decode()

        assert 'name="_' not in shown.replace('name="_popup"', "")
        assert "/step/" not in shown
        assert 'name="action"' not in shown
        assert "deletelink" not in shown
        assert "addlink" not in shown


@each_route
def test_looking_changes_nothing_whoever_looks(staff, company, route):
    before = stored()

    for address in route.addresses(company.row(route.model).pk):
        staff.get(address)
        staff.head(address)
        staff.get(address, {"post": "yes", "_save": "Save", "action": "delete_selected"})

        assert before == stored(), address


# What is remembered of policies goes with the commit: a step must meet what the one before it did.
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    "route",
    [
        each
        for each in routes()
        if not isinstance(each.values[0].admin, LookOnlyAdmin)
        and (not each.values[0].text or changes_something(each.values[0]))
    ],
)
def test_the_same_posts_change_something_when_they_come_from_staff_who_may(
    staff, company, chosen, route
):
    Tenant.objects.update(plan=None)  # a plan that somebody has is not deleted
    pk, changed = company.row(route.model).pk, set()

    for address, data in posts(route, staff, pk, **chosen):
        before = stored()
        answered(staff, address, staff.post(address, data))
        if before != stored():
            changed.add(address)

    assert set(route.addresses(pk)) == changed
