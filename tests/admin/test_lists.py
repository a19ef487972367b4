from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from quotas.models import (
    AnonymousQuarter,
    CalendarBalance,
    Membership,
    Override,
    Plan,
    PlanLimit,
    Tenant,
    UsageDay,
    UsageHour,
    UsageQuarter,
)
from tests.admin.pages import change_url, list_url
from tests.models.rows import a_limit, a_membership, a_plan, a_tenant, a_user, an_override

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.admin.urls")]

NOW = timezone.now()
DAY = timedelta(days=1)


def a_balance():
    return CalendarBalance.objects.create(
        tenant=a_tenant(),
        scope="api",
        name="day",
        unit="day",
        period_start=NOW,
        period_end=NOW + DAY,
    )


def a_quarter():
    return UsageQuarter.objects.create(tenant=a_tenant(), scope="api", start=NOW, generation=1)


def an_hour():
    return UsageHour.objects.create(tenant=a_tenant(), start=NOW, generation=1)


def a_day():
    return UsageDay.objects.create(tenant=a_tenant(), scope="api", day=NOW.date())


def an_anonymous_quarter():
    scope = f"api-{AnonymousQuarter.objects.count()}"
    return AnonymousQuarter.objects.create(scope=scope, start=NOW, generation=1)


def a_tenant_with_a_plan():
    return an_override(a_tenant(plan=a_limit().plan)).tenant


LISTS = {
    Tenant: a_tenant_with_a_plan,
    Membership: a_membership,
    Plan: lambda: a_limit(a_tenant(plan=a_plan()).plan),
    PlanLimit: a_limit,
    Override: an_override,
    CalendarBalance: a_balance,
    UsageQuarter: a_quarter,
    UsageHour: an_hour,
    AnonymousQuarter: an_anonymous_quarter,
    UsageDay: a_day,
}


LOOKED_AT = [CalendarBalance, UsageQuarter, UsageHour, AnonymousQuarter, UsageDay]


def queries_of(client, url):
    client.get(url)  # fills what is cached for good: content types, the session
    with CaptureQueriesContext(
        connection,
    ) as queries:
        response = client.get(url)
    assert response.status_code == 200
    return len(queries)


@pytest.mark.parametrize("model", LISTS, ids=lambda model: model.__name__)
def test_a_list_takes_the_same_few_queries_whatever_its_length(staff, model):
    LISTS[model]()
    few = queries_of(staff, list_url(model))

    for _ in range(12):
        LISTS[model]()

    assert few == queries_of(staff, list_url(model))
    assert few <= 15


def test_a_plans_page_takes_the_same_few_queries_whatever_its_limits(staff):
    plan = a_plan()
    a_limit(plan)
    few = queries_of(staff, change_url(plan))

    for number in range(12):
        a_limit(plan, name=f"limit-{number}")

    assert few == queries_of(staff, change_url(plan))
    assert few <= 8


def test_a_tenants_page_takes_the_same_few_queries_whatever_it_has(staff):
    tenant = a_tenant()
    a_membership(tenant)
    an_override(tenant)
    few = queries_of(staff, change_url(tenant))

    for _ in range(12):
        a_membership(tenant)
        an_override(tenant)

    assert few == queries_of(staff, change_url(tenant))
    assert few <= 10


@pytest.mark.parametrize("make", [a_limit, an_override], ids=["plan-limit", "override"])
@pytest.mark.parametrize(
    ("amount", "text"),
    [
        pytest.param(0, "denies all", id="zero"),
        pytest.param(None, "unlimited", id="blank"),
        pytest.param(100, "100", id="number"),
        pytest.param(50000, "50,000", id="large"),
    ],
)
def test_c2_zero_blank_and_numbers_look_different(staff, make, amount, text):
    row = make(amount=amount)

    page = staff.get(list_url(type(row))).content.decode()

    assert f'<td class="field-allows">{text}</td>' in page


def test_a_limit_is_listed_with_what_it_promises(staff):
    a_limit(algorithm="token_bucket", amount=100, capacity=20)

    page = staff.get(list_url(PlanLimit)).content.decode()

    assert "any 2 seconds at most 23, any minute at most 120" in page


def test_plans_tell_how_many_limits_and_tenants_each_has(staff):
    plan = a_plan("busy")
    for number in range(3):
        a_limit(plan, name=f"limit-{number}")
    a_tenant(plan=plan)
    a_tenant(plan=plan)
    a_plan("idle")

    rows = {row.key: row for row in staff.get(list_url(Plan)).context["cl"].result_list}

    assert (3, 2) == (rows["busy"].limit_count, rows["busy"].tenant_count)
    assert (0, 0) == (rows["idle"].limit_count, rows["idle"].tenant_count)


def test_tenants_tell_how_many_overrides_are_in_force_now(staff):
    tenant = a_tenant()
    an_override(tenant, starts_at=NOW - DAY)
    an_override(tenant, starts_at=NOW - DAY, ends_at=NOW - DAY / 2)
    an_override(tenant, starts_at=NOW + DAY)

    page = staff.get(list_url(Tenant))

    assert [1] == [row.override_count for row in page.context["cl"].result_list]
    assert "(the default plan)" in page.content.decode()


@pytest.mark.parametrize("state", ["in_force", "to_come", "over"])
def test_overrides_are_filtered_by_whether_they_are_in_force(staff, state):
    rows = {
        "in_force": an_override(starts_at=NOW - DAY),
        "over": an_override(starts_at=NOW - 2 * DAY, ends_at=NOW - DAY),
        "to_come": an_override(starts_at=NOW + DAY),
    }

    page = staff.get(list_url(Override), {"state": state})

    assert [rows[state]] == list(page.context["cl"].result_list)
    assert f'<td class="field-state">{state.replace("_", " ")}' in page.content.decode()


@pytest.mark.parametrize(
    ("model", "make", "text"),
    [
        pytest.param(Tenant, lambda: a_tenant("東京支店"), "東京", id="tenant-by-key"),
        pytest.param(Plan, lambda: a_plan("gold"), "gol", id="plan-by-key"),
        pytest.param(PlanLimit, lambda: a_limit(a_plan("gold")), "gold", id="limit-by-plan"),
        pytest.param(PlanLimit, lambda: a_limit(scope="x.y"), "x.y", id="limit-by-scope"),
        pytest.param(
            Override, lambda: an_override(a_tenant("acme")), "acme", id="override-by-tenant"
        ),
        pytest.param(
            Membership,
            lambda: a_membership(user=a_user("zoe")),
            "zoe",
            id="membership-by-user",
        ),
    ],
)
def test_rows_are_found_by_what_people_call_them(staff, model, make, text):
    LISTS[model]()
    row = make()

    page = staff.get(list_url(model), {"q": text})

    assert [row] == list(page.context["cl"].result_list)


@pytest.mark.parametrize("model", LOOKED_AT)
def test_what_was_counted_is_to_look_at_only(staff, model):
    row = LISTS[model]()

    assert 403 == staff.post(change_url(row), {"used": 0}).status_code
    assert 200 == staff.get(change_url(row)).status_code
    assert "action-select" not in staff.get(list_url(model)).content.decode()


@pytest.mark.parametrize("model", [CalendarBalance, UsageQuarter, UsageHour, UsageDay])
def test_what_was_counted_goes_with_its_tenant(staff, model):
    row = LISTS[model]()

    staff.post(f"{change_url(row.tenant).removesuffix('change/')}delete/", {"post": "yes"})

    assert not Tenant.objects.exists()
    assert not model.objects.exists()
