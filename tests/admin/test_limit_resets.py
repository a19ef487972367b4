"""Staff reset one counter: at once, for whomever it counts, with the reason kept."""

from __future__ import annotations

import json
from datetime import timedelta
from threading import Thread

import pytest
from django.db import connections

from quotas.models import LimitReset
from tests.admin.browsers import client_of
from tests.admin.pages import form_of
from tests.admin.test_tenant_steps import said, somebody_who_may, step_url, take
from tests.models.rows import a_limit, a_plan, a_tenant, a_user
from tests.services.asking import allowed, of_tenant, used

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.urls("tests.admin.urls")]

DAY = timedelta(days=1)


@pytest.fixture
def plan(transactional_db):
    plan = a_plan("pro", is_default=True)
    a_limit(plan, amount=10, period=DAY)
    a_limit(plan, amount=20, period=DAY, name="other")
    return plan


@pytest.fixture
def tenant(plan):
    return a_tenant("acme")


def reset(client, tenant, **fields):
    return take(client, tenant, "reset-counter", **{"limit": "api/minute", **fields})


def test_one_counter_starts_anew_and_the_others_go_on(staff, tenant):
    assert 10 == allowed(of_tenant(tenant), times=11)

    assert 302 == reset(staff, tenant).status_code

    assert {"minute": 0, "other": 10} == used(tenant.pk)
    assert 10 == allowed(of_tenant(tenant), times=11)
    assert ["counters of api/minute reset; epoch: 0 → 1; reason: a fair"] == said()


def test_the_page_of_the_tenant_shows_it_at_once(staff, tenant):
    allowed(of_tenant(tenant), times=10)

    page = staff.get(reset(staff, tenant).url)

    assert "Reset one counter: done for acme." in page.content.decode()
    assert {"api/minute": "0 of 10 used", "api/other": "10 of 20 used"} == {
        f"{each.limit.scope}/{each.limit.name}": each.used for each in page.context["effective"]
    }


def test_every_limit_that_is_evaluated_can_be_reset(staff, plan, tenant):
    for name, fields in {
        "each": {"subject": "user"},
        "free": {"amount": None},
        "none": {"amount": 0},
        "off": {"mode": "off"},
        "shadow": {"mode": "shadow", "scope": "*"},
    }.items():
        a_limit(plan, **{"name": name, **fields})

    form = staff.get(step_url(tenant, "reset-counter")).context["form"]

    assert ["*/shadow", "api/each", "api/free", "api/minute", "api/none", "api/other"] == [
        key for key, _ in form.fields["limit"].choices
    ]


def test_a_limit_that_is_gone_since_the_page_was_opened_is_not_reset(staff, plan, tenant):
    form = form_of(staff.get(step_url(tenant, "reset-counter")), "step_form")
    plan.limits.filter(name="minute").delete()

    page = staff.post(step_url(tenant, "reset-counter"), {**form, "reason": "late"})

    assert "is not one of the available choices" in page.content.decode()
    assert not LimitReset.objects.exists()
    assert [] == said()


@pytest.mark.parametrize("fields", [{"reason": ""}, {"limit": "api/none"}, {"limit": ""}])
def test_without_a_reason_or_a_limit_nothing_is_reset(staff, tenant, fields):
    assert 200 == reset(staff, tenant, **fields).status_code

    assert not LimitReset.objects.exists()
    assert [] == said()


def test_two_resets_at_once_are_two(plan, tenant):
    clients = [client_of(a_user(is_staff=True, is_superuser=True)) for _ in range(2)]
    form = form_of(clients[0].get(step_url(tenant, "reset-counter")), "step_form")

    def send(client):
        client.post(step_url(tenant, "reset-counter"), {**form, "reason": "both"})
        connections.close_all()

    threads = [Thread(target=send, args=(client,)) for client in clients]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert [2] == list(LimitReset.objects.values_list("epoch", flat=True))
    assert ["epoch: 0 → 1", "epoch: 1 → 2"] == sorted(each.split("; ")[1] for each in said())


def test_without_redis_a_counter_is_reset_all_the_same(staff, tenant, private_server):
    private_server.stop()

    assert 302 == reset(staff, tenant).status_code

    assert 1 == LimitReset.objects.get().epoch


def test_a_reset_needs_the_permission_to_change_tenants(tenant):
    client = somebody_who_may("view_tenant", "change_tenant")

    assert 302 == reset(client, tenant).status_code

    assert json.dumps(said()).count("reset") == 1


def test_a_deleted_tenant_takes_its_resets_with_it(staff, tenant):
    reset(staff, tenant)

    tenant.delete()

    assert not LimitReset.objects.exists()
