"""Checks of ``NUM_PROXIES``: without it, everybody behind a proxy is one address."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from django.core import checks
from django.core.checks import Tags
from django.db import DatabaseError, router
from django.db.models import Q
from django.utils import timezone
from rest_framework.permissions import IsAdminUser, IsAuthenticated
from rest_framework.settings import api_settings

from quotas.checks.registration import TAG, Messages, listed, shown
from quotas.domain.limits import is_whole
from quotas.domain.words import Mode, SubjectKind
from quotas.drf import dropins
from quotas.drf.code import CodeThrottle
from quotas.drf.dropins import SimpleRateThrottle
from quotas.models import Override, Plan, PlanLimit
from quotas.services.routes import Route, routes

HINT = (
    'Set "NUM_PROXIES" in REST_FRAMEWORK to the number of proxies in front of the site: 0 for none.'
)
WHY = "without it all callers behind a proxy are one"


@checks.register(TAG)
def check_num_proxies(**kwargs: Any) -> Messages:
    """E022: ``NUM_PROXIES`` is a whole number; any other fails at the first forwarded request."""
    value = api_settings.NUM_PROXIES
    if value is None or (is_whole(value) and value >= 0):
        return []
    told = f"NUM_PROXIES of REST_FRAMEWORK is {shown(value)}, no whole number of at least 0."
    return [checks.Error(told, hint=HINT, id="quotas.E022")]


@checks.register(Tags.database, TAG)
def check_proxies_for_plans(databases: Collection[str] | None = None, **kwargs: Any) -> Messages:
    """W022: ``NUM_PROXIES`` is set if a plan is for anonymous callers, or a limit for addresses."""
    using = router.db_for_read(Plan)
    if api_settings.NUM_PROXIES is not None or using not in (databases or ()):
        return []
    try:
        rows = _rows_that_count_addresses(using)
    except DatabaseError:
        return []  # before the first migration
    if not rows:
        return []
    told = f"NUM_PROXIES of REST_FRAMEWORK is not set, but {listed(rows)} count addresses: {WHY}."
    return [checks.Warning(told, hint=HINT, id="quotas.W022")]


@checks.register(TAG)
def check_proxies_for_throttles(**kwargs: Any) -> Messages:
    """W023: ``NUM_PROXIES`` is set if a throttle with a rate in code or settings needs it."""
    if api_settings.NUM_PROXIES is not None:
        return []
    views = {route.name for route in routes() if _counts_addresses(route)}
    if not views:
        return []
    told = (
        "NUM_PROXIES of REST_FRAMEWORK is not set, but throttles of "
        f"{listed(views)} count addresses: {WHY}."
    )
    return [checks.Warning(told, hint=HINT, id="quotas.W023")]


def _rows_that_count_addresses(using: str) -> set[str]:
    by_address = Q(subject=SubjectKind.ADDRESS)
    limits = PlanLimit.objects.using(using).filter(plan__active=True).exclude(mode=Mode.OFF)
    limits = limits.filter(by_address | Q(plan__is_anonymous=True))
    overrides = Override.objects.using(using).not_over(timezone.now()).exclude(mode=Mode.OFF)
    tenants = overrides.filter(by_address).values_list("tenant__key", flat=True)
    return {
        *(f"limits of plan {key!r}" for key in limits.values_list("plan__key", flat=True)),
        *(f"overrides of tenant {key!r}" for key in tenants),
    }


def _counts_addresses(route: Route) -> bool:
    """Whether a throttle of the view counts addresses: always, or of callers who are not known."""
    code = route.of(CodeThrottle)
    if any(throttle.subject == SubjectKind.ADDRESS for throttle in code):
        return True
    rates = route.of(SimpleRateThrottle)
    # A key of the project's own making may be of anything.
    by_address = [each for each in rates if each.get_cache_key.__module__ == dropins.__name__]
    return bool(code or by_address) and _is_open(route)


def _is_open(route: Route) -> bool:
    """Whether the view's permissions let callers pass who are not authenticated."""
    closed = (IsAuthenticated, IsAdminUser)
    permissions = route.attribute("permission_classes")
    listed_ones = permissions if isinstance(permissions, list | tuple | set) else ()
    return not any(isinstance(each, type) and issubclass(each, closed) for each in listed_ones)
