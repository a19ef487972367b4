from __future__ import annotations

import tomllib
from dataclasses import fields
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quotas.models import Plan, PlanLimit
from quotas.services.plans_file.entries import LimitEntry, PlanEntry
from quotas.services.plans_file.reading import read_plans
from quotas.services.plans_file.stored import COLUMNS
from quotas.services.plans_file.values import LIMIT_READERS, PLAN_READERS
from quotas.services.plans_file.writing import ascii_only, written
from tests.services.planning import PATH, a_limit_entry, a_plan_entry, plans


def body(*entries):
    """What is under the heading of the file."""
    return written(entries).partition("format = 1\n")[2]


@given(plans())
def test_what_is_written_is_read_again(drawn):
    assert drawn == read_plans(written(drawn), PATH).plans


@given(plans())
def test_where_only_ascii_can_be_shown_the_file_says_the_same(drawn):
    text = ascii_only(written(drawn))

    assert text.isascii()
    assert drawn == read_plans(text, PATH).plans


@given(plans(), st.randoms())
def test_the_same_plans_are_the_same_text_in_whatever_order_they_come(drawn, random):
    shuffled = list(drawn)
    random.shuffle(shuffled)

    assert written(drawn) == written(shuffled)


def test_a_plan_is_written_so_that_people_read_it():
    day = a_limit_entry("day", scope="*", amount=200_000, period=timedelta(days=1), mode="shadow")
    month = a_limit_entry("month", algorithm="calendar_quota", unit="month", period=None)

    assert body(a_plan_entry("free", month, day, default=True)) == (
        """
[plans.free]
name = "Free"
default = true

[[plans.free.limits]]
scope = "*"
name = "day"
algorithm = "fixed_window"
amount = 200_000
period = "1 day"
mode = "shadow"

[[plans.free.limits]]
scope = "api"
name = "month"
algorithm = "calendar_quota"
amount = 10
unit = "month"
"""
    )


@pytest.mark.parametrize(
    ("amount", "line"),
    [
        pytest.param(0, "amount = 0", id="zero"),
        pytest.param(None, 'amount = "unlimited"', id="blank"),
        pytest.param(7, "amount = 7", id="number"),
    ],
)
def test_zero_blank_and_a_number_look_different(amount, line):
    assert line in body(a_plan_entry("free", a_limit_entry(amount=amount))).splitlines()


def test_what_is_not_seen_is_spelt_out():
    text = body(a_plan_entry(name='a"b\\c\u202e\x1b東京\n'))

    assert r'name = "a\"b\\c\u202E\u001B東京\n"' in text.splitlines()


def test_a_key_that_no_admin_gives_is_quoted():
    assert [{"a.b c"}] == [set(tomllib.loads(body(a_plan_entry("a.b c")))["plans"])]


def test_every_column_that_staff_edit_is_in_the_file():
    """A column that is added to the models is added to the file, or named here."""
    limit = {each.name for each in PlanLimit._meta.concrete_fields} - {"id", "plan", "mode_since"}
    plan = {each.name for each in Plan._meta.concrete_fields} - {"id", "default_since"}

    assert limit == {each.name for each in fields(LimitEntry)} == set(LIMIT_READERS)
    names = {each.name for each in fields(PlanEntry)} - {"limits"}
    assert plan == {COLUMNS.get(name, name) for name in names}
    assert names == {"key", *PLAN_READERS}


def test_what_is_left_out_has_the_default_of_the_database():
    row, entry = PlanLimit(), a_limit_entry(algorithm="token_bucket", amount=None, period=None)

    for each in ("title", "unit", "capacity", "subject", "mode", "outage_policy", "warn_projected"):
        assert getattr(row, each) == getattr(entry, each)
    assert tuple(row.warn_at) == entry.warn_at
