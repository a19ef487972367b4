"""A grant at once is in the history before it is given, and one form gives once."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.admin.models import LogEntry
from django.db import DatabaseError, connections

from quotas.engine import granting
from quotas.models import Override
from tests.admin.browsers import client_of
from tests.admin.pages import form_of, texts_of
from tests.admin.test_tenant_steps import said, step_url, take
from tests.models.rows import a_limit, a_plan, a_tenant, a_user
from tests.services.asking import allowed, of_tenant, used
from tests.services.company import in_threads, refusing_rows

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.urls("tests.admin.urls")]

DAY = timedelta(days=1)
ASKED = "grant of 4 of api/minute asked; reason: a fair"
GIVEN = "granted 4 of api/minute; reason: a fair"
TWICE = "You have changed this tenant since you opened this page"


@pytest.fixture
def plan(transactional_db):
    return a_plan("pro", is_default=True)


@pytest.fixture
def tenant(plan):
    """A tenant that has used all of a bucket of 10."""
    tenant = a_tenant("acme")
    a_limit(plan, algorithm="token_bucket", period=DAY)
    assert 10 == allowed(of_tenant(tenant), times=10)
    return tenant


def filled(client, tenant):
    """What the page's form sends for a grant of 4."""
    sent = form_of(client.get(step_url(tenant, "grant")), "step_form")
    return {**sent, "limit": "api/minute", "extra": "4", "reason": "a fair"}


def test_a_grant_that_the_history_does_not_take_is_not_given(staff, tenant):
    form = filled(staff, tenant)

    with refusing_rows(LogEntry, "object_id", str(tenant.pk)), pytest.raises(DatabaseError):
        staff.post(step_url(tenant, "grant"), form)

    assert {"minute": 10} == used(tenant.pk)


@pytest.mark.parametrize("atomic_requests", [False, True])
def test_what_is_asked_is_committed_before_it_is_given(staff, tenant, monkeypatch, atomic_requests):
    monkeypatch.setitem(connections.settings["default"], "ATOMIC_REQUESTS", atomic_requests)
    grant, before = granting.grant, []

    def look(*args, **kwargs):
        before.extend(*in_threads(said))  # over a connection of its own
        return grant(*args, **kwargs)

    monkeypatch.setattr(granting, "grant", look)
    take(staff, tenant, "grant", limit="api/minute", extra="4")

    assert [ASKED] == before
    assert [GIVEN] == said()


def test_a_grant_whose_end_the_history_does_not_take_is_told_and_still_asked_in_it(
    staff, tenant, caplog
):
    with refusing_rows(LogEntry, "change_message", GIVEN):
        answer = take(staff, tenant, "grant", limit="api/minute", extra="4")

    assert ["acme: granted 4 of api/minute."] == texts_of(staff.get(answer.url))
    assert {"minute": 6} == used(tenant.pk)
    assert [ASKED] == said()
    assert "The history keeps only" in caplog.text


def test_a_form_that_is_sent_twice_gives_once(staff, tenant):
    form = filled(staff, tenant)

    first, second = (staff.post(step_url(tenant, "grant"), form) for _ in range(2))

    assert 302 == first.status_code
    assert TWICE in second.content.decode()
    assert {"minute": 6} == used(tenant.pk)
    assert [GIVEN] == said()


def test_a_form_that_is_sent_twice_at_once_gives_once(tenant):
    user = a_user(is_staff=True, is_superuser=True)
    clients = [client_of(user) for _ in range(2)]
    form = filled(clients[0], tenant)

    def send(client):
        return client.post(step_url(tenant, "grant"), form).status_code

    sent = in_threads(*(lambda client=client: send(client) for client in clients))

    assert [200, 302] == sorted(sent)
    assert {"minute": 6} == used(tenant.pk)


def test_a_form_that_is_sent_twice_extends_a_period_once(staff, tenant, plan):
    a_limit(plan, name="day", period=DAY)
    form = {**filled(staff, tenant), "limit": "api/day"}

    pages = [staff.post(step_url(tenant, "grant"), form) for _ in range(2)]

    assert TWICE in pages[1].content.decode()
    assert [14] == list(Override.objects.values_list("amount", flat=True))


def test_a_form_that_gave_nothing_may_be_sent_again(staff, tenant, private_server):
    form = filled(staff, tenant)
    assert "Nothing was given" in staff.post(step_url(tenant, "grant"), form).content.decode()
    allowed(of_tenant(tenant), times=5)

    staff.post(step_url(tenant, "grant"), form)

    assert {"minute": 1} == used(tenant.pk)
    assert [GIVEN] == said()
