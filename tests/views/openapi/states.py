"""Tenants in every state, and what is answered of them: (where it is promised, the response)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from django.test import Client
from rest_framework.authentication import TokenAuthentication

from quotas.domain.history import Span
from quotas.models import Tenant
from quotas.services.caps import set_cap
from quotas.testing import forget
from quotas.views.decisions import DecisionData
from quotas.views.twin import UsageData
from tests import START_US
from tests.models.rows import a_limit, a_membership, a_plan, a_tenant, a_user, an_override
from tests.services.alerting import an_alert
from tests.services.asking import ask, of_tenant
from tests.views.denying import a_denial, decision_data
from tests.views.looking import (
    a_customer,
    browser,
    data,
    export,
    member_of,
    staff_who_may,
)
from tests.views.openapi.promised import DECISION, EXPORT, USAGE

MONTH = {"name": "month", "algorithm": "calendar_quota", "unit": "month", "period": None}
ALGORITHMS = [
    {"name": "token", "algorithm": "token_bucket", "amount": 100, "capacity": 20},
    {"name": "leaky", "algorithm": "leaky_bucket", "amount": 60, "capacity": 50},
    {"name": "fixed", "algorithm": "fixed_window", "amount": 10, "title": "Each minute"},
    {"name": "counter", "algorithm": "sliding_window_counter", "amount": 30},
    {"name": "log", "algorithm": "sliding_window_log", "amount": 30},
    {"name": "slots", "algorithm": "concurrency", "amount": 5},
    {**MONTH, "amount": 1000},
]
CUSTOM = {"from": "2026-10-01", "to": "2026-10-20"}
FIRST = datetime(2026, 10, 1, 1, tzinfo=UTC)
TENTH = datetime(2026, 10, 10, 12, tzinfo=UTC)


def looked_at(client, tenant, **asked):
    yield USAGE, data(client, tenant, **asked)
    yield EXPORT, export(client, tenant, **asked)


def decided(client, tenant, *names, **fields):
    for name in names:
        yield DECISION, decision_data(client, a_denial(tenant, name=name, **fields))


def nothing_yet(stage):
    tenant = a_tenant()
    yield from looked_at(member_of(tenant), tenant)
    yield from decided(member_of(tenant), tenant, "gone")


def the_default_plan(stage):
    plan = a_plan(is_default=True)
    a_limit(plan=plan, scope="*")
    tenant = a_tenant(plan=a_plan(active=False))
    yield from looked_at(member_of(tenant), tenant)


def all_seven_algorithms(stage):
    tenant = a_customer(*ALGORITHMS, key="seven", time_zone="Asia/Tokyo")
    client = member_of(tenant)
    for _ in range(2):
        yield "passed", client.get("/reports/?cost=1")
    for span in (*Span, "unknown"):
        yield from looked_at(client, tenant, span=span, **CUSTOM if span == "custom" else {})
        yield from looked_at(client, tenant, span=span, zone="utc", scope="reports", **CUSTOM)
    yield from decided(client, tenant, *(each["name"] for each in ALGORITHMS))


def shadow(stage):
    tenant = a_customer({"name": "minute", "amount": 1, "mode": "shadow"}, key="shadow")
    client = member_of(tenant)
    for _ in range(3):
        yield "passed", client.get("/reports/")
    yield from looked_at(client, tenant, scope="reports")


def overridden_and_capped(stage):
    tenant = a_customer({"name": "minute"}, {"name": "capped"}, key="special")
    began = stage.clock.now - timedelta(days=1)
    ends = stage.clock.now + timedelta(days=365)
    fields = {"scope": "reports", "starts_at": began}
    an_override(tenant, name="minute", amount=77, ends_at=ends, **fields)
    an_override(tenant, name="off", mode="off", **fields)
    an_override(tenant, name="door", amount=None, subject="address", ends_at=ends, **fields)
    an_override(tenant, **{**fields, **ALGORITHMS[0]})
    an_override(tenant, **{**fields, **MONTH})
    for name in ("capped", "minute"):
        set_cap(tenant.pk, "reports", name, 3)
    forget()
    for client in (member_of(tenant), staff_who_may("view_tenant")):
        yield from looked_at(client, tenant)
        yield from decided(client, tenant, "minute", "capped", "door")


def nothing_and_everything(stage):
    limits = [each | {"amount": amount} for each in ALGORITHMS for amount in (0, None)]
    for number, limit in enumerate(limits):
        tenant = a_customer(limit | {"capacity": None}, key=f"extreme-{number}")
        client = member_of(tenant)
        yield "asked", client.get("/reports/")
        yield from looked_at(client, tenant)
        yield from decided(client, tenant, limit["name"], retry_after=None)


def suspended(stage):
    tenant = a_customer({"name": "minute"}, key="suspended", suspended=True)
    yield from looked_at(member_of(tenant), tenant)
    yield from decided(member_of(tenant), tenant, "minute")


def outage(stage):
    tenant = a_customer(*ALGORITHMS, key="outage")
    client = member_of(tenant)
    caches = stage.settings.CACHES
    gone = caches["quotas"] | {"LOCATION": "redis://127.0.0.1:1/0"}
    stage.settings.CACHES = caches | {"quotas": gone}
    yield from looked_at(client, tenant)
    yield from looked_at(client, tenant, span="hour")
    yield from decided(client, tenant, *(each["name"] for each in ALGORITHMS))
    stage.settings.CACHES = caches


def denied_callers(stage):
    limits = [{"name": "minute", "amount": 2}, {"name": "free", "amount": None}]
    tenant = a_customer(*limits, key="denied")
    ann = a_user()
    a_membership(tenant=tenant, user=ann)
    for caller in (
        of_tenant(tenant, user=ann, credential="key", operation="GET reports/"),
        of_tenant(tenant, user=10**6),
        of_tenant(tenant, credential="another"),
        of_tenant(tenant),
    ):
        for cost in (1, 1, 3):
            ask(caller, "reports", cost=cost)
    client = browser(ann)
    for span in Span:
        yield from looked_at(client, tenant, span=span, **CUSTOM if span == "custom" else {})
    yield from decided(client, tenant, "minute")
    yield from decided(client, tenant, "minute", cost=3, retry_after=None)
    yield from decided(client, tenant, "minute", cost=3, operation="")


def counted_apart(stage):
    subjects = ("user", "credential", "address")
    tenant = a_customer(*({"name": each, "subject": each} for each in subjects), key="apart")
    for client in (member_of(tenant), staff_who_may("view_tenant")):
        yield from looked_at(client, tenant)
        yield from decided(client, tenant, *subjects)


def alerts(stage):
    tenant = a_customer({"name": "minute"}, key="alerts")
    an_alert(tenant)
    an_alert(tenant, threshold="projected", email_state="done", webhook_state="failed")
    yield from looked_at(member_of(tenant), tenant)


def months_under_way(stage):
    for number, (at, cost) in enumerate(((FIRST, 20), (TENTH, 20), (TENTH, 40))):
        tenant = a_customer(MONTH | {"amount": 100}, key=f"month-{number}")
        Tenant.objects.filter(pk=tenant.pk).update(plan_since=stage.clock.now)
        forget()
        client = member_of(tenant)
        stage.clock.move_to(at)
        yield "passed", client.get(f"/reports/?cost={cost}")
        yield from looked_at(client, tenant, span="period")
        stage.clock.move_to(START_US)


def wrong_ranges(stage):
    tenant = a_customer({"name": "minute"}, key="ranges")
    client = member_of(tenant)
    for asked in ({"from": "soon"}, {"span": "foo"}, {"to": "2026-10-01"}, {"from": "2020-01-01"}):
        yield from looked_at(client, tenant, **asked)


def too_many_reads(stage):
    tenant = a_customer({"name": "minute"}, key="reads")
    client = member_of(tenant)
    for _ in range(120):
        data(client, tenant)
    yield from looked_at(client, tenant)
    yield from decided(client, tenant, "minute")


def nobodys(stage):
    tenant = a_customer({"name": "minute"}, key="somebodys")
    other = member_of(a_tenant())
    for key in ("somebodys", "nobodys"):
        yield USAGE, other.get(f"/quotas/{key}/usage.json")
        yield EXPORT, other.get(f"/quotas/{key}/usage.csv")
    yield from decided(other, tenant, "minute")
    yield DECISION, other.get("/quotas/decisions/none/decision.json")


def not_logged_in(stage):
    tenant = a_customer({"name": "minute"}, key="closed")
    yield USAGE, data(Client(), tenant)
    yield EXPORT, export(Client(), tenant)
    with stage.monkeypatch.context() as patched:
        patched.setattr(UsageData, "authentication_classes", [TokenAuthentication])
        yield USAGE, data(Client(), tenant)
    yield from decided(Client(), tenant, "minute")
    with stage.monkeypatch.context() as patched:
        patched.setattr(DecisionData, "authentication_classes", [TokenAuthentication])
        yield from decided(Client(), tenant, "minute")


def refused_by_the_api(stage):
    stage.settings.REST_FRAMEWORK = {"EXCEPTION_HANDLER": "quotas.drf.exception_handler"}
    tenant = a_customer({"name": "minute", "amount": 1}, key="refused")
    client = member_of(tenant)
    yield "passed", client.get("/reports/")
    yield "QuotaExceeded", client.get("/reports/")
    yield "QuotaExceeded", client.get("/reports/?cost=2")
    suspended = a_customer({"name": "minute"}, key="refused-suspended", suspended=True)
    several = [a_customer({"name": "minute"}, key=f"refused-{each}") for each in "ab"]
    bare = a_customer({"name": "minute", "scope": "other"}, key="refused-bare")
    for refused in (member_of(suspended), member_of(*several), member_of(bare)):
        yield "Refused", refused.get("/reports/")
    shut = a_customer({"name": "minute", "outage_policy": "deny"}, key="refused-shut")
    client = member_of(shut)
    caches = stage.settings.CACHES
    gone = caches["quotas"] | {"LOCATION": "redis://127.0.0.1:1/0"}
    stage.settings.CACHES = caches | {"quotas": gone}
    yield "LimiterUnavailable", client.get("/reports/")
    stage.settings.CACHES = caches


STATES = [
    nothing_yet,
    the_default_plan,
    all_seven_algorithms,
    shadow,
    overridden_and_capped,
    nothing_and_everything,
    suspended,
    outage,
    denied_callers,
    counted_apart,
    alerts,
    months_under_way,
    wrong_ranges,
    too_many_reads,
    nobodys,
    not_logged_in,
    refused_by_the_api,
]
ASIDE = {"passed", "asked"}
"""Calls of the API that make numbers, whose answers are another's to promise."""
