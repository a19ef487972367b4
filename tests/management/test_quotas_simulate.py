from __future__ import annotations

import gzip
import json
from datetime import timedelta

import pytest

from tests.management.simulating import (
    ACCESS_LOG,
    BUCKET,
    CALLS,
    keys,
    piped_in,
    rows,
    simulate,
)
from tests.models.rows import a_limit, a_plan
from tests.vectors_reading import VECTORS, exact_us, read_vectors

TOLERANCE_US = 2
MINUTE = timedelta(minutes=1)
RAW = {row["id"]: row for row in json.loads(VECTORS.read_text(encoding="utf-8"))}


@pytest.fixture(autouse=True)
def _nothing_left():
    yield
    assert keys() == []


@pytest.fixture
def plan(db):
    plan = a_plan("free")
    window = dict(plan=plan, algorithm="fixed_window", period=MINUTE)
    a_limit(**window, scope="reports", name="minute", amount=2)
    a_limit(**window, scope="reports", name="trial", amount=1, mode="shadow")
    a_limit(**window, scope="exports", name="minute", amount=0)
    a_limit(**window, scope="quiet", name="minute", amount=1, mode="off")
    return plan


def test_each_event_becomes_one_row_in_the_order_of_the_file():
    written, complaints = simulate(BUCKET, events=str(CALLS), output="jsonl")

    expected = [
        ("1793059200.05", "a", "true", "19", "0.0"),
        ("1793059200.05", "b", "true", "17", "0.0"),
        ("1793059200", "all", "true", "19", "0.0"),
        ("1793059201", "a", "false", "20", "null"),
        ("1.7930592015e9", "a", "true", "1", "0.0"),
        ("1793059201.5", "a", "false", "1", "0.6"),
        ("1793059201.5", "a", "true", "1", "0.0"),
        ("1793059200.5", "a", "false", "1", "1.6"),
    ]
    assert written.splitlines() == [
        f'{{"at": {at}, "subject": "{subject}", "allowed": {allowed}, "remaining": {remaining}, '
        f'"retry_after": {retry_after}, "delay": 0.0}}'
        for at, subject, allowed, remaining, retry_after in expected
    ]
    assert complaints.splitlines() == [
        "1 line left out:",
        "  line 6: cost is -1: give a whole number of at least 0",
    ]


def test_a_queued_call_is_told_when_its_turn_is(monkeypatch):
    piped_in(monkeypatch, b'{"at": 1}\n{"at": 1}\n{"at": 1}\n')
    queue = {"algorithm": "leaky_bucket", "amount": 3, "period": 1, "capacity": 2}

    found = [(row["allowed"], row["delay"], row["retry_after"]) for row in rows(queue, events="-")]

    assert found == [(True, 0.0, 0.0), (True, 0.333334, 0.0), (False, 0.0, 0.333334)]


@pytest.mark.parametrize("vector", [pytest.param(each, id=each.id) for each in read_vectors()])
def test_vectors_pass_through_the_command(vector, tmp_path):
    events = tmp_path / "events.jsonl"
    events.write_text(
        "".join(
            f'{{"at": {us // 10**6}.{us % 10**6:06}, "cost": {cost}}}\n'
            for us, cost in vector.events
        )
    )

    written, complaints = simulate(RAW[vector.id]["limit"], events=str(events), output="jsonl")

    answers = [json.loads(line, parse_float=exact_text) for line in written.splitlines()]
    assert complaints == ""
    assert [row.allowed for row in vector.expected] == [row["allowed"] for row in answers]
    if not vector.compares_allowed_alone:
        for expected, row in zip(vector.expected, answers, strict=True):
            assert expected.remaining == row["remaining"]
            assert close(expected.retry_after_us, row["retry_after"])
            assert close(expected.delay_us or 0, row["delay"])


def exact_text(text):
    from decimal import Decimal

    return exact_us(Decimal(text))


def close(expected_us, actual_us):
    if expected_us is None or actual_us is None:
        return expected_us is actual_us
    return abs(expected_us - actual_us) <= TOLERANCE_US


def test_an_access_log_is_counted_by_address():
    limit = {"algorithm": "fixed_window", "amount": 2, "period": 60}

    found = [(row["subject"], row["allowed"]) for row in rows(limit, access_log=str(ACCESS_LOG))]

    network = "2001:db8:5:6::/64"
    assert found == [
        ("192.0.2.7", True),
        ("192.0.2.7", True),
        (network, True),
        (network, True),
        ("192.0.2.7", True),  # the next minute has begun
        ("198.51.100.4", True),
        ("192.0.2.7", True),
    ]


@pytest.mark.parametrize(
    ("subject", "expected"),
    [
        ("path", {"/reports/", "/batches/", "/exports/", "-"}),
        ("user", {"-", "ada"}),
        ("method", {"GET", "POST", "-"}),
        ("all", {"all"}),
    ],
)
def test_an_access_log_is_counted_by_what_is_asked_for(subject, expected):
    found = rows(BUCKET, access_log=str(ACCESS_LOG), subject=subject)

    assert expected == {row["subject"] for row in found}


def test_packed_files_and_standard_input_are_read_too(tmp_path, monkeypatch):
    packed = tmp_path / "calls.jsonl.gz"
    packed.write_bytes(gzip.compress(CALLS.read_bytes()))
    piped_in(monkeypatch, CALLS.read_bytes())

    expected = rows(BUCKET, events=str(CALLS))

    assert expected == rows(BUCKET, events=str(packed))
    assert expected == rows(BUCKET, events="-")


def test_a_plan_is_tried_as_it_would_be_enforced(plan, monkeypatch):
    piped_in(monkeypatch, b'{"at": 1}\n{"at": 2}\n{"at": 3}\n')

    found = rows(plan="free", scope="reports", events="-")

    assert [(True, 1), (True, 0), (False, 0)] == [
        (row["allowed"], row["remaining"]) for row in found
    ]
    assert found[2]["retry_after"] == 57


def test_of_several_limits_the_least_remaining_and_the_longest_wait_are_told(plan, monkeypatch):
    a_limit(plan, scope="*", name="hour", algorithm="fixed_window", amount=2, period=60 * MINUTE)
    piped_in(monkeypatch, b'{"at": 1}\n{"at": 2}\n{"at": 3}\n')

    assert rows(plan="free", scope="reports", events="-")[2]["retry_after"] == 3597


def test_an_inactive_plan_may_be_tried_and_an_off_limit_does_nothing(plan, monkeypatch):
    plan.active = False
    plan.save()
    piped_in(monkeypatch, b'{"at": 1}\n{"at": 2}\n')

    found = rows(plan="free", scope="quiet", events="-")

    assert [(True, None)] * 2 == [(row["allowed"], row["remaining"]) for row in found]


def test_a_calendar_quota_takes_zone_and_anchor_day(monkeypatch):
    # 23:30, 00:30 and 00:31 in Berlin around the beginning of 15 March 2026.
    piped_in(monkeypatch, b'{"at": 1773527400}\n{"at": 1773531000}\n{"at": 1773531060}\n')
    month = {"algorithm": "calendar_quota", "amount": 1, "unit": "month"}

    found = rows(month, events="-", time_zone="Europe/Berlin", anchor_day=15)

    assert [True, True, False] == [row["allowed"] for row in found]
    # To 00:00 on 15 April, by then in summer time.
    assert found[2]["retry_after"] == 31 * 86_400 - 31 * 60 - 3600
