"""Denied calls as pages and programs are told of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.urls import reverse
from django.utils.translation import gettext as _

from quotas.services.denials import decision_id, limit_of, short_id
from quotas.services.statement import SECOND_US
from quotas.views import wording
from quotas.views.callers import caller_data
from quotas.views.rows import Moment, moment

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from quotas.domain.denials import Denial
    from quotas.services.statement import Statement
    from quotas.views.callers import Names


class DenialRow:
    """One denied call: when, by which limit, what it asked for, and where its page is."""

    def __init__(self, denial: Denial, statement: Statement, names: Names | None = None) -> None:
        self.denial = denial
        self.limit = limit = limit_of(denial, statement)
        self.title = (limit.title or limit.name) if limit else denial.name
        self.scope = wording.scope_named(limit.scope if limit else denial.scope)
        self.operation = denial.operation
        self.cost = wording.number(denial.cost)
        self.short = short_id(denial)
        self.decision = decision_id(denial)
        self.caller = names.named(denial.caller) if names and denial.caller else None
        self._statement = statement

    @property
    def at(self) -> Moment:
        """When it was denied, in the tenant's zone, and how long before the reading."""
        said = moment(self.when)
        return Moment(said.iso, said.words, ago(self._statement.at_us - self.denial.at_us))

    @property
    def when(self) -> datetime:
        """The instant of the denial in the tenant's zone."""
        return self._statement.instant(self.denial.at_us - self._statement.at_us)

    @property
    def told(self) -> str:
        """The Retry-After that was given, in words."""
        seconds = self.denial.retry_after
        return _("none") if seconds is None else wording.lasting(seconds * SECOND_US)

    @property
    def until_us(self) -> int | None:
        """The instant until which the client was told to wait; None: waiting does not help."""
        seconds = self.denial.retry_after
        return None if seconds is None else self.denial.at_us + seconds * SECOND_US

    @property
    def until(self) -> Moment | None:
        """The same in the tenant's zone, with how far it is from the reading."""
        if self.until_us is None:
            return None
        left = self.until_us - self._statement.at_us
        said = moment(self._statement.instant(left))
        return Moment(said.iso, said.words, wording.within(left) if left > 0 else ago(-left))


def denial_rows(
    denials: Iterable[Denial], statement: Statement, names: Names | None = None
) -> list[DenialRow]:
    """The denials of a tenant as its page lists them, in the order given; with ``names`` whose."""
    return [DenialRow(each, statement, names) for each in denials]


def denials_data(
    denials: Iterable[Denial], statement: Statement, names: Names
) -> list[dict[str, Any]] | None:
    """The same as JSON takes it; ``instance`` is the one of the 429's body. None in an outage."""
    if statement.usage.outage:
        return None
    return [
        denial_data(row) | caller_data(row.denial.caller, names)
        for row in denial_rows(denials, statement)
    ]


def denial_data(row: DenialRow) -> dict[str, Any]:
    """One denial as JSON takes it; instants are ISO 8601 in the tenant's zone."""
    denial = row.denial
    return {
        "id": row.short,
        "instance": reverse("quotas:decision", args=[row.decision]),
        "at": row.at.iso,
        "scope": row.limit.scope if row.limit else denial.scope,
        "name": row.limit.name if row.limit else denial.name,
        "title": row.title,
        "operation": denial.operation,
        "cost": denial.cost,
        "retry_after": denial.retry_after,
        "retry_at": row.until and row.until.iso,
    }


def ago(span_us: int) -> str:
    """How long something is past: “3 minutes 20 seconds ago”."""
    if span_us < SECOND_US:
        return _("just now")
    return _("%(span)s ago") % {"span": wording.lasting(span_us)}
