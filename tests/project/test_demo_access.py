from __future__ import annotations

import pytest
from django.contrib.auth import authenticate, get_user_model
from django.test import Client
from rest_framework.authtoken.models import Token

LOGINS = ["staff", "acme", "bolt", "cyan"]


@pytest.mark.parametrize("name", LOGINS)
def test_the_demos_passwords_work_with_debug_only(demo, settings, name):
    assert authenticate(username=name, password=name)

    settings.DEBUG = False

    assert authenticate(username=name, password=name) is None
    assert not Client().login(username=name, password=name)


def test_a_session_that_began_with_debug_ends_without(demo, settings):
    client = Client()
    assert client.login(username="acme", password="acme")
    assert 200 == client.get("/quotas/acme/usage.json").status_code

    settings.DEBUG = False

    assert client.get("/quotas/acme/usage.json").status_code in {401, 403}
    assert client.get("/quotas/acme/")["Location"].startswith("/login/")


def test_the_demos_tokens_work_with_debug_only(demo, settings, api_of):
    acme = api_of("acme")
    assert 200 == acme.get("/api/reports/").status_code

    settings.DEBUG = False

    for path in ("/api/reports/", "/quotas/acme/usage.json"):
        refused = acme.get(path)
        assert 401 == refused.status_code
        assert b"acme" not in refused.content


def test_others_log_in_without_debug_too(demo, settings, api_of):
    settings.DEBUG = False
    ada = get_user_model().objects.create_user("ada", password="s3cret")
    token = Token.objects.create(user=ada)

    assert authenticate(username="ada", password="s3cret") == ada
    answer = api_of(Authorization=f"Token {token.key}").get("/api/reports/")
    assert 200 == answer.status_code


def test_a_login_that_is_not_active_stays_out(demo):
    get_user_model().objects.filter(username="acme").update(is_active=False)

    assert authenticate(username="acme", password="acme") is None
