"""What applies to a tenant, or to nobody's.

The rows of its plan, its overrides and caps, and what of them is in force at an instant.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from quotas.domain.calendar import edges_around, zone_named
from quotas.domain.caps import capped
from quotas.domain.words import EVERY_SCOPE, CalendarUnit, Mode
from quotas.engine.clock import now_us
from quotas.errors import InvalidLimit

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from quotas.domain.policies import Limit

logger = logging.getLogger("quotas")

FOREVER_US = (1 << 53) - 1
BEGINNING_US = 0


UTC = ZoneInfo("UTC")


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanRow:
    """A plan as the limiter knows it; ``rows`` are all its limits, off ones included.

    ``default_since``: when it became the plan of tenants without one, where it is.
    """

    pk: int
    key: str
    name: str
    rows: tuple[Limit, ...]
    default_since: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OverrideRow:
    """An override and when it is in force: ``starts_us`` <= t < ``ends_us``."""

    pk: int
    limit: Limit
    starts_us: int
    ends_us: int = FOREVER_US


@dataclass(frozen=True, slots=True, kw_only=True)
class CapRow:
    """A tenant's own lower amount of one limit."""

    scope: str
    name: str
    amount: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TenantRow:
    """A tenant as the limiter knows it. Raising ``epoch`` starts all its counters anew.

    ``plan_since``: when it was moved to its plan. ``resets``: the epochs of the limits that were
    reset by themselves, by (scope, name).
    """

    pk: int
    key: str
    name: str
    time_zone: str = "UTC"
    anchor_day: int = 1
    suspended: bool = False
    epoch: int = 0
    plan_pk: int | None = None
    plan_since: datetime | None = None
    overrides: tuple[OverrideRow, ...] = ()
    caps: tuple[CapRow, ...] = ()
    resets: Mapping[tuple[str, str], int] = field(default_factory=dict, hash=False)

    def epoch_of(self, scope: str, name: str) -> int:
        """How often the counters of a limit were started anew, with all others or by themselves."""
        return self.epoch + self.resets.get((scope, name), 0)


@dataclass(frozen=True, slots=True)
class InForce:
    """The rows that hold at an instant, by (scope, name), off ones included.

    ``span`` is how long they do (us).
    """

    rows: dict[tuple[str, str], Limit]
    span: tuple[int, int]

    def covers(self, scope: str | None) -> bool:
        """Whether any row, whatever its mode and amount, is for this scope or for every scope."""
        return any(row_scope in {scope, EVERY_SCOPE} for row_scope, _ in self.rows)

    def limits(self, scopes: Iterable[str | None] | None = None) -> tuple[Limit, ...]:
        """The limits to evaluate for these scopes, and for every scope besides.

        None: all there are.
        """
        wanted = None if scopes is None else {*scopes, EVERY_SCOPE}
        return tuple(
            limit
            for limit in self.rows.values()
            if limit.mode is not Mode.OFF and (wanted is None or limit.scope in wanted)
        )


@dataclass(slots=True, kw_only=True)
class Plans:
    """Every active plan, and which are the default one and that of callers without a tenant."""

    rows: dict[int, PlanRow]
    default_pk: int | None
    anonymous_pk: int | None
    version: bytes
    loaded_at: float
    polled_at: float
    fresh_until: float

    def misses(self, pk: int | None) -> bool:
        """Whether a tenant is on a plan that is not among them."""
        return pk is not None and pk not in self.rows

    def of(self, pk: int | None) -> PlanRow | None:
        """The plan of this key; when it is none, unknown or inactive, the default plan."""
        return self.rows.get(pk or 0) or self.rows.get(self.default_pk or 0)


@dataclass(kw_only=True)
class Policy:
    """A plan and, with a tenant, its overrides: what a process holds in memory until it changes.

    ``version`` is the owner's when the rows were read. ``instant_us`` is the last instant of the
    engine's clock at which this policy was laid out; ``laid_out`` keeps what enforcement packed for
    the script.
    """

    plan: PlanRow | None
    tenant: TenantRow | None = None
    version: bytes = b""
    loaded_at: float = 0.0
    changed_at: float = 0.0
    fresh_until: float = 0.0
    instant_us: int = 0
    laid_out: dict[object, object] = field(default_factory=dict)

    def in_force(self, at_us: int, *, with_caps: bool = True) -> InForce:
        """The rows at an instant, lowered to the tenant's own caps.

        Of several overrides in force for one (scope, name) the one that began last.
        """
        rows = {(row.scope, row.name): row for row in (self.plan.rows if self.plan else ())}
        start, stop = BEGINNING_US, FOREVER_US
        overrides = self.tenant.overrides if self.tenant else ()
        for override in sorted(overrides, key=lambda each: (each.starts_us, each.pk)):
            for edge in (override.starts_us, override.ends_us):
                start, stop = (
                    (max(start, edge), stop) if edge <= at_us else (start, min(stop, edge))
                )
            if override.starts_us <= at_us < override.ends_us:
                rows[override.limit.scope, override.limit.name] = override.limit
        for cap in self.tenant.caps if self.tenant and with_caps else ():
            if limit := rows.get((cap.scope, cap.name)):
                rows[cap.scope, cap.name] = capped(limit, cap.amount)
        for known, epoch in self.tenant.resets.items() if self.tenant else ():
            if limit := rows.get(known):
                rows[known] = replace(limit, epoch=epoch)
        return InForce(rows, (start, stop))

    def edges(self, unit: CalendarUnit, at_us: int) -> tuple[int, int, int, int]:
        """The edges of the tenant's civil periods around an instant.

        In UTC from the 1st without a tenant.
        """
        zone = zone_of(self.tenant.time_zone) if self.tenant else UTC
        anchor = self.tenant.anchor_day if self.tenant else 1
        return edges_around(unit, at_us, zone=zone, anchor=anchor)

    def effective(self, scope: str | None = None, at_us: int | None = None) -> tuple[Limit, ...]:
        """The limits in force, shadow ones included, of a scope and of every scope.

        Without a scope all of them.
        """
        rows = self.in_force(now_us() if at_us is None else at_us)
        return rows.limits(None if scope is None else [scope])


def zone_of(name: str) -> ZoneInfo:
    """The zone of this name; UTC when this host's zone data no longer has it."""
    try:
        return zone_named(name)
    except InvalidLimit as error:
        logger.error("Calendar quotas go by UTC instead: %s", error)  # noqa: TRY400 - no trace to follow
        return UTC
