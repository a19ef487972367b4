from __future__ import annotations

import random
from datetime import timedelta
from typing import get_args

import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from quotas.domain.limits import (
    CalendarQuota,
    Concurrency,
    DenyAll,
    FixedWindow,
    LeakyBucket,
    Rule,
    SlidingWindowCounter,
    SlidingWindowLog,
    TokenBucket,
    Unlimited,
)
from quotas.domain.policies import Limit, Source
from quotas.domain.words import Algorithm, CalendarUnit, Mode, OutagePolicy, SubjectKind
from quotas.models import PlanLimit
from tests.models.rows import MINUTE, a_limit, a_plan, limit_fields

pytestmark = pytest.mark.django_db

DAY = CalendarUnit.DAY
INSTANT = timedelta(microseconds=1)
LONGEST = timedelta(days=1830)
BUCKET = {"algorithm": "token_bucket", "amount": 10, "period": MINUTE}
QUOTA = {"algorithm": "calendar_quota", "amount": 10, "period": None, "unit": "day"}


def a_row(**fields) -> PlanLimit:
    return PlanLimit(plan=a_plan(), **limit_fields(**fields))


def refusal(row) -> dict[str, list[str]]:
    with pytest.raises(ValidationError) as caught:
        row.full_clean()
    return caught.value.message_dict


@pytest.mark.parametrize(
    ("fields", "rule"),
    [
        (
            {**BUCKET, "capacity": 20},
            TokenBucket(amount=10, period=MINUTE, capacity=20),
        ),
        (BUCKET, TokenBucket(amount=10, period=MINUTE, capacity=10)),
        (
            {**BUCKET, "algorithm": "leaky_bucket", "capacity": 3},
            LeakyBucket(amount=10, period=MINUTE, capacity=3),
        ),
        ({}, FixedWindow(amount=10, period=MINUTE)),
        (
            {"algorithm": "sliding_window_counter"},
            SlidingWindowCounter(amount=10, period=MINUTE),
        ),
        ({"algorithm": "sliding_window_log"}, SlidingWindowLog(amount=10, period=MINUTE)),
        (QUOTA, CalendarQuota(amount=10, unit=DAY)),
        (
            {"algorithm": "concurrency", "period": None},
            Concurrency(amount=10, period=timedelta(seconds=60)),
        ),
        ({"amount": 0}, DenyAll(algorithm=Algorithm.FIXED_WINDOW)),
        ({"amount": None}, Unlimited(algorithm=Algorithm.FIXED_WINDOW, period=MINUTE)),
        (
            {**QUOTA, "amount": None},
            Unlimited(algorithm=Algorithm.CALENDAR_QUOTA, unit=DAY),
        ),
        ({**BUCKET, "amount": 0, "capacity": 20}, DenyAll(algorithm=Algorithm.TOKEN_BUCKET)),
        (
            {**BUCKET, "amount": None, "capacity": 20},
            Unlimited(algorithm=Algorithm.TOKEN_BUCKET, period=MINUTE),
        ),
    ],
)
def test_a_row_makes_the_rule_of_its_numbers(fields, rule):
    row = a_row(**fields)

    row.full_clean()
    row.save()

    assert rule == PlanLimit.objects.get(pk=row.pk).rule


def test_a_row_is_handed_on_as_a_limit_with_its_source():
    source = Source(kind="plan", title="Free", pk=1)
    row = a_limit(title="Calls", subject="user", mode="shadow", outage_policy="deny", warn_at=[50])

    limit = PlanLimit.objects.get(pk=row.pk).as_limit(source)

    assert limit == Limit(
        scope="api",
        name="minute",
        rule=FixedWindow(amount=10, period=MINUTE),
        title="Calls",
        subject=SubjectKind.USER,
        mode=Mode.SHADOW,
        outage_policy=OutagePolicy.DENY,
        warn_at=(50,),
        warn_projected=True,
        source=source,
    )


def test_people_are_told_at_80_and_100_percent_unless_somebody_chose():
    assert [80, 100] == a_limit().warn_at


@pytest.mark.parametrize(
    ("fields", "at_fault"),
    [
        pytest.param({"amount": -1}, "amount", id="negative-amount"),
        pytest.param({"amount": 10**12 + 1}, "amount", id="huge-amount"),
        pytest.param({"period": timedelta(0)}, "period", id="no-time"),
        pytest.param({"period": timedelta(days=1831)}, "period", id="over-five-years"),
        pytest.param({"period": None}, "period", id="no-period"),
        pytest.param({"unit": "day"}, "unit", id="a-unit-beside-a-period"),
        pytest.param({"unit": "decade"}, "unit", id="an-unknown-unit"),
        pytest.param({"capacity": 5}, "capacity", id="capacity-of-a-window"),
        pytest.param({**BUCKET, "capacity": 0}, "capacity", id="no-capacity"),
        pytest.param({**QUOTA, "unit": ""}, "unit", id="quota-without-a-unit"),
        pytest.param({**QUOTA, "period": MINUTE}, "period", id="quota-with-a-period"),
        pytest.param({"algorithm": "guesswork"}, "algorithm", id="an-unknown-algorithm"),
        pytest.param({"mode": "maybe"}, "mode", id="an-unknown-mode"),
        pytest.param({"subject": "planet"}, "subject", id="an-unknown-subject"),
        pytest.param({"outage_policy": "panic"}, "outage_policy", id="an-unknown-policy"),
        pytest.param({"scope": "a b"}, "scope", id="space-in-a-scope"),
        pytest.param({"scope": "**"}, "scope", id="two-stars"),
        pytest.param({"name": "分"}, "name", id="a-name-that-no-header-can-carry"),
        pytest.param({"name": "a b"}, "name", id="space-in-a-name"),
        pytest.param({"warn_at": [100, 80]}, "warn_at", id="thresholds-out-of-order"),
        pytest.param({"warn_at": [80, 80]}, "warn_at", id="a-threshold-twice"),
        pytest.param({"warn_at": [0]}, "warn_at", id="threshold-of-0"),
        pytest.param({"warn_at": [101]}, "warn_at", id="threshold-above-100"),
        pytest.param({"warn_at": ["80"]}, "warn_at", id="threshold-as-text"),
        pytest.param({"warn_at": [True]}, "warn_at", id="threshold-as-truth"),
        pytest.param({"warn_at": {"at": 80}}, "warn_at", id="thresholds-as-object"),
    ],
)
def test_what_is_wrong_is_said_of_the_field_where_it_is_put_right(fields, at_fault):
    assert [at_fault] == list(refusal(a_row(**fields)))


def test_all_that_does_not_fit_is_said_at_once():
    errors = refusal(a_row(algorithm="calendar_quota", capacity=5))

    assert {"unit", "period", "capacity"} == set(errors)


@pytest.mark.parametrize("scope", ["*", "reports", "project.api.views.ReportView", "a-b_c.1"])
def test_a_scope_is_a_slug_a_dotted_path_or_every_scope(scope):
    a_row(scope=scope).full_clean()


def test_a_limit_is_known_by_plan_scope_and_name():
    row = a_limit()
    twin = PlanLimit(plan=row.plan, **limit_fields())

    assert "__all__" in refusal(twin)
    with pytest.raises(IntegrityError), transaction.atomic():
        twin.save()


def drawn(source: random.Random) -> dict[str, object]:
    """Loose numbers, most of them possible, at the edges of what is."""
    unit, period = source.choice([("", MINUTE), ("", LONGEST), ("day", None), ("decade", None)])
    return {
        "algorithm": source.choice([*(word.value for word in Algorithm), "guesswork"]),
        "amount": source.choice([None, 0, 1, 10**12, -1, 10**12 + 1]),
        "period": source.choice([period] * 6 + [None, timedelta(0), INSTANT, LONGEST + INSTANT]),
        "unit": source.choice([unit] * 6 + ["", "year"]),
        "capacity": source.choice([None, None, None, 1, 10**12, 0, 10**12 + 1]),
    }


def test_form_and_database_agree_and_what_they_accept_makes_a_rule():
    source = random.Random(2024)
    plan = a_plan()
    accepted = set()
    for number in range(600):
        row = PlanLimit(plan=plan, **limit_fields(name=f"l{number}", **drawn(source)))

        stored = stores(row)

        assert does(row.full_clean, ValidationError) == stored, vars(row)
        if stored:
            accepted.add(type(row.rule))
    assert set(get_args(Rule)) == accepted


def does(what, error) -> bool:
    try:
        what()
    except error:
        return False
    return True


def stores(row) -> bool:
    try:
        with transaction.atomic():
            row.save()
    except IntegrityError:
        return False
    return True
