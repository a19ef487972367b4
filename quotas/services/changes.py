"""After an edit: versions are raised, so that every process acts on it; counts of deleted go.

Connected by the app's ``ready``.
"""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING, Any

from django.apps import apps
from django.db import transaction
from django.db.models.signals import post_delete

from quotas.domain.keys import tenant_tag, user_tag
from quotas.engine import owners
from quotas.errors import EngineUnavailable
from quotas.models import Tenant
from quotas.services.store import store
from quotas.signals import policy_changed

if TYPE_CHECKING:
    from collections.abc import Iterable

logger = logging.getLogger("quotas")


def raise_versions(
    *,
    tenant_ids: Iterable[int] = (),
    user_ids: Iterable[object] = (),
    plans: bool = False,
    **_: Any,
) -> None:
    """Raise the versions of these tenants and users, and of all plans.

    Never raises: a lost bump heals in a minute.
    """
    tags = [tenant_tag(pk) for pk in tenant_ids] + [user_tag(pk) for pk in user_ids]
    try:
        owners.bump(tags, plans=plans)
    except EngineUnavailable as error:
        logger.warning("An edit is in force within a minute instead of at once: %s", error)
    if plans:
        store.drop_plans()


def clear_counts(pk: int) -> None:
    """Let go of what Redis has counted of a tenant that was deleted.

    Never raises: the tenant is not brought back before it has gone (`quotas.services.deleted`).
    """
    try:
        owners.clear(tenant_tag(pk))
    except EngineUnavailable as error:
        logger.warning("What was counted of deleted tenant %s stays in Redis: %s", pk, error)


def _after_delete(*, instance: Tenant, using: str, **_: Any) -> None:
    transaction.on_commit(partial(clear_counts, instance.pk), using=using, robust=True)


def connect() -> None:
    """Listen to `policy_changed`, and to tenants that are deleted, proxies included."""
    policy_changed.connect(raise_versions, dispatch_uid="quotas.services.changes")
    for model in apps.get_models():
        if issubclass(model, Tenant):
            post_delete.connect(_after_delete, sender=model, dispatch_uid="quotas.services.changes")
