"""Who loses what when limits go."""

from __future__ import annotations

import pytest
from django.utils import timezone

from quotas.domain.policies import Source
from quotas.services.removals import removals
from tests.models.rows import a_limit, a_plan, a_tenant, an_override

pytestmark = pytest.mark.django_db


def told(*rows, left=None):
    """(tenants, last) of each of these rows, were it to go."""
    gone = [(row.plan, row.as_limit(Source(kind="plan", title="", pk=row.pk))) for row in rows]
    return [(each.tenants, each.last) for each in removals(gone, left, now=timezone.now())]


def test_the_last_row_of_a_scope_is_told_apart():
    plan = a_plan()
    api, more, other = a_limit(plan), a_limit(plan, name="hour"), a_limit(plan, scope="other")

    assert [(0, False)] == told(api)
    assert [(0, True), (0, True)] == told(api, more)
    assert [(0, True)] == told(other)


def test_a_row_of_every_scope_leaves_none_refused():
    plan = a_plan()
    api, every = a_limit(plan), a_limit(plan, scope="*")

    assert [(0, False), (0, True)] == [*told(api), *told(every)]


def test_rows_of_other_plans_leave_nothing():
    row = a_limit()
    a_limit(name="hour")

    assert [(0, True)] == told(row)


def test_what_is_left_may_be_told():
    row = a_limit()

    assert [(0, False)] == told(row, left={row.plan.pk: {"api"}})


def test_tenants_with_an_override_in_its_place_do_not_lose_it():
    row = a_limit()
    a_tenant(plan=row.plan)
    mine, over, other = (a_tenant(plan=row.plan) for _ in range(3))
    an_override(mine)
    an_override(mine)
    an_override(over, starts_at="2020-01-01T00:00Z", ends_at="2020-01-02T00:00Z")
    an_override(other, name="other")
    an_override(a_tenant(plan=a_plan()))

    assert [(3, True)] == told(row)


def test_the_default_plan_has_also_the_tenants_without_an_active_one():
    default, gone = a_limit(a_plan(is_default=True)), a_limit(a_plan(active=False))
    for plan in (default.plan, None, gone.plan):
        a_tenant(plan=plan)
    an_override(a_tenant())

    assert [(3, True), (0, True)] == told(default, gone)


def test_it_takes_three_queries_however_many_the_rows(django_assert_num_queries):
    rows = [a_limit() for _ in range(10)]
    for row in rows:
        an_override(a_tenant(plan=row.plan))
        a_tenant(plan=row.plan)

    with django_assert_num_queries(3):
        assert [(1, True)] * 10 == told(*rows)
