from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from quotas.models import Alert, AlertSettings, Cap
from tests.models.rows import a_tenant

pytestmark = pytest.mark.django_db

START = datetime(2026, 10, 27, tzinfo=UTC)
DAY = timedelta(days=1)


def an_alert(tenant, **fields):
    values = {
        "scope": "api",
        "name": "minute",
        "threshold": "80",
        "period_start": START,
        "period_end": START + DAY,
        "used": 8,
        "amount": 10,
    }
    return Alert(tenant=tenant, **{**values, **fields})


def refuses(row):
    with pytest.raises(IntegrityError), transaction.atomic():
        row.save()
    return True


def test_the_database_takes_one_alert_of_a_threshold_and_period():
    tenant = a_tenant()
    an_alert(tenant).save()

    assert refuses(an_alert(tenant, used=9))
    an_alert(tenant, threshold="100").save()
    an_alert(tenant, period_start=START + DAY, period_end=START + 2 * DAY).save()
    an_alert(tenant, name="hour").save()
    an_alert(tenant, scope="*").save()
    an_alert(a_tenant()).save()
    assert 6 == Alert.objects.count()


@pytest.mark.parametrize(
    "fields",
    [
        {"used": -1},
        {"amount": 0},
        {"period_end": START},
        {"email_state": "gone"},
        {"webhook_state": ""},
    ],
)
def test_the_database_refuses_an_alert_that_makes_no_sense(fields):
    assert refuses(an_alert(a_tenant(), **fields))


def test_every_alert_has_a_reference_of_its_own():
    tenant = a_tenant()
    an_alert(tenant).save()

    assert refuses(an_alert(tenant, threshold="100", reference=Alert.objects.get().reference))


@pytest.mark.parametrize("amount", [0, -1, 10**12 + 1])
def test_the_database_refuses_a_cap_out_of_range(amount):
    cap = Cap(tenant=a_tenant(), scope="api", name="minute", amount=amount)

    assert refuses(cap)
    with pytest.raises(ValidationError):
        cap.full_clean()


def test_a_limit_has_one_cap():
    tenant = a_tenant()
    Cap.objects.create(tenant=tenant, scope="api", name="minute", amount=1)

    assert refuses(Cap(tenant=tenant, scope="api", name="minute", amount=2))


CAP_WRITES = {
    "save": lambda cap: cap.save(),
    "delete": lambda cap: cap.delete(),
    "update": lambda cap: Cap.objects.filter(pk=cap.pk).update(amount=3),
    "update-through-the-tenant": lambda cap: cap.tenant.caps.update(amount=3),
    "queryset-delete": lambda cap: Cap.objects.filter(pk=cap.pk).delete(),
    "bulk-create": lambda cap: Cap.objects.bulk_create(
        [Cap(tenant=cap.tenant, scope="api", name="hour", amount=3)]
    ),
    "update-or-create": lambda cap: Cap.objects.update_or_create(
        tenant=cap.tenant, scope="api", name="minute", defaults={"amount": 3}
    ),
}


@pytest.mark.parametrize("write", CAP_WRITES.values(), ids=CAP_WRITES)
def test_every_write_to_a_cap_is_announced_after_the_commit(hearing, write):
    cap = Cap.objects.create(tenant=a_tenant(), scope="api", name="minute", amount=5)
    pk = cap.tenant_id

    with hearing() as heard:
        write(cap)

    assert ({pk}, False) == (heard.tenants, heard.plans)


def test_alerts_and_what_is_chosen_of_them_announce_nothing(hearing):
    tenant = a_tenant()
    with hearing() as heard:
        an_alert(tenant).save()
        AlertSettings.objects.create(tenant=tenant)

    assert 0 == heard.times


def test_all_of_it_goes_with_its_tenant():
    tenant = a_tenant()
    an_alert(tenant).save()
    AlertSettings.objects.create(tenant=tenant)
    Cap.objects.create(tenant=tenant, scope="api", name="minute", amount=5)

    tenant.delete()

    assert not Alert.objects.exists()
    assert not AlertSettings.objects.exists()
    assert not Cap.objects.exists()
