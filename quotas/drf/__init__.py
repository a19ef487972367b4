"""Throttles for Django REST framework; imports services and what stands below, never the engine."""

from __future__ import annotations

from quotas.drf.code import (
    CalendarQuotaThrottle,
    ConcurrencyThrottle,
    FixedWindowThrottle,
    LeakyBucketThrottle,
    SlidingWindowCounterThrottle,
    SlidingWindowLogThrottle,
    TokenBucketThrottle,
)
from quotas.drf.declared import declared_limits
from quotas.drf.dropins import (
    AnonRateThrottle,
    ScopedRateThrottle,
    SimpleRateThrottle,
    UserRateThrottle,
)
from quotas.drf.evaluations import decision_on
from quotas.drf.plan import PlanThrottle
from quotas.drf.problems import exception_handler
from quotas.drf.refusals import (
    LimiterUnavailable,
    NotInPlan,
    RequestRefused,
    TenantRequired,
    TenantSuspended,
)
from quotas.drf.tenants import resolve_tenant
from quotas.drf.throttles import QuotaThrottle
from quotas.drf.unsupported import unsupported_overrides

__all__ = [
    "AnonRateThrottle",
    "CalendarQuotaThrottle",
    "ConcurrencyThrottle",
    "FixedWindowThrottle",
    "LeakyBucketThrottle",
    "LimiterUnavailable",
    "NotInPlan",
    "PlanThrottle",
    "QuotaThrottle",
    "RequestRefused",
    "ScopedRateThrottle",
    "SimpleRateThrottle",
    "SlidingWindowCounterThrottle",
    "SlidingWindowLogThrottle",
    "TenantRequired",
    "TenantSuspended",
    "TokenBucketThrottle",
    "UserRateThrottle",
    "decision_on",
    "declared_limits",
    "exception_handler",
    "resolve_tenant",
    "unsupported_overrides",
]
