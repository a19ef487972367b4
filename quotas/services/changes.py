"""After an edit: versions are raised, so that every process acts on it.

Connected by the app's ``ready``.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from quotas.domain.keys import tenant_tag, user_tag
from quotas.engine import owners
from quotas.errors import EngineUnavailable
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


def connect() -> None:
    """Listen to `policy_changed`."""
    policy_changed.connect(raise_versions, dispatch_uid="quotas.services.changes")
