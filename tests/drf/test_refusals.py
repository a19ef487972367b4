"""What is answered where no limit denies: 403 by the plan or the tenant, 503 in an outage."""

from __future__ import annotations

import pytest

from quotas.drf import ConcurrencyThrottle, PlanThrottle, TokenBucketThrottle
from quotas.models import Plan
from tests.drf.calling import call, calls, remaining, statuses, view_with
from tests.drf.rows import make_plan, make_tenant, make_user, row

pytestmark = pytest.mark.django_db


NOBODYS = "No plan for callers without a tenant includes this."


class Reports(PlanThrottle):
    scope = "reports"


def code(response):
    return response.data["detail"].code


@pytest.fixture
def outage(settings):
    """Nothing listens where the limiter asks; the function brings the server back."""
    before = settings.CACHES
    gone = before["quotas"] | {"LOCATION": "redis://127.0.0.1:1/0"}
    settings.CACHES = before | {"quotas": gone}

    def end():
        settings.CACHES = before

    return end


def test_without_a_plan_for_callers_without_a_tenant_the_answer_is_not_in_plan():
    make_plan(row())

    refused = call(view_with(Reports))

    assert (403, "not_in_plan") == (refused.status_code, code(refused))
    assert NOBODYS == refused.data["detail"]
    assert "RateLimit" not in refused.headers


def test_a_user_without_a_tenant_reads_that_it_is_the_tenant_that_is_missing():
    make_plan(row())
    ada = make_user("ada")

    refused = call(view_with(Reports), user=ada)

    assert (403, "not_in_plan", NOBODYS) == (
        refused.status_code,
        code(refused),
        refused.data["detail"],
    )


def test_a_scope_without_any_row_is_not_in_the_plan():
    make_plan(row("exports"), anonymous=True)

    refused = call(view_with(Reports))

    assert (403, "not_in_plan") == (refused.status_code, code(refused))
    assert "exports" not in str(refused.data)
    assert NOBODYS == refused.data["detail"]


def test_a_scope_outside_the_plan_of_a_tenant_is_told_as_the_plans():
    make_plan(row("exports"))
    ada = make_user("ada", make_tenant("acme"))

    refused = call(view_with(Reports), user=ada)

    assert (403, "not_in_plan") == (refused.status_code, code(refused))
    assert "Your plan does not include this." == refused.data["detail"]


def test_a_member_of_several_tenants_without_a_default_must_name_one():
    make_plan(row())
    ada = make_user("ada", make_tenant("acme"), make_tenant("bolt"))
    view = view_with(Reports)

    refused = call(view, user=ada)
    foreign = call(view, user=ada, HTTP_X_TENANT="nobodys")
    named = call(view, user=ada, HTTP_X_TENANT="bolt")

    assert (403, "tenant_required") == (refused.status_code, code(refused))
    assert refused.data == foreign.data
    assert 200 == named.status_code


@pytest.mark.parametrize("header", ["X-Tenant", "X-Account"])
def test_the_answer_names_the_header_that_chooses_a_tenant(settings, header):
    settings.QUOTAS_TENANT_HEADER = header
    make_plan(row())
    ada = make_user("ada", make_tenant("acme"), make_tenant("bolt"))

    refused = call(view_with(Reports), user=ada)

    assert refused.data["detail"].endswith(f"name one of your own in the header {header}.")
    assert "no-store" == refused.headers["Cache-Control"]


def test_a_suspended_tenant_is_refused():
    make_plan(row())
    ada = make_user("ada", make_tenant("acme", suspended=True))

    refused = call(view_with(Reports), user=ada)

    assert (403, "tenant_suspended") == (refused.status_code, code(refused))


def test_an_outage_admits_where_the_limit_says_so(outage):
    make_plan(row(outage_policy="allow"), anonymous=True)

    response = call(view_with(Reports))

    assert 200 == response.status_code
    assert "RateLimit" not in response.headers


def test_an_outage_denies_with_503_where_the_limit_says_so(outage):
    make_plan(row(outage_policy="deny"), anonymous=True)
    view = view_with(Reports)

    refused = call(view)
    outage()
    after = call(view)

    assert (503, "limiter_unavailable") == (refused.status_code, code(refused))
    assert "no-store" == refused.headers["Cache-Control"]
    assert "Retry-After" not in refused.headers
    assert 2 == remaining(after, "minute")


def test_a_code_driven_throttle_may_deny_in_an_outage(outage):
    class Strict(TokenBucketThrottle.of("5/minute")):
        outage_policy = "deny"

    assert [200, 503] == [
        call(view_with(TokenBucketThrottle.of("5/minute"))).status_code,
        call(view_with(Strict)).status_code,
    ]


def test_an_outage_admits_without_a_slot(outage):
    assert [200] * 3 == statuses(calls(3, view_with(ConcurrencyThrottle.of(1))))


def test_code_driven_limits_need_no_plan():
    assert not Plan.objects.exists()

    assert 200 == call(view_with(TokenBucketThrottle.of("5/minute"))).status_code


def test_a_code_driven_limit_is_of_the_user_where_the_tenant_is_not_known():
    ada = make_user("ada", make_tenant("acme"), make_tenant("bolt"))

    responses = calls(2, view_with(TokenBucketThrottle.of("1/minute")), user=ada)

    assert [200, 429] == statuses(responses)
