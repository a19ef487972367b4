"""Decisions of a replay as JSON lines, for programs."""

from __future__ import annotations

import json

from quotas.domain.decisions import SECOND_US, Decision
from quotas.services.simulation.events import Event


def row(event: Event, decision: Decision) -> str:
    """One decision: ``at`` as it was read, seconds exact to the microsecond, null for never.

    ``remaining`` is the least of the enforced limits, null when they are unlimited.
    """
    enforced = (verdict.remaining for verdict in decision.verdicts if verdict.enforced)
    remaining = min((each for each in enforced if each is not None), default=None)
    delay_us = decision.delay_us if decision.allowed else 0
    return (
        f'{{"at": {event.at}, "subject": {json.dumps(event.subject)}, '
        f'"allowed": {json.dumps(decision.allowed)}, "remaining": {json.dumps(remaining)}, '
        f'"retry_after": {_seconds(decision.retry_after_us)}, "delay": {_seconds(delay_us)}}}'
    )


def _seconds(us: int | None) -> str:
    if us is None:
        return "null"
    whole, part = divmod(us, SECOND_US)
    return f"{whole}.{f'{part:06}'.rstrip('0') or '0'}"
