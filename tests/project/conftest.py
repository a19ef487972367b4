"""The demo inside the tests' own process: its data, its views, its way of telling who is who."""

from __future__ import annotations

import pytest
from django.core.management import call_command
from django.utils.module_loading import import_string
from rest_framework.test import APIClient
from rest_framework.views import APIView

from project import settings as demo_settings
from project.management.commands import loaddemo
from quotas.testing import frozen_clock
from tests import START_US

SAME = ["AUTHENTICATION_BACKENDS", "LOGIN_URL", "LOGIN_REDIRECT_URL", "REST_FRAMEWORK"]


@pytest.fixture
def load():
    """A function that loads the demo's data, as the command does."""
    return lambda: call_command(loaddemo.Command(), verbosity=0)


@pytest.fixture
def demo(db, settings, monkeypatch, load):
    """The demo with its data, under DEBUG; yields the limiter's clock, which stands still."""
    for name in SAME:
        setattr(settings, name, getattr(demo_settings, name))
    settings.DEBUG = True
    settings.ROOT_URLCONF = "project.urls"
    # DRF reads this setting in a class body, once.
    own = demo_settings.REST_FRAMEWORK["DEFAULT_AUTHENTICATION_CLASSES"]
    monkeypatch.setattr(APIView, "authentication_classes", [import_string(name) for name in own])
    load()
    with frozen_clock(START_US) as clock:
        yield clock


@pytest.fixture
def api_of():
    """``api_of("acme")``: a client with the token of that tenant; without a name, with none."""

    def client(tenant=None, **headers):
        if tenant:
            headers["Authorization"] = f"Token demo-{tenant}"
        return APIClient(headers=headers)

    return client
