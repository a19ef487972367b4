"""What views ask for is in plans: a scope that nobody wrote a limit for is a typing error.

And every tenant has a plan, its own or the default one.
"""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.auth import get_user_model
from django.urls import path
from django.utils import timezone
from rest_framework.decorators import api_view, throttle_classes
from rest_framework.viewsets import ViewSet

from quotas.drf import PlanThrottle
from quotas.models import Override, Plan, PlanLimit, Tenant
from tests.checks.views import a_view, answer, module, urlconf

RULE = {"name": "minute", "amount": 3, "period": timedelta(minutes=1)}
DATABASES = ["default"]


class ReportThrottle(PlanThrottle):
    scope = "reports"


class OwnAsk(PlanThrottle):
    ask = staticmethod(lambda *_: None)


class ChangingScope(PlanThrottle):
    scope = property(lambda _: "reports")


def add_limit(scope="reports", *, active=True, **columns):
    plan, _ = Plan.objects.get_or_create(key="free", defaults={"name": "Free", "active": active})
    return PlanLimit.objects.create(plan=plan, scope=scope, **RULE | columns)


def test_a_plan_throttle_without_a_scope_is_told_with_its_view(settings, said):
    settings.ROOT_URLCONF = urlconf(a_view(PlanThrottle, name="Exports"))

    [message] = said()["quotas.W020"]

    assert "tests.checks.views.Exports lists quotas.drf.plan.PlanThrottle" in message.msg


@pytest.mark.parametrize(
    "view",
    [
        a_view(ReportThrottle),
        a_view(PlanThrottle, throttle_scope="reports"),
        a_view(OwnAsk),
        a_view(ChangingScope),
        a_view(),
    ],
    ids=["own", "the view's", "asks in a way of its own", "a property", "no throttle"],
)
def test_a_scope_of_the_throttle_or_of_the_view_is_right(settings, said, view):
    settings.ROOT_URLCONF = urlconf(view)

    assert {} == said()


def test_a_scope_given_to_as_view_counts(settings, said):
    settings.ROOT_URLCONF = urlconf(a_view(PlanThrottle, throttle_scope=None), throttle_scope="api")

    assert {} == said()


def test_throttles_given_to_as_view_count(settings, said):
    settings.ROOT_URLCONF = urlconf(a_view(ReportThrottle), throttle_classes=[PlanThrottle])

    assert "quotas.W020" in said()


def test_functions_and_viewsets_are_views_too(settings, said):
    summary = api_view()(throttle_classes([PlanThrottle])(answer))

    class Batches(ViewSet):
        throttle_classes = [PlanThrottle]
        list = answer

    settings.ROOT_URLCONF = module(
        [
            path("summary/", summary),
            path("batches/", Batches.as_view({"get": "list"})),
            path("plain/", lambda _: None),
        ]
    )

    told = " ".join(message.msg for message in said()["quotas.W020"])

    assert "tests.checks.views.answer" in told
    assert "Batches" in told


@pytest.mark.parametrize("urls", ["tests.checks.broken", "nothing.there", "", None])
def test_a_urlconf_that_cannot_be_read_is_not_ours_to_tell(settings, said, urls):
    settings.ROOT_URLCONF = urls

    assert {} == said()


@pytest.mark.django_db
def test_a_scope_without_a_row_is_named_with_its_view(settings, said):
    add_limit("exports")
    settings.ROOT_URLCONF = urlconf(a_view(ReportThrottle), a_view(ReportThrottle, name="Summary"))

    [message] = said(databases=DATABASES)["quotas.W021"]

    assert "tests.checks.views.Reports, tests.checks.views.Summary name" in message.msg
    assert "'reports'" in message.msg
    assert "answered 403" in message.msg


@pytest.mark.django_db
def test_a_scope_that_only_every_scope_covers_is_told_apart(settings, said):
    add_limit("*")
    settings.ROOT_URLCONF = urlconf(a_view(ReportThrottle))

    [message] = said(databases=DATABASES)["quotas.W021"]

    assert "only limits of scope '*' apply" in message.msg


@pytest.mark.django_db
def test_a_row_of_a_plan_that_is_not_active_is_none(settings, said):
    add_limit(active=False)
    settings.ROOT_URLCONF = urlconf(a_view(ReportThrottle))

    assert "quotas.W021" in said(databases=DATABASES)


@pytest.mark.django_db
@pytest.mark.parametrize("columns", [{}, {"mode": "off"}, {"amount": 0}, {"amount": None}])
def test_any_row_of_the_scope_is_one(settings, said, columns):
    add_limit(**columns)
    settings.ROOT_URLCONF = urlconf(a_view(ReportThrottle))

    assert {} == said(databases=DATABASES)


@pytest.mark.django_db
@pytest.mark.parametrize(("until", "told"), [(None, False), (timedelta(hours=-1), True)])
def test_an_override_is_a_row_until_it_ends(settings, said, until, told):
    get_user_model().objects.create_user("ada")
    now = timezone.now()
    Override.objects.create(
        tenant=Tenant.objects.create(key="acme", name="Acme"),
        scope="reports",
        starts_at=now - timedelta(days=1),
        ends_at=until and now + until,
        **RULE,
    )
    settings.ROOT_URLCONF = urlconf(a_view(ReportThrottle))

    assert told == ("quotas.W021" in said(databases=DATABASES))


@pytest.mark.django_db
def test_without_any_plan_a_default_one_is_missed(settings, said):
    settings.ROOT_URLCONF = urlconf(a_view(ReportThrottle))

    [message] = said(databases=DATABASES)["quotas.W026"]

    assert "No active plan is the default, and there is none at all" in message.msg


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("keys", "told"),
    [
        ("a", "1 tenant has none of its own (a)"),
        ("ab", "2 tenants have none of their own (a, b)"),
        ("abcdef", "6 tenants have none of their own (a, b, c, d and 2 more)"),
    ],
)
def test_tenants_without_a_plan_are_named_where_no_plan_is_the_default(settings, said, keys, told):
    add_limit()
    old = Plan.objects.create(key="old", name="Old", active=False)
    Tenant.objects.create(key="cyan", name="Cyan", plan=Plan.objects.get(key="free"))
    for key in keys:
        Tenant.objects.create(key=key, name=key, plan=old if key == "b" else None)
    settings.ROOT_URLCONF = urlconf(a_view(ReportThrottle))

    [message] = said(databases=DATABASES)["quotas.W026"]

    assert f"No active plan is the default, and {told}: where" in message.msg


@pytest.mark.django_db
@pytest.mark.parametrize("default", [True, False], ids=["a default", "plans of their own"])
def test_a_default_plan_or_one_for_each_tenant_is_right(settings, said, default):
    add_limit()
    plan = Plan.objects.get()
    Plan.objects.update(is_default=default)
    Tenant.objects.create(key="acme", name="Acme", plan=None if default else plan)
    settings.ROOT_URLCONF = urlconf(a_view(ReportThrottle))

    assert {} == said(databases=DATABASES)


@pytest.mark.django_db
def test_where_no_view_asks_for_a_plan_none_is_missed(settings, said):
    Tenant.objects.create(key="acme", name="Acme")
    settings.ROOT_URLCONF = urlconf(a_view())

    assert {} == said(databases=DATABASES)


def test_without_leave_the_database_is_not_asked(settings, said):
    settings.ROOT_URLCONF = urlconf(a_view(ReportThrottle))

    assert {} == said()  # a query would fail here


def test_before_the_first_migration_nothing_is_told(settings, said, no_tables):
    settings.ROOT_URLCONF = urlconf(a_view(ReportThrottle))

    assert {} == said(databases=DATABASES)
