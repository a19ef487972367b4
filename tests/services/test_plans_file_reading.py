from __future__ import annotations

import pytest

from quotas.errors import BadPlansFile
from quotas.services.plans_file.reading import read_plans
from quotas.services.plans_file.values import LIMIT_READERS
from tests.services.planning import PATH, read

PLAN = '[plans.free]\nname = "Free"\n'
KNOWN_BY = 'scope = "api"\nname = "minute"\n'
LIMIT = f'[[plans.free.limits]]\n{KNOWN_BY}algorithm = "fixed_window"\namount = 10\n'
PERIOD = 'period = "1 minute"\n'
WHERE = "plans.toml, line 4: plan free, limit api/minute: "
NEITHER_PERIOD = 'write "1 minute", "2 hours", "0.5 seconds" or "00:01:00"; at most 1830 days.'

NO_LENGTH = "months and years have no fixed length: for those, take calendar_quota and unit."
TWICE = "both are called api/minute: rename one, or remove it."


def complaints(text):
    with pytest.raises(BadPlansFile) as caught:
        read(text)
    return caught.value.complaints


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (
            'amount = ""',
            'amount is "": give a whole number, 0 to deny all, or "unlimited".',
        ),
        ("amount = 1.5", 'amount is 1.5: give a whole number, 0 to deny all, or "unlimited".'),
        ("amount = true", 'amount is true: give a whole number, 0 to deny all, or "unlimited".'),
        ('period = "1 mnute"', f'period is "1 mnute": {NEITHER_PERIOD}'),
        ("period = 60", f"period is 60: {NEITHER_PERIOD}"),
        (
            'period = "1 month"',
            f'period is "1 month": {NO_LENGTH}',
        ),
        ('unit = "hour"', 'unit is "hour": give one of day, week, month, year.'),
        ('mode = "on"', 'mode is "on": give one of enforce, shadow, off.'),
        ("outage_policy = []", "outage_policy is []: give one of allow, deny."),
        ('capacity = "10"', 'capacity is "10": give a whole number, or leave it out.'),
        (
            "warn_at = 80",
            "warn_at is 80: give percentages in brackets, such as [80, 100], or [] for none.",
        ),
        ('warn_projected = "no"', 'warn_projected is "no": give true or false.'),
        ("title = 5", "title is 5: give text, between quotation marks."),
        ('title = "a\\u0000"', r'title is "a\u0000": take the character of number 0 out.'),
        ("amout = 5", "amout is no field. Did you mean amount?"),
        ("id = 5", f"id is no field. Those that there are: {', '.join(LIMIT_READERS)}."),
    ],
)  # fmt: skip
def test_a_complaint_names_the_place_the_field_the_value_and_the_way_out(line, said):
    name = line.split(" ", 1)[0]
    rest = "".join(each for each in (LIMIT + PERIOD).splitlines(True) if not each.startswith(name))

    assert [WHERE + said] == complaints(f"{PLAN}{rest}{line}\n")


def test_an_amount_that_is_left_out_is_not_taken_for_unlimited():
    text = PLAN + LIMIT.replace("amount = 10\n", "") + PERIOD

    assert complaints(text) == [
        WHERE + 'amount is missing: give a whole number, 0 to deny all, or "unlimited".'
    ]


def test_all_that_is_wrong_is_said_at_once():
    found = complaints(f"{PLAN}{LIMIT}mode = 1\nperiod = 2\n[plans.pro]\nactive = 3\n")

    assert [
        "plans.toml, line 4: plan free, limit api/minute: mode",
        "plans.toml, line 4: plan free, limit api/minute: period",
        "plans.toml, line 11: plan pro: active",
        "plans.toml, line 11: plan pro: name",
    ] == [each.partition(" is ")[0] for each in found]


def test_two_limits_of_one_name_are_told_with_both_places():
    assert complaints(PLAN + LIMIT + PERIOD + LIMIT + PERIOD) == [
        f"plans.toml, lines 4 and 10: plan free: {TWICE}"
    ]


def test_without_headings_of_their_own_limits_are_told_by_number():
    limit = '{scope="api", name="minute", algorithm="fixed_window", amount=1, period="1s"}'

    assert complaints(f"{PLAN}limits = [{limit}, {limit}]") == [
        f"plans.toml: plan free, limits number 1 and 2: {TWICE}"
    ]


def test_two_plans_of_one_key_are_told_with_the_place():
    [complaint] = complaints(PLAN + PLAN)

    assert complaint.startswith("plans.toml: this is no TOML: ")
    assert "line 4" in complaint


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "format is missing: write format = 1 at its top, as an export does."),
        ("format = 2", "format is 2: this release reads format 1. "),
        ("format = true", "format is true: this release reads format 1. "),
        ("format = 1\nplan = 3", "plan is nothing that a file of plans has: remove it."),
        ("format = 1\nplans = 3", "plans is 3: write [plans.<key>] for each."),
        ("format = 1\n[plans]\nfree = 3", "plan free: it is 3: write [plans.free] and its fields."),
        ("format = ", "this is no TOML: "),
        ("a = " + "9" * 5000, "this is no TOML: "),
        ("a = " + "[" * 99_999, "this is no TOML: "),
    ],
    ids=range(9),
)
def test_what_is_no_file_of_plans_is_refused(text, said):
    with pytest.raises(BadPlansFile) as caught:
        read_plans(text, PATH)

    assert str(caught.value).startswith(f"plans.toml: {said}")


@pytest.mark.parametrize(
    "limits", ["limits = 3", "limits = [3]", "limits = {api = {}}"], ids=["one", "in-a-list", "map"]
)
def test_limits_that_are_no_tables_are_refused(limits):
    [complaint] = complaints(PLAN + limits)

    assert complaint.startswith("plans.toml")
    assert complaint.endswith("write [[plans.free.limits]].")


def test_headings_are_found_however_they_are_written():
    text = f"{PLAN}{LIMIT}{PERIOD}".replace("[[plans.free.limits]]", '[[ plans."free".limits ]] #')

    assert {("free",): 2, ("free", "api", "minute"): 4} == read(text).lines
