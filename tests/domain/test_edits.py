from __future__ import annotations

from dataclasses import replace

import pytest

from quotas.domain.edits import Edit
from quotas.domain.limits import CalendarQuota, DenyAll, Unlimited
from quotas.domain.policies import Limit
from quotas.domain.words import CalendarUnit, Mode, SubjectKind
from tests.domain.calls import rule

MINUTE, HOUR = 60, 3600
WINDOW = rule("fixed_window", 100, MINUTE)
BUCKET = rule("token_bucket", 100, MINUTE, capacity=20)
DAILY = CalendarQuota(amount=100, unit=CalendarUnit.DAY)
FLIGHT = rule("concurrency", 100, MINUTE)


def denied(judged):
    return DenyAll(algorithm=judged.algorithm)


def blank(judged):
    span = getattr(judged, "period", None)
    return Unlimited(algorithm=judged.algorithm, period=span, unit=getattr(judged, "unit", None))


def edit(before, after, **fields):
    limit = Limit(scope="api", name="one", rule=before)
    return Edit(before=limit, after=replace(limit, rule=after, **fields))


@pytest.mark.parametrize(
    ("before", "after", "noticed"),
    [
        pytest.param(WINDOW, rule("fixed_window", 90, MINUTE), False, id="a-tenth"),
        pytest.param(WINDOW, rule("fixed_window", 89, MINUTE), True, id="more-than-a-tenth"),
        pytest.param(WINDOW, rule("fixed_window", 1000, MINUTE), False, id="raised"),
        pytest.param(WINDOW, rule("fixed_window", 100, HOUR), True, id="longer-period"),
        pytest.param(WINDOW, denied(WINDOW), True, id="to-none"),
        pytest.param(WINDOW, blank(WINDOW), False, id="to-no-end"),
        pytest.param(blank(WINDOW), WINDOW, True, id="from-no-end"),
        pytest.param(denied(WINDOW), WINDOW, False, id="from-none"),
        pytest.param(denied(WINDOW), denied(WINDOW), False, id="none-as-before"),
        pytest.param(BUCKET, rule("token_bucket", 100, MINUTE, capacity=17), True, id="capacity"),
        pytest.param(BUCKET, rule("token_bucket", 80, MINUTE, capacity=20), True, id="rate"),
        pytest.param(
            BUCKET, rule("token_bucket", 80, MINUTE, capacity=90), True, id="rate-for-capacity"
        ),
        pytest.param(
            DAILY, CalendarQuota(amount=100, unit=CalendarUnit.MONTH), True, id="longer-unit"
        ),
        pytest.param(FLIGHT, rule("concurrency", 100, HOUR), False, id="longer-lease"),
        pytest.param(FLIGHT, rule("concurrency", 10, MINUTE), True, id="fewer-at-once"),
    ],
)
def test_more_than_a_tenth_taken_away_is_noticed(before, after, noticed):
    assert noticed is edit(before, after).is_noticed


@pytest.mark.parametrize(
    ("before", "after", "noticed"),
    [("shadow", "enforce", True), ("off", "enforce", True), ("enforce", "shadow", False)],
)
def test_to_enforce_what_was_not_takes_away_all_that_is_over(before, after, noticed):
    limit = Limit(scope="api", name="one", rule=WINDOW, mode=Mode(before))

    assert noticed is Edit(before=limit, after=replace(limit, mode=Mode(after))).is_noticed


@pytest.mark.parametrize(
    ("before", "after", "fate"),
    [
        pytest.param(WINDOW, rule("fixed_window", 1, MINUTE), "kept", id="window-cut"),
        pytest.param(WINDOW, rule("fixed_window", 100, HOUR), "restarted", id="window-period"),
        pytest.param(WINDOW, blank(WINDOW), "kept", id="window-blank"),
        pytest.param(WINDOW, denied(WINDOW), "kept", id="window-none"),
        pytest.param(WINDOW, BUCKET, "restarted", id="algorithm"),
        pytest.param(
            BUCKET, rule("token_bucket", 100, MINUTE, capacity=19), "clamped", id="bucket-cut"
        ),
        pytest.param(
            BUCKET, rule("token_bucket", 1, HOUR, capacity=30), "kept", id="bucket-raised"
        ),
        pytest.param(BUCKET, blank(BUCKET), "restarted", id="bucket-blank"),
        pytest.param(BUCKET, denied(BUCKET), "kept", id="bucket-none"),
        pytest.param(
            rule("leaky_bucket", 9, MINUTE), rule("leaky_bucket", 1, MINUTE), "kept", id="leaky"
        ),
        pytest.param(
            rule("sliding_window_log", 9, MINUTE),
            rule("sliding_window_log", 9, HOUR),
            "kept",
            id="log-period",
        ),
        pytest.param(
            rule("sliding_window_counter", 9, MINUTE),
            rule("sliding_window_counter", 9, HOUR),
            "restarted",
            id="counter-period",
        ),
        pytest.param(FLIGHT, rule("concurrency", 1, HOUR), "kept", id="lease"),
        pytest.param(DAILY, CalendarQuota(amount=1, unit=CalendarUnit.DAY), "kept", id="quota"),
        pytest.param(
            DAILY, CalendarQuota(amount=100, unit=CalendarUnit.MONTH), "set_aside", id="unit"
        ),
        pytest.param(DAILY, BUCKET, "set_aside", id="quota-to-bucket"),
        pytest.param(BUCKET, DAILY, "restarted", id="bucket-to-quota"),
        pytest.param(DAILY, blank(DAILY), "kept", id="quota-blank"),
        pytest.param(denied(DAILY), BUCKET, "restarted", id="from-none-to-bucket"),
    ],
)
def test_usage_in_progress_is_kept_clamped_set_aside_or_restarted(before, after, fate):
    assert fate == edit(before, after).in_progress


@pytest.mark.parametrize(
    ("before", "after", "fields", "tightens"),
    [
        pytest.param(WINDOW, rule("fixed_window", 99, MINUTE), {}, True, id="little"),
        pytest.param(WINDOW, rule("fixed_window", 101, MINUTE), {}, False, id="raised"),
        pytest.param(BUCKET, rule("token_bucket", 99, MINUTE, capacity=90), {}, True, id="rate"),
        pytest.param(WINDOW, WINDOW, {"subject": SubjectKind.USER}, False, id="apart"),
        pytest.param(WINDOW, WINDOW, {"scope": "other"}, True, id="another-scope"),
        pytest.param(
            WINDOW, WINDOW, {"scope": "other", "mode": Mode.SHADOW}, False, id="there-in-shadow"
        ),
    ],
)
def test_what_allows_less_tightens(before, after, fields, tightens):
    assert tightens is edit(before, after, **fields).tightens


def test_a_limit_that_counts_all_together_instead_of_each_apart_tightens():
    limit = Limit(scope="api", name="one", rule=WINDOW, subject=SubjectKind.USER)
    together = replace(limit, subject=SubjectKind.TENANT)

    assert Edit(before=limit, after=together).tightens


@pytest.mark.parametrize(
    ("fields", "matters"),
    [
        ({"title": "Other"}, False),
        ({"warn_at": (50,)}, False),
        ({"mode": Mode.SHADOW}, True),
        ({"name": "two"}, True),
        ({"subject": SubjectKind.USER}, True),
    ],
)
def test_an_edit_of_words_alone_does_not_matter(fields, matters):
    changed = edit(WINDOW, WINDOW, **fields)

    assert matters is changed.matters
    if fields.keys() & {"name", "subject"}:
        assert "restarted" == changed.in_progress


def test_a_shadow_limit_has_no_most():
    assert edit(WINDOW, WINDOW, mode=Mode.SHADOW).most is None
    assert 100 == edit(blank(WINDOW), WINDOW).most
    assert edit(blank(WINDOW), WINDOW).lowers_most
