"""The page and the records: what a tenant reads is what was counted, and what the limiter knows."""

from __future__ import annotations

from dataclasses import replace

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from quotas.errors import EngineUnavailable
from quotas.services.audit import pages, walk
from quotas.services.audit.walk import audit
from quotas.services.flush import flush
from quotas.services.prune import prune
from tests.engine.asking import dumped
from tests.engine.watching import watching
from tests.models.rows import a_limit, a_plan, a_tenant
from tests.services.asking import allowed, ask, of_tenant
from tests.services.auditing import named
from tests.services.counted import DAY, HOUR

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("clock")]
ALGORITHMS = [
    "token_bucket",
    "leaky_bucket",
    "sliding_window_log",
    "sliding_window_counter",
    "fixed_window",
    "concurrency",
]


@pytest.fixture
def plan(db):
    plan = a_plan("pro", is_default=True)
    a_limit(plan, name="month", algorithm="calendar_quota", unit="month", period=None, amount=5)
    a_limit(plan, name="hour", amount=100, period=HOUR)
    return plan


@pytest.fixture
def tenant(plan):
    tenant = a_tenant("acme", time_zone="Asia/Kathmandu")
    allowed(of_tenant(tenant), times=7)
    return tenant


@pytest.fixture
def altered(monkeypatch):
    """The page shows what this makes of it."""

    def alter(name, change):
        usual = getattr(pages, name)
        monkeypatch.setattr(pages, name, lambda *args, **named: change(usual(*args, **named)))

    return alter


def test_the_charts_of_days_and_weeks_are_what_was_counted(tenant, clock):
    for _ in range(12):
        clock.tick(DAY * 0.7)
        ask(of_tenant(tenant), "api", cost=2)
        flush()
    prune(quarters=4 * DAY, days=800 * DAY, now=clock.now)
    assert tenant.days.exists()

    done = audit()

    assert ((), 1) == (done.differences, done.pages)


def test_a_page_that_leaves_a_scope_out_is_named(tenant, altered):
    def without(history):
        return replace(history, scopes={})

    altered("history_of", lambda found: (without(found[0]), found[1]))

    assert {
        ("history", "api", "admitted", 0, 5),
        ("history", "api", "denied", 0, 2),
        ("history", "api", "units", 0, 5),
    } == set(named())


def test_a_page_with_more_denials_by_limit_is_named(tenant, altered):
    def more(history):
        history.limits["api/month"].denied += 1
        return history

    altered("history_of", lambda found: (more(found[0]), found[1]))

    assert {("history", "api/month", "denials", 3, 2)} == set(named())


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_meter_that_tells_another_number_is_named(plan, tenant, altered, clock, algorithm):
    a_limit(
        plan,
        scope="other",
        name="one",
        algorithm=algorithm,
        amount=9,
        capacity=_capacity(algorithm),
    )
    walk.store.forget()
    ask(of_tenant(tenant), "other", cost=1 if algorithm == "concurrency" else 4)
    clock.tick(1)
    assert [] == named()

    def without_it(usage):
        return replace(usage, lines=tuple(each for each in usage.lines if each.limit.name != "one"))

    altered("usage_of", without_it)

    (found,) = named()
    assert ("meter", "other/one", "used", None) == found[:4]
    assert found[4]


def _capacity(algorithm):
    return 9 if algorithm.endswith("bucket") else None


def test_a_calendar_meter_that_lags_behind_the_limiter_is_named(tenant, altered):
    def behind(usage):
        lines = {each.limit.name: each for each in usage.lines}
        month = lines["month"]
        verdict = replace(month.verdict, level=month.verdict.level - 1)
        return replace(usage, lines=(lines["hour"], replace(month, verdict=verdict)))

    altered("usage_of", behind)

    assert [("meter", "api/month", "used", 4, 5)] == named()


def test_differences_are_named_though_time_goes_on_between_the_readings(tenant, altered, clock):
    def wrong(usage):
        clock.tick(1)
        return replace(usage, lines=())

    altered("usage_of", wrong)

    assert [
        ("meter", "api/month", "used", None, 5),
        ("meter", "api/hour", "used", None, 5),
    ] == named()


def test_calls_while_the_page_is_read_are_no_difference(tenant, altered):
    other = a_tenant("busy")
    ask(of_tenant(other))

    def busy(found):
        ask(of_tenant(other))
        ask(of_tenant(other), "api", cost=0)
        flush()
        return found

    altered("history_of", lambda found: (busy(found[0]), found[1]))
    altered("usage_of", busy)

    assert [] == named()


def test_a_bucket_that_fills_and_empties_while_it_is_read_is_no_difference(
    plan, tenant, clock, monkeypatch
):
    a_limit(plan, scope="other", name="one", algorithm="token_bucket", amount=600, capacity=9)
    walk.store.forget()
    usual = pages.usage_of

    def busy(tenant_pk):
        ask(of_tenant(tenant), "other", cost=5)
        usage = usual(tenant_pk)
        clock.tick(10)
        return usage

    monkeypatch.setattr(pages, "usage_of", busy)

    assert [] == named()


def test_a_page_without_an_answer_ends_the_audit(tenant, altered):
    altered("usage_of", lambda usage: replace(usage, outage=True))

    with pytest.raises(EngineUnavailable):
        audit()


def test_auditing_changes_nothing_and_writes_nothing(tenant, redis_url):
    before = dumped()

    with CaptureQueriesContext(connection) as queries, watching(redis_url) as watched:
        audit()

    assert before == dumped()
    assert {"SELECT"} == {each["sql"].split()[0] for each in queries.captured_queries}
    assert not {"SET", "HSET", "HDEL", "DEL", "PEXPIRE"} & {
        command[0].upper() for command in watched.by_scripts
    }


def test_tenants_without_usage_cost_no_query_of_their_own(plan, monkeypatch, redis_url):
    monkeypatch.setattr(walk, "PAGE", 10)
    counts = []
    for _ in range(2):
        for _ in range(5):
            a_tenant()
        walk.store.forget()
        with CaptureQueriesContext(connection) as queries, watching(redis_url) as watched:
            assert () == audit().differences
        counts.append((len(queries), watched.names.count("MULTI")))

    assert counts[0] == counts[1]
    assert 1 == counts[0][1]


def test_tenants_of_several_pages_are_all_looked_at(plan, monkeypatch):
    monkeypatch.setattr(walk, "PAGE", 4)
    for _ in range(10):
        ask(of_tenant(a_tenant()))
    seen = []

    done = audit(after_page=seen.append)

    assert ([4, 8, 10], 10, 10) == (seen, done.tenants, done.pages)


def test_only_the_tenants_named_are_looked_at(plan, tenant):
    a_tenant("other")

    assert 1 == audit(["acme", "acme"]).tenants
    with pytest.raises(walk.UnknownTenant, match="nobody"):
        audit(["acme", "nobody"])
