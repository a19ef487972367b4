"""Whoever takes limits out of shadow, by list or form, is told what they would have denied."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from quotas.models import Override, Plan, PlanLimit
from tests.admin.asking import NO, YES, answer, text_of
from tests.admin.pages import act, change_url, form_of, list_url, submit
from tests.admin.shadowing import a_caller, flushed, in_shadow
from tests.models.rows import a_limit, a_tenant, an_override

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.admin.urls")]

DENIES = "Once it is enforced, such calls are denied."
ENFORCED = {"mode": "enforce"}


def of_plan():
    limit = in_shadow(a_limit(mode="shadow"))
    flushed(a_caller(limit.plan, 4, denied=2))
    a_tenant(plan=limit.plan)
    return limit


def of_tenant():
    return in_shadow(an_override(mode="shadow"))


def mode_of(row):
    row.refresh_from_db()
    return row.mode


@pytest.mark.parametrize(("model", "make"), [(PlanLimit, of_plan), (Override, of_tenant)])
def test_the_action_asks_and_a_yes_enforces(staff, model, make):
    row = make()

    page = act(staff, model, "enforce", [row])

    assert DENIES in text_of(page)
    assert "shadow" == mode_of(row)
    answer(staff, list_url(model), page, NO)
    assert "shadow" == mode_of(row)
    assert 302 == answer(staff, list_url(model), page, YES).status_code
    assert "enforce" == mode_of(row)


def by_list(client, limit):
    page = form_of(client.get(list_url(PlanLimit)), "changelist-form")
    sent = {**page, "form-0-mode": "enforce", "_save": "Save"}
    return client.post(list_url(PlanLimit), sent)


WAYS = {
    "action": lambda client, limit: act(client, PlanLimit, "enforce", [limit]),
    "list": by_list,
    "page": lambda client, limit: submit(client, change_url(limit), PlanLimit, **ENFORCED),
    "plan": lambda client, limit: submit(
        client, change_url(limit.plan), Plan, **{"limits-0-mode": "enforce"}
    ),
}


@pytest.mark.parametrize("way", WAYS)
def test_it_is_told_what_the_limit_would_have_denied_since_it_is_in_shadow(staff, way):
    limit = of_plan()

    text = text_of(WAYS[way](staff, limit))

    assert "It would have denied 4 of 12 calls, of 1 tenant." in text
    assert "It concerns 2 tenants." in text
    assert "shadow" == mode_of(limit)


def test_a_limit_that_nobody_has_is_enforced_without_a_question(staff):
    limit = a_limit(mode="shadow")

    assert 302 == act(staff, PlanLimit, "enforce", [limit]).status_code
    assert "enforce" == mode_of(limit)


def test_who_may_only_look_enforces_nothing_whatever_is_confirmed(staff_who_may):
    for row in (of_plan(), of_tenant()):
        answered = act(staff_who_may("view"), type(row), "enforce", [row], **YES)

        assert 403 == answered.status_code
        assert "shadow" == mode_of(row)


def test_the_question_takes_as_many_queries_for_many_tenants(staff):
    limit, counts = of_plan(), []
    for _ in range(3):  # the first finds nothing remembered
        with CaptureQueriesContext(connection) as queries:
            assert DENIES in text_of(act(staff, PlanLimit, "enforce", [limit]))
        counts.append(len(queries))
        for _ in range(5):
            a_caller(limit.plan, 3)

    assert counts[1] == counts[2]
