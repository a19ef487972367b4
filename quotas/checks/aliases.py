"""The entry of ``QUOTAS_CACHE`` in ``CACHES``, and where an entry leads. Connects to nothing."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from django.conf import settings
from django_redis.cache import RedisCache  # type: ignore[import-untyped]
from django_redis.client import HerdClient, ShardClient  # type: ignore[import-untyped]

from quotas.checks.registration import imported

FACTORY = "quotas.engine.connection.ConnectionFactory"
USE_FACTORY = f'Set "CONNECTION_FACTORY": "{FACTORY}" in the OPTIONS of the alias.'
ENTRY = (
    '{"BACKEND": "django_redis.cache.RedisCache", "LOCATION": "redis://127.0.0.1:6379/1", '
    f'"OPTIONS": {{"CONNECTION_FACTORY": "{FACTORY}"}}}}'
)

DEFAULT_PORT = 6379
LOOPBACK = {"localhost": "127.0.0.1", "::1": "127.0.0.1"}
NETWORK = {"redis", "rediss", "valkey", "valkeys"}

Entry = Mapping[str, Any]


def alias_of_limiter() -> object:
    """What ``QUOTAS_CACHE`` says, unconverted."""
    return getattr(settings, "QUOTAS_CACHE", "quotas")


def entry_of_limiter() -> Entry | None:
    """The entry of ``QUOTAS_CACHE``; None when there is none."""
    alias = alias_of_limiter()
    found = settings.CACHES.get(alias) if isinstance(alias, str) else None
    return found if isinstance(found, Mapping) else None


def redis_entry_of_limiter() -> Entry | None:
    """The same; None when it is not django-redis."""
    entry = entry_of_limiter()
    return entry if entry is not None and is_django_redis(entry) else None


def named(*options: str) -> str:
    """How messages name the alias, or an option of it."""
    return " ".join([f"CACHES[{alias_of_limiter()!r}]", *options])


def is_django_redis(entry: Entry) -> bool:
    """Whether the entry's BACKEND is django-redis's, or a class made from it."""
    backend = imported(entry.get("BACKEND"))
    return isinstance(backend, type) and issubclass(backend, RedisCache)


def options_of(entry: Entry) -> Entry:
    """The entry's OPTIONS; nothing when they are no mapping."""
    options = entry.get("OPTIONS")
    return options if isinstance(options, Mapping) else {}


def needs_one_server(entry: Entry) -> bool:
    """Whether the entry's client spreads keys over servers, or changes what is stored."""
    client = imported(options_of(entry).get("CLIENT_CLASS"))
    return isinstance(client, type) and issubclass(client, ShardClient | HerdClient)


def places_of(entry: Entry) -> set[str]:
    """Where an entry leads, without users and passwords: ``host:port/db`` or ``path/db``."""
    location = entry.get("LOCATION")
    texts = location if isinstance(location, list | tuple | set) else [location]
    urls = [url for text in texts if isinstance(text, str) for url in re.split("[,;]", text)]
    database = _database(entry)
    return {place for url in urls if (place := _place(url.strip(), database))}


def _database(entry: Entry) -> object:
    """The database of addresses that name none. Django's own backend hands its OPTIONS on."""
    options: object = options_of(entry)
    if is_django_redis(entry):
        options = options_of(entry).get("CONNECTION_POOL_KWARGS")
    return (options.get("db") if isinstance(options, Mapping) else None) or 0


def _place(url: str, database: object) -> str | None:
    try:
        parts = urlsplit(url)
        port = parts.port or DEFAULT_PORT
    except ValueError:
        return None
    asked = parse_qs(parts.query).get("db", [""])[0]
    if parts.scheme == "unix":
        return f"{unquote(parts.path)}/{asked or database}"
    if parts.scheme not in NETWORK:
        return None
    host = (parts.hostname or "localhost").lower()
    path = parts.path.replace("/", "")
    return f"{LOOPBACK.get(host, host)}:{port}/{asked or (path if path.isdigit() else database)}"
