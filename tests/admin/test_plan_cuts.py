"""Whoever takes something away from tenants is told from whom, and says it twice."""

from __future__ import annotations

import pytest
from django.utils import timezone

from quotas.models import Plan, UsageHour
from tests.admin.asking import YES, answer, yes_on
from tests.admin.editing import numbers
from tests.admin.pages import change_url, form_of, submit
from tests.models.rows import a_limit, a_plan, a_tenant

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.admin.urls")]


@pytest.fixture
def limit():
    """10 a minute, of a plan that two tenants have."""
    limit = a_limit()
    for _ in range(2):
        a_tenant(plan=limit.plan)
    return limit


def cut(client, limit, amount="5", **changes):
    return submit(client, change_url(limit.plan), Plan, **{"limits-0-amount": amount}, **changes)


def test_a_cut_asks_first_and_a_yes_saves_it_with_all_that_was_sent(staff, limit):
    page = cut(staff, limit, name="Renamed", _continue="1")

    assert 200 == page.status_code
    assert 10 == numbers(limit)[1]
    text = page.content.decode()
    assert "It concerns 2 tenants." in text
    assert "0 of them used more than 5 at once in the last 24 hours." in text
    assert "What is in use now stays counted." in text
    saved = answer(staff, change_url(limit.plan), page, YES)
    assert change_url(limit.plan) == saved.url
    limit.plan.refresh_from_db()
    assert ("Renamed", 5) == (limit.plan.name, numbers(limit)[1])


def test_a_cut_to_another_calendar_unit_says_that_what_is_in_use_is_set_aside(staff):
    limit = a_limit(algorithm="calendar_quota", unit="day", period=None)
    a_tenant(plan=limit.plan)

    page = cut(staff, limit, "10", **{"limits-0-unit": "month"})

    assert "What is in use now is set aside: it counts again" in page.content.decode()


def test_a_no_shows_the_form_again_with_all_that_was_sent(staff, limit):
    sent = form_of(cut(staff, limit, name="Renamed"), "confirm_form")

    page = staff.post(change_url(limit.plan), {**sent, "_preview": "No"})

    again = form_of(page, "plan_form")
    assert ("Renamed", "5") == (again["name"], again["limits-0-amount"])
    assert not {"_confirmed", "_save", "_preview"} & again.keys()
    assert 10 == numbers(limit)[1]


def test_words_that_cut_ask_as_well(staff, limit):
    page = submit(staff, change_url(limit.plan), Plan, **{"limits-0-words": "none"})

    assert 10 == numbers(limit)[1]
    answer(staff, change_url(limit.plan), page, YES)
    assert 0 == numbers(limit)[1]


def test_a_small_cut_asks_only_where_more_was_used(staff, limit):
    assert 302 == cut(staff, limit, "9").status_code
    tenant = limit.plan.tenants.first()
    UsageHour.objects.create(
        tenant=tenant, start=timezone.now(), generation=1, peaks={"api/minute": [9, 9]}
    )

    page = submit(staff, change_url(limit.plan), Plan, **{"limits-0-words": "8 per minute"})

    assert "1 of them used more than 8 at once" in page.content.decode()
    assert 9 == numbers(limit)[1]


@pytest.mark.parametrize("changes", [{"amount": "99"}, {"amount": ""}, {"title": "T"}], ids=str)
def test_what_takes_nothing_away_does_not_ask(staff, limit, changes):
    changes = {f"limits-0-{name}": value for name, value in changes.items()}

    assert 302 == submit(staff, change_url(limit.plan), Plan, **changes).status_code


def test_a_cut_of_a_plan_that_nobody_has_does_not_ask(staff):
    limit = a_limit()

    assert 302 == cut(staff, limit, "0").status_code
    assert 0 == numbers(limit)[1]


def test_an_error_is_shown_before_any_question(staff, limit):
    page = cut(staff, limit, name="")

    assert "errornote" in page.content.decode()
    assert "confirm_form" not in page.content.decode()


def test_a_preview_shows_what_follows_of_raises_too(staff, limit):
    page = cut(staff, limit, "20", _preview="Preview").content.decode()

    assert "10 in each minute" in page
    assert "It concerns 2 tenants." in page
    assert "used more than" not in page
    assert 10 == numbers(limit)[1]


def test_what_was_sent_is_escaped_on_the_page_between(staff, limit):
    page = cut(staff, limit, name='"><b>x')

    assert '"><b>x' not in page.content.decode()
    assert '"><b>x' == form_of(page, "confirm_form")["name"]


def test_who_may_not_change_is_not_asked(staff, staff_who_may, limit):
    sent = yes_on(cut(staff, limit))

    assert 403 == staff_who_may("view").post(change_url(limit.plan), sent).status_code
    assert 10 == numbers(limit)[1]


def test_a_new_plan_does_not_ask(staff):
    plan = a_plan(is_default=True)
    a_tenant()

    assert 302 == submit(staff, change_url(plan), Plan, name="Other").status_code
