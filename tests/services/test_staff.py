"""Which tenants staff see, as ``QUOTAS_STAFF_TENANTS`` tells; what does not tell opens nothing."""

from __future__ import annotations

import pytest
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Group

from quotas.errors import StaffTenantsUnknown
from quotas.models import AnonymousQuarter, Membership, Plan, PlanLimit, Tenant
from quotas.services.staff import own_rows, seen_by, sees
from tests.models.rows import a_limit, a_membership, a_plan, a_tenant, a_user

pytestmark = pytest.mark.django_db

answer = None
"""What the project's function below returns; an exception is raised."""


def told(user):
    if isinstance(answer, Exception):
        raise answer
    return answer


@pytest.fixture
def tells(settings, monkeypatch):
    """Makes the project tell something of everybody."""
    settings.QUOTAS_STAFF_TENANTS = f"{__name__}.told"
    return lambda value: monkeypatch.setitem(globals(), "answer", value)


@pytest.fixture
def acme(db):
    return a_tenant("acme")


@pytest.fixture
def bolt(acme):
    return a_tenant("bolt")


def test_without_the_setting_staff_see_all_tenants(acme):
    assert seen_by(a_user()) is None
    assert sees(a_user(), acme.pk)


TOLD = {
    "list": lambda pk: [pk],
    "texts": lambda pk: {str(pk)},
    "iterator": lambda pk: iter([pk]),
    "queryset": lambda pk: Tenant.objects.filter(pk=pk),
    "values": lambda pk: Tenant.objects.filter(pk=pk).values("key"),
    "of-others": lambda pk: Membership.objects.filter(tenant=pk).values_list("tenant", flat=True),
}


@pytest.mark.parametrize("of", [pytest.param(each, id=name) for name, each in TOLD.items()])
def test_the_project_tells_which_tenants_they_see(tells, acme, bolt, of):
    a_membership(acme)
    tells(of(acme.pk))

    seen = seen_by(a_user())

    assert [acme] == list(seen)


def test_the_project_may_tell_that_they_see_all_or_none(tells, acme):
    tells(None)
    assert sees(a_user(), acme.pk)

    tells([])
    assert not sees(a_user(), acme.pk)


@pytest.mark.parametrize(
    "wrong",
    [
        pytest.param(ValueError("no such thing"), id="raises"),
        pytest.param("1", id="text"),
        pytest.param(True, id="yes"),
        pytest.param(1, id="number"),
        pytest.param(["acme"], id="keys"),
    ],
)
def test_what_tells_nothing_opens_nothing_and_says_why(tells, acme, wrong):
    tells(wrong)

    with pytest.raises(StaffTenantsUnknown, match=r"QUOTAS_STAFF_TENANTS is .*told'.*None for all"):
        assert not sees(a_user(), acme.pk)


@pytest.mark.parametrize("path", ["", "shop.staff.tenants", "quotas.services.staff.nothing", 7])
def test_a_path_that_leads_nowhere_opens_nothing(settings, path):
    settings.QUOTAS_STAFF_TENANTS = path

    with pytest.raises(StaffTenantsUnknown):
        seen_by(a_user())


@pytest.mark.parametrize(
    ("fields", "keys"),
    [
        ({"is_staff": True}, ["acme"]),
        ({"is_staff": True, "is_superuser": True}, ["acme", "bolt"]),
        ({"is_staff": True, "is_superuser": True, "is_active": False}, ["acme"]),
    ],
)
def test_by_membership_superusers_see_all_and_others_their_own(settings, acme, bolt, fields, keys):
    settings.QUOTAS_STAFF_TENANTS = "quotas.services.staff.by_membership"
    user = a_user(**fields)
    a_membership(acme, user)

    assert keys == [each.key for each in (acme, bolt) if sees(user, each.pk)]


def test_rows_belong_to_the_tenants_that_they_name(acme, bolt):
    own, default, other = a_plan("own"), a_plan("default", is_default=True), a_plan("other")
    limits = {plan: a_limit(plan) for plan in (own, default, other)}
    Tenant.objects.filter(pk=acme.pk).update(plan=own)
    Tenant.objects.filter(pk=bolt.pk).update(plan=other)
    mine, theirs = a_membership(acme), a_membership(bolt)

    def found(rows):
        return set(own_rows(Tenant.objects.filter(pk=acme.pk), rows))

    assert {acme} == found(Tenant.objects.all())
    assert {own, default} == found(Plan.objects.all())
    assert {limits[own], limits[default]} == found(PlanLimit.objects.all())
    assert {mine} == found(Membership.objects.all())
    assert {mine.user} == found(get_user_model().objects.all())
    assert theirs.user not in found(get_user_model().objects.all())


def test_rows_that_do_not_say_whose_they_are_are_nobodys(acme):
    Group.objects.create(name="all")
    AnonymousQuarter.objects.create(scope="api", start="2026-01-01T00:00Z", generation=1)

    for model in (Group, AnonymousQuarter):
        assert not own_rows(Tenant.objects.all(), model.objects.all()).exists()
