"""The page that tells what applied to a tenant at an instant."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from django.urls import reverse

from quotas.models import Override, Plan, PlanLimit, Tenant
from tests.admin.pages import change_url
from tests.models.rows import a_limit, a_plan, a_tenant, an_override
from tests.views.looking import Reading

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.admin.urls")]

BEGIN = datetime(2026, 11, 3, 13, 2, tzinfo=UTC)


@pytest.fixture
def tenant():
    """Since 13:02 UTC, which is 14:02 in Berlin."""
    plan = a_plan("gold")
    a_limit(plan, amount=10)
    tenant = a_tenant("acme", plan=plan, time_zone="Europe/Berlin", anchor_day=5)
    an_override(tenant, amount=500, starts_at=BEGIN, reason="a fair")
    for model in (Plan, PlanLimit, Tenant, Override):
        model.history.update(history_date=BEGIN)
    return tenant


def ask(client, tenant, **asked):
    return client.get(reverse("admin:quotas_tenant_applied", args=[tenant.pk]), asked)


def text(response):
    return " ".join(Reading(response).text.split())


def errors(response):
    return response.context["form"].errors.get("at", [])


def test_it_tells_the_plan_the_zone_and_the_limits_with_what_lost(staff, tenant):
    Tenant.objects.update(suspended=True)

    page = ask(staff, tenant, at="2026-11-03T14:02")

    said = page.content.decode()
    assert "Gold (gold)" in said
    assert "<dd>Europe/Berlin</dd>" in said
    assert "<dd>5</dd>" in said
    assert "<dd>no</dd>" in said
    assert "<strong>500</strong>" in said
    assert "<s>10</s> (plan Gold)" in said
    assert "override for good: a fair" in said
    assert "2026-11-03T14:02:00+01:00" in said


@pytest.mark.parametrize(
    "asked",
    [
        pytest.param({"at": "2026-11-03T13:02", "zone": "utc"}, id="in-utc"),
        pytest.param({"at": "2026-11-03T13:02Z"}, id="with-an-offset"),
        pytest.param({"at": "2026-11-03 14:02:00"}, id="with-a-space"),
    ],
)
def test_an_instant_is_told_in_several_ways(staff, tenant, asked):
    page = ask(staff, tenant, **asked)

    assert BEGIN == page.context["at"]
    local = "2026-11-03T13:02:00" if "zone" in asked else "2026-11-03T14:02:00"
    assert f'value="{local}"' in page.content.decode()


def test_before_the_first_version_it_says_that_it_does_not_know(staff, tenant):
    page = ask(staff, tenant, at="2026-11-03T14:01:59")

    assert page.context["not_known"]
    assert "2026-11-03T14:02:00+01:00" in page.content.decode()


@pytest.mark.parametrize(
    "at",
    ["", "yesterday", "2026-13-01T00:00", "0001-01-01T00:00", "0001-01-01T00:00+14:00", "9" * 400],
)
def test_what_is_no_instant_is_an_error_on_the_form(staff, tenant, at):
    page = ask(staff, tenant, at=at)

    assert 200 == page.status_code
    assert errors(page) or page.context["not_known"]


@pytest.mark.parametrize("at", ["2026-03-29T02:30", "2200-01-01T00:00", "9999-12-31T23:59:59"])
def test_an_instant_that_never_was_or_is_to_come_is_an_error(staff, tenant, at):
    assert errors(ask(staff, tenant, at=at))


def test_the_tenants_page_leads_there_and_the_page_asks_when(staff, tenant):
    url = reverse("admin:quotas_tenant_applied", args=[tenant.pk])

    assert url in [each.get("href") for each in Reading(staff.get(change_url(tenant))).all("a")]
    assert 200 == staff.get(url).status_code
    assert not errors(staff.get(url))


def test_view_only_staff_may_ask_and_others_may_not(staff_who_may, tenant):
    assert 200 == ask(staff_who_may("view"), tenant, at="2026-11-03T14:02").status_code
    assert 403 == ask(staff_who_may("nothing"), tenant, at="2026-11-03T14:02").status_code
    tenant.pk = 10**6
    assert 404 == ask(staff_who_may("view"), tenant, at="2026-11-03T14:02").status_code
