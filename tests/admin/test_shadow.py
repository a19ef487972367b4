"""The page of a limit in shadow: what it would have denied, by tenant, and the way out of it."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from quotas.admin.shadow import PAGE
from tests.admin.pages import change_url, list_url, submit
from tests.admin.shadowing import DAY, HOUR, NOW, a_caller, flushed, in_shadow, shadow_url
from tests.models.rows import a_limit, a_plan, a_tenant, an_override
from tests.views.looking import Reading

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.admin.urls")]


@pytest.fixture
def plan(db):
    return a_plan("pro")


@pytest.fixture
def limit(plan):
    return in_shadow(a_limit(plan, mode="shadow"))


def seen(client, row, **asked):
    return Reading(client.get(shadow_url(row), asked)).text


def links_of(response):
    return [each.get("href", "") for each in Reading(response).all("a")]


def test_the_page_tells_each_tenants_calls_and_what_of_them_it_would_have_denied(
    staff, plan, limit
):
    flushed(a_caller(plan, 6, key="acme", denied=2))
    a_caller(plan, 0)
    a_tenant(plan=plan)

    text = seen(staff, limit)

    assert "Calls 22 Admitted 20 Denied by other limits 2 Would have denied 6 (27 %)" in text
    assert "Tenants that would have been denied 1 Tenants that called, and would not 1" in text
    assert "Tenants without a call 1" in text
    assert "acme acme 6 50 % 10 2" in text
    assert "pro: api/minute" in text.lower()
    assert "10 in each minute, up to 20 around an edge In shadow since" in text
    assert "when quotas_flush last copied anything." in text


def test_the_bars_have_a_name_and_some_is_never_none(staff, plan, limit):
    a_caller(plan, 1, key="acme", admitted=1000)

    page = Reading(staff.get(shadow_url(limit)))

    assert [("0", "acme")] == [(each["value"], each["aria-label"]) for each in page.all("meter")]
    assert "less than 1 %" in page.text


@pytest.mark.parametrize(
    ("span", "would", "chosen"),
    [
        ("since", 3, "Since it is in shadow"),
        ("week", 3, "7 days"),
        ("day", 1, "24 hours"),
        ("nothing", 3, "Since it is in shadow"),
    ],
)
def test_one_chooses_how_far_back_it_looks(staff, plan, limit, span, would, chosen):
    a_caller(plan, 1)
    a_caller(plan, 2, ago=2 * DAY)

    response = staff.get(shadow_url(limit), {"span": span})

    assert would == response.context["found"].sums.shadow_denied
    spans = response.context["spans"]
    assert [chosen] == [str(title) for _, title, is_chosen in spans if is_chosen]


def test_nothing_counted_yet_is_said_so(staff, limit):
    text = seen(staff, limit)

    assert "Nothing is counted yet: run quotas_flush" in text
    assert "It would have denied no tenant." in text


def test_tenants_with_an_override_in_its_place_are_said_not_to_be_concerned(staff, plan, limit):
    an_override(a_caller(plan, 5), starts_at=NOW - HOUR)

    text = seen(staff, limit)

    assert "1 tenant of the plan has an override in its place, and is not concerned." in text
    assert "Would have denied 0 (0 %)" in text


def test_an_override_has_the_page_too_and_says_whether_it_acts(staff, plan):
    tenant = a_caller(plan, 5, key="acme")
    row = in_shadow(an_override(tenant, mode="shadow", starts_at=NOW - 2 * DAY))
    later = an_override(tenant, starts_at=NOW - HOUR, name="other")

    assert "acme acme 5 50 %" in seen(staff, row)
    assert "The override is in force." in seen(staff, row)
    type(later).objects.filter(pk=later.pk).update(name="minute")
    assert f"number {later.pk} began later and acts" in seen(staff, row)


def test_a_long_table_has_pages_that_keep_the_span(staff, plan, limit):
    for _ in range(PAGE + 1):
        a_caller(plan, 1)

    first = staff.get(shadow_url(limit), {"span": "day"})
    second = staff.get(shadow_url(limit), {"span": "day", "page": 2})

    assert [PAGE, 1] == [len(each.context["rows"]) for each in (first, second)]
    assert "?span=day&amp;page=2" in first.content.decode()
    assert "?span=day&amp;page=1" in second.content.decode()


def test_the_page_takes_the_same_few_queries_whatever_is_counted(staff, plan, limit):
    def queries():
        staff.get(shadow_url(limit))
        with CaptureQueriesContext(connection) as found:
            assert 200 == staff.get(shadow_url(limit)).status_code
        return len(found)

    a_caller(plan, 1)
    few = queries()
    for number in range(12):
        flushed(a_caller(plan, number))
        an_override(a_caller(plan, 1), starts_at=NOW - HOUR)

    assert few == queries()
    assert few <= 10


@pytest.mark.parametrize("make", [a_limit, an_override], ids=["plan-limit", "override"])
def test_a_limit_and_the_list_of_limits_lead_to_the_page_of_what_is_in_shadow(staff, make):
    shadow, enforced = make(mode="shadow"), make()

    listed = links_of(staff.get(list_url(type(shadow))))

    assert shadow_url(shadow) in listed
    assert shadow_url(enforced) not in listed
    for row in (shadow, enforced):
        assert shadow_url(row) in links_of(staff.get(change_url(row)))


def test_the_tenants_page_leads_there_from_a_limit_in_shadow(staff, plan, limit):
    a_limit(plan, name="hour")
    own = an_override(a_tenant("acme", plan=plan), name="own", mode="shadow")

    links = links_of(staff.get(change_url(own.tenant)))

    assert [shadow_url(limit), shadow_url(own)] == [
        link for link in links if link.endswith("/shadow/")
    ]


def test_saving_a_limits_page_keeps_since_when_it_is_in_shadow(staff, limit):
    submit(staff, change_url(limit), type(limit), amount="7")

    limit.refresh_from_db()
    assert (7, NOW - 3 * DAY) == (limit.amount, limit.mode_since)
