from __future__ import annotations

import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.db.models import ProtectedError
from django.urls import path, reverse
from django.views import View

from quotas.models import Membership, Plan, Tenant
from tests.models.rows import a_membership, a_plan, a_tenant, a_user

pytestmark = pytest.mark.django_db

urlpatterns = [path("quotas/<str:tenant>/", View.as_view(), name="usage")]


def refusal(row) -> dict[str, list[str]]:
    with pytest.raises(ValidationError) as caught:
        row.full_clean()
    return caught.value.message_dict


@pytest.mark.urls(__name__)
@pytest.mark.parametrize(
    "key",
    [
        pytest.param("東京支店", id="another-script"),
        pytest.param("{curly}{braces}", id="braces"),
        pytest.param("with space, comma & quote'\"", id="punctuation"),
        pytest.param("...", id="dots"),
        pytest.param("🦀", id="beyond-the-basic-plane"),
        pytest.param("a" * 100, id="long"),
    ],
)
def test_a_key_is_any_text_that_can_stand_in_an_address(key):
    tenant = Tenant(key=key, name="Tenant")

    tenant.full_clean()
    tenant.save()

    assert tenant == Tenant.objects.get(key=key)
    assert reverse("usage", args=[key]).startswith("/quotas/")


@pytest.mark.parametrize(
    "key",
    [
        pytest.param("", id="nothing"),
        pytest.param("   ", id="spaces"),
        pytest.param("\u3000", id="a-wide-space"),
        pytest.param("a/b", id="slash"),
        pytest.param("a\nb", id="line-break"),
        pytest.param("a\n", id="line-break-at-the-end"),
        pytest.param("a\x00b", id="nul"),
        pytest.param("a\x7fb", id="delete"),
        pytest.param("a\x85b", id="next-line"),
        pytest.param("a\u2028b", id="line-separator"),
        pytest.param("a\ud800b", id="half-a-surrogate-pair"),
        pytest.param(".", id="here"),
        pytest.param("..", id="one-up"),
        pytest.param("a" * 101, id="too-long"),
    ],
)
def test_a_key_that_cannot_stand_in_an_address_is_refused(key):
    assert ["key"] == list(refusal(Tenant(key=key, name="Tenant")))


def test_a_key_belongs_to_one_tenant():
    a_tenant("acme")

    assert ["key"] == list(refusal(Tenant(key="acme", name="Other")))


def test_an_unknown_time_zone_is_refused_with_the_nearest_name():
    errors = refusal(Tenant(key="acme", name="Acme", time_zone="Europe/Berln"))

    assert ["time_zone"] == list(errors)
    assert "'Europe/Berln'" in errors["time_zone"][0]
    assert "Europe/Berlin" in errors["time_zone"][0]


def test_a_time_zone_is_not_checked_when_a_form_leaves_it_out():
    Tenant(key="acme", name="Acme", time_zone="Nowhere/Land").full_clean(exclude={"time_zone"})


@pytest.mark.parametrize("day", [0, 32])
def test_an_anchor_day_is_a_day_of_a_month(day):
    assert ["anchor_day"] == list(refusal(Tenant(key="acme", name="Acme", anchor_day=day)))
    with pytest.raises(IntegrityError), transaction.atomic():
        a_tenant(anchor_day=day)


def test_a_tenant_is_made_with_defaults_that_work():
    tenant = a_tenant("acme")

    assert ("UTC", 1, None, False, 0) == (
        tenant.time_zone,
        tenant.anchor_day,
        tenant.plan,
        tenant.suspended,
        tenant.epoch,
    )


def test_a_plan_that_tenants_have_cannot_be_deleted():
    tenant = a_tenant(plan=a_plan())

    with pytest.raises(ProtectedError):
        tenant.plan.delete()


@pytest.mark.parametrize("field", ["is_default", "is_anonymous"])
def test_one_plan_at_most_is_the_default_or_the_anonymous_one(field):
    a_plan(**{field: True})
    a_plan()
    second = Plan(key="second", name="Second", **{field: True})

    refusal(second)
    with pytest.raises(IntegrityError), transaction.atomic():
        second.save()


def test_the_default_plan_is_active():
    errors = refusal(Plan(key="free", name="Free", is_default=True, active=False))

    assert ["active"] == list(errors)


def test_a_user_belongs_to_a_tenant_once():
    member = a_membership()

    with pytest.raises(IntegrityError), transaction.atomic():
        a_membership(tenant=member.tenant, user=member.user)


def test_a_user_has_one_default_tenant_at_most():
    user = a_user()
    a_membership(user=user, is_default=True)
    a_membership(user=user)
    third = Membership(user=user, tenant=a_tenant(), is_default=True)

    refusal(third)
    with pytest.raises(IntegrityError), transaction.atomic():
        third.save()


def test_two_users_have_a_default_tenant_each():
    tenant = a_tenant()

    a_membership(tenant, is_default=True)
    a_membership(tenant, is_default=True)

    assert 2 == tenant.memberships.filter(is_default=True).count()
