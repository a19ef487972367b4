"""Rows for one test, with the defaults that most tests want."""

from __future__ import annotations

from datetime import timedelta

from django.contrib.auth import get_user_model

from quotas.models import Membership, Plan, PlanLimit, Tenant


def make_plan(*limits, key="free", default=True, anonymous=False):
    """A plan with limits as `row` gives them."""
    plan = Plan.objects.create(key=key, name=key, is_default=default, is_anonymous=anonymous)
    for limit in limits:
        PlanLimit.objects.create(plan=plan, **limit)
    return plan


def row(scope="reports", name="minute", amount=3, seconds=60, **columns):
    """The columns of a limit: an exact window, if nothing else is said."""
    usual = {"algorithm": "sliding_window_log"}
    if columns.get("algorithm") != "calendar_quota":
        usual["period"] = timedelta(seconds=seconds)
    return {"scope": scope, "name": name, "amount": amount, **usual, **columns}


def make_tenant(key="acme", *, plan=None, **columns):
    return Tenant.objects.create(key=key, name=key.title(), plan=plan, **columns)


def make_user(name="ada", *tenants, default=None):
    """A user who belongs to these tenants."""
    user = get_user_model().objects.create_user(name)
    for tenant in tenants:
        Membership.objects.create(user=user, tenant=tenant, is_default=tenant == default)
    return user
