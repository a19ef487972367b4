"""Staff give a tenant units back at once: what was given is told, and kept with the reason."""

from __future__ import annotations

from datetime import timedelta
from threading import Thread

import pytest
from django.db import connections

from quotas.engine import owners
from quotas.engine.connection import link
from quotas.engine.script import grant_script
from quotas.models import Override
from quotas.services.usage import usage_of
from tests.admin.browsers import client_of
from tests.admin.pages import form_of
from tests.admin.test_tenant_steps import said, somebody_who_may, step_url, take
from tests.engine.proxy import Proxy
from tests.models.rows import a_limit, a_plan, a_tenant, a_user
from tests.services.asking import allowed, ask, of_tenant, used

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.urls("tests.admin.urls")]

DAY = timedelta(days=1)
FULL = {
    "token_bucket": "the bucket is full",
    "leaky_bucket": "the queue is empty",
    "sliding_window_counter": "nothing more is used",
    "sliding_window_log": "nothing more is used",
    "concurrency": "no other call is in flight",
}
giving = pytest.mark.parametrize(("algorithm", "why"), FULL.items(), ids=FULL)


@pytest.fixture
def plan(transactional_db):
    return a_plan("pro", is_default=True)


@pytest.fixture
def tenant(plan):
    return a_tenant("acme")


def told(client, tenant, **fields):
    """What the page says after a grant."""
    answer = take(client, tenant, "grant", **{"limit": "api/minute", **fields})
    if answer.status_code == 200:
        return answer.content.decode()
    (message,) = client.get(answer.url).context["messages"]
    return str(message)


@giving
def test_what_is_granted_is_there_at_once_and_kept_with_the_reason(
    staff, plan, tenant, algorithm, why
):
    a_limit(plan, algorithm=algorithm, period=DAY)
    assert 10 == allowed(of_tenant(tenant), times=11)

    assert "acme: granted 4 of api/minute." == told(staff, tenant, extra="4")
    assert {"minute": 6} == used(tenant.pk)
    assert 4 == allowed(of_tenant(tenant), times=6)
    assert not Override.objects.exists()

    assert f"acme: granted 20 of api/minute, given 10: {why}." == told(staff, tenant, extra="20")
    assert 10 == allowed(of_tenant(tenant), times=12)
    assert [
        "granted 4 of api/minute; reason: a fair",
        f"granted 20 of api/minute, given 10: {why}; reason: a fair",
    ] == said()


@giving
def test_where_nothing_is_used_nothing_is_given_and_nothing_is_kept(
    staff, plan, tenant, algorithm, why
):
    a_limit(plan, algorithm=algorithm, period=DAY)

    assert f"Nothing was given: {why}." in told(staff, tenant, extra="5")

    assert [] == said()


def test_a_limit_that_counts_others_gives_nothing_to_the_tenant_by_a_hand_made_post(
    staff, plan, tenant
):
    a_limit(plan, algorithm="token_bucket", subject="user", period=DAY)
    user = a_user()
    assert 10 == allowed(of_tenant(tenant, user=user), times=11)

    page = told(staff, tenant, extra="5")

    assert "is not one of the available choices" in page
    assert "reset their counters instead" in page
    assert 0 == allowed(of_tenant(tenant, user=user), times=1)
    assert [] == said()


def test_a_grant_needs_the_permission_to_add_overrides(plan, tenant):
    a_limit(plan, algorithm="token_bucket", period=DAY)
    allowed(of_tenant(tenant), times=10)
    client = somebody_who_may("view_tenant", "change_tenant")
    data = {"limit": "api/minute", "extra": "5", "reason": "mine"}

    assert 403 == client.post(step_url(tenant, "grant"), data).status_code

    assert {"minute": 10} == used(tenant.pk)
    assert [] == said()


def test_a_limit_that_is_gone_since_the_page_was_opened_gives_nothing(staff, plan, tenant):
    row = a_limit(plan, algorithm="token_bucket", period=DAY)
    allowed(of_tenant(tenant), times=10)
    form = form_of(staff.get(step_url(tenant, "grant")), "step_form")
    row.delete()

    page = staff.post(step_url(tenant, "grant"), {**form, "extra": "5", "reason": "late"})

    assert "is not one of the available choices" in page.content.decode()
    assert [] == said()


def test_a_change_between_reading_and_giving_is_told(staff, plan, tenant, monkeypatch):
    a_limit(plan, algorithm="token_bucket", period=DAY)
    allowed(of_tenant(tenant), times=10)
    ping = link().client.ping

    def changed_before():
        ping()
        owners.bump([f"t{tenant.pk}"])

    monkeypatch.setattr(link().client, "ping", changed_before)
    page = told(staff, tenant, extra="5")
    monkeypatch.undo()

    assert "This limit was changed meanwhile. Look at it, and try again." in page
    assert {"minute": 10} == used(tenant.pk)
    assert [] == said()


@pytest.mark.parametrize("losing", ["close", "swallow"])
def test_an_answer_that_is_lost_is_told_and_kept_as_not_known(
    staff, plan, tenant, losing, redis_url, settings, monkeypatch
):
    a_limit(plan, algorithm="token_bucket", period=DAY)
    allowed(of_tenant(tenant), times=10)
    link().client.script_load(grant_script().source)
    quotas = settings.CACHES["quotas"]
    with Proxy(redis_url) as proxy:
        settings.CACHES = settings.CACHES | {"quotas": quotas | {"LOCATION": proxy.url}}
        form = form_of(staff.get(step_url(tenant, "grant")), "step_form")
        ping = link().client.ping

        def then_lose():
            ping()
            proxy.losing = losing

        monkeypatch.setattr(link().client, "ping", then_lose)
        values = {**form, "extra": "5", "reason": "a fair"}
        answer = staff.post(step_url(tenant, "grant"), values)
    settings.CACHES = settings.CACHES | {"quotas": quotas}

    told_so = "granted 5 of api/minute; it is not known whether they were given"
    (message,) = staff.get(answer.url).context["messages"]
    assert ("warning", True) == (message.level_tag, told_so in str(message))
    assert said()[0].startswith(told_so)
    assert {"minute": 5} == used(tenant.pk)


def test_redis_that_goes_between_reading_and_giving_gives_nothing(
    staff, plan, tenant, private_server, monkeypatch
):
    a_limit(plan, algorithm="token_bucket", period=DAY)
    ask(of_tenant(tenant))
    form = form_of(staff.get(step_url(tenant, "grant")), "step_form")
    ping = link().client.ping

    def gone():
        private_server.stop()
        ping()

    monkeypatch.setattr(link().client, "ping", gone)
    page = staff.post(step_url(tenant, "grant"), {**form, "extra": "1", "reason": "a fair"})

    assert "Redis gives no answer, so nothing was given." in page.content.decode()
    assert [] == said()


def test_two_grants_at_once_give_both_and_never_more_than_was_used(plan, tenant):
    a_limit(plan, algorithm="token_bucket", period=DAY)
    allowed(of_tenant(tenant), times=10)
    clients = [client_of(a_user(is_staff=True, is_superuser=True)) for _ in range(2)]
    form = form_of(clients[0].get(step_url(tenant, "grant")), "step_form")

    def send(client):
        client.post(step_url(tenant, "grant"), {**form, "extra": "7", "reason": "both"})
        connections.close_all()

    threads = [Thread(target=send, args=(client,)) for client in clients]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert {"minute": 0} == used(tenant.pk)
    assert {
        "granted 7 of api/minute; reason: both",
        "granted 7 of api/minute, given 3: the bucket is full; reason: both",
    } == set(said())


def test_an_override_that_somebody_made_since_the_limit_was_read_is_not_lost(
    staff, plan, tenant, monkeypatch
):
    from quotas.admin import tenant_buttons

    a_limit(plan, period=DAY)
    locked = tenant_buttons.locked

    def somebody_before(rows):
        monkeypatch.undo()
        other = client_of(a_user(is_staff=True, is_superuser=True))
        take(other, tenant, "grant", limit="api/minute", extra="3")
        return locked(rows)

    form = form_of(staff.get(step_url(tenant, "grant")), "step_form")
    monkeypatch.setattr(tenant_buttons, "locked", somebody_before)
    page = staff.post(step_url(tenant, "grant"), {**form, "extra": "5", "reason": "late"})

    assert "This limit was changed meanwhile." in page.content.decode()
    assert [13] == list(Override.objects.values_list("amount", flat=True))
    assert 1 == len(said())
    take(staff, tenant, "grant", limit="api/minute", extra="5")
    assert 18 == usage_of(tenant.pk).lines[0].limit.rule.amount
