"""Checks that the limiter asks Redis once, and waits shortly, whatever factory builds its clients.

The values are those in effect: of a connection that is built as the alias would, and never opened.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.core import checks
from django.core.cache import caches
from django.core.checks import Tags

from quotas.checks.aliases import (
    USE_FACTORY,
    alias_of_limiter,
    named,
    needs_one_server,
    redis_entry_of_limiter,
)
from quotas.checks.registration import TAG, Messages
from quotas.conf import conf


@dataclass(frozen=True, slots=True, kw_only=True)
class InEffect:
    """What a connection would do; timeouts in seconds, ``retries`` below 0 without end."""

    connect: float | None
    read: float | None
    retries: int
    maintenance: bool

    @property
    def timeouts(self) -> list[tuple[str, float | None]]:
        """Both timeouts, as messages name them."""
        return [("timeout to connect", self.connect), ("timeout to read", self.read)]


@checks.register(Tags.caches, TAG)
def check_timeouts_set(**kwargs: Any) -> Messages:
    """E005: connecting and reading end; else a lost server would hold every request."""
    found = _in_effect_or_none()
    missing = [name for name, value in found.timeouts if not value] if found else []
    if not missing:
        return []
    told = f"{named()} has no {' and no '.join(missing)} in effect."
    return [checks.Error(told, hint=USE_FACTORY, id="quotas.E005")]


@checks.register(Tags.caches, TAG)
def check_retries(**kwargs: Any) -> Messages:
    """E006: nothing is sent twice; what was counted before its reply got lost would count twice."""
    found = _in_effect_or_none()
    if found is None or found.retries == 0:
        return []
    times = f"{found.retries} times" if found.retries > 0 else "without end"
    told = f"{named()} has retries in effect: a command that fails is sent again {times}."
    return [checks.Error(told, hint=USE_FACTORY, id="quotas.E006")]


@checks.register(Tags.caches, TAG)
def check_timeouts_honoured(**kwargs: Any) -> Messages:
    """W002: no timeout in effect is longer than ``QUOTAS_TIMEOUT``."""
    found = _in_effect_or_none()
    try:
        wanted = conf.timeout
    except (TypeError, ValueError, OverflowError):
        return []  # E012 says so
    timeouts = found.timeouts if found else []
    longer = [f"a {name} of {value} s" for name, value in timeouts if value and value > wanted]
    if not longer:
        return []
    told = f"QUOTAS_TIMEOUT is {wanted}, but {named()} has {' and '.join(longer)} in effect."
    return [checks.Warning(told, hint=USE_FACTORY, id="quotas.W002")]


@checks.register(Tags.caches, TAG)
def check_maintenance(**kwargs: Any) -> Messages:
    """W003: no message of the server makes redis-py wait longer than its timeouts."""
    found = _in_effect_or_none()
    if found is None or not found.maintenance:
        return []
    told = f"{named()} has maintenance notifications in effect, which may lengthen its timeouts."
    return [checks.Warning(told, hint=USE_FACTORY, id="quotas.W003")]


def in_effect() -> InEffect | None:
    """What a connection of the alias would do; None when it is not django-redis on one server.

    Builds one in a pool of its own, opens nothing, and raises whatever building raises.
    """
    entry, alias = redis_entry_of_limiter(), alias_of_limiter()
    if entry is None or not isinstance(alias, str) or needs_one_server(entry):
        return None
    # Past the stores of Django and of the factory: a look must leave no broken cache to be closed,
    # and not decide whose pool others get.
    backend: Any = caches.create_connection(alias)
    client = backend.client
    factory, primary = client.connection_factory, client._server[0]  # noqa: SLF001
    pool = factory.get_connection_pool(factory.make_connection_params(primary))
    connection = pool.connection_class(**pool.connection_kwargs)
    notifications = getattr(connection, "maint_notifications_config", None)
    return InEffect(
        connect=connection.socket_connect_timeout,
        read=connection.socket_timeout,
        retries=_retries(connection.retry),
        maintenance=bool(getattr(notifications, "enabled", False)),
    )


def _in_effect_or_none() -> InEffect | None:
    try:
        return in_effect()
    except Exception:  # noqa: BLE001 - E004 says so
        return None


def _retries(retry: Any) -> int:
    # Before redis-py 6 the number has no public name.
    return int(retry.get_retries() if hasattr(retry, "get_retries") else retry._retries)  # noqa: SLF001
