"""How the limiter stands: its server, its workers, and how far the database is behind it.

With Redis away, what the database knows. Nothing is written, and no request's counter read.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from django.db.models import Max

from quotas.domain.alerts import DeliveryState
from quotas.domain.calendar import instant_at, microseconds
from quotas.domain.workers import in_force
from quotas.engine import server, workers
from quotas.engine.clock import now_us
from quotas.errors import ConfigurationError, EngineUnavailable
from quotas.models import Alert, AnonymousQuarter, UsageQuarter

if TYPE_CHECKING:
    from quotas.domain.workers import InForce, Worker
    from quotas.engine.server import KeyCount, Server

LATEST_ROWS = 1000
LATE = timedelta(minutes=15)
"""Counted so long after the last copy, something is wrong with the flush."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """What is known at ``at``, which is the server's time where it answers.

    ``failure`` says why Redis did not; then there is nothing but what the database knows. ``keys``
    is None when it did not answer so long.
    """

    at: datetime
    copied_at: datetime | None
    waiting_emails: int
    waiting_webhooks: int
    failure: str = ""
    server: Server | None = None
    keys: KeyCount | None = None
    workers: tuple[Worker, ...] = ()
    version: bytes = b""

    @property
    def in_force(self) -> InForce:
        """How many workers have applied the plans as they are now."""
        return in_force(self.workers, self.version, self.at_us)

    @property
    def at_us(self) -> int:
        """The same instant in microseconds."""
        return microseconds(self.at)

    @property
    def decided_at(self) -> datetime | None:
        """When a worker was last seen to decide."""
        seen = max((each.seen_us for each in self.workers), default=None)
        return None if seen is None else instant_at(seen)

    @property
    def flush_is_late(self) -> bool:
        """Whether workers decided long after what is copied, as far as is known."""
        if self.decided_at is None:
            return False
        since = self.copied_at
        if since is None:
            since = instant_at(min(each.started_us for each in self.workers))
        return self.decided_at - since > LATE


def status() -> Status:
    """Look at everything. Raises the database's errors only."""
    copied_at = _copied_at()
    emails, webhooks = _waiting("email"), _waiting("webhook")
    try:
        found = server.ask_server()
        registry = workers.registry()
    except (EngineUnavailable, ConfigurationError) as error:
        return Status(
            at=instant_at(now_us()),
            copied_at=copied_at,
            waiting_emails=emails,
            waiting_webhooks=webhooks,
            failure=str(error),
        )
    return Status(
        at=instant_at(registry.now_us),
        copied_at=copied_at,
        waiting_emails=emails,
        waiting_webhooks=webhooks,
        server=found,
        keys=_keys(),
        workers=registry.workers,
        version=registry.version,
    )


def _keys() -> KeyCount | None:
    try:
        return server.count_keys()
    except EngineUnavailable:
        return None


def _copied_at() -> datetime | None:
    """When the latest copy was read, by the latest rows: no index leads to it among all."""
    found = []
    for model in (UsageQuarter, AnonymousQuarter):
        latest = model._default_manager.order_by("-pk")[:LATEST_ROWS]  # noqa: SLF001 - Django's documented name
        found.append(latest.aggregate(at=Max("copied_at"))["at"])
    return max((each for each in found if each is not None), default=None)


def _waiting(channel: str) -> int:
    return Alert.objects.filter(**{f"{channel}_state": DeliveryState.PENDING.value}).count()
