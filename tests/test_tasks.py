from __future__ import annotations

import sys
from importlib import import_module
from types import SimpleNamespace

import pytest

pytestmark = pytest.mark.django_db(transaction=True)


def loaded():
    sys.modules.pop("quotas.tasks", None)
    return import_module("quotas.tasks")


def test_without_celery_they_are_plain_functions(monkeypatch):
    monkeypatch.setitem(sys.modules, "celery", None)

    assert {
        "tenants": 0,
        "quarters": 0,
        "hours": 0,
        "balances": 0,
        "refused": 0,
        "unalerted": 0,
    } == loaded().flush_usage()
    assert {"sent": 0, "waiting": 0, "given_up": 0} == loaded().send_alerts()


def test_with_celery_they_are_tasks_of_these_names(monkeypatch):
    made = []

    def shared_task(**options):
        made.append(options)
        return lambda function: SimpleNamespace(delay=function)

    monkeypatch.setitem(sys.modules, "celery", SimpleNamespace(shared_task=shared_task))

    tasks = loaded()

    assert 0 == tasks.flush_usage.delay()["quarters"]
    assert 0 == tasks.send_alerts.delay()["sent"]
    assert ["quotas.flush", "quotas.alerts"] == [each["name"] for each in made]
    assert all(each["ignore_result"] for each in made)
