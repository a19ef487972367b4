from __future__ import annotations

import re
import sys
from io import BytesIO, StringIO, TextIOWrapper

import pytest
from django.core.management import CommandError, call_command

from quotas.models import Plan, PlanLimit
from tests.models.rows import a_limit, a_plan, a_tenant

pytestmark = pytest.mark.django_db


class Terminal(StringIO):
    def isatty(self):
        return True


@pytest.fixture
def free():
    plan = a_plan("free", name="Free", is_default=True)
    a_limit(plan, name="minute")
    a_limit(plan, name="gone", amount=0)
    a_limit(plan, scope="*", name="stays")
    for _ in range(2):
        a_tenant(plan=plan)
    return plan


@pytest.fixture
def path(tmp_path):
    return tmp_path / "plans.toml"


def run(*words):
    """(lines of output, exit status, lines of complaint)."""
    out, err, status = StringIO(), StringIO(), 0
    try:
        call_command("quotas_plans", *map(str, words), stdout=out, stderr=err)
    except CommandError as error:
        status = error.returncode
        err.write(f"{error}\n")
    return out.getvalue().splitlines(), status, err.getvalue().splitlines()


def edit(path, *changes):
    """Export to ``path``, and put one text in the place of another, as an editor would."""
    assert 0 == run("export", "--output", path)[1]
    text = path.read_text(encoding="utf-8")
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    path.write_text(text, encoding="utf-8")


def to_minute(text):
    """(what the export says of the limit called minute, that and ``text``)."""
    amount = 'name = "minute"\nalgorithm = "fixed_window"\namount = 10\n'
    return amount, amount.replace("amount = 10\n", text)


def answering(monkeypatch, answer):
    monkeypatch.setattr(sys, "stdin", Terminal(answer))


def test_an_export_that_is_imported_shows_no_difference(free, path):
    run("export", "--output", path)

    nothing = (["plan free: unchanged", "Plans: 1 unchanged. Limits: 3 unchanged."], 0, [])
    assert nothing == run("import", path, "--check")
    assert nothing == run("import", path)


def test_the_difference_is_shown_plan_by_plan_limit_by_limit_field_by_field(free, path):
    a_plan("pro")
    changes = to_minute('amount = "unlimited"\nmode = "shadow"\n')
    basic = '[plans.basic]\nname = "Basic"\nactive = false\n'
    renamed = ('name = "Free"', 'name = "Free\\u0007"')
    edit(path, changes, renamed, ('"gone"', '"new"'), ('[plans.pro]\nname = "Pro"\n', basic))

    assert run("import", path, "--check") == (
        [
            "plan basic: added, concerns 0 tenants",
            '  name: "Basic"',
            "  default: no",
            "  anonymous: no",
            "  active: no",
            "plan free: changed, concerns 2 tenants",
            '  name: "Free" -> "Free\\x07"',
            "  limit api/gone: removed",
            "    algorithm: fixed_window",
            "    amount: 0, denies all",
            "    period: 1 minute",
            "  limit api/minute: changed",
            "    amount: 10 -> unlimited",
            "    mode: enforce -> shadow",
            "  limit api/new: added",
            "    algorithm: fixed_window",
            "    amount: 0, denies all",
            "    period: 1 minute",
            "  1 limit unchanged",
            "Not in the file, left as they are: pro.",
            "Plans: 1 added, 1 changed. Limits: 1 added, 1 changed, 1 removed, 1 unchanged.",
        ],
        1,
        ["The database differs from the file."],
    )
    assert ["free", "pro"] == list(Plan.objects.values_list("key", flat=True))


def test_a_plan_of_callers_without_a_tenant_is_told(free, path):
    a_plan("open", is_anonymous=True)
    edit(path, ('name = "Open"', 'name = "All"'))

    line = "plan open: changed, concerns 0 tenants and callers without a tenant"
    assert line in run("import", path, "--check")[0]


def test_with_yes_it_is_written_and_the_second_time_there_is_nothing_to_write(free, path):
    edit(path, to_minute("amount = 77\n"))

    lines, status, _ = run("import", path, "--yes")

    assert ("Written.", 0) == (lines[-1], status)
    assert 77 == PlanLimit.objects.get(name="minute").amount
    assert (["plan free: unchanged", "Plans: 1 unchanged. Limits: 3 unchanged."], 0, []) == run(
        "import", path, "--yes"
    )


@pytest.mark.parametrize(
    ("answer", "amount", "status"),
    [("y\n", 77, 0), ("Yes\n", 77, 0), ("n\n", 10, 1), ("\n", 10, 1), ("", 10, 1), ("yo\n", 10, 1)],
)
def test_at_a_terminal_it_asks(free, path, monkeypatch, answer, amount, status):
    edit(path, to_minute("amount = 77\n"))
    answering(monkeypatch, answer)

    lines, ended, _ = run("import", path)

    assert (status, amount) == (ended, PlanLimit.objects.get(name="minute").amount)
    assert "Write these changes? They act on the next requests. [y/N] " in lines[-1] + lines[-2]


def test_without_a_terminal_it_refuses_to_write(free, path, monkeypatch):
    edit(path, to_minute("amount = 77\n"))
    monkeypatch.setattr(sys, "stdin", StringIO("y\n"))

    lines, status, [complaint] = run("import", path)

    assert "    amount: 10 -> 77" in lines
    assert (2, "Nothing was written: there is no terminal to ask.") == (status, complaint[:49])
    assert 10 == PlanLimit.objects.get(name="minute").amount


def test_what_changed_while_a_person_thought_is_not_written_over(free, path, monkeypatch):
    edit(path, to_minute("amount = 77\n"))

    class Slow(Terminal):
        def readline(self):
            PlanLimit.objects.filter(name="minute").update(amount=500)
            return "y\n"

    monkeypatch.setattr(sys, "stdin", Slow())
    _, status, [complaint] = run("import", path)

    assert (2, 500) == (status, PlanLimit.objects.get(name="minute").amount)
    assert complaint.startswith("Nothing was written: somebody has changed plans meanwhile.")


def test_an_interruption_writes_nothing(free, path, monkeypatch):
    edit(path, to_minute("amount = 77\n"))

    class Interrupted(Terminal):
        def readline(self):
            raise KeyboardInterrupt

    monkeypatch.setattr(sys, "stdin", Interrupted())

    assert (130, ["Nothing was written."]) == run("import", path)[1:]


def test_what_is_wrong_is_told_line_by_line_fit_for_a_terminal(free, path):
    edit(path, to_minute('amount = "\\u001b[2J"\n'), ('"stays"', '"a b"'))

    _, status, complaints = run("import", path, "--yes")

    assert 2 == status
    assert re.fullmatch(
        r'.*plans.toml, line \d+: plan free, limit api/minute: amount is "\\u001B\[2J": give a '
        r'whole number, 0 to deny all, or "unlimited"\.',
        complaints[0],
    )
    assert "Nothing was written: put right what is said above." == complaints[-1]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        pytest.param(None, "cannot be read: No such file or directory.", id="no-file"),
        pytest.param(b"format = 1\n\xff", "this is no UTF-8: ", id="no-utf-8"),
        pytest.param(b"formt = 1", "format is missing", id="no-format"),
    ],
)
def test_a_file_that_cannot_be_read_is_named(path, content, said):
    if content is not None:
        path.write_bytes(content)

    _, status, complaints = run("import", path, "--check")

    assert 2 == status
    assert "plans.toml" in complaints[0]
    assert said in complaints[0]


def test_a_file_that_another_system_saved_is_read(free, path):
    run("export", "--output", path)
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))

    assert 0 == run("import", path, "--check")[1]


def test_an_export_of_some_plans_has_those_alone(free):
    for key in ("pro", "basic"):
        a_plan(key)

    lines, _, _ = run("export", "pro", "basic", "pro")

    assert ["[plans.basic]", "[plans.pro]"] == [each for each in lines if each.startswith("[")]


def test_an_unknown_plan_is_named_with_those_near(free):
    assert (2, ["There is no plan fre. Did you mean: free?"]) == run("export", "fre")[1:]


def test_an_export_into_nowhere_is_told(free, tmp_path):
    _, status, [complaint] = run("export", "--output", tmp_path / "none" / "plans.toml")

    assert 2 == status
    assert complaint.endswith("cannot be written: No such file or directory.")


@pytest.mark.parametrize("encoding", ["utf-8", "ascii", "cp1252"])
def test_through_a_terminal_of_any_encoding_the_file_is_the_same(path, encoding):
    a_plan("free", name="Café 東京 👩")
    raw = BytesIO()

    with TextIOWrapper(raw, encoding=encoding, newline="\n", write_through=True) as out:
        call_command("quotas_plans", "export", stdout=out)
        path.write_bytes(raw.getvalue())

    assert 0 == run("import", path, "--check")[1]
