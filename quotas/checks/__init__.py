"""System checks: bad configuration is said at start-up, not at a request.

Importing this package registers them, all under the tag ``quotas`` besides Django's own. They
connect to nothing, but for those marked (deploy), which run under ``check --deploy``, and
(database), under ``check --database`` and ``migrate``. An id names one rule for good; any can be
silenced by ``SILENCED_SYSTEM_CHECKS``. Each message has a hint.

============ ======================================================================================
quotas.E001  ``QUOTAS_CACHE`` names no alias of ``CACHES``
quotas.E002  the alias is not django-redis
quotas.E003  the alias's client is Shard or Herd
quotas.E004  the alias's client cannot be built
quotas.E005  no timeout to connect or to read is in effect
quotas.E006  retries are in effect
quotas.W001  the alias shares server and database with another
quotas.W002  a timeout in effect is longer than ``QUOTAS_TIMEOUT``
quotas.W003  maintenance notifications are in effect, which lengthen timeouts
quotas.W004  Redis evicts keys when its memory is full (deploy)
quotas.I001  Redis gave no answer to W004 (deploy)
quotas.E010  ``QUOTAS_ENABLED`` is neither True nor False
quotas.E011  ``QUOTAS_COUNT_OPTIONS`` is neither True nor False
quotas.E012  ``QUOTAS_TIMEOUT`` is no number above 0
quotas.E013  ``QUOTAS_PLAN_POLL`` is no number of at least 0
quotas.E014  ``QUOTAS_OUTAGE_LOG_INTERVAL`` is no number of at least 0
quotas.E015  ``QUOTAS_TENANT_RESOLVER`` cannot be imported, or called with a request and a view
quotas.E016  ``QUOTAS_TENANT_HEADER`` is no name of a header
quotas.E017  ``QUOTAS_HEADERS`` is no list of known dialects
quotas.E018  ``QUOTAS_SITE_URL`` is nothing that a link can begin with
quotas.E019  ``QUOTAS_WEBHOOK_ADDRESSES`` is neither "public" nor "any"
quotas.E030  ``QUOTAS_STAFF_TENANTS`` cannot be imported, or called with a user
quotas.W010  a ``QUOTAS_`` setting that does not exist
quotas.W020  a view's plan throttle has no scope: only limits of ``*`` apply
quotas.W021  a view's scope has no row in any active plan (database)
quotas.W022  plans count addresses, and ``NUM_PROXIES`` is not set (database)
quotas.W023  throttles of views count addresses, and ``NUM_PROXIES`` is not set
quotas.E020  one (scope, name) is declared in code with different numbers
quotas.E021  a drop-in's rate cannot be read
quotas.E022  ``NUM_PROXIES`` is no whole number of at least 0
quotas.W024  a drop-in sets what is not used: ``cache``, ``timer`` or its history
quotas.W025  drop-ins share a scope and a period, and have different rates
quotas.W026  no active plan is the default, and tenants have none of their own (database)
quotas.W027  usage pages send to ``LOGIN_URL``, which leads to no page
============ ======================================================================================
"""

from __future__ import annotations

from quotas.checks import (
    attempt,
    code,
    connection,
    dropins,
    pages,
    proxies,
    scopes,
    server,
    settings,
)

__all__ = [
    "attempt",
    "code",
    "connection",
    "dropins",
    "pages",
    "proxies",
    "scopes",
    "server",
    "settings",
]
