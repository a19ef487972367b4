"""Quarters and hours that were altered, lost or doubled are named, each for itself."""

from __future__ import annotations

import pytest

from quotas.models import UsageHour, UsageQuarter
from quotas.services.audit.walk import audit
from quotas.services.flush import flush
from tests.models.rows import a_limit, a_plan, a_tenant
from tests.services.asking import allowed, ask, of_tenant
from tests.services.auditing import alter_record, named
from tests.services.company import refusing
from tests.services.counted import DAY, HOUR, QUARTER, START

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clock")]


@pytest.fixture
def tenant(db):
    plan = a_plan("pro", is_default=True)
    a_limit(plan, amount=3, period=DAY)
    a_limit(plan, name="tried", amount=1, mode="shadow", period=DAY)
    a_limit(plan, scope="rare", amount=100)
    return a_tenant("acme")


@pytest.fixture
def copied(tenant, clock):
    """Three calls admitted and one denied, copied while Redis still holds them."""
    clock.tick(60)
    assert 3 == allowed(of_tenant(tenant, user=7), times=4)
    clock.tick(300)
    flush()
    return tenant


@pytest.fixture
def handed_over(copied, clock):
    """The same, in the database alone."""
    clock.tick(DAY)
    flush()
    assert not audit().waiting
    return copied


def test_what_was_counted_and_copied_has_no_difference(copied):
    done = audit()

    assert () == done.differences
    assert (1, 1, 1, 1) == (done.tenants, done.quarters, done.hours, done.pages)
    assert (0, None) == (done.waiting, done.oldest)


def test_what_is_not_copied_yet_is_no_difference_and_is_told_with_its_age(copied, clock):
    clock.tick(2 * HOUR)
    ask(of_tenant(copied), "rare")
    clock.tick(HOUR)
    ask(of_tenant(copied), "rare")

    done = audit()

    assert () == done.differences
    assert (4, START + 2 * HOUR) == (done.waiting, done.oldest)


def test_calls_after_a_copy_are_no_difference(copied):
    ask(of_tenant(copied), "api", "rare")

    assert [] == named()


@pytest.mark.parametrize(
    ("column", "number"),
    [("admitted", 3), ("denied", 1), ("shadow_denied", 2), ("units", 3), ("peak", 3)],
)
def test_a_row_that_has_more_than_redis_is_named(copied, column, number):
    UsageQuarter.objects.update(**{column: number + 5})

    kind = "copy_ahead" if column in {"admitted", "denied"} else "copy_unequal"
    assert (kind, "api", column, number + 5, number) in named()


@pytest.mark.parametrize(("column", "number"), [("shadow_denied", 2), ("units", 3), ("peak", 3)])
def test_a_number_below_that_of_the_same_calls_is_named(copied, column, number):
    UsageQuarter.objects.update(**{column: 1})

    assert ("copy_unequal", "api", column, 1, number) in named()


def test_denials_by_limit_that_differ_are_named(copied):
    UsageQuarter.objects.update(limits={"api/minute": [1, 0], "api/other": [0, 2]})

    assert [
        ("copy_unequal", "api", "shadow denials by api/other", 2, 0),
        ("copy_unequal", "api", "shadow denials by api/tried", 0, 2),
    ] == named()


@pytest.mark.parametrize(("column", "number"), [("admitted", 3), ("denied", 1)])
def test_a_row_with_less_than_a_later_copy_must_have_is_named(copied, column, number):
    UsageQuarter.objects.update(**{column: 0})

    assert ("copy_behind", "api", column, 0, number) in named()


def test_a_lost_row_is_named_once_another_was_copied_later(copied, clock):
    clock.tick(QUARTER)
    ask(of_tenant(copied), "rare")
    flush()
    UsageQuarter.objects.filter(scope="api").delete()

    assert {
        ("copy_behind", "api", "admitted", None, 3),
        ("copy_behind", "api", "denied", None, 1),
    } == set(named())
    flush()
    assert [] == named()


@pytest.mark.django_db(transaction=True)
def test_rows_that_the_database_refuses_are_not_copied_yet(copied):
    other = a_tenant("other")
    ask(of_tenant(other), "rare")
    with refusing(other):
        assert 1 == flush().refused

    done = audit()

    assert ((), 1) == (done.differences, done.waiting)


def test_an_altered_record_in_redis_is_named(copied):
    alter_record(copied, b"u", lambda record: record.__setitem__(4, 9))

    assert {
        ("copy_unequal", "api", "units", 3, 9),
        ("hour_and_quarters", "every call", "units", 3, 9),
    } == set(named())


def test_an_altered_hour_in_redis_is_named(copied):
    alter_record(copied, b"h", lambda record: record.__setitem__(4, 2))

    assert {
        ("copy_ahead", "every call", "admitted", 3, 2),
        ("hour_and_quarters", "every call", "admitted", 2, 3),
    } == set(named())


@pytest.mark.parametrize(("column", "number"), [("admitted", 3), ("units", 3), ("early", 0)])
def test_an_hour_that_has_more_than_redis_is_named(copied, column, number):
    UsageHour.objects.update(**{column: 9})

    kind = "copy_ahead" if column == "admitted" else "copy_unequal"
    assert (kind, "every call", column, 9, number) in named()


def test_callers_and_peaks_that_differ_are_named(copied):
    UsageHour.objects.update(callers={"u7": [3, 0, 3, 0]}, peaks={"api/minute": [3, 3]})

    assert {
        ("copy_unequal", "every call", "denied by u7", 0, 1),
        ("copy_unequal", "every call", "most taken of api/tried", 0, 1),
        ("copy_unequal", "every call", "most at once of api/tried", 0, 1),
    } == set(named())


@pytest.mark.parametrize(
    ("model", "column", "found"),
    [
        pytest.param(UsageQuarter, "admitted", {("admitted", 3, 2)}, id="quarter-lowered"),
        pytest.param(UsageQuarter, "units", {("units", 3, 2)}, id="units-lowered"),
        pytest.param(UsageQuarter, "denied", {("denied", 1, 2)}, id="quarter-raised"),
        pytest.param(UsageHour, "denied", {("denied", 2, 1)}, id="hour-raised"),
        pytest.param(UsageHour, "admitted", {("admitted", 2, 3)}, id="hour-lowered"),
    ],
)
def test_rows_that_redis_let_go_of_are_held_against_each_other(handed_over, model, column, found):
    model.objects.update(**{column: 2})

    differences = {("hour_and_quarters", "every call", *each) for each in found}
    assert differences <= set(named())


def test_a_lost_quarter_is_named_by_its_hour(handed_over):
    UsageQuarter.objects.all().delete()

    assert {
        ("hour_and_quarters", "every call", "admitted", 3, 0),
        ("hour_and_quarters", "every call", "denied", 1, 0),
        ("hour_and_quarters", "every call", "units", 3, 0),
    } == set(named())


def test_a_lost_hour_is_named_by_its_quarters(handed_over):
    UsageHour.objects.all().delete()

    assert ("hour_and_quarters", "every call", "admitted", None, 3) in named()


@pytest.mark.parametrize("apart", [-1, 1])
@pytest.mark.parametrize("model", [UsageQuarter, UsageHour])
def test_a_doubled_row_is_named(handed_over, clock, model, apart):
    ask(of_tenant(handed_over), "rare")
    flush()
    twin = model.objects.order_by("-start")[0]
    twin.pk, twin.generation = None, twin.generation + apart
    twin.save()

    assert "doubled" in {kind for kind, *_ in named()}


def test_a_call_of_several_scopes_is_in_the_quarters_of_each(tenant, clock):
    ask(of_tenant(tenant), "api", "rare")
    ask(of_tenant(tenant), "rare")
    assert [] == named()
    flush()
    clock.tick(DAY)
    flush()
    assert [] == named()

    UsageHour.objects.update(admitted=4)

    assert [("hour_and_quarters", "every call", "admitted", 4, 3)] == named()
