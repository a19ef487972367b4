from __future__ import annotations

import sys
from importlib import import_module
from types import SimpleNamespace

import pytest

pytestmark = pytest.mark.django_db(transaction=True)


def loaded():
    sys.modules.pop("quotas.tasks", None)
    return import_module("quotas.tasks")


def test_without_celery_it_is_a_plain_function(monkeypatch):
    monkeypatch.setitem(sys.modules, "celery", None)

    assert {"tenants": 0, "quarters": 0, "balances": 0, "refused": 0} == loaded().flush_usage()


def test_with_celery_it_is_a_task_of_that_name(monkeypatch):
    made = []

    def shared_task(**options):
        made.append(options)
        return lambda function: SimpleNamespace(delay=function)

    monkeypatch.setitem(sys.modules, "celery", SimpleNamespace(shared_task=shared_task))

    assert 0 == loaded().flush_usage.delay()["quarters"]
    assert [{"name": "quotas.flush", "ignore_result": True}] == made
