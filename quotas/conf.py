"""Settings, read at the moment of use, so that `override_settings` works.

Each has its check in `quotas.checks`.

Every property's docstring gives the unit and the default. Imports Django's settings and
`quotas.errors` only.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.conf import settings


class Conf:
    """The ``QUOTAS_*`` settings of the project, with their defaults."""

    def _get(self, name: str, default: Any) -> Any:
        return getattr(settings, name, default)

    @property
    def enabled(self) -> bool:
        """``QUOTAS_ENABLED``: False admits everything and counts nothing. Default True."""
        return bool(self._get("QUOTAS_ENABLED", default=True))

    @property
    def cache(self) -> str:
        """``QUOTAS_CACHE``: the django-redis alias of `CACHES` that decides.

        Default ``"quotas"``.
        """
        return str(self._get("QUOTAS_CACHE", "quotas"))

    @property
    def timeout(self) -> float:
        """``QUOTAS_TIMEOUT``: seconds to connect and to read, each. Default 0.25."""
        return float(self._get("QUOTAS_TIMEOUT", 0.25))

    @property
    def tenant_resolver(self) -> str:
        """``QUOTAS_TENANT_RESOLVER``: dotted path of ``resolve(request, view)``.

        Default: by membership.
        """
        return str(self._get("QUOTAS_TENANT_RESOLVER", "quotas.drf.tenants.resolve_tenant"))

    @property
    def tenant_header(self) -> str:
        """``QUOTAS_TENANT_HEADER``: by which a member of several tenants names one of its own.

        Default ``"X-Tenant"``.
        """
        return str(self._get("QUOTAS_TENANT_HEADER", "X-Tenant"))

    @property
    def headers(self) -> tuple[str, ...]:
        """``QUOTAS_HEADERS``: dialects in order, of ``draft-11`` and ``x-ratelimit``.

        Default ``("draft-11",)``.
        """
        return tuple(self._get("QUOTAS_HEADERS", ("draft-11",)))

    @property
    def count_options(self) -> bool:
        """``QUOTAS_COUNT_OPTIONS``: True charges OPTIONS like any method. Default False."""
        return bool(self._get("QUOTAS_COUNT_OPTIONS", default=False))

    @property
    def plan_poll(self) -> float:
        """``QUOTAS_PLAN_POLL``: seconds that a process may go on with an edited plan. Default 1."""
        return float(self._get("QUOTAS_PLAN_POLL", 1))

    @property
    def outage_log_interval(self) -> timedelta:
        """``QUOTAS_OUTAGE_LOG_INTERVAL``: seconds between log lines of one outage. Default 10."""
        return timedelta(seconds=float(self._get("QUOTAS_OUTAGE_LOG_INTERVAL", 10)))

    @property
    def site_url(self) -> str:
        """``QUOTAS_SITE_URL``: where the site is, such as ``"https://api.example.com"``.

        For links in e-mail. Default ``""``: no links.
        """
        return str(self._get("QUOTAS_SITE_URL", ""))

    @property
    def webhook_addresses(self) -> str:
        """``QUOTAS_WEBHOOK_ADDRESSES``: where webhooks may go, ``"public"`` or ``"any"``.

        ``"any"`` is for inner networks and tests: private addresses, and http besides https.
        Default ``"public"``.
        """
        return str(self._get("QUOTAS_WEBHOOK_ADDRESSES", "public"))

    @property
    def staff_tenants(self) -> str | None:
        """``QUOTAS_STAFF_TENANTS``: dotted path of ``tenants(user)``: which ones staff may see.

        It returns None for all, else a queryset of tenants or their primary keys, such as
        ``"quotas.services.staff.by_membership"``. Default None: staff see all tenants.
        """
        path = self._get("QUOTAS_STAFF_TENANTS", None)
        return None if path is None else str(path)


conf = Conf()
