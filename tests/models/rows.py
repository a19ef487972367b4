"""Rows for tests: each function fills in what a test does not care about."""

from __future__ import annotations

from datetime import timedelta
from itertools import count

from django.contrib.auth import get_user_model

from quotas.models import Membership, Override, Plan, PlanLimit, Tenant

MINUTE = timedelta(minutes=1)
_numbers = count(1)


def a_plan(key=None, **fields):
    key = key or f"plan-{next(_numbers)}"
    return Plan.objects.create(key=key, **{"name": key.title(), **fields})


def limit_fields(**fields):
    """A fixed window of 10 a minute, but for what is given."""
    return {
        "scope": "api",
        "name": "minute",
        "algorithm": "fixed_window",
        "amount": 10,
        "period": MINUTE,
        **fields,
    }


def a_limit(plan=None, **fields):
    return PlanLimit.objects.create(plan=plan or a_plan(), **limit_fields(**fields))


def a_tenant(key=None, **fields):
    key = key or f"tenant-{next(_numbers)}"
    return Tenant.objects.create(key=key, **{"name": key, **fields})


def an_override(tenant=None, **fields):
    values = {"reason": "a trial", **limit_fields(**fields)}
    return Override.objects.create(tenant=tenant or a_tenant(), **values)


def a_user(name=None, **fields):
    name = name or f"user-{next(_numbers)}"
    return get_user_model().objects.create_user(name, password=name, **fields)


def a_membership(tenant=None, user=None, **fields):
    return Membership.objects.create(tenant=tenant or a_tenant(), user=user or a_user(), **fields)
