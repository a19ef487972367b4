"""The flush and the alerts as Celery tasks, for whoever has Celery: it finds this module by name.

Nothing of ours imports it. Put ``quotas.flush`` and ``quotas.alerts`` into the beat schedule, each
minute or so.
"""

from __future__ import annotations

from dataclasses import asdict
from importlib import import_module
from typing import TYPE_CHECKING, Any

from quotas.services.deliveries import deliver
from quotas.services.flush import flush

if TYPE_CHECKING:
    from collections.abc import Callable


def flush_usage() -> dict[str, int]:
    """Copy what Redis has counted into the database; how much it was. See `flush`."""
    return asdict(flush())


def send_alerts() -> dict[str, int]:
    """Send what alerts are to be sent; how many were. See `deliver`."""
    return asdict(deliver())


def _as_task(name: str, function: Callable[[], Any]) -> Any:
    """``function`` as a task of whichever Celery app runs; itself where there is no Celery."""
    try:
        celery = import_module("celery")
    except ImportError:
        return function
    return celery.shared_task(name=name, ignore_result=True)(function)


flush_usage = _as_task("quotas.flush", flush_usage)
send_alerts = _as_task("quotas.alerts", send_alerts)
