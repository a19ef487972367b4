"""One look at a tenant: what the address asks for, and what there is to be seen."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from quotas.domain.words import EVERY_SCOPE
from quotas.services.history import history_of
from quotas.views.filters import filters_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from quotas.domain.history import History
    from quotas.domain.months import Months
    from quotas.services.statement import Statement
    from quotas.views.filters import Filters


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """What somebody asked to see of a tenant, and what there is.

    The statement tells instants in the zone that was asked for. ``scopes`` can be chosen: those of
    the limits, and of what was counted lately.
    """

    filters: Filters
    statement: Statement
    history: History
    months: Months
    scopes: frozenset[str]

    @property
    def zone_name(self) -> str:
        """The zone of all days and instants."""
        return "UTC" if self.filters.utc else self.statement.usage.tenant.time_zone

    def at(self, at_us: int) -> datetime:
        """An instant (us) in that zone."""
        return self.statement.instant(at_us - self.statement.at_us)


def look_at(statement: Statement, asked: Mapping[str, str]) -> Look:
    """The history and the months up to the reading, as a query string asks for them."""
    filters = filters_of(asked, statement)
    tallied = statement.usage.tallied
    history, months = history_of(
        statement.usage.tenant.pk, filters.window, statement.at_us, tallied=tallied
    )
    counted = {each.scope for each in tallied.quarters} if tallied else set()
    return Look(
        filters=filters,
        statement=replace(statement, shown_in=filters.window.zone),
        history=history,
        months=months,
        scopes=(statement.scopes | counted | history.scopes.keys()) - {EVERY_SCOPE},
    )
