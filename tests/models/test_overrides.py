from __future__ import annotations

from datetime import timedelta

import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils import timezone

from quotas.models import CalendarBalance, Override
from tests.models.rows import a_tenant, a_user, an_override, limit_fields

pytestmark = pytest.mark.django_db

NOW = timezone.now()
HOUR = timedelta(hours=1)


def test_an_override_is_in_force_from_its_start_up_to_and_without_its_end():
    tenant = a_tenant()
    override = an_override(tenant, starts_at=NOW, ends_at=NOW + HOUR)
    instants = [NOW - timedelta(microseconds=1), NOW, NOW + HOUR - timedelta(microseconds=1)]

    in_force = [override in Override.objects.in_force(instant) for instant in instants]

    assert [False, True, True] == in_force
    assert [] == list(Override.objects.in_force(NOW + HOUR))
    assert [] == list(Override.objects.not_over(NOW + HOUR))
    assert [override] == list(Override.objects.not_over(NOW - HOUR))


def test_an_override_without_an_end_stays_in_force():
    override = an_override(starts_at=NOW)

    assert [override] == list(Override.objects.in_force(NOW + 10_000 * HOUR))


def test_of_several_in_force_the_one_that_began_last_comes_last_and_of_equals_the_newest():
    tenant = a_tenant()
    late = an_override(tenant, starts_at=NOW, amount=1)
    early = an_override(tenant, starts_at=NOW - HOUR, amount=2)
    late_too = an_override(tenant, starts_at=NOW, amount=3)

    assert [early, late, late_too] == list(tenant.overrides.in_force(NOW))


def test_overrides_of_one_limit_may_overlap():
    tenant = a_tenant()
    first = an_override(tenant)

    Override(tenant=tenant, reason="more", starts_at=NOW, **limit_fields()).full_clean()

    assert first in Override.objects.in_force(timezone.now())


@pytest.mark.parametrize("later", [timedelta(0), -HOUR])
def test_an_override_ends_after_it_starts(later):
    override = Override(
        tenant=a_tenant(), reason="r", starts_at=NOW, ends_at=NOW + later, **limit_fields()
    )

    with pytest.raises(ValidationError) as caught:
        override.full_clean()

    assert ["ends_at"] == list(caught.value.message_dict)
    with pytest.raises(IntegrityError), transaction.atomic():
        override.save()


def test_an_override_outlives_who_made_it():
    user = a_user()
    override = an_override(created_by=user)

    user.delete()

    assert Override.objects.get(pk=override.pk).created_by is None


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param({"amount": -1}, id="negative-amount"),
        pytest.param({"capacity": 5}, id="capacity-of-a-window"),
        pytest.param({"unit": "day"}, id="unit-of-a-window"),
        pytest.param({"mode": "maybe"}, id="an-unknown-mode"),
    ],
)
def test_the_database_refuses_what_is_no_limit(fields):
    tenant = a_tenant()

    with pytest.raises(IntegrityError), transaction.atomic():
        an_override(tenant, **fields)


def a_balance(tenant, **fields):
    values = {
        "scope": "api",
        "name": "month",
        "unit": "month",
        "period_start": NOW,
        "period_end": NOW + HOUR,
        "used": 5,
        **fields,
    }
    return CalendarBalance.objects.create(tenant=tenant, **values)


def test_a_balance_is_kept_once_for_each_subject_and_epoch():
    tenant = a_tenant()
    a_balance(tenant)
    a_balance(tenant, subject="u7")
    a_balance(tenant, epoch=1)
    a_balance(tenant, unit="year")

    with pytest.raises(IntegrityError), transaction.atomic():
        a_balance(tenant)


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param({"used": -1}, id="negative"),
        pytest.param({"unit": "decade"}, id="an-unknown-unit"),
        pytest.param({"period_end": NOW}, id="no-time"),
    ],
)
def test_a_balance_that_cannot_be_is_refused(fields):
    tenant = a_tenant()

    with pytest.raises(IntegrityError), transaction.atomic():
        a_balance(tenant, **fields)
