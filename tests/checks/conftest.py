"""What the checks say of the settings of a test."""

from __future__ import annotations

from weakref import WeakSet, WeakValueDictionary

import pytest
from django.core.checks import run_checks
from django.db import OperationalError, connection

import quotas.drf.code
import quotas.drf.declared


@pytest.fixture
def said():
    """A function that runs all our checks: their messages by id, in a list for each."""

    def found(*, databases=(), deploy=False):
        messages = {}
        for message in run_checks(
            tags=["quotas"], databases=databases, include_deployment_checks=deploy
        ):
            assert message.hint
            messages.setdefault(message.id, []).append(message)
        return messages

    return found


@pytest.fixture
def alias(settings):
    """A function that sets up the alias of the limiter anew, from these keys of its entry."""

    def put(others=None, **entry):
        usual = {"BACKEND": "django_redis.cache.RedisCache", "LOCATION": "redis://192.0.2.1:1/0"}
        settings.CACHES = {"default": LOCMEM, "quotas": usual | entry, **(others or {})}

    return put


LOCMEM = {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}


@pytest.fixture
def no_tables(db):
    """A database before its first migration."""

    def refuse(*args):
        raise OperationalError("no such table")

    with connection.execute_wrapper(refuse):
        yield


@pytest.fixture(autouse=True)
def declared(monkeypatch):
    """Nothing but what this test declares in code."""
    monkeypatch.setattr(quotas.drf.declared, "_declared", WeakSet())
    monkeypatch.setattr(quotas.drf.code, "_made", WeakValueDictionary())
