"""The check that asks the server itself. It runs under ``check --deploy`` alone."""

from __future__ import annotations

from typing import Any

from django.core import checks
from django.core.cache import caches
from django.core.checks import Tags

from quotas.checks.aliases import (
    alias_of_limiter,
    named,
    needs_one_server,
    redis_entry_of_limiter,
)
from quotas.checks.registration import TAG, Messages, shown

KEEPS = "noeviction"


@checks.register(Tags.caches, TAG, deploy=True)
def check_eviction(**kwargs: Any) -> Messages:
    """W004: Redis evicts nothing when its memory is full. I001 when it gives no answer."""
    entry, alias = redis_entry_of_limiter(), alias_of_limiter()
    if entry is None or not isinstance(alias, str) or needs_one_server(entry):
        return []
    try:
        backend: Any = caches.create_connection(alias)  # not kept: it may be a broken one
        # INFO, where hosted servers forbid CONFIG.
        policy = backend.client.get_client(write=True).info("memory").get("maxmemory_policy")
    except Exception as error:  # noqa: BLE001 - no answer is no fault of the configuration
        told = f"{named()} gave no answer ({type(error).__name__}): what it evicts is unknown."
        hint = "Run the check where the server can be reached."
        return [checks.Info(told, hint=hint, id="quotas.I001")]
    if policy in {None, KEEPS}:
        return []
    told = f"{named()} has the maxmemory-policy {shown(policy)}: full, it evicts counters."
    hint = f"Give the limiter a server of its own, with maxmemory-policy {KEEPS}."
    return [checks.Warning(told, hint=hint, id="quotas.W004")]
