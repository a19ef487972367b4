"""What an audit finds: differences with both numbers, what each means, and what there is to do."""

from __future__ import annotations

from dataclasses import dataclass, fields
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from datetime import datetime


class Kind(StrEnum):
    """What differs from what."""

    COPY_AHEAD = "copy_ahead"
    COPY_BEHIND = "copy_behind"
    COPY_UNEQUAL = "copy_unequal"
    DOUBLED = "doubled"
    HOUR_AND_QUARTERS = "hour_and_quarters"
    CHARGED_UNCOUNTED = "charged_uncounted"
    BALANCE_AHEAD = "balance_ahead"
    BALANCE_FAR_BEHIND = "balance_far_behind"
    HISTORY = "history"
    METER = "meter"


SIDES = {
    Kind.COPY_AHEAD: ("database", "Redis"),
    Kind.COPY_BEHIND: ("database", "Redis"),
    Kind.COPY_UNEQUAL: ("database", "Redis"),
    Kind.DOUBLED: ("counted since", "lost before"),
    Kind.HOUR_AND_QUARTERS: ("hour", "its quarters"),
    Kind.CHARGED_UNCOUNTED: ("charged", "counted"),
    Kind.BALANCE_AHEAD: ("database", "limiter"),
    Kind.BALANCE_FAR_BEHIND: ("charged since the copy", "counted since"),
    Kind.HISTORY: ("page", "records"),
    Kind.METER: ("page", "limiter"),
}
"""Whose the two numbers of a difference are."""

MEANINGS = {
    Kind.COPY_AHEAD: (
        "The database has more than Redis ever counted under this generation: the row was altered, "
        "or Redis was restored from an older copy of itself; compare with the backups, and correct "
        "or delete the row (quotas_flush then copies it anew)."
    ),
    Kind.COPY_BEHIND: (
        "A later copy of this tenant was made and this row has less than was counted before it: "
        "the row was lowered, deleted or refused (then the log of quotas_flush names it); "
        "run quotas_flush, which copies it again while Redis still holds the record."
    ),
    Kind.COPY_UNEQUAL: (
        "The same calls were counted, yet another number differs: one side was altered; "
        "delete the row while Redis holds the record, and quotas_flush copies it as it was counted."
    ),
    Kind.DOUBLED: (
        "This row is of a generation that had ended before its time began, so the same calls may "
        "be there twice; delete the row that is not Redis's, or restore it from a backup."
    ),
    Kind.HOUR_AND_QUARTERS: (
        "An hour counts each call once and its quarters once for each scope, so this cannot be: "
        "a row of one of them was altered, lost or doubled; restore it from a backup."
    ),
    Kind.CHARGED_UNCOUNTED: (
        "The limiter charged more than was counted for people: rows of this period were lost, or "
        "not copied within three days, or the limiter's state was altered; restore the rows, or "
        "reset the tenant's counters if it was charged wrongly."
    ),
    Kind.BALANCE_AHEAD: (
        "The database knows of more than the limiter does: Redis lost or lowered this state and "
        "kept the tenant's mark (an older snapshot, an evicted key), so the tenant may use these "
        "units again until the period ends; keep the limiter's Redis without eviction."
    ),
    Kind.BALANCE_FAR_BEHIND: (
        "More was charged since the balance was copied than was counted since: the balance or the "
        "limiter's state was altered, or rows were lost; run quotas_flush if the limiter is right, "
        "else reset the tenant's counters."
    ),
    Kind.HISTORY: (
        "The usage page adds up other numbers than the records it is made of: what the tenant "
        "reads is not what was counted; report it with this line, it is a fault of the page."
    ),
    Kind.METER: (
        "The usage page shows another number than the limiter decides by; check that this process "
        "and the site use the same QUOTAS_CACHE and database, and report it if they do."
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One number that differs. ``of`` is a scope, a limit's ``scope/name``, or ``every call``.

    ``first`` and ``second`` are those of `SIDES`; None: there is none.
    """

    tenant: str
    kind: Kind
    of: str
    number: str
    start: datetime
    end: datetime
    first: int | None
    second: int | None

    @property
    def place(self) -> tuple[Any, ...]:
        """What differs, whatever the numbers: the same in a later reading."""
        moving = self.kind in {Kind.HISTORY, Kind.METER}
        when = self.end - self.start if moving else self.start
        return (self.tenant, self.kind, self.of, self.number, when)

    @property
    def sides(self) -> tuple[str, str]:
        """Whose the numbers are."""
        return SIDES[self.kind]

    @property
    def meaning(self) -> str:
        """What it means and what there is to do, in one sentence."""
        return MEANINGS[self.kind]


@dataclass(frozen=True, slots=True)
class Audited:
    """How much was compared, and what differed.

    ``waiting`` records of Redis are not copied yet, the oldest since ``oldest``: no difference.
    Of ``quotas`` on tenants ``exact`` have charged what was counted, to the unit.
    """

    tenants: int = 0
    quarters: int = 0
    hours: int = 0
    quotas: int = 0
    exact: int = 0
    balances: int = 0
    pages: int = 0
    waiting: int = 0
    oldest: datetime | None = None
    differences: tuple[Difference, ...] = ()

    def __add__(self, other: Audited) -> Audited:
        oldest = min(filter(None, (self.oldest, other.oldest)), default=None)
        sums = {
            each.name: getattr(self, each.name) + getattr(other, each.name)
            for each in fields(self)
            if each.name != "oldest"
        }
        return Audited(**sums, oldest=oldest)
