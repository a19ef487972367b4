"""Staff look at alerts, and see to caps and to how tenants are told."""

from __future__ import annotations

import pytest
from django.contrib.admin.models import LogEntry
from django.db import connection
from django.test.utils import CaptureQueriesContext

from quotas.models import Alert, AlertSettings, Cap, Tenant
from tests.admin.pages import act, add_url, change_url, form_of, list_url, submit
from tests.models.rows import a_limit, a_tenant
from tests.services import alerting

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.admin.urls")]


def an_alert(tenant=None):
    return alerting.an_alert(tenant or a_tenant())


def settings(tenant=None):
    return AlertSettings.objects.create(tenant=tenant or a_tenant(), webhook_secret="whsec_AAAA")


def a_cap(tenant=None):
    return Cap.objects.create(tenant=tenant or a_tenant(), scope="api", name="minute", amount=5)


@pytest.mark.parametrize("make", [an_alert, settings, a_cap])
def test_a_list_takes_the_same_few_queries_whatever_its_length(staff, make):
    url = list_url(type(make()))
    staff.get(url)
    numbers = []
    for _ in range(2):
        with CaptureQueriesContext(connection) as queries:
            assert 200 == staff.get(url).status_code
        numbers.append(len(queries))
        for _ in range(12):
            make()

    assert numbers[0] == numbers[1] <= 10


def test_alerts_are_looked_at_and_not_changed(staff):
    alert = an_alert()

    assert 200 == staff.get(change_url(alert)).status_code
    assert 403 == staff.get(add_url(Alert)).status_code
    assert 403 == staff.post(change_url(alert).replace("change", "delete")).status_code
    act(staff, Alert, "delete_selected", [alert], post="yes")
    assert Alert.objects.exists()


def test_a_tenant_is_deleted_with_all_its_alerts(staff):
    tenant = a_tenant()
    an_alert(tenant)
    settings(tenant)
    a_cap(tenant)

    staff.post(change_url(tenant).replace("change", "delete"), {"post": "yes"})

    assert not Tenant.objects.exists()
    assert not Alert.objects.exists()


def test_a_cap_knows_which_of_the_staff_set_it_and_its_history_what_it_was(staff):
    cap = a_cap()

    assert 302 == submit(staff, change_url(cap), Cap, amount="3").status_code

    cap.refresh_from_db()
    assert 3 == cap.amount
    assert cap.set_by.is_staff
    assert "amount: 5 → 3" in LogEntry.objects.latest("pk").change_message


def test_staff_never_see_the_secret_and_a_webhook_gets_one(staff):
    kept = settings()
    blank = AlertSettings.objects.create(tenant=a_tenant())

    assert b"whsec_" not in staff.get(change_url(kept)).content
    for row in (kept, blank):
        answer = submit(staff, change_url(row), AlertSettings, webhook_url="https://example.com/")
        assert 302 == answer.status_code
        row.refresh_from_db()
    assert "whsec_AAAA" == kept.webhook_secret
    assert blank.webhook_secret.startswith("whsec_")
    assert "whsec_" not in "".join(LogEntry.objects.values_list("change_message", flat=True))


def test_an_address_inside_is_no_webhook(staff):
    row = settings()

    answer = submit(staff, change_url(row), AlertSettings, webhook_url="https://10.0.0.1/")

    assert b"The host is not on the public internet" in answer.content
    row.refresh_from_db()
    assert "" == row.webhook_url


def test_whether_a_projection_warns_is_edited_with_the_limit(staff):
    limit = a_limit()
    page = staff.get(change_url(limit))

    assert "on" == form_of(page, "planlimit_form")["warn_projected"]
    answer = submit(staff, change_url(limit), type(limit), warn_projected="")

    assert 302 == answer.status_code
    limit.refresh_from_db()
    assert not limit.warn_projected
