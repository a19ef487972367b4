"""The numbers of a plan in words, and what is said under them before and after saving."""

from __future__ import annotations

import pytest
from django.contrib.admin.models import LogEntry

from quotas.models import Plan, PlanLimit
from tests.admin.editing import numbers, row, rows_of, said
from tests.admin.pages import change_url, form_of, submit
from tests.models.rows import MINUTE, a_limit, a_plan

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.admin.urls")]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("100 per minute, bursts of 20", ("token_bucket", 100, MINUTE, "", 20)),
        ("100/minute", ("token_bucket", 100, MINUTE, "", None)),
        ("1 per 10 seconds", ("token_bucket", 1, MINUTE / 6, "", None)),
        ("5 at once", ("concurrency", 5, None, "", None)),
        ("10,000 per month", ("calendar_quota", 10_000, None, "month", None)),
        ("none per minute", ("token_bucket", 0, MINUTE, "", None)),
        ("unlimited per minute", ("token_bucket", None, MINUTE, "", None)),
    ],
)
def test_words_fill_the_fields_of_a_new_row(staff, words, expected):
    rows = {"limits-TOTAL_FORMS": 1, **row(0, words=words)}

    answer = submit(staff, change_url(a_plan()), Plan, **rows)

    assert 302 == answer.status_code
    assert expected == numbers(PlanLimit.objects.get())


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("20 per 2 hours", ("fixed_window", 20, 120 * MINUTE, "", None)),
        ("none", ("fixed_window", 0, MINUTE, "", None)),
        ("unlimited", ("fixed_window", None, MINUTE, "", None)),
        ("", ("fixed_window", 10, MINUTE, "", None)),
        ("7 per calendar day", ("calendar_quota", 7, None, "day", None)),
        ("7 at once", ("concurrency", 7, None, "", None)),
    ],
)
def test_words_change_what_they_say_of_an_old_row(staff, words, expected):
    limit = a_limit()

    submit(staff, change_url(limit.plan), Plan, **{"limits-0-words": words})

    assert expected == numbers(limit)


def test_words_are_written_from_the_numbers_and_untouched_ones_change_nothing(staff):
    limit = a_limit(algorithm="token_bucket", amount=100, capacity=20)
    page = form_of(staff.get(change_url(limit.plan)), "plan_form")
    assert "100 per minute, bursts of 20" == page["limits-0-words"]

    submit(staff, change_url(limit.plan), Plan, **{"limits-0-amount": "7"})

    assert ("token_bucket", 7, MINUTE, "", 20) == numbers(limit)
    assert "api/minute amount: 100 → 7" == LogEntry.objects.get().get_change_message()


def test_the_history_tells_of_the_columns_that_words_changed(staff):
    limit = a_limit()

    submit(staff, change_url(limit.plan), Plan, **{"limits-0-words": "5 per 2 minutes"})

    said = LogEntry.objects.get().get_change_message()
    assert "api/minute amount: 10 → 5; api/minute period: 1 minute → 2 minutes" == said


@pytest.mark.parametrize("words", ["ten per minute", "100", "5 at noon", "<b>", "\u0661 at once"])
def test_words_that_say_nothing_clear_are_refused_with_the_text_and_three_examples(staff, words):
    limit = a_limit()

    page = submit(staff, change_url(limit.plan), Plan, **{"limits-0-words": words})

    assert [["words"]] == [list(form.errors) for form in rows_of(page)]
    (message,) = rows_of(page)[0].errors["words"]
    assert words in message
    assert all(
        good in message for good in ("100 per minute, bursts of 20", "5 at once", "10,000 per mon")
    )
    assert 10 == numbers(limit)[1]


@pytest.mark.parametrize(
    ("changes", "both"),
    [
        ({"words": "20 per minute", "amount": "30"}, ("20 per minute", "Amount “30”")),
        ({"words": "20 per hour", "period": "2m"}, ("20 per hour", "Period “2 minutes”")),
        (
            {"words": "20 per month", "algorithm": "token_bucket"},
            ("20 per month", "Algorithm “token bucket”"),
        ),
        ({"words": "20 per minute", "amount": ""}, ("20 per minute", "Amount “blank”")),
    ],
)
def test_words_and_a_number_that_disagree_are_an_error_that_names_both(staff, changes, both):
    limit = a_limit()
    changes = {f"limits-0-{name}": value for name, value in changes.items()}

    page = submit(staff, change_url(limit.plan), Plan, **changes)

    (message,) = rows_of(page)[0].errors["words"]
    assert all(part in message for part in both)
    assert ("fixed_window", 10, MINUTE, "", None) == numbers(limit)


def test_words_and_a_number_that_agree_are_saved(staff):
    limit = a_limit()
    changes = {"limits-0-words": "30 per minute", "limits-0-amount": "30"}

    assert 302 == submit(staff, change_url(limit.plan), Plan, **changes).status_code
    assert 30 == numbers(limit)[1]


def test_words_that_do_not_say_which_algorithm_they_mean_are_refused(staff):
    limit = a_limit(algorithm="concurrency", period=None)

    page = submit(staff, change_url(limit.plan), Plan, **{"limits-0-words": "5 per minute"})

    (message,) = rows_of(page)[0].errors["words"]
    assert "“5 per minute” does not fit the algorithm “calls in flight”" in message


def test_zero_blank_and_a_number_look_different_and_survive_a_save(staff):
    plan = a_plan()
    for name, amount in (("a", 0), ("b", None), ("c", 1)):
        a_limit(plan, name=name, amount=amount)

    page = staff.get(change_url(plan))
    submit(staff, change_url(plan), Plan, name="Saved")

    sent = form_of(page, "plan_form")
    assert ["none", "unlimited", "1 per minute"] == [sent[f"limits-{n}-words"] for n in range(3)]
    assert ["0", "", "1"] == [sent[f"limits-{n}-amount"] for n in range(3)]
    assert "denies all" in said(page)[0]
    assert "unlimited, but counted" in said(page)[1]
    assert [0, None, 1] == [limit.amount for limit in plan.limits.order_by("name")]


def test_each_row_says_what_it_promises_and_its_worst_burst(staff_who_may):
    plan = a_plan()
    a_limit(plan, name="a", algorithm="token_bucket", amount=100, capacity=20)
    a_limit(plan, name="b", amount=20)
    bucket = "any 2 seconds at most 23, any minute at most 120 Worst burst: at most 20 in one"
    window = "20 in each minute, up to 40 around an edge Worst burst: at most 40 in one instant"

    for verbs in (("view",), ("view", "change")):
        told = said(staff_who_may(*verbs).get(change_url(plan)))
        assert [f"{bucket} instant, from a full bucket", f"{window}, around the window's edge"] == (
            told[:2]
        )


def test_a_row_that_never_binds_or_contradicts_another_says_so(staff):
    plan = a_plan()
    a_limit(plan, name="a", amount=600, period=60 * MINUTE)
    a_limit(plan, name="b", amount=10)
    a_limit(plan, name="c", scope="x", amount=1000)
    a_limit(
        plan, name="d", scope="x", algorithm="calendar_quota", amount=500, period=None, unit="day"
    )

    told = said(staff.get(change_url(plan)))

    assert "api/b always denies first" in told[0]
    assert "Warning" not in told[1]
    assert "more than x/d does in a longer period" in told[2]
    assert "Warning" not in told[3]
