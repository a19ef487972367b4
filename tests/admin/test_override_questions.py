"""Whoever takes something from one tenant by an override, or by taking one away, is asked."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from quotas.models import Override, Tenant
from quotas.services.caps import set_cap
from tests.admin.asking import NO, YES, answer, text_of
from tests.admin.pages import act, add_url, change_url, form_of, list_url, submit
from tests.models.rows import a_limit, a_plan, a_tenant, an_override

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.admin.urls")]

DAY = timedelta(days=1)
NEW = {
    "scope": "api",
    "name": "minute",
    "algorithm": "fixed_window",
    "amount": "5",
    "period": "1 minute",
    "reason": "a trial",
    "subject": "tenant",
    "mode": "enforce",
    "outage_policy": "allow",
}
LAST = "Nothing else applies to the tenant for scope api: its calls are refused with 403"


@pytest.fixture
def tenant():
    """On a plan with 10 a minute."""
    plan = a_plan("pro")
    a_limit(plan)
    return a_tenant("acme", plan=plan)


def added(client, tenant, **fields):
    return submit(client, add_url(Override), Override, tenant=tenant.pk, **{**NEW, **fields})


def by_page(client, row, **fields):
    return submit(client, change_url(row), Override, **fields)


def inline(client, tenant, **fields):
    """A new row on the tenant's page."""
    row = {f"overrides-0-{name}": value for name, value in {**NEW, **fields}.items()}
    now = timezone.localtime() - timedelta(minutes=5)
    row |= {"overrides-0-starts_at_0": f"{now:%Y-%m-%d}", "overrides-0-starts_at_1": f"{now:%H:%M}"}
    return submit(client, change_url(tenant), Tenant, **{"overrides-TOTAL_FORMS": "1"}, **row)


def delete_url(row):
    return change_url(row).replace("/change/", "/delete/")


@pytest.mark.parametrize("add", [added, inline])
def test_a_new_override_below_the_plan_asks_and_a_yes_makes_it(staff, tenant, add):
    page = add(staff, tenant)

    assert "acme: api/minute" in text_of(page)
    assert "Then an override applies, with the reason “a trial”." in text_of(page)
    assert "It concerns 1 tenant." in text_of(page)
    assert not Override.objects.exists()
    url = add_url(Override) if add is added else change_url(tenant)
    assert 200 == answer(staff, url, page, NO).status_code
    assert not Override.objects.exists()
    assert 302 == answer(staff, url, page, YES).status_code
    assert 5 == Override.objects.get().amount


@pytest.mark.parametrize("add", [added, inline])
def test_a_new_override_that_takes_nothing_away_does_not_ask(staff, tenant, add):
    assert 302 == add(staff, tenant, amount="20").status_code
    assert 20 == Override.objects.get().amount


def test_a_new_override_is_held_against_the_one_in_force(staff, tenant):
    an_override(tenant, amount=100, starts_at=timezone.now() - DAY)

    assert "50 in each minute" in text_of(added(staff, tenant, amount="50"))


def test_an_override_to_come_is_held_against_what_applies_when_it_begins(staff, tenant):
    day = timezone.localtime() + DAY

    page = added(staff, tenant, starts_at_0=f"{day:%Y-%m-%d}", starts_at_1="12:00")

    assert "It concerns 1 tenant." in text_of(page)


def test_what_the_tenants_own_cap_takes_already_is_not_asked_about(staff, tenant):
    set_cap(tenant.pk, "api", "minute", 5)

    assert 302 == added(staff, tenant).status_code


def test_the_delete_page_tells_what_the_tenant_falls_back_to(staff, tenant):
    row = an_override(tenant, amount=100)

    text = text_of(staff.get(delete_url(row)))

    assert "100 in each minute" in text
    assert "10 in each minute" in text
    assert "Then the limit of plan Pro applies." in text
    assert "0 of them have more than 10 in use now." in text


def test_the_delete_page_tells_that_nothing_is_left(staff):
    row = an_override()

    assert LAST in text_of(staff.get(delete_url(row)))
    an_override(row.tenant, name="hour")
    assert LAST not in text_of(staff.get(delete_url(row)))


def test_an_override_that_is_over_takes_nothing_along(staff, tenant):
    over = an_override(
        tenant, amount=100, starts_at="2020-01-01T00:00Z", ends_at="2020-01-02T00:00Z"
    )

    assert "quotas-outlook" not in text_of(staff.get(delete_url(over)))


def test_deleting_the_selected_tells_it_of_each_and_then_deletes(staff, tenant):
    rows = [an_override(tenant, amount=100), an_override()]

    text = text_of(act(staff, Override, "delete_selected", rows))

    assert "Then the limit of plan Pro applies." in text
    assert LAST in text
    assert 2 == Override.objects.count()
    act(staff, Override, "delete_selected", rows, post="yes")
    assert not Override.objects.exists()


def test_ticking_delete_on_the_tenants_page_asks(staff, tenant):
    an_override(tenant, amount=100)

    page = submit(staff, change_url(tenant), Tenant, **{"overrides-0-DELETE": "on"})

    assert "Then the limit of plan Pro applies." in text_of(page)
    assert Override.objects.exists()
    assert 302 == answer(staff, change_url(tenant), page, YES).status_code
    assert not Override.objects.exists()


@pytest.mark.parametrize(
    "days",
    [
        pytest.param({"ends_at": -DAY}, id="ended"),
        pytest.param({"starts_at": DAY}, id="begins-later"),
    ],
)
def test_an_override_that_ceases_to_be_in_force_asks_like_a_deletion(staff, tenant, days):
    row = an_override(tenant, amount=100, starts_at=timezone.now() - 5 * DAY)
    fields = {}
    for name, span in days.items():
        at = timezone.localtime() + span
        fields |= {f"{name}_0": f"{at:%Y-%m-%d}", f"{name}_1": f"{at:%H:%M}"}

    page = by_page(staff, row, **fields)

    assert "Then the limit of plan Pro applies." in text_of(page)
    assert 302 == answer(staff, change_url(row), page, YES).status_code


def test_who_may_not_is_refused_whatever_is_confirmed(staff_who_may, tenant):
    viewer, row = staff_who_may("view"), an_override(tenant, amount=100)

    for url in (add_url(Override), delete_url(row), change_url(row)):
        assert (
            403 == viewer.post(url, {**NEW, "tenant": tenant.pk, "post": "yes", **YES}).status_code
        )
    assert 403 == act(viewer, Override, "delete_selected", [row], post="yes", **YES).status_code
    assert [100] == list(Override.objects.values_list("amount", flat=True))


def test_a_get_asks_nothing_and_makes_nothing(staff, tenant):
    staff.get(add_url(Override), {**NEW, "tenant": tenant.pk, **YES})
    staff.get(list_url(Override), {"action": "delete_selected", "post": "yes", **YES})

    assert not Override.objects.exists()


def test_a_question_takes_as_many_queries_among_many_tenants(staff, tenant):
    counts = []
    for _ in range(3):  # the first finds nothing remembered
        with CaptureQueriesContext(connection) as queries:
            assert form_of(added(staff, tenant), "confirm_form")
        counts.append(len(queries))
        for _ in range(5):
            an_override(a_tenant(plan=tenant.plan), amount=100)

    assert counts[1] == counts[2]
