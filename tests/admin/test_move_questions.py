"""Whoever gives a tenant another plan is told what it loses by it, and says it twice."""

from __future__ import annotations

import pytest
from django.contrib.admin.models import LogEntry
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from quotas.models import Tenant
from tests.admin.asking import NO, YES, answer, text_of
from tests.admin.pages import change_url, form_of, submit
from tests.models.rows import a_limit, a_plan, a_tenant, an_override
from tests.services.asking import allowed, of_tenant

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.urls("tests.admin.urls")]


@pytest.fixture
def pro(transactional_db):
    """100 calls a minute, 10 a second, and some exports."""
    plan = a_plan("pro")
    a_limit(plan, amount=100)
    a_limit(plan, name="second", amount=10)
    a_limit(plan, scope="exports", name="day")
    return plan


@pytest.fixture
def free(transactional_db):
    """5 calls a minute, more a second."""
    plan = a_plan("free")
    a_limit(plan, amount=5)
    a_limit(plan, name="second", amount=20)
    return plan


@pytest.fixture
def tenant(pro):
    return a_tenant("acme", plan=pro)


def step_url(tenant):
    return reverse("admin:quotas_tenant_step", args=[tenant.pk, "plan"])


def by_step(client, tenant, plan):
    sent = form_of(client.get(step_url(tenant)), "step_form")
    url = step_url(tenant)
    return url, client.post(url, {**sent, "plan": plan.pk, "reason": "cheaper"})


def by_form(client, tenant, plan):
    return change_url(tenant), submit(client, change_url(tenant), Tenant, plan=plan.pk)


WAYS = pytest.mark.parametrize("move", [by_step, by_form])


def plan_of(tenant):
    return Tenant.objects.get(pk=tenant.pk).plan


@WAYS
def test_a_move_tells_what_gets_lower_and_what_is_gone(staff, tenant, free, move):
    allowed(of_tenant(tenant), times=7)

    _url, page = move(staff, tenant, free)

    text = text_of(page)
    assert "acme: api/minute" in text
    assert "Then the limit of plan Free applies." in text
    assert "1 of them has more than 5 in use now." in text
    assert "acme: exports/day" in text
    assert "for scope exports: its calls are refused with 403" in text
    assert "acme: api/second" not in text, "it is raised"


@WAYS
def test_a_move_is_made_by_a_yes_alone(staff, tenant, pro, free, move):
    url, page = move(staff, tenant, free)

    assert pro == plan_of(tenant)
    assert 200 == answer(staff, url, page, NO).status_code
    assert pro == plan_of(tenant)
    assert not LogEntry.objects.exists()
    assert 302 == answer(staff, url, page, YES).status_code
    assert free == plan_of(tenant)


@WAYS
def test_a_move_that_takes_nothing_away_does_not_ask(staff, pro, move):
    tenant = a_tenant(plan=a_limit(a_plan("small"), amount=5).plan)

    assert 302 == move(staff, tenant, pro)[1].status_code
    assert pro == plan_of(tenant)


@WAYS
def test_what_overrides_hold_is_not_lost_by_a_move(staff, tenant, free, move):
    an_override(tenant, amount=100)
    an_override(tenant, scope="exports", name="day")

    assert 302 == move(staff, tenant, free)[1].status_code


def test_a_move_and_an_override_that_goes_are_told_together(staff, tenant, free):
    row = an_override(tenant, amount=200)

    page = submit(staff, change_url(tenant), Tenant, plan=free.pk, **{"overrides-0-DELETE": "on"})

    assert "200 in each minute" in text_of(page)
    assert "5 in each minute" in text_of(page)
    assert [row] == list(tenant.overrides.all())
    assert 302 == answer(staff, change_url(tenant), page, YES).status_code
    assert (free, 0) == (plan_of(tenant), tenant.overrides.count())


def test_who_may_not_change_a_tenant_is_refused_whatever_is_confirmed(
    staff_who_may, tenant, pro, free
):
    viewer = staff_who_may("view")

    for url in (step_url(tenant), change_url(tenant)):
        sent = {"plan": free.pk, "reason": "mine", "key": "acme", "name": "acme", **YES}
        assert 403 == viewer.post(url, sent).status_code
        viewer.get(url, sent)

    assert pro == plan_of(tenant)


def test_a_move_takes_as_many_queries_among_many_tenants(staff, tenant, free):
    counts = []
    for _ in range(3):  # the first finds nothing remembered
        with CaptureQueriesContext(connection) as queries:
            assert "confirm_form" in text_of(by_step(staff, tenant, free)[1])
        counts.append(len(queries))
        for _ in range(5):
            a_tenant(plan=tenant.plan)

    assert counts[1] == counts[2]
