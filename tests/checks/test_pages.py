"""Usage pages send whoever has not logged in to a page that is there."""

from __future__ import annotations

import pytest
from django.contrib.auth.views import LoginView
from django.urls import include, path, reverse_lazy

from quotas.views.pages import TenantList
from tests.checks.views import module


def site(*paths):
    """A URLconf with the usage pages and a page to log in, besides these."""
    log_in = path("in/", LoginView.as_view(), name="log-in")
    return module([path("quotas/", include("quotas.urls")), log_in, *paths])


@pytest.mark.parametrize("url", ["/accounts/login/", "log_in", "/in/here/", "http://["])
def test_a_log_in_that_leads_nowhere_is_told(settings, said, url):
    settings.ROOT_URLCONF = site()
    settings.LOGIN_URL = url

    [message] = said()["quotas.W027"]

    assert f"LOGIN_URL is {url!r}, which leads to no page" in message.msg
    assert "django.contrib.auth.urls" in message.hint


@pytest.mark.parametrize(
    "url",
    ["/in/", "/in/?from=quotas", "/in", "log-in", reverse_lazy("log-in"), "https://in.example/"],
    ids=["path", "query", "slash to come", "name", "lazy", "another site"],
)
def test_a_log_in_that_leads_to_a_page_is_right(settings, said, url):
    settings.ROOT_URLCONF = site()
    settings.LOGIN_URL = url

    assert {} == said()


def test_without_a_slash_to_come_the_address_is_taken_as_it_is(settings, said):
    settings.ROOT_URLCONF = site()
    settings.LOGIN_URL, settings.APPEND_SLASH = "/in", False

    assert "quotas.W027" in said()


def test_without_usage_pages_nobody_is_sent_there(settings, said):
    settings.ROOT_URLCONF = module([path("in/", LoginView.as_view())])
    settings.LOGIN_URL = "/nowhere/"

    assert {} == said()


def test_pages_that_name_a_log_in_of_their_own_are_not_told_of(settings, said):
    class Own(TenantList):
        login_url = "/in/"

    settings.ROOT_URLCONF = module([path("quotas/", Own.as_view())])
    settings.LOGIN_URL = "/nowhere/"

    assert {} == said()
