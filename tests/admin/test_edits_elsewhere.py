"""What staff edit in any way of the admin, or load, acts on the next request in another process."""

from __future__ import annotations

import json
from datetime import timedelta
from io import StringIO

import pytest
from django.core import serializers
from django.core.management import call_command

from quotas.domain.calendar import EPOCH
from quotas.models import Override, Plan, PlanLimit, Tenant
from tests import START_US
from tests.admin.asking import answered
from tests.admin.browsers import client_of
from tests.admin.pages import act, change_url, form_of, list_url, submit
from tests.models.rows import a_limit, a_membership, a_plan, a_tenant, a_user, an_override
from tests.services.conftest import _neighbours, clock, neighbour

__all__ = ["_neighbours", "clock", "neighbour"]

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.urls("tests.admin.urls"),
    pytest.mark.usefixtures("clock"),
]

HOUR = timedelta(hours=1)
START = EPOCH + timedelta(microseconds=START_US)
POLL = 1.001
"""Seconds: a little more than QUOTAS_PLAN_POLL."""


@pytest.fixture
def chief(transactional_db):
    """A superuser's browser."""
    return client_of(a_user("chief", is_staff=True, is_superuser=True))


@pytest.fixture
def limit(transactional_db):
    return a_limit(a_plan("pro"), amount=5, period=HOUR)


@pytest.fixture
def tenant(limit):
    return a_tenant("acme", plan=limit.plan)


@pytest.fixture
def override(tenant):
    return an_override(tenant, amount=20, period=HOUR, starts_at=START)


def by_form(chief, row, **changes):
    page = submit(chief, change_url(row), type(row), **changes)
    assert 302 == answered(chief, change_url(row), page).status_code


def by_list(chief, row, **changes):
    page = form_of(chief.get(list_url(type(row))), "changelist-form")
    changed = {f"form-0-{name}": value for name, value in changes.items()}
    answer = chief.post(list_url(type(row)), {**page, **changed, "_save": "Save"})
    assert 302 == answer.status_code


def by_delete_page(chief, row):
    address = change_url(row).replace("/change/", "/delete/")
    assert 302 == chief.post(address, {"post": "yes"}).status_code


def selected(chief, row):
    act(chief, type(row), "delete_selected", [row], post="yes")


def loaded(tmp_path, row, **fields):
    """The row as a fixture has it, with other values."""
    written = json.loads(serializers.serialize("json", [row]))
    written[0]["fields"] |= fields
    path = tmp_path / "rows.json"
    path.write_text(json.dumps(written))
    call_command("loaddata", str(path), verbosity=0)


@pytest.mark.parametrize(
    ("edit", "left"),
    [
        pytest.param(lambda chief, row: by_form(chief, row, amount="100"), 98, id="form"),
        pytest.param(
            lambda chief, row: by_form(chief, row.tenant, **{"overrides-0-amount": "100"}),
            98,
            id="inline",
        ),
        pytest.param(
            lambda chief, row: by_form(chief, row.tenant, **{"overrides-0-DELETE": "on"}),
            3,
            id="inline-deleted",
        ),
        pytest.param(
            lambda chief, row: act(chief, Override, "set_amount", [row], amount="100"),
            98,
            id="bulk-edit",
        ),
        pytest.param(selected, 3, id="delete-selected"),
        pytest.param(by_delete_page, 3, id="delete"),
    ],
)
def test_p4_an_override_that_staff_edit_acts_on_the_next_request(
    chief, tenant, override, neighbour, edit, left
):
    assert ("allowed", {"minute": 19}) == neighbour.ask(tenant)

    edit(chief, override)

    assert ("allowed", {"minute": left}) == neighbour.ask(tenant)


@pytest.mark.parametrize(
    ("edit", "answer"),
    [
        pytest.param(lambda chief, row: by_form(chief, row, amount="100"), 98, id="form"),
        pytest.param(lambda chief, row: by_list(chief, row, amount="100"), 98, id="list"),
        pytest.param(lambda chief, row: by_list(chief, row, mode="off"), None, id="list-mode"),
        pytest.param(
            lambda chief, row: by_form(chief, row.plan, **{"limits-0-amount": "100"}),
            98,
            id="inline",
        ),
        pytest.param(
            lambda chief, row: act(chief, PlanLimit, "set_amount", [row], amount="100"),
            98,
            id="bulk-edit",
        ),
        pytest.param(selected, "not_in_plan", id="delete-selected"),
        pytest.param(by_delete_page, "not_in_plan", id="delete"),
    ],
)
def test_p4_a_plans_limit_that_staff_edit_acts_within_the_poll(
    chief, limit, tenant, neighbour, edit, answer
):
    assert ("allowed", {"minute": 4}) == neighbour.ask(tenant)

    edit(chief, limit)
    neighbour.later(POLL)

    outcome, left = neighbour.ask(tenant)
    assert answer == (outcome if outcome == "not_in_plan" else left.get("minute"))


@pytest.mark.parametrize(
    "edit",
    [
        pytest.param(lambda chief, row: by_form(chief, row, suspended="on"), id="form"),
        pytest.param(lambda chief, row: act(chief, Tenant, "suspend", [row]), id="bulk-edit"),
    ],
)
def test_p4_a_tenant_that_staff_suspend_is_refused_on_the_next_request(
    chief, tenant, neighbour, edit
):
    assert "allowed" == neighbour.ask(tenant)[0]

    edit(chief, tenant)

    assert "tenant_suspended" == neighbour.ask(tenant)[0]


@pytest.mark.parametrize("edit", [selected, by_delete_page])
def test_p4_a_member_whom_staff_remove_acts_for_the_tenant_no_more(chief, tenant, neighbour, edit):
    membership = a_membership(tenant)
    assert "allowed" == neighbour.ask(user=membership.user)[0]

    edit(chief, membership)

    assert "not_in_plan" == neighbour.ask(user=membership.user)[0]


@pytest.mark.parametrize("edit", [selected, by_delete_page])
def test_p4_a_tenant_whom_staff_delete_is_none_on_the_next_request(chief, tenant, neighbour, edit):
    user = a_membership(tenant).user
    assert "allowed" == neighbour.ask(user=user)[0]

    edit(chief, tenant)

    assert "not_in_plan" == neighbour.ask(user=user)[0]


def test_p4_a_default_plan_that_staff_make_acts_within_the_poll(chief, limit, neighbour):
    a_limit(a_plan("basic", is_default=True), amount=2, period=HOUR)
    tenant = a_tenant("bolt")
    assert ("allowed", {"minute": 1}) == neighbour.ask(tenant)

    answered(chief, list_url(Plan), act(chief, Plan, "make_default", [limit.plan]))
    neighbour.later(POLL)

    assert ("allowed", {"minute": 3}) == neighbour.ask(tenant)


def test_p4_each_kind_of_row_that_is_loaded_acts(tenant, limit, neighbour, tmp_path):
    membership = a_membership(tenant)
    user = membership.user
    assert ("allowed", {"minute": 4}) == neighbour.ask(user=user)

    loaded(tmp_path, limit, amount=100)
    neighbour.later(POLL)
    assert ("allowed", {"minute": 98}) == neighbour.ask(user=user)
    loaded(tmp_path, tenant, suspended=True)
    assert "tenant_suspended" == neighbour.ask(user=user)[0]
    loaded(tmp_path, membership, tenant=a_tenant("bolt", plan=limit.plan).pk)
    assert ("allowed", {"minute": 99}) == neighbour.ask(user=user)
    loaded(tmp_path, limit.plan, active=False)
    neighbour.later(POLL)
    assert "not_in_plan" == neighbour.ask(user=user)[0]


def test_p4_a_file_of_plans_that_is_imported_acts_within_the_poll(
    tenant, limit, neighbour, tmp_path
):
    path = tmp_path / "plans.toml"
    path.write_text(
        'format = 1\n[plans.pro]\nname = "Pro"\n'
        '[[plans.pro.limits]]\nscope = "api"\nname = "minute"\n'
        'algorithm = "fixed_window"\namount = 100\nperiod = "1 hour"\n'
    )
    assert ("allowed", {"minute": 4}) == neighbour.ask(tenant)

    call_command("quotas_plans", "import", str(path), "--yes", stdout=StringIO())
    neighbour.later(POLL)

    assert ("allowed", {"minute": 98}) == neighbour.ask(tenant)
