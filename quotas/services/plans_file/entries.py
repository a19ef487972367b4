"""What a file of plans holds: the columns that staff edit, by their names in the database.

No primary keys, no times, nothing of tenants. A field that is left out of the file has the default
that it has here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import MISSING, Field, dataclass, field, fields
from datetime import timedelta

from quotas.domain.words import Mode, OutagePolicy, SubjectKind

FORMAT = 1
"""Raised when a file of before would mean something else, or could not be read, after."""
UNLIMITED = "unlimited"
"""How a blank amount is written: TOML has no null, and what is blank must not look forgotten."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitEntry:
    """A limit of a plan; in the order in which it is written."""

    scope: str
    name: str
    title: str = ""
    algorithm: str
    amount: int | None
    period: timedelta | None = None
    unit: str = ""
    capacity: int | None = None
    subject: str = SubjectKind.TENANT.value
    mode: str = Mode.ENFORCE.value
    outage_policy: str = OutagePolicy.ALLOW.value
    warn_at: tuple[int, ...] = (80, 100)
    warn_projected: bool = True

    @property
    def known_by(self) -> tuple[str, str]:
        return self.scope, self.name


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanEntry:
    """A plan with its limits, in the order of (scope, name)."""

    key: str
    name: str
    default: bool = False
    anonymous: bool = False
    active: bool = True
    limits: tuple[LimitEntry, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PlansFile:
    """What was read from ``path``; ``lines``: where (plan) and (plan, scope, name) begin."""

    path: str
    plans: tuple[PlanEntry, ...]
    lines: dict[tuple[str, ...], int] = field(default_factory=dict)

    def place(self, key: str, limit: LimitEntry | None = None) -> str:
        """Where it is said, for a message."""
        if limit is None:
            return place(self.path, self.lines.get((key,)), f"plan {key}")
        line = self.lines.get((key, *limit.known_by))
        return place(self.path, line, f"plan {key}, limit {limit.scope}/{limit.name}")


def place(path: str, line: int | None, what: str) -> str:
    """``plans.toml, line 12: plan free, limit api/minute``; without the line if it is unknown."""
    return f"{path}: {what}" if line is None else f"{path}, line {line}: {what}"


def known_fields(kind: type[LimitEntry | PlanEntry]) -> tuple[str, ...]:
    """The fields of a table, but for those that its heading says."""
    return tuple(each.name for each in fields(kind) if each.name not in {"key", "limits"})


def required(kind: type[LimitEntry | PlanEntry]) -> set[str]:
    """The fields of a table that have no default."""
    return {each.name for each in fields(kind) if each.default is MISSING} - {"key"}


def written_fields(entry: LimitEntry | PlanEntry) -> Iterator[tuple[str, object]]:
    """The fields that a file has: those without a default, and those with another value."""
    for each in fields(entry):
        value = getattr(entry, each.name)
        if each.name not in {"key", "limits"} and not _is_default(each, value):
            yield each.name, value


def _is_default(known: Field[object], value: object) -> bool:
    return known.default is not MISSING and bool(value == known.default)
