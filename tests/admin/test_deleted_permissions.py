"""Who may look at what was deleted, and who may bring it back."""

from __future__ import annotations

import pytest

from quotas.models import Cap
from tests.admin.browsers import somebody_who_may
from tests.admin.deleting import ROWS, back_url, bring_back, deleted_url, each_model, gone, listed
from tests.models.rows import a_limit, an_override

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.admin.urls")]


def a_whole_plan():
    return gone(a_limit().plan)


def a_whole_tenant():
    tenant = an_override().tenant
    Cap.objects.create(tenant=tenant, scope="api", name="minute", amount=5)
    return gone(tenant)


@pytest.mark.parametrize(
    ("make", "may"),
    [
        pytest.param(a_whole_plan, ["view_plan", "add_plan"], id="a-plan-and-not-its-limit"),
        pytest.param(a_whole_plan, ["view_plan", "add_planlimit"], id="a-limit-and-not-its-plan"),
        pytest.param(a_whole_plan, ["add_plan", "add_planlimit"], id="a-plan-unseen"),
        pytest.param(a_whole_tenant, ["view_tenant", "add_tenant", "add_cap"], id="no-override"),
        pytest.param(a_whole_tenant, ["view_tenant", "add_tenant", "add_override"], id="no-cap"),
        pytest.param(a_whole_plan, [], id="nothing"),
    ],
)
def test_by_hand_nobody_brings_back_what_they_may_not_add(make, may):
    row = make()
    client = somebody_who_may(*may)

    assert 403 == client.get(back_url(row)).status_code
    assert 403 == client.post(back_url(row), {"reason": "r"}).status_code
    assert not type(row).objects.exists()


def test_who_may_add_all_of_it_brings_it_back():
    row = a_whole_tenant()
    may = ["view_tenant", "add_tenant", "add_override", "add_cap"]

    assert 302 == bring_back(somebody_who_may(*may), row).status_code


@each_model
def test_who_may_look_sees_what_was_deleted_and_no_way_back(staff_who_may, model):
    row = gone(ROWS[model]())
    page = staff_who_may("view").get(deleted_url(model))

    assert 1 == len(listed(page))
    assert back_url(row) not in page.content.decode()
    assert 403 == staff_who_may("nothing").get(deleted_url(model)).status_code
