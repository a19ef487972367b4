"""The limits that a tenant has now, each with those that would apply in its place.

Of one (scope, name) the plan's limit gives way to an override, an earlier override to a later one,
and any of them to the tenant's own cap.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from quotas.services.policy import OverrideRow, Policy
from quotas.services.statement import Statement, statement_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from quotas.domain.policies import Limit
    from quotas.services.usage import UsageLine


@dataclass(frozen=True, slots=True, kw_only=True)
class Effective:
    """A limit in force. ``beaten`` are those it takes the place of, the next in line first.

    ``line`` is what the tenant has used of it: None when it counts others, each apart, and when it
    is off.
    """

    limit: Limit
    beaten: tuple[Limit, ...]
    line: UsageLine | None


@dataclass(frozen=True, slots=True)
class Standing:
    """All that applies to a tenant, by scope and name, and the statement it was read with.

    ``overrides`` are the primary keys of those that were known then, later ones included.
    """

    statement: Statement
    limits: tuple[Effective, ...]
    overrides: frozenset[int] = frozenset()

    def of(self, scope: str, name: str) -> Effective | None:
        """The limit known by (scope, name), if one is in force."""
        known = (
            each for each in self.limits if (each.limit.scope, each.limit.name) == (scope, name)
        )
        return next(known, None)


def standing_of(tenant_pk: int) -> Standing | None:
    """How a tenant stands; None when there is none. Consumes, creates and extends nothing."""
    statement = statement_of(tenant_pk)
    if statement is None:
        return None
    usage = statement.usage
    lines = {line.limit: line for line in usage.lines}
    return Standing(
        statement,
        effective_at(usage.policy, statement.at_us, lines),
        frozenset(each.pk for each in usage.tenant.overrides),
    )


def effective_at(
    policy: Policy, at_us: int, lines: Mapping[Limit, UsageLine] | None = None
) -> tuple[Effective, ...]:
    """The limits that a policy gives at an instant, with what is used of them where it is known."""
    candidates, used = _candidates(policy, at_us), lines or {}
    return tuple(
        Effective(
            limit=limit, beaten=tuple(_beaten(limit, candidates[known])), line=used.get(limit)
        )
        for known, limit in sorted(policy.in_force(at_us).rows.items())
    )


def _candidates(policy: Policy, at_us: int) -> dict[tuple[str, str], list[Limit]]:
    """The rows of each (scope, name) that hold at an instant, the one that acts last."""
    found: dict[tuple[str, str], list[Limit]] = {}
    rows = list(policy.plan.rows) if policy.plan else []
    overrides = sorted(policy.tenant.overrides if policy.tenant else (), key=_order)
    rows += [each.limit for each in overrides if each.starts_us <= at_us < each.ends_us]
    for row in rows:
        found.setdefault((row.scope, row.name), []).append(row)
    return found


def _order(override: OverrideRow) -> tuple[int, int]:
    return override.starts_us, override.pk


def _beaten(limit: Limit, candidates: list[Limit]) -> list[Limit]:
    """Those a limit takes the place of; its own uncapped self first, when a cap lowers it."""
    beaten = candidates[::-1]
    return beaten if limit.cap is not None else beaten[1:]
