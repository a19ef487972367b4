"""Two threads of one process that read at once: what the slower one read is found out."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Event
from unittest.mock import patch

import pytest
from django.db import connections

from quotas.engine import owners
from quotas.errors import Refusal
from quotas.models import Membership, PlanLimit, Tenant
from quotas.services import loading
from tests.models.rows import a_limit, a_membership, a_plan, a_tenant
from tests.services.asking import ask, left, of_tenant, of_user

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("clock")]

POLL = 1.001
"""Seconds: a little more than QUOTAS_PLAN_POLL."""
PATIENCE = 20


@pytest.fixture
def plan(transactional_db):
    made = a_plan("pro")
    a_limit(made, amount=10)
    return made


@pytest.fixture
def tenant(plan):
    return a_tenant("acme", plan=plan)


def outcome(caller):
    try:
        return str(ask(caller).decision.outcome)
    except Refusal as refusal:
        return refusal.code


@contextmanager
def another_thread_held_up(place, name, question):
    """Another thread asks ``question``; until the block ends it waits after its ``place.name``.

    Gives its answer to come, and the calls of ``place.name`` by all threads.
    """
    usual, calls, held, go = getattr(place, name), [], Event(), Event()

    def read(*args, **options):
        found = usual(*args, **options)
        calls.append(args)
        if len(calls) == 1:
            held.set()
            go.wait(PATIENCE)
        return found

    def run():
        try:
            return question()
        finally:
            connections.close_all()

    with patch.object(place, name, read), ThreadPoolExecutor(1) as pool:
        answer = pool.submit(run)
        try:
            assert held.wait(PATIENCE)
            yield answer, calls
        finally:
            go.set()
        answer.result(PATIENCE)


def test_a_tenant_edited_while_a_thread_reads_it_is_as_edited_in_every_thread(tenant):
    with another_thread_held_up(loading, "load_tenant", lambda: outcome(of_tenant(tenant))) as (
        there,
        _,
    ):
        Tenant.objects.update(suspended=True)
        here = outcome(of_tenant(tenant))

    assert ["tenant_suspended"] * 2 == [here, there.result()]
    assert "tenant_suspended" == outcome(of_tenant(tenant))


def test_plans_edited_while_a_thread_reads_them_are_as_edited_within_the_poll(tenant, later):
    with another_thread_held_up(loading, "load_plans", lambda: outcome(of_tenant(tenant))):
        PlanLimit.objects.update(amount=100)
        assert {"minute": 99} == left(ask(of_tenant(tenant)))

    later(POLL)

    assert {"minute": 97} == left(ask(of_tenant(tenant)))


def test_a_member_removed_while_a_thread_reads_memberships_acts_for_the_tenant_no_more(tenant):
    """Another member's request has read the tenant meanwhile, under its new version."""
    ada, bob = (a_membership(tenant).user for _ in range(2))
    ask(of_user(ada))
    ask(of_user(ada))

    with another_thread_held_up(loading, "load_memberships", lambda: outcome(of_user(bob))):
        Membership.objects.filter(user=bob).delete()
        assert "allowed" == outcome(of_user(ada))

    assert "not_in_plan" == outcome(of_user(bob))


def test_while_a_thread_asks_for_the_plans_version_others_go_on_with_what_is_held(tenant, later):
    ask(of_tenant(tenant))
    later(POLL)

    with another_thread_held_up(owners, "plans_version", lambda: outcome(of_tenant(tenant))) as (
        there,
        calls,
    ):
        assert {"minute": 8} == left(ask(of_tenant(tenant)))
        assert 1 == len(calls)

    assert "allowed" == there.result()
