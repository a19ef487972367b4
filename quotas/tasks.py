"""The flush as a Celery task, for whoever has Celery: it finds this module by its name.

Nothing of ours imports it. Put ``quotas.flush`` into the beat schedule, each minute or so.
"""

from __future__ import annotations

from dataclasses import asdict
from importlib import import_module
from typing import TYPE_CHECKING, Any

from quotas.services.flush import flush

if TYPE_CHECKING:
    from collections.abc import Callable


def flush_usage() -> dict[str, int]:
    """Copy what Redis has counted into the database; how much it was. See `flush`."""
    return asdict(flush())


def _as_task(function: Callable[[], Any]) -> Any:
    """``function`` as a task of whichever Celery app runs; itself where there is no Celery."""
    try:
        celery = import_module("celery")
    except ImportError:
        return function
    return celery.shared_task(name="quotas.flush", ignore_result=True)(function)


flush_usage = _as_task(flush_usage)
