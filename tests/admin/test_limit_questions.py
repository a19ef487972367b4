"""Whoever takes something away from tenants by another page than the plan's is asked as well."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.admin.models import LogEntry
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from quotas.models import Override, PlanLimit, UsageHour, UsageQuarter
from tests.admin.asking import YES, answer, text_of
from tests.admin.editing import numbers
from tests.admin.pages import act, change_url, form_of, list_url, submit
from tests.models.rows import a_limit, a_tenant, an_override

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.admin.urls")]


@pytest.fixture
def limit():
    """10 a minute, of a plan that two tenants have."""
    limit = a_limit()
    for _ in range(2):
        a_tenant(plan=limit.plan)
    return limit


@pytest.fixture
def override():
    return an_override(ends_at=timezone.now() + timedelta(days=1))


def listed(client, **changes):
    """The list of limits, sent with some fields changed."""
    page = form_of(client.get(list_url(PlanLimit)), "changelist-form")
    return client.post(list_url(PlanLimit), {**page, "_save": "Save", **changes})


def cut(client, row, amount="5", **changes):
    """Lowers the amount on the page of the row itself."""
    return submit(client, change_url(row), type(row), amount=amount, **changes)


def test_the_page_of_a_limit_asks_before_a_cut_and_a_yes_saves_it(staff, limit):
    page = cut(staff, limit, title="Renamed")

    assert "It concerns 2 tenants." in text_of(page)
    assert 10 == numbers(limit)[1]
    assert 302 == answer(staff, change_url(limit), page, YES).status_code
    assert (5, "Renamed") == (numbers(limit)[1], limit.title)


def test_a_no_shows_the_page_of_the_limit_again_with_all_that_was_sent(staff, limit):
    sent = form_of(cut(staff, limit), "confirm_form")

    page = staff.post(change_url(limit), {**sent, "_preview": "No"})

    assert "errornote" not in text_of(page)
    assert "5" == form_of(page, "planlimit_form")["amount"]
    assert 10 == numbers(limit)[1]


def test_the_page_of_an_override_asks_concerning_its_tenant(staff, override):
    page = cut(staff, override)

    assert "It concerns 1 tenant." in text_of(page)
    assert 10 == numbers(override)[1]
    answer(staff, change_url(override), page, YES)
    assert 5 == numbers(override)[1]


def test_an_override_that_is_over_asks_nothing(staff):
    over = an_override(starts_at="2020-01-01T00:00Z", ends_at="2020-01-02T00:00Z")

    assert 302 == cut(staff, over).status_code


def test_the_list_asks_about_all_of_its_rows_together(staff, limit):
    other = a_limit(name="other")
    a_tenant(plan=other.plan)
    page = form_of(staff.get(list_url(PlanLimit)), "changelist-form")
    amounts = {name: "5" for name in page if name.endswith("-amount")}

    asked = listed(staff, **amounts)

    assert 2 == text_of(asked).count("quotas-outlook")
    assert {10} == {numbers(row)[1] for row in (limit, other)}
    assert not LogEntry.objects.exists()
    sent = form_of(asked, "confirm_form")
    again = staff.post(list_url(PlanLimit), {**sent, "_preview": "No"})
    assert "5" == form_of(again, "changelist-form")["form-0-amount"]
    assert 10 == numbers(limit)[1]
    assert 302 == answer(staff, list_url(PlanLimit), asked, YES).status_code
    assert {5} == {numbers(row)[1] for row in (limit, other)}


def test_the_list_asks_before_a_limit_leaves_shadow(staff, limit):
    PlanLimit.objects.update(mode="shadow")

    assert "It concerns 2 tenants." in text_of(listed(staff, **{"form-0-mode": "enforce"}))
    limit.refresh_from_db()
    assert "shadow" == limit.mode


@pytest.mark.parametrize("model", [PlanLimit, Override])
def test_the_action_that_sets_an_amount_asks(staff, limit, override, model):
    row = limit if model is PlanLimit else override

    page = act(staff, model, "set_amount", [row], amount="5")

    assert "It concerns" in text_of(page)
    assert 10 == numbers(row)[1]
    sent = form_of(page, "confirm_form")
    staff.post(list_url(model), {**sent, "_preview": "No"})
    assert 10 == numbers(row)[1]
    answer(staff, list_url(model), page, YES)
    assert 5 == numbers(row)[1]


@pytest.mark.parametrize("amount", ["9", "11", ""])
def test_little_and_more_are_not_asked_about(staff, limit, override, amount):
    assert 302 == listed(staff, **{"form-0-amount": amount}).status_code
    PlanLimit.objects.update(amount=10)
    assert 302 == cut(staff, limit, amount).status_code
    assert 302 == cut(staff, override, amount).status_code


def test_what_was_used_is_told(staff, limit):
    start = timezone.now().replace(minute=0, second=0, microsecond=0)
    where = {"tenant": limit.plan.tenants.first(), "start": start, "generation": 1, "units": 100}
    UsageQuarter.objects.create(scope="api", **where)
    UsageHour.objects.create(peaks={"api/minute": [9, 10]}, **where)

    text = text_of(cut(staff, limit))

    assert "1 of them used more than 5 at once in the last 24 hours." in text
    assert "That was in 1 hour." in text
    assert "Used in the last 24 hours: 100 units, by 1 tenant. Of that at least 25 units" in text


def test_a_limit_of_users_says_what_cannot_be_told(staff, limit):
    PlanLimit.objects.update(subject="user")

    text = text_of(cut(staff, limit))

    assert "What each caller has in use now is not looked at." in text
    assert "the records do not tell what it would have denied" in text


def test_without_records_it_says_so(staff, limit):
    assert "Nothing that was used in the last 24 hours is recorded." in text_of(cut(staff, limit))


@pytest.mark.usefixtures("caplog")
def test_without_redis_the_page_says_so_and_goes_by_the_records(staff, limit, private_server):
    UsageHour.objects.create(
        tenant=limit.plan.tenants.first(),
        start=timezone.now(),
        generation=1,
        peaks={"api/minute": [9, 10]},
    )
    private_server.stop()

    text = text_of(cut(staff, limit, "8"))

    assert "Redis gives no answer" in text
    assert "1 of them used more than 8 at once in the last 24 hours." in text


def test_a_limit_that_moves_to_another_scope_is_lost_to_its_tenants(staff, limit):
    text = text_of(submit(staff, change_url(limit), PlanLimit, scope="other"))

    assert "2 tenants lose it." in text
    assert "No other row of plan" in text


def test_an_error_is_shown_before_any_question(staff, limit, override):
    for row in (limit, override):
        text = text_of(cut(staff, row, period="soon"))
        assert "errornote" in text
        assert "confirm_form" not in text
    assert "confirm_form" not in text_of(listed(staff, **{"form-0-amount": "-1"}))


def test_who_may_not_change_is_refused_whatever_is_confirmed(staff, staff_who_may, limit, override):
    viewer = staff_who_may("view")
    for row in (limit, override):
        page = form_of(staff.get(change_url(row)), f"{type(row).__name__.lower()}_form")
        assert 403 == viewer.post(change_url(row), {**page, "amount": "5", **YES}).status_code
        acted = act(viewer, type(row), "set_amount", [row], amount="5", **YES)
        assert 403 == acted.status_code
    page = form_of(staff.get(list_url(PlanLimit)), "changelist-form")
    sent = {**page, "form-0-amount": "5", "_save": "Save", **YES}
    assert 403 == viewer.post(list_url(PlanLimit), sent).status_code

    assert {10} == {numbers(row)[1] for row in (limit, override)}


def test_a_question_takes_as_many_queries_for_one_tenant_as_for_many(staff):
    counts = []
    for many in (1, 1, 12):  # the first finds nothing remembered
        limit = a_limit()
        for _ in range(many):
            a_tenant(plan=limit.plan)
        with CaptureQueriesContext(connection) as queries:
            page = cut(staff, limit)
        assert "It concerns" in text_of(page)
        counts.append(len(queries))

    assert counts[1] == counts[2]
