"""Of many limits at once, and of many tenants, a few are looked up: what is said stays true."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from quotas.models import Override, PlanLimit, UsageHour, UsageQuarter
from quotas.services import hindsight
from tests.admin.asking import text_of, yes_on
from tests.admin.pages import act, change_url, list_url, submit
from tests.models.rows import a_limit, a_plan, a_tenant, an_override

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.admin.urls")]
OUTLOOK = '<section class="quotas-outlook"'


def used(tenant, scope, units):
    start = timezone.now().replace(minute=0, second=0, microsecond=0)
    where = {"tenant": tenant, "start": start, "generation": 1, "units": units, "admitted": 1}
    UsageQuarter.objects.create(scope=scope, **where)
    UsageHour.objects.create(**where)


def limits_of_one_plan(many):
    plan = a_plan()
    for _ in range(2):
        a_tenant(plan=plan)
    return [a_limit(plan, name=f"n{number}") for number in range(many)]


def limits_of_plans(many):
    rows = [a_limit() for _ in range(many)]
    for row in rows:
        a_tenant(plan=row.plan)
    return rows


def overrides(many):
    return [an_override(starts_at="2020-01-01T00:00Z") for _ in range(many)]


def test_the_only_one_who_used_the_scope_is_asked_about_behind_those_who_used_others(
    staff, monkeypatch
):
    monkeypatch.setattr(hindsight, "MOST_LOOKED_AT", 3)
    monkeypatch.setattr(hindsight, "AT_FIRST", 3)
    limit = a_limit(scope="reports", amount=100, period=timedelta(hours=1))
    for _ in range(3):
        used(a_tenant(plan=limit.plan), "api", 1000)
    used(a_tenant(plan=limit.plan), "reports", 99)

    text = text_of(submit(staff, change_url(limit), PlanLimit, amount="92"))

    assert "is recorded" not in text
    assert "Used in the last 24 hours: 99 units, by 1 tenant. Of that at least 7 units" in text


def test_where_only_some_were_looked_at_it_never_says_that_nothing_was_used(staff, monkeypatch):
    monkeypatch.setattr(hindsight, "MOST_LOOKED_AT", 1)
    limit = a_limit(scope="*", amount=100)
    for _ in range(2):
        UsageHour.objects.create(
            tenant=a_tenant(plan=limit.plan), start=timezone.now(), generation=1, units=9
        )

    text = text_of(submit(staff, change_url(limit), PlanLimit, amount="92"))

    assert "Nothing that was used in the last 24 hours is recorded." not in text
    assert "Nothing is recorded that the tenants looked at used" in text
    assert "For that, only the tenants who used most were looked at." in text


@pytest.mark.parametrize(
    ("model", "made"),
    [
        pytest.param(PlanLimit, limits_of_one_plan, id="one-plan"),
        pytest.param(PlanLimit, limits_of_plans, id="many-plans"),
        pytest.param(Override, overrides, id="overrides"),
    ],
)
@pytest.mark.parametrize("mode", ["enforce", "shadow"])
def test_an_action_tells_a_few_of_many_and_the_rest_in_one_sentence(staff, model, made, mode):
    counts = []
    for many in (20, 20, 60):  # the first finds nothing remembered
        model.objects.all().delete()
        rows = made(many)
        model.objects.update(mode=mode)
        action = "set_amount" if mode == "enforce" else "enforce"
        with CaptureQueriesContext(connection) as queries:
            page = act(staff, model, action, rows, amount="5", select_across="1")
        counts.append(len(queries))
        each = 2 if made is limits_of_one_plan else 1
        assert 4 == page.content.decode().count(OUTLOOK)
        text = text_of(page)
        assert f"{many - 3} more limits are changed, which concern {(many - 3) * each} te" in text

    assert counts[1] == counts[2]
    staff.post(list_url(model), yes_on(page))
    field, value = ("amount", 5) if mode == "enforce" else ("mode", "enforce")
    assert {value} == set(model.objects.values_list(field, flat=True))


def test_of_not_so_many_each_is_named(staff):
    page = act(staff, PlanLimit, "set_amount", limits_of_one_plan(5), amount="5")

    assert 5 == page.content.decode().count(OUTLOOK)
    assert 2 == text_of(page).count("no more is looked up of this one")
