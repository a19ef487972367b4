"""A tenant's page: what applies to it, where each number came from, how it stands."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from quotas.services.caps import set_cap
from tests.admin.pages import change_url
from tests.models.rows import a_limit, a_plan, a_tenant, an_override
from tests.services.asking import allowed, of_tenant
from tests.views.looking import Reading

pytestmark = [pytest.mark.django_db, pytest.mark.urls("project.urls")]

NOW = timezone.now()
DAY = timedelta(days=1)
HOUR = timedelta(hours=1)


@pytest.fixture
def plan(db):
    plan = a_plan("pro", is_default=True)
    a_limit(plan, amount=10, period=HOUR)
    return plan


@pytest.fixture
def tenant(plan):
    return a_tenant("acme", plan=plan)


def seen(client, tenant):
    return Reading(client.get(change_url(tenant)))


def struck(client, tenant):
    """What is struck through, in its order."""
    page = client.get(change_url(tenant)).content.decode()
    return [part.split("</s>")[0] for part in page.split("<s>")[1:]]


def test_a_limit_of_the_plan_is_shown_with_its_state(staff, tenant):
    allowed(of_tenant(tenant), times=4)

    text = seen(staff, tenant).text

    assert "api/minute 10" in text
    assert "plan Pro 4 of 10 used OK now" in text
    assert [] == struck(staff, tenant)


def test_the_default_plan_is_called_so(staff, plan):
    assert "default plan Pro" in seen(staff, a_tenant("acme")).text


def test_an_override_is_shown_instead_of_what_it_beats_which_is_struck_through(staff, tenant):
    an_override(tenant, amount=30, reason="a fair", starts_at=NOW - 2 * DAY)
    an_override(tenant, amount=1000, reason="a sale", starts_at=NOW - DAY)
    an_override(tenant, amount=7, starts_at=NOW - 3 * DAY, ends_at=NOW - HOUR)
    an_override(tenant, amount=8, starts_at=NOW + DAY)

    text = seen(staff, tenant).text

    assert "1,000 instead of 30 ( override for good: a fair )" in text.replace("(", "( ").replace(
        ")", " )"
    )
    assert "override for good: a sale" in text
    assert ["30", "10"] == struck(staff, tenant)


def test_a_cap_is_shown_instead_of_what_it_lowers(staff, tenant):
    set_cap(tenant.pk, "api", "minute", 3)

    text = seen(staff, tenant).text

    assert "the tenant's own cap" in text
    assert ["10"] == struck(staff, tenant)


def test_a_denying_limit_says_so_in_words_and_its_denials_are_listed(staff, tenant):
    allowed(of_tenant(tenant, operation="GET /reports/"), times=11)

    page = seen(staff, tenant)

    assert "10 of 10 used denying now in" in page.text
    assert "GET /reports/ 1" in page.text
    assert [each["href"] for each in page.all("a") if "/decisions/" in each.get("href", "")]
    assert ["100"] == [each["value"] for each in page.all("meter")]


def test_the_page_leads_to_the_usage_page(staff, tenant):
    assert "/quotas/acme/" in [each.get("href") for each in seen(staff, tenant).all("a")]


@pytest.mark.urls("tests.admin.urls")
def test_a_project_without_pages_for_tenants_has_the_page_too(staff, tenant):
    allowed(of_tenant(tenant), times=11)

    assert "Last denials" in seen(staff, tenant).text


def test_without_redis_limits_are_shown_without_what_is_used(staff, tenant, private_server, caplog):
    private_server.stop()

    text = seen(staff, tenant).text

    assert "Redis gives no answer: limits are shown without what is used." in text
    assert "usage not known" in text


def test_the_page_takes_the_same_queries_whatever_limits_apply(staff, plan, tenant):
    def queries():
        staff.get(change_url(tenant))
        with CaptureQueriesContext(connection) as found:
            staff.get(change_url(tenant))
        return len(found)

    few = queries()
    for number in range(12):
        a_limit(plan, name=f"limit-{number}")

    assert few == queries()
    assert few <= 10
