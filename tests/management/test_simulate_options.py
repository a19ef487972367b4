from __future__ import annotations

import pytest
from django.core.management import CommandError, call_command

from tests.management.simulating import BUCKET, CALLS, simulate
from tests.models.rows import a_limit, a_plan

EVENTS = {"events": str(CALLS)}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        pytest.param(
            EVENTS, "Neither --limit nor --plan is given: give a limit, such", id="no-limit"
        ),
        pytest.param(
            {**EVENTS, "limit": "{}", "plan": "free"},
            "--limit and --plan are both given",
            id="two-limits",
        ),
        pytest.param({"limit": "{}"}, "Neither --events nor --access-log is given", id="no-record"),
        pytest.param(
            {**EVENTS, "limit": "{}", "access_log": "-"},
            "--events and --access-log are both given: leave one out",
            id="two-records",
        ),
        pytest.param(
            {**EVENTS, "limit": "{}", "subject": "path"},
            "--subject is 'path', but goes with --access-log only",
            id="subject-of-events",
        ),
        pytest.param(
            {**EVENTS, "limit": "{}", "scope": "reports"},
            "--scope is 'reports', but goes with --plan only: leave it out",
            id="scope-without-plan",
        ),
        pytest.param({**EVENTS, "limit": "10/m"}, "--limit: it is not JSON", id="rate-text"),
        pytest.param({**EVENTS, "limit": "[" * 99_999}, "--limit: it is not JSON", id="nested"),
        pytest.param({**EVENTS, "limit": "[]"}, r"--limit: \[\]: give", id="no-object"),
        pytest.param(
            {**EVENTS, "limit": '{"algorithm": "gcra", "amount": 1, "period": 1}'},
            "--limit: algorithm is 'gcra': give one of token_bucket",
            id="unknown-algorithm",
        ),
        pytest.param(
            {**EVENTS, "limit": '{"algorithm": "fixed_window", "amount": -1, "period": 1}'},
            "--limit: amount is -1",
            id="negative-amount",
        ),
        pytest.param(
            {**EVENTS, "limit": "{}", "time_zone": "Berlin"},
            "--time-zone: .* Did you mean Europe/Berlin",
            id="unknown-zone",
        ),
        pytest.param(
            {**EVENTS, "limit": "{}", "anchor_day": 32}, "--anchor-day is 32", id="anchor-day"
        ),
        pytest.param({**EVENTS, "limit": "{}", "top": -1}, "--top is -1", id="negative-top"),
    ],
)
def test_what_does_not_go_together_is_refused_by_name(options, message):
    with pytest.raises(CommandError, match=message):
        simulate(**options)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        pytest.param("absent.jsonl", None, "No such file", id="absent"),
        pytest.param(".", None, "Is a directory", id="a-folder"),
        pytest.param("calls.gz", b"plain text", "Not a gzipped file", id="not-packed"),
        pytest.param("calls.gz", b"\x1f\x8b\x08\x00", "ended before", id="packed-in-part"),
        pytest.param("nul\0.jsonl", None, "null byte", id="impossible-name"),
    ],
)
def test_a_file_that_cannot_be_read_is_named(name, content, message, tmp_path):
    if content is not None:
        (tmp_path / name).write_bytes(content)

    with pytest.raises(CommandError, match=f"cannot be read: .*{message}"):
        simulate(BUCKET, events=f"{tmp_path}/{name}")


@pytest.mark.django_db
def test_a_plan_or_scope_that_is_not_there_is_told_with_those_that_are():
    a_limit(a_plan("free"), scope="reports")

    with pytest.raises(CommandError, match=r"--plan: plan is 'pro', .*: give one of free"):
        simulate(plan="pro", **EVENTS)
    with pytest.raises(CommandError, match=r"scope is 'x', .*'free' has no limit: give one of"):
        simulate(plan="free", scope="x", **EVENTS)
    with pytest.raises(CommandError, match=r"no scope was given, .*: give one of reports"):
        simulate(plan="free", **EVENTS)


@pytest.mark.django_db
def test_a_plan_without_limits_is_told_and_long_lists_are_cut():
    a_plan("empty")
    with pytest.raises(CommandError, match="there is none yet"):
        simulate(plan="empty", scope="x", **EVENTS)
    for number in range(12):
        a_plan(f"plan-{number:02}x")

    with pytest.raises(CommandError, match=r"give one of empty, plan-00x, .*, plan-08x, …\.$"):
        simulate(plan="pro", **EVENTS)


def test_help_keeps_its_examples_on_their_lines(capsys):
    with pytest.raises(SystemExit):
        call_command("quotas_simulate", "--help")

    assert "\n  quotas_simulate --plan free --scope" in capsys.readouterr().out
