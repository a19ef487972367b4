"""Who may look at the alerts of a tenant, and who may change what becomes of them."""

from __future__ import annotations

import pytest
from django.test import Client

from quotas.models import Alert, AlertSettings, Cap
from tests.models.rows import a_membership, a_user
from tests.services.alerting import an_alert
from tests.views.looking import Reading, a_customer, browser, member_of, staff_who_may
from tests.views.test_case_u5 import outsiders

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.views.urls")]

POSTS = [
    {"do": "settings", "webhook_url": "https://evil.example.com/"},
    {"do": "secret"},
    {"do": "cap", "scope": "reports", "name": "secret", "amount": "1"},
    {"do": "uncap", "scope": "reports", "name": "secret"},
    {"do": "nothing"},
]
posts = pytest.mark.parametrize("fields", POSTS, ids=lambda fields: fields["do"])


@pytest.fixture
def mine():
    return a_customer({"name": "open"}, key="mine")


@pytest.fixture
def foreign():
    tenant = a_customer({"name": "secret", "amount": 7654321}, key="foreign")
    AlertSettings.objects.create(
        tenant=tenant, webhook_url="https://hush.example.com/", webhook_secret="whsec_AAAA"
    )
    Cap.objects.create(tenant=tenant, scope="reports", name="secret", amount=1234567)
    an_alert(tenant, scope="reports", name="secret", used=1111111, amount=1234567)
    return tenant


def kept():
    """All that could be changed."""
    models = (AlertSettings, Cap, Alert)
    return [list(model.objects.order_by("pk").values()) for model in models]


def strangers(mine):
    chief = a_user()
    a_membership(mine, chief, role="manager")
    return {
        **outsiders(mine),
        "manager of another": browser(chief),
        "staff who may change tenants, but not see them": staff_who_may("change_tenant"),
    }


def test_strangers_find_the_same_nothing_as_for_a_tenant_that_does_not_exist(mine, foreign):
    for who, client in strangers(mine).items():
        of_foreign = client.get("/quotas/foreign/alerts/")
        of_nobody = client.get("/quotas/nobody/alerts/")

        assert (404, 404) == (of_foreign.status_code, of_nobody.status_code), who
        assert of_nobody.content == of_foreign.content, who
        assert of_nobody.headers == of_foreign.headers, who


@posts
def test_strangers_change_nothing_and_learn_nothing(mine, foreign, fields):
    before = kept()
    for who, client in strangers(mine).items():
        of_foreign = client.post("/quotas/foreign/alerts/", fields)
        of_nobody = client.post("/quotas/nobody/alerts/", fields)

        assert (404, 404) == (of_foreign.status_code, of_nobody.status_code), who
        assert of_nobody.content == of_foreign.content, who
    assert before == kept()


@posts
def test_whoever_has_not_logged_in_is_sent_to_do_so(foreign, fields):
    before = kept()

    for key in ("foreign", "nobody"):
        for answer in (
            Client().get(f"/quotas/{key}/alerts/"),
            Client().post(f"/quotas/{key}/alerts/", fields),
        ):
            assert 302 == answer.status_code
            assert answer["Location"].startswith("/accounts/login/")
    assert before == kept()


@posts
def test_viewers_and_staff_who_only_see_change_nothing(foreign, fields):
    before = kept()

    for client in (member_of(foreign), staff_who_may("view_tenant")):
        assert 403 == client.post("/quotas/foreign/alerts/", fields).status_code
    assert before == kept()


def test_viewers_see_the_alerts_and_caps_and_no_forms_address_or_secret(foreign):
    for client in (member_of(foreign), staff_who_may("view_tenant")):
        answer = client.get("/quotas/foreign/alerts/")

        shown = Reading(answer)
        assert "80 % used 1,111,111 of 1,234,567" in shown.text
        assert "your own cap: 1,234,567" in shown.text
        assert [] == shown.all("form") + shown.all("input")
        for hidden in (b"hush.example.com", b"whsec_"):
            assert hidden not in answer.content
        assert "private, no-store" == answer["Cache-Control"]


@posts
def test_managers_and_staff_who_may_change_tenants_are_listened_to(foreign, fields):
    chief = a_user()
    a_membership(foreign, chief, role="manager")

    for client in (browser(chief), staff_who_may("view_tenant", "change_tenant")):
        answer = client.post("/quotas/foreign/alerts/", fields)

        assert (400 if fields["do"] == "nothing" else 302) == answer.status_code


def test_a_manager_of_two_tenants_changes_the_one_that_is_named(mine, foreign):
    chief = a_user()
    for each in (mine, foreign):
        a_membership(each, chief, role="manager")
    before = kept()

    browser(chief).post(
        "/quotas/mine/alerts/", {"do": "cap", "scope": "reports", "name": "open", "amount": "3"}
    )

    assert before[0] == kept()[0]
    assert [("mine", 3)] == [
        (each.tenant.key, each.amount) for each in Cap.objects.exclude(tenant=foreign)
    ]


def test_a_membership_that_was_taken_away_changes_nothing_any_more(foreign):
    chief = a_user()
    membership = a_membership(foreign, chief, role="manager")
    client = browser(chief)
    membership.role = "viewer"
    membership.save()

    assert 403 == client.post("/quotas/foreign/alerts/", POSTS[1]).status_code
    membership.delete()
    assert 404 == client.post("/quotas/foreign/alerts/", POSTS[1]).status_code
