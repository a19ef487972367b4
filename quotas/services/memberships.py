"""Which tenants a user belongs to, as a process remembers it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Belonging:
    """One tenant that a user belongs to."""

    tenant_pk: int
    tenant_key: str
    is_default: bool
    role: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Belongings:
    """All tenants of a user, read at ``loaded_at`` under the ``version`` of the user's own."""

    tenants: tuple[Belonging, ...]
    version: bytes
    loaded_at: float
    fresh_until: float
