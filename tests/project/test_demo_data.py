from __future__ import annotations

import pytest
from django.contrib.auth import authenticate, get_user_model
from django.core.management import CommandError
from django.core.serializers import serialize
from rest_framework.authtoken.models import Token

from quotas.models import Membership, Override, Plan, PlanLimit, Tenant

pytestmark = pytest.mark.django_db

MODELS = [Plan, PlanLimit, Tenant, Override, Membership, get_user_model(), Token]


@pytest.fixture
def debug(settings):
    settings.DEBUG = True


def everything():
    return {model: serialize("json", model._base_manager.order_by("pk")) for model in MODELS}


def test_the_names_that_tools_rely_on_are_there(debug, load):
    load()

    plans = {tenant.key: tenant.plan.key for tenant in Tenant.objects.select_related("plan")}
    assert {"acme": "free", "bolt": "pro", "cyan": "scale"} == plans
    owners = {token.key: token.user.username for token in Token.objects.select_related("user")}
    assert {"demo-acme": "acme", "demo-bolt": "bolt", "demo-cyan": "cyan"} == owners
    members = Membership.objects.values_list("user__username", "tenant__key")
    assert [(name, name) for name in ("acme", "bolt", "cyan")] == sorted(members)
    assert authenticate(username="staff", password="staff").is_superuser
    for name in ("acme", "bolt", "cyan"):
        assert not authenticate(username=name, password=name).is_staff
    assert ["cyan"] == [each.tenant.key for each in Override.objects.all()]


def test_everybody_has_an_address_that_is_nobodys(debug, load):
    load()

    users = get_user_model().objects.values_list("username", "email")
    assert {(name, f"{name}@example.com") for name in ("acme", "bolt", "cyan", "staff")} == {*users}


def test_every_row_passes_the_forms_of_the_admin(debug, load):
    load()

    for model in (Plan, PlanLimit, Tenant, Override, Membership):
        for row in model.objects.all():
            row.full_clean()


def test_a_second_run_changes_nothing(debug, load):
    load()
    before = everything()

    load()

    assert before == everything()


def test_a_second_run_leaves_what_staff_have_edited_and_removed(debug, load):
    load()
    PlanLimit.objects.filter(plan__key="free", name="minute").update(amount=77)
    PlanLimit.objects.filter(plan__key="pro", scope="exports").delete()
    Plan.objects.filter(key="free").update(is_default=False, name="Gratis")
    Plan.objects.filter(key="scale").update(is_default=True)
    Override.objects.all().delete()
    Membership.objects.filter(user__username="bolt").delete()
    acme = get_user_model().objects.get(username="acme")
    acme.set_password("another")
    acme.save()
    before = everything()

    load()

    assert before == everything()


def test_what_is_missing_is_made_again(debug, load):
    load()
    Tenant.objects.filter(key="cyan").delete()
    Token.objects.filter(key="demo-bolt").delete()

    load()

    assert 1 == Override.objects.filter(tenant__key="cyan").count()
    assert Membership.objects.filter(tenant__key="cyan", user__username="cyan").exists()
    assert "bolt" == Token.objects.get(key="demo-bolt").user.username


def test_another_default_plan_stays_the_default(debug, load):
    Plan.objects.create(key="ours", name="Ours", is_default=True)

    load()

    assert ["ours"] == [plan.key for plan in Plan.objects.filter(is_default=True)]


def test_a_second_run_hashes_no_password_and_asks_little(
    debug, load, monkeypatch, django_assert_max_num_queries
):
    load()
    monkeypatch.setattr("django.contrib.auth.hashers.make_password", None)
    monkeypatch.setattr("django.contrib.auth.base_user.make_password", None)

    with django_assert_max_num_queries(40):
        load()


def test_without_debug_nothing_is_loaded(settings, load):
    settings.DEBUG = False

    with pytest.raises(CommandError, match="DEBUG is off"):
        load()

    assert not any(model._base_manager.exists() for model in MODELS)
