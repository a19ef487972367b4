"""A call that was denied, as it is kept for people and as its id carries it."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Denial:
    """One denied call of a tenant.

    ``at_us`` is the limiter's clock. Of several limits that denied, ``scope`` and ``name`` are of
    the one with the longest wait, and ``cost`` is what it was asked for. ``retry_after`` is what
    the client was told: whole seconds, None when waiting does not help. ``operation`` is what was
    called: method and route, such as ``"POST api/reports/"``, blank when not known.
    ``caller`` is known of the latest denials alone, not of one that its id names: ``u<user>``,
    ``c<digest of the credential>``, or both with a space between; blank for nobody in particular.
    """

    tenant_pk: int
    at_us: int
    scope: str
    name: str
    cost: int
    retry_after: int | None
    operation: str = ""
    caller: str = field(default="", compare=False)
