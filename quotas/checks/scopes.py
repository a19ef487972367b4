"""Checks that what views ask for is in plans."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable
from typing import Any

from django.core import checks
from django.core.checks import Tags
from django.db import DatabaseError, router
from django.utils import timezone

from quotas.checks.registration import TAG, Messages, listed
from quotas.checks.routes import Route, routes
from quotas.domain.words import EVERY_SCOPE
from quotas.drf.plan import PlanThrottle
from quotas.drf.scopes import dotted_path
from quotas.models import Override, Plan, PlanLimit

Asked = tuple[Route, type[PlanThrottle], str | None]


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
        for route, throttle, scope in _asked()
        if scope is None
    ]


@checks.register(Tags.database, TAG)
def check_scope_in_plans(databases: Collection[str] | None = None, **kwargs: Any) -> Messages:
    """W021: each scope of a view has a row in an active plan, or an override."""
    views: dict[str, set[str]] = defaultdict(set)
    for route, _, scope in _asked():
        if scope is not None:
            views[scope].add(route.name)
    known = _scopes_with_rows(databases) if views else None
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


def _consequence(known: Collection[str]) -> str:
    if EVERY_SCOPE in known:
        return f"only limits of scope {EVERY_SCOPE!r} apply, where the plan has one"
    return "every request is answered 403"


def _asked() -> Iterable[Asked]:
    """Every plan throttle of every view, and the scope that it asks for."""
    for route in routes():
        for throttle in route.of(PlanThrottle):
            if throttle.ask is not PlanThrottle.ask:
                continue  # it says itself what it asks for
            scope = throttle.scope or route.scope
            if scope is None or isinstance(scope, str):
                yield route, throttle, scope


def _scopes_with_rows(databases: Collection[str] | None) -> set[str] | None:
    """The scopes that plans and overrides know; None when their database is not to be asked."""
    using = router.db_for_read(Plan)
    if using not in (databases or ()):
        return None
    rows = PlanLimit.objects.using(using).filter(plan__active=True)
    overrides = Override.objects.using(using).not_over(timezone.now())
    try:
        return {*rows.values_list("scope", flat=True), *overrides.values_list("scope", flat=True)}
    except DatabaseError:
        return None  # before the first migration
