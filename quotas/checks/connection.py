"""Checks of the cache alias that decides: it is there, it is one server's, and nobody else's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.core import checks
from django.core.checks import Tags
from django.core.exceptions import ImproperlyConfigured

from quotas.checks.aliases import (
    ENTRY,
    alias_of_limiter,
    entry_of_limiter,
    is_django_redis,
    named,
    needs_one_server,
    options_of,
    places_of,
    redis_entry_of_limiter,
)
from quotas.checks.attempt import in_effect
from quotas.checks.registration import TAG, Messages, shown
from quotas.conf import conf


@checks.register(Tags.caches, TAG)
def check_alias(**kwargs: Any) -> Messages:
    """E001: ``QUOTAS_CACHE`` names an alias of ``CACHES``."""
    if entry_of_limiter() is not None:
        return []
    others = ", ".join(sorted(map(str, settings.CACHES))) or "none"
    told = f"QUOTAS_CACHE is {shown(alias_of_limiter())}, which is not in CACHES."
    hint = f"Add it, such as {ENTRY}, or use one of: {others}."
    return [checks.Error(told, hint=hint, id="quotas.E001")]


@checks.register(Tags.caches, TAG)
def check_backend(**kwargs: Any) -> Messages:
    """E002: the alias is django-redis; the others have no connection that a script could use."""
    entry = entry_of_limiter()
    if entry is None or is_django_redis(entry):
        return []
    told = f"{named('BACKEND')} is {shown(entry.get('BACKEND'))}, which is not django-redis."
    hint = 'Set "BACKEND": "django_redis.cache.RedisCache".'
    return [checks.Error(told, hint=hint, id="quotas.E002")]


@checks.register(Tags.caches, TAG)
def check_client(**kwargs: Any) -> Messages:
    """E003: the alias's client neither spreads keys over servers nor changes what is stored."""
    entry = redis_entry_of_limiter()
    if entry is None or not needs_one_server(entry):
        return []
    client = shown(options_of(entry).get("CLIENT_CLASS"))
    told = f"{named('CLIENT_CLASS')} is {client}: a decision needs its keys on one server, as is."
    hint = "Remove CLIENT_CLASS from its OPTIONS, or give QUOTAS_CACHE an alias of its own."
    return [checks.Error(told, hint=hint, id="quotas.E003")]


@checks.register(Tags.caches, TAG)
def check_builds(**kwargs: Any) -> Messages:
    """E004: a connection of the alias can be built."""
    try:
        in_effect()
    except Exception as error:  # noqa: BLE001 - factories, pools and addresses raise anything
        # What a ValueError says of an address may quote a piece of its password.
        tellable = isinstance(error, ImportError | ImproperlyConfigured | TypeError)
        why = f"{type(error).__name__}: {error}" if tellable else type(error).__name__
        hint = f"Correct its LOCATION and OPTIONS; what works is {ENTRY}."
        if _is_of_timeout(error):
            why = f"QUOTAS_TIMEOUT is {shown(settings.QUOTAS_TIMEOUT)}"
            hint = "Set QUOTAS_TIMEOUT to seconds, such as 0.25."
        told = f"{named()} cannot be built ({why})."
        return [checks.Error(told, hint=hint, id="quotas.E004")]
    return []


def _is_of_timeout(error: Exception) -> bool:
    """Whether it is what reading ``QUOTAS_TIMEOUT`` raises."""
    try:
        conf.timeout  # noqa: B018
    except Exception as raised:  # noqa: BLE001 - the setting may hold any object
        return repr(raised) == repr(error)
    return False


@checks.register(Tags.caches, TAG)
def check_location(**kwargs: Any) -> Messages:
    """W001: the alias has a database of its own; clearing another cache must forget no counter."""
    entry = redis_entry_of_limiter()
    if entry is None:
        return []
    found: Messages = []
    for alias, other in settings.CACHES.items():
        if alias == alias_of_limiter() or not isinstance(other, Mapping):
            continue
        if shared := places_of(entry) & places_of(other):
            told = (
                f"{named('LOCATION')} leads to {', '.join(sorted(shared))}, as that of {alias!r} "
                "does: clearing that cache forgets every counter."
            )
            hint = "Give the alias another database, such as redis://127.0.0.1:6379/1, or server."
            found.append(checks.Warning(told, hint=hint, id="quotas.W001"))
    return found
