"""The plan's throttle: whose limits, of which scope, at what cost."""

from __future__ import annotations

import pytest

from quotas.drf import PlanThrottle, exception_handler
from quotas.errors import ConfigurationError
from quotas.models import Tenant
from quotas.services.usage import usage_of
from tests.drf.calling import call, calls, remaining, statuses, view_with
from tests.drf.rows import make_plan, make_tenant, make_user, row

pytestmark = pytest.mark.django_db


class Reports(PlanThrottle):
    scope = "reports"


class Ratings(PlanThrottle):
    scope = "ratings"


def used(tenant, scope):
    return {line.limit.name: line.used for line in usage_of(tenant, scope=scope).lines}


def test_the_scope_is_the_throttles_own_else_the_views_else_none():
    make_plan(row("reports"), row("exports", "day"), row("*", "all"), anonymous=True)

    own = call(view_with(Reports, throttle_scope="exports"))
    views = call(view_with(PlanThrottle, throttle_scope="exports"))
    neither = call(view_with(PlanThrottle))

    names = [each.headers["RateLimit-Policy"].count('"') // 2 for each in (own, views, neither)]
    assert [2, 2, 1] == names
    assert 2 == remaining(own, "minute") == remaining(views, "day")
    assert 0 == remaining(neither, "all")


def test_m3_scopes_do_not_share_a_history():
    acme = make_tenant(
        plan=make_plan(row("reports", "day", amount=20, seconds=86_400), row("ratings", amount=5))
    )
    ada = make_user("ada", acme)

    calls(6, view_with(Reports), user=ada)
    response = call(view_with(Ratings), user=ada)

    assert 4 == remaining(response, "minute")
    assert {"day": 6} == used("acme", "reports")


def test_i6_users_of_a_tenant_do_not_multiply_its_limits():
    plan = make_plan(row(amount=10))
    first, second = make_tenant("p", plan=plan), make_tenant("q", plan=plan)
    ada = make_user("ada", first, second, default=first)
    others = [make_user(name, first) for name in ("bo", "cy")]
    view = view_with(Reports)

    turns = [call(view, user=user) for _ in range(4) for user in (ada, *others)]
    elsewhere = call(view, user=ada, HTTP_X_TENANT="q")

    assert [200] * 10 + [429] * 2 == statuses(turns)
    assert 9 == remaining(elsewhere, "minute")
    assert {"minute": 10} == used("p", "reports")


def test_i4_a_header_makes_nobody_a_tenant(keys):
    plan = make_plan(row(amount=120), key="anonymous", default=False, anonymous=True)
    for number in range(3):
        make_tenant(f"tenant-{number}", plan=plan)
    view = view_with(Reports)

    responses = [call(view, HTTP_X_TENANT=f"tenant-{number}") for number in range(150)]

    assert 120 == statuses(responses).count(200)
    assert 30 == statuses(responses).count(429)
    cells = [key for key in keys() if ":c:" in key]
    logs = [key for key in keys() if ":l:" in key]
    assert (1, 1) == (len(cells), len(logs))
    assert all("127.0.0.1" in key for key in cells + logs)
    assert [{"minute": 0}] * 3 == [used(f"tenant-{number}", "reports") for number in range(3)]


def test_h7_a_denial_names_the_limit_that_was_hit():
    acme = make_tenant(plan=make_plan(row("*", "tenant", amount=20), row("reports", amount=2)))
    ada = make_user("ada", acme)

    class Handling(view_with(Reports)):
        def get_exception_handler(self):
            return exception_handler

    responses = calls(3, Handling, user=ada)

    assert [200, 200, 429] == statuses(responses)
    assert [1, 0, 0] == [remaining(each, "minute") for each in responses]
    assert ["minute"] == responses[-1].data["violated-policies"]
    assert {"minute": 2, "tenant": 2} == used("acme", "reports")


@pytest.mark.parametrize("algorithm", ["sliding_window_log", "token_bucket"])
def test_c2_zero_denies_the_first_request_without_retry_after(keys, algorithm):
    make_plan(row(amount=0, algorithm=algorithm), anonymous=True)

    denied = call(view_with(Reports))

    assert 429 == denied.status_code
    assert 0 == remaining(denied, "minute")
    assert "Retry-After" not in denied.headers
    assert [] == [key for key in keys() if ":c:" in key or ":l:" in key]


def test_c2_blank_is_unlimited_and_counted():
    acme = make_tenant(plan=make_plan(row(amount=None), row("other", amount=1)))
    ada = make_user("ada", acme)
    view = view_with(Reports)

    responses = calls(1000, view, user=ada)

    assert {200} == set(statuses(responses))
    assert "RateLimit" not in responses[-1].headers
    assert {"minute": 1000} == used("acme", "reports")


def test_c2_one_admits_one():
    make_plan(row(amount=1), anonymous=True)

    assert [200, 429] == statuses(calls(2, view_with(Reports)))


@pytest.mark.parametrize("attribute", ["key", "pk", None], ids=["by-key", "by-pk", "itself"])
def test_get_tenant_says_who_pays(attribute):
    acme = make_tenant(plan=make_plan(row(), anonymous=True))

    class Owned(Reports):
        def get_tenant(self, request, view):
            return getattr(acme, attribute) if attribute else acme

    calls(2, view_with(Owned))

    assert {"minute": 2} == used("acme", "reports")


def test_get_tenant_of_none_is_no_tenant():
    plan = make_plan(row(amount=5))
    make_plan(row(amount=1), key="anonymous", default=False, anonymous=True)
    ada = make_user("ada", make_tenant(plan=plan))

    class Nobodys(Reports):
        def get_tenant(self, request, view):
            return None

    assert [200, 429] == statuses(calls(2, view_with(Nobodys), user=ada))
    assert {"minute": 0} == used("acme", "reports")


def test_get_tenant_must_give_a_tenant():
    class Strange(Reports):
        def get_tenant(self, request, view):
            return Tenant(key="unsaved")

    with pytest.raises(ConfigurationError, match=r"Strange.get_tenant gave <Tenant: unsaved>"):
        call(view_with(Strange))


def test_throttles_of_one_view_must_agree_on_the_tenant():
    make_plan(row(), row("ratings"))
    make_tenant("acme")
    make_tenant("bolt")

    class Acmes(Reports):
        def get_tenant(self, request, view):
            return "acme"

    class Bolts(Ratings):
        def get_tenant(self, request, view):
            return "bolt"

    with pytest.raises(ConfigurationError, match="one request has one tenant"):
        call(view_with(Acmes, Bolts))


def test_the_resolver_is_the_settings(settings):
    settings.QUOTAS_TENANT_RESOLVER = "tests.drf.test_plan_throttle.resolve_by_path"
    make_tenant("bolt", plan=make_plan(row(), key="pro"))

    call(view_with(Reports))

    assert {"minute": 1} == used("bolt", "reports")


def resolve_by_path(request, view):
    return "bolt" if request.path == "/reports/" else None


def test_get_subject_is_counted_inside_the_tenant(keys):
    acme = make_tenant(plan=make_plan(row(amount=2)))
    ada = make_user("ada", acme)

    class ByProject(Reports):
        def get_subject(self, request, view):
            return request.query_params.get("project")

    view = view_with(ByProject)

    apart = [call(view, user=ada, data={"project": name}) for name in ("one", "two") * 2]
    more = call(view, user=ada, data={"project": "one"})
    none = call(view, user=ada)

    assert [200] * 4 == statuses(apart)
    assert 429 == more.status_code
    assert 200 == none.status_code
    assert all(f"{{t{acme.pk}}}" in key for key in keys() if ":c:" in key)
