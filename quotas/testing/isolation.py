"""Counters that no other test sees, and a process that remembers nothing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from secrets import token_hex
from typing import Any

from django.conf import settings
from django.test import override_settings
from redis.exceptions import RedisError

from quotas.conf import conf
from quotas.engine import connection
from quotas.errors import ConfigurationError
from quotas.services import enforcement
from quotas.services.anonymous import anonymous
from quotas.services.outage import outage
from quotas.services.store import store
from quotas.services.workers import worker

AT_ONCE = 1000


def throttling_off() -> override_settings:
    """Every throttle of ours admits, and nothing is counted. Decorates test classes too."""
    return override_settings(QUOTAS_ENABLED=False)


@contextmanager
def isolate() -> Iterator[str]:
    """A key space of its own on the Redis in use, empty at first, removed at the end; its prefix.

    The prefix of the cache alias is made longer by what nobody can guess: tests that run at the
    same time on one Redis never meet, and nothing else in it is touched. Raises
    `ConfigurationError` when ``QUOTAS_CACHE`` is no alias.
    """
    # From the system's randomness: test runners seed Python's, alike in each worker.
    token = f"test-{token_hex(8)}"
    entry = _entry()
    prefix = f"{entry.get('KEY_PREFIX', '')}{token}"
    caches = settings.CACHES | {conf.cache: entry | {"KEY_PREFIX": prefix}}
    with override_settings(CACHES=caches):
        forget()
        try:
            yield prefix
        finally:
            # A server that a test has stopped has nothing to remove.
            with suppress(RedisError, OSError, ConfigurationError):
                _remove(token)
            forget()


def forget() -> None:
    """Make this process a new one: no policy, membership, outage, count or connection is known."""
    store.forget()
    outage.forget()
    anonymous.forget()
    worker.forget()
    enforcement.forget()
    connection.forget_links()


def _entry() -> dict[str, Any]:
    entry = settings.CACHES.get(conf.cache)
    if not isinstance(entry, dict):
        aliases = ", ".join(sorted(settings.CACHES))
        raise ConfigurationError(
            f"QUOTAS_CACHE is {conf.cache!r}, which is not in CACHES. "
            f"Add it, or use one of: {aliases}."
        )
    return entry


def _remove(token: str) -> None:
    """Remove every key whose name has ``token`` in it, if this process has asked Redis at all."""
    if not connection.is_linked():
        return
    client = connection.link().client
    found = list(client.scan_iter(match=f"*{token}*", count=AT_ONCE))
    for start in range(0, len(found), AT_ONCE):
        client.unlink(*found[start : start + AT_ONCE])
