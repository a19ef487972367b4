from __future__ import annotations

from io import BytesIO, StringIO, TextIOWrapper

import pytest

from tests.management.simulating import ACCESS_LOG, BUCKET, piped_in, simulate
from tests.models.rows import a_limit, a_plan

TWO_A_MINUTE = {"algorithm": "fixed_window", "amount": 2, "period": 60}
AROUND = "up to 4 around an edge"


class Terminal(StringIO):
    def isatty(self):
        return True


def lines_of(monkeypatch, *events, **options):
    piped_in(monkeypatch, "\n".join(events).encode())
    return simulate(TWO_A_MINUTE, events="-", **options)[0].splitlines()


def test_the_summary_tells_what_was_tried_on_what_and_what_came_of_it(monkeypatch):
    events = ['{"at": 60, "subject": "a", "cost": 2}'] * 3
    events += ['{"at": 121, "subject": "b"}', '{"at": 59, "subject": "a"}', "{}"]

    lines = lines_of(monkeypatch, *events)

    assert lines == [
        "Limits",
        "Limit      Algorithm      Mode      Did not fit   Promises",
        "as given   fixed window   enforce             3   2 in each minute, " + AROUND,
        "Did not fit: calls that this limit alone would have denied.",
        "",
        "Record",
        "5 calls of 2 subjects, 8 units",
        "1970-01-01 00:00:59 to 1970-01-01 00:02:01 (UTC)",
        "1 call came after later ones of the subject, and counted as at their time",
        "1 line left out:",
        '  line 6: there is no "at": give Unix seconds',
        "",
        "Subjects",
        "Subject   Asked   Admitted   Units   Denied",
        "a             4          1       2        3   75.0%   ████████████",
        "b             1          1       1        0    0.0%",
        "all 2         5          2       3        3   60.0%   █████████▋",
        "",
        "Worst minutes (UTC)",
        "From               Asked   Admitted   Units   Denied",
        "1970-01-01 00:01       3          1       2        2    66.7%   ██████████▋",
        "1970-01-01 00:00       1          0       0        1   100.0%   ████████████████",
    ]


def test_subjects_beyond_the_top_are_summed(monkeypatch):
    events = [f'{{"at": 1, "subject": "s{number:02}"}}' for number in range(14)]

    lines = lines_of(monkeypatch, *events, '{"at": 1, "subject": "s13", "cost": 2}')

    assert any(line.startswith("s13") and "50.0%" in line for line in lines)
    assert any(line.startswith("4 others ") for line in lines)
    assert any(line.startswith("all 14 ") for line in lines)


def test_a_top_of_none_tells_the_sums_alone(monkeypatch):
    lines = lines_of(monkeypatch, '{"at": 1}', '{"at": 1, "subject": "b"}', top=0)

    heading = lines.index("Subjects")
    assert [line.split()[0] for line in lines[heading + 1 :]] == ["Subject", "all"]


@pytest.mark.django_db
def test_shadow_denials_have_a_column_of_their_own(monkeypatch):
    plan = a_plan("free")
    a_limit(plan, scope="reports", name="trial", title="Trial", amount=1, mode="shadow")
    piped_in(monkeypatch, b'{"at": 1}\n{"at": 1}\n')

    lines = simulate(plan="free", scope="reports", events="-")[0].splitlines()

    assert "Trial   fixed window   shadow             1" in lines[2]
    assert "Subject   Asked   Admitted   Units   Shadow-denied   Denied" in lines
    assert "all           2          2       2               1        0   0.0%" in lines


@pytest.mark.django_db
def test_limits_that_are_all_off_are_told_to_be_none(monkeypatch):
    a_limit(a_plan("free"), scope="reports", mode="off")
    piped_in(monkeypatch, b'{"at": 1}\n')

    written, _ = simulate(plan="free", scope="reports", events="-")

    assert "None is in force: every call is admitted." in written


def test_times_are_told_in_the_zone_that_is_asked_for():
    written, _ = simulate(BUCKET, access_log=str(ACCESS_LOG), time_zone="Asia/Kathmandu")

    assert "2026-03-01 13:44:58 to 2026-03-01 13:45:02 (Asia/Kathmandu)" in written


def test_names_of_others_cannot_steer_the_terminal_nor_break_the_table(monkeypatch):
    names = [r"\u001b[2Jgone", r"two\nlines", "東京", "", "x" * 500]
    events = [f'{{"at": 1, "subject": "{name}"}}' for name in names]

    lines = lines_of(monkeypatch, *events)

    table = lines[lines.index("Subjects") + 1 :]
    assert all(line.isprintable() for line in table)
    assert any(line.startswith(r"\x1b[2Jgone ") for line in table)
    assert any(line.startswith(r"two\nlines ") for line in table)
    assert any(line.startswith('"" ') for line in table)
    assert any(line.startswith("x" * 45 + "… ") for line in table)


def test_a_terminal_without_unicode_gets_ascii(monkeypatch):
    buffer = BytesIO()
    output = TextIOWrapper(buffer, encoding="ascii")
    output.getvalue = lambda: output.flush() or buffer.getvalue().decode("ascii")
    event = '{"at": 1, "subject": "東京", "cost": 2}'

    lines = lines_of(monkeypatch, event, event, stdout=output)

    assert any(line.startswith(r"\u6771\u4eac ") and "#" * 8 in line for line in lines)


def test_progress_is_drawn_on_a_terminal_when_asked_for_and_erased():
    _, drawn = simulate(BUCKET, access_log=str(ACCESS_LOG), stderr=Terminal(), progress=True)

    assert "100%  9 lines" in drawn
    assert drawn.endswith("\r\x1b[K")


def test_progress_through_a_pipe_counts_lines(monkeypatch):
    piped_in(monkeypatch, b'{"at": 1}\n{"at": 2}\n')

    _, drawn = simulate(BUCKET, events="-", stderr=Terminal(), progress=True)

    assert "\r\x1b[K2 lines" in drawn


@pytest.mark.parametrize("output", ["text", "jsonl"])
@pytest.mark.parametrize("stream", [StringIO, Terminal])
def test_short_work_draws_nothing_unasked(stream, output):
    _, drawn = simulate(TWO_A_MINUTE, access_log=str(ACCESS_LOG), stderr=stream(), output=output)

    assert "\x1b" not in drawn
