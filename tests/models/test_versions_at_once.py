"""Versions of rows that several write at once."""

from __future__ import annotations

from functools import partial
from itertools import pairwise

import pytest
from django.db.models import F

from quotas.models import PlanLimit, Tenant
from tests.models.meanwhile import meanwhile, on_postgresql
from tests.models.rows import a_limit, a_tenant
from tests.services.company import in_threads

pytestmark = pytest.mark.django_db(transaction=True)

WRITERS = 4


def at_once(write):
    """``write(0)``, ``write(1)`` and so on, each in a thread of its own, begun together."""
    in_threads(*(partial(write, number) for number in range(WRITERS)))


def amounts(rows):
    return dict(rows.values_list("name", "amount"))


def last_amounts():
    """The same, by the last version of each row."""
    return amounts(PlanLimit.history.order_by("history_date"))


def test_saves_at_once_keep_a_version_each_in_the_order_in_which_they_took_effect():
    pk = a_limit(amount=1000).pk

    def save(number):
        row = PlanLimit.objects.get(pk=pk)
        row.amount = number
        row.save()

    at_once(save)

    versions = list(PlanLimit.history.filter(id=pk).order_by("history_date"))
    assert {1000, *range(WRITERS)} == {each.amount for each in versions}
    assert WRITERS + 1 == len(versions)
    assert versions[-1].amount == PlanLimit.objects.get().amount
    assert all(one.history_date < next_.history_date for one, next_ in pairwise(versions))


def test_counted_up_at_once_no_step_is_missing():
    a_tenant()

    at_once(lambda _: Tenant.objects.update(epoch=F("epoch") + 1))

    epochs = Tenant.history.order_by("history_date").values_list("epoch", flat=True)
    assert list(range(WRITERS + 1)) == list(epochs)


@on_postgresql
def test_a_row_that_comes_to_match_an_update_is_left_alone():
    plan = a_limit(name="first").plan

    with meanwhile('UPDATE "quotas_planlimit"', lambda: a_limit(plan, name="later")):
        plan.limits.update(amount=77)

    assert {"first": 77, "later": 10} == amounts(PlanLimit.objects)
    assert {"first": 77, "later": 10} == last_amounts()


@on_postgresql
def test_a_row_that_others_write_meanwhile_keeps_the_version_of_their_write():
    row = a_limit(name="first")
    kept = f'FROM "{PlanLimit.history.model._meta.db_table}"'

    with meanwhile(kept, lambda: PlanLimit.objects.update(amount=77)):
        # Not written, for it is there, but looked at.
        PlanLimit.objects.bulk_create([row], ignore_conflicts=True)

    assert {"first": 77} == amounts(PlanLimit.objects) == last_amounts()
    assert [10, 77] == list(
        PlanLimit.history.order_by("history_date").values_list("amount", flat=True)
    )
