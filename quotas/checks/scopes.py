"""Checks that what views ask for is in plans, and that every tenant has one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection
from typing import Any, TypeVar

from django.core import checks
from django.core.checks import Tags
from django.db import DatabaseError, router
from django.utils import timezone

from quotas.checks.registration import MOST_NAMES, TAG, Messages, listed
from quotas.domain.words import EVERY_SCOPE
from quotas.models import Override, Plan, PlanLimit, Tenant
from quotas.services.routes import dotted_path
from quotas.services.scopes import asked

Answer = TypeVar("Answer")


@checks.register(TAG)
def check_scope_named(**kwargs: Any) -> Messages:
    """W020: each plan throttle of a view has a scope, its own or the view's."""
    return [
        checks.Warning(
            f"{route.name} lists {dotted_path(throttle)} without a scope: only limits of scope "
            f"{EVERY_SCOPE!r} apply to it.",
            hint="Set scope on the throttle, or throttle_scope on the view.",
            id="quotas.W020",
        )
        for route, throttle, scope in asked()
        if scope is None
    ]


@checks.register(Tags.database, TAG)
def check_scope_in_plans(databases: Collection[str] | None = None, **kwargs: Any) -> Messages:
    """W021: each scope of a view has a row in an active plan, or an override."""
    views: dict[str, set[str]] = defaultdict(set)
    for route, _, scope in asked():
        if scope is not None:
            views[scope].add(route.name)
    known = _read(_scopes_with_rows, databases) if views else None
    if known is None:
        return []
    return [
        checks.Warning(
            f"{listed(views[scope])} names the scope {scope!r}, which has no row in any active "
            f"plan: {_consequence(known)}.",
            hint=f"Give a plan a limit of scope {scope!r}, or correct the scope of the view.",
            id="quotas.W021",
        )
        for scope in sorted(views.keys() - known)
    ]


@checks.register(Tags.database, TAG)
def check_default_plan(databases: Collection[str] | None = None, **kwargs: Any) -> Messages:
    """W026: where views ask for plans, a plan is the default if any tenant has none of its own."""
    lacking = _read(_who_lacks_a_plan, databases) if any(asked()) else None
    if not lacking:
        return []
    told = (
        f"No active plan is the default, and {lacking}: where no override helps, views with a plan "
        "throttle answer 403."
    )
    hint = "Mark an active plan as default in the admin, or give each tenant an active plan."
    return [checks.Warning(told, hint=hint, id="quotas.W026")]


def _consequence(known: Collection[str]) -> str:
    if EVERY_SCOPE in known:
        return f"only limits of scope {EVERY_SCOPE!r} apply, where the plan has one"
    return "every request is answered 403"


def _read(question: Callable[[str], Answer], databases: Collection[str] | None) -> Answer | None:
    """What ``question`` finds in the database of plans; None when that is not to be asked."""
    using = router.db_for_read(Plan)
    if using not in (databases or ()):
        return None
    try:
        return question(using)
    except DatabaseError:
        return None  # before the first migration


def _scopes_with_rows(using: str) -> set[str]:
    """The scopes that plans and overrides know."""
    rows = PlanLimit.objects.using(using).filter(plan__active=True)
    overrides = Override.objects.using(using).not_over(timezone.now())
    return {*rows.values_list("scope", flat=True), *overrides.values_list("scope", flat=True)}


def _who_lacks_a_plan(using: str) -> str:
    """Who has neither a plan of its own nor a default one, in words; nothing when nobody lacks."""
    plans = Plan.objects.using(using).filter(active=True)
    if plans.filter(is_default=True).exists():
        return ""
    tenants = Tenant.objects.using(using).exclude(plan__active=True).order_by("key")
    keys = tenants.values_list("key", flat=True)[:MOST_NAMES]
    if keys:
        lacking = tenants.count()
        have = (
            "1 tenant has none of its" if lacking == 1 else f"{lacking} tenants have none of their"
        )
        more = f" and {lacking - MOST_NAMES} more" if lacking > MOST_NAMES else ""
        return f"{have} own ({', '.join(keys)}{more})"
    return "" if plans.exists() else "there is none at all"
