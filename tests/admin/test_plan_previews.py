"""What a plan would promise, by a button and by a script, and nothing of it is saved."""

from __future__ import annotations

import pytest
from django.contrib.admin.models import LogEntry
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from quotas.models import Plan
from tests.admin.editing import ask, numbers, row, said
from tests.admin.pages import add_url, change_url, form_of, submit
from tests.models.rows import a_limit, a_plan

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.admin.urls")]


def test_a_preview_shows_the_page_again_with_its_promises_and_saves_nothing(staff):
    limit = a_limit()
    changes = {"limits-0-words": "20 per minute", "name": "Other", "_preview": "Preview"}

    page = submit(staff, change_url(limit.plan), Plan, **changes)

    assert 200 == page.status_code
    assert "A preview: nothing is saved yet." in page.content.decode()
    assert "errornote" not in page.content.decode()
    assert "20 in each minute" in said(page)[0]
    assert "20 per minute" == form_of(page, "plan_form")["limits-0-words"]
    limit.plan.refresh_from_db()
    assert ("Other", 10) != (limit.plan.name, numbers(limit)[1])
    assert not LogEntry.objects.exists()


def test_a_preview_of_a_new_plan_makes_none(staff):
    rows = {"limits-TOTAL_FORMS": 1, **row(0, words="3 at once")}

    page = submit(staff, add_url(Plan), Plan, key="k", name="N", _preview="Preview", **rows)

    assert "never more than 3 at once" in said(page)[0]
    assert not Plan.objects.exists()


def test_the_script_is_told_of_each_row_and_nothing_is_saved(staff):
    limit = a_limit()
    changes = {"limits-TOTAL_FORMS": 2, **row(1, words="ten"), "limits-0-words": "5 at once"}

    told = ask(staff, limit.plan, **changes).json()

    assert ["limits-0", "limits-1"] == list(told["rows"])
    assert "never more than 5 at once" in told["rows"]["limits-0"]["html"]
    assert {
        "algorithm": "concurrency",
        "amount": "5",
        "period": "",
        "unit": "",
        "capacity": "",
        "words": "5 at once",
    } == told["rows"]["limits-0"]["fields"]
    assert "In words is “ten”" in told["rows"]["limits-1"]["html"]
    assert {} == told["rows"]["limits-1"]["fields"]
    assert ("fixed_window", 10) == numbers(limit)[:2]


def test_words_win_over_numbers_in_the_row_where_they_were_written_last(staff):
    rows = {"limits-TOTAL_FORMS": 1, **row(0, words="5 per minute", amount="7")}

    disagree, win = (ask(staff, **rows, **more).json() for more in ({}, {"_said": "limits-0"}))

    assert {} == disagree["rows"]["limits-0"]["fields"]
    assert "5" == win["rows"]["limits-0"]["fields"]["amount"]


def test_what_is_written_is_escaped_in_what_the_script_is_told(staff):
    told = ask(staff, **{"limits-TOTAL_FORMS": 1, **row(0, words="<script>")}).json()

    assert "&lt;script&gt;" in told["rows"]["limits-0"]["html"]
    assert "<script>" not in told["rows"]["limits-0"]["html"]


@pytest.mark.parametrize("verbs", [(), ("view",), ("view", "delete")], ids=str)
def test_who_may_not_change_a_plan_gets_no_preview_by_a_hand_made_post(
    staff, staff_who_may, client, verbs
):
    limit = a_limit()
    sent = form_of(staff.get(change_url(limit.plan)), "plan_form") | {"limits-0-amount": "7"}
    url = reverse("admin:quotas_plan_preview", args=[limit.plan.pk])

    assert 403 == staff_who_may(*verbs).post(url, sent).status_code
    assert 403 == staff_who_may(*verbs).post(change_url(limit.plan), sent).status_code
    assert 302 == client.post(url, sent).status_code
    assert 403 == staff.get(url).status_code
    assert 404 == staff.post(reverse("admin:quotas_plan_preview", args=[0]), sent).status_code
    assert 10 == numbers(limit)[1]


def test_view_only_staff_see_words_and_promises_and_no_button(staff_who_may):
    limit = a_limit()

    page = staff_who_may("view").get(change_url(limit.plan)).content.decode()

    assert "10 per minute" in page
    assert "10 in each minute" in page
    assert "_preview" not in page
    assert "limits-0-words" not in page


@pytest.mark.parametrize(
    "junk",
    [
        {"limits-TOTAL_FORMS": "x"},
        {"limits-0-id": "junk"},
        {"limits-0-algorithm": "guess"},
        {"limits-0-amount": "9" * 5000},
        {"limits-0-scope": "", "limits-0-period": "x"},
        {"limits-0-words": "x" * 5000},
    ],
    ids=lambda junk: next(iter(junk)),
)
def test_a_hand_made_post_of_junk_is_answered_and_changes_nothing(staff, junk):
    limit = a_limit()

    assert 200 == ask(staff, limit.plan, **junk).status_code
    assert 200 == submit(staff, change_url(limit.plan), Plan, **junk).status_code
    assert ("fixed_window", 10) == numbers(limit)[:2]


def test_a_preview_takes_the_same_few_queries_whatever_the_limits(staff):
    plan = a_plan()
    a_limit(plan)
    counts = []
    for more in (0, 12):
        for number in range(more):
            a_limit(plan, name=f"limit-{number}")
        sent = form_of(staff.get(change_url(plan)), "plan_form")
        with CaptureQueriesContext(connection) as queries:
            staff.post(reverse("admin:quotas_plan_preview", args=[plan.pk]), sent)
        counts.append(len(queries))

    assert counts[0] == counts[1]
    assert counts[0] <= 11
