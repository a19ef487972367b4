"""The closed vocabularies of the field.

The same words in the database, Python, headers and docs.
"""

from __future__ import annotations

from enum import StrEnum


class Algorithm(StrEnum):
    """How a limit judges; what each promises is in the docstrings of `quotas.domain.limits`."""

    TOKEN_BUCKET = "token_bucket"  # noqa: S105 - of a bucket, not of a credential
    LEAKY_BUCKET = "leaky_bucket"
    FIXED_WINDOW = "fixed_window"
    SLIDING_WINDOW_COUNTER = "sliding_window_counter"
    SLIDING_WINDOW_LOG = "sliding_window_log"
    CALENDAR_QUOTA = "calendar_quota"
    CONCURRENCY = "concurrency"


class CalendarUnit(StrEnum):
    """The civil period of a calendar quota, in the tenant's time zone."""

    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    YEAR = "year"


class SubjectKind(StrEnum):
    """Who is counted inside a tenant.

    Each falls back to the next that is known, and never falls away.
    """

    TENANT = "tenant"
    USER = "user"
    CREDENTIAL = "credential"
    ADDRESS = "address"


class Mode(StrEnum):
    """Whether a limit denies, only counts that it would (shadow), or is not evaluated (off)."""

    ENFORCE = "enforce"
    SHADOW = "shadow"
    OFF = "off"


class OutagePolicy(StrEnum):
    """What a limit answers while the engine gives none."""

    ALLOW = "allow"
    DENY = "deny"


class Outcome(StrEnum):
    """What a decision came to: of several that hold, the first."""

    DENIED = "denied"
    DENIED_ON_OUTAGE = "denied_on_outage"
    ALLOWED_ON_OUTAGE = "allowed_on_outage"
    SHADOW_DENIED = "shadow_denied"
    ALLOWED = "allowed"


class Code(StrEnum):
    """The machine-readable reason of a refusal, as the problem body carries it."""

    QUOTA_EXCEEDED = "quota_exceeded"
    COST_ABOVE_CAPACITY = "cost_above_capacity"
    TOO_MANY_IN_FLIGHT = "too_many_in_flight"
    NOT_IN_PLAN = "not_in_plan"
    TENANT_REQUIRED = "tenant_required"
    TENANT_SUSPENDED = "tenant_suspended"
    LIMITER_UNAVAILABLE = "limiter_unavailable"


EVERY_SCOPE = "*"
"""The scope of a limit that counts every scope together, besides each scope's own."""
QUOTA_EXCEEDED = "https://iana.org/assignments/http-problem-types#quota-exceeded"
QUOTA_EXCEEDED_TITLE = "Request cannot be satisfied as assigned quota has been exceeded"
"""The problem type of a denial, and its registered title: the same for every occurrence."""
