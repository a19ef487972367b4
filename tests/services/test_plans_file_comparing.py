from __future__ import annotations

import pytest
from hypothesis import given

from quotas.services.plans_file.comparing import Change, compare
from quotas.services.plans_file.concerned import anonymous_concerned, tenants_concerned
from tests.services.planning import a_limit_entry, a_plan_entry, plans

TENANTS = {"free": 1, "pro": 20, "old": 300, None: 4000}


def differences(before, after):
    """(plan or limit, field, before, after) of each that differs, and what is added or removed."""
    for plan in compare(before, after).changed:
        yield from ((plan.after.key, each.field, each.before, each.after) for each in plan.fields)
        for limit in plan.limits:
            if limit.change in {Change.ADDED, Change.REMOVED}:
                yield limit.limit.name, limit.change
            yield from (
                (limit.limit.name, each.field, each.before, each.after) for each in limit.fields
            )


@given(plans())
def test_the_same_plans_do_not_differ(drawn):
    assert [] == compare(drawn, drawn).changed


@given(plans(), plans())
def test_what_is_left_alone_and_what_is_named_are_all_plans(before, wanted):
    found = compare(before, wanted)

    assert {plan.key for plan in before} == {
        *found.left_alone,
        *(plan.after.key for plan in found.plans if plan.before),
    }
    assert set(wanted) <= set(found.after)


def test_each_field_that_differs_is_named_with_both_values():
    before = a_plan_entry("free", a_limit_entry("a"), a_limit_entry("b"), a_limit_entry("c"))
    after = a_plan_entry(
        "free", a_limit_entry("b", amount=None, mode="off"), a_limit_entry("c"), a_limit_entry("d"),
        name="For free",
    )  # fmt: skip

    assert [
        ("free", "name", "Free", "For free"),
        ("a", "removed"),
        ("b", "amount", 10, None),
        ("b", "mode", "enforce", "off"),
        ("d", "added"),
    ] == list(differences([before], [after]))


def test_zero_and_blank_differ():
    before, after = (a_plan_entry("free", a_limit_entry(amount=each)) for each in (0, None))

    assert [("minute", "amount", 0, None)] == list(differences([before], [after]))


@pytest.mark.parametrize(
    ("free", "pro", "old", "expected"),
    [
        pytest.param({}, {}, {}, (1, 20), id="those-that-name-it"),
        pytest.param({"default": True}, {}, {}, (4001, 20), id="default"),
        pytest.param({"default": True}, {}, {"active": False}, (4301, 20), id="and-not-active"),
        pytest.param({}, {"active": False}, {}, (1, 0), id="not-active"),
    ],
)
def test_a_plan_concerns_the_tenants_that_have_it(free, pro, old, expected):
    plans = [a_plan_entry("free", **free), a_plan_entry("pro", **pro), a_plan_entry("old", **old)]
    found = compare(plans, [])

    assert expected == tuple(tenants_concerned(key, found, TENANTS) for key in ("free", "pro"))


def test_those_that_have_a_plan_before_or_after_are_concerned():
    before = [a_plan_entry("free", default=True), a_plan_entry("pro", anonymous=True)]
    found = compare(before, [a_plan_entry("free", active=False), a_plan_entry("pro", default=True)])

    # The default moves, and with it those without a plan; of free's own, those that lose it.
    assert 1 + 300 + 4000 == tenants_concerned("free", found, TENANTS)
    assert 20 + 1 + 300 + 4000 == tenants_concerned("pro", found, TENANTS)
    assert [False, True] == [anonymous_concerned(key, found) for key in ("free", "pro")]
