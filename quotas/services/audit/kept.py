"""What the database keeps of some tenants, row by row: five queries whatever their number."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING, Any, NamedTuple

from django.db import router
from django.db.models import BigIntegerField, Case, Sum, Value, When

from quotas.domain.calendar import instant_at, microseconds
from quotas.models import CalendarBalance, UsageDay, UsageHour, UsageQuarter

if TYPE_CHECKING:
    from collections.abc import Sequence

    from django.db.models import Model, QuerySet

    from quotas.services.policy import TenantRow

Labels = dict[str, tuple[int, int]]
"""How often limits denied, and would have in shadow, by ``scope/name``."""
NUMBERS = ("admitted", "denied", "shadow_denied", "units", "peak")


class Counted(NamedTuple):
    """A quarter, as Redis counted it or as the database has it; ``copied_us`` 0 in Redis."""

    admitted: int
    denied: int
    shadow_denied: int
    units: int
    peak: int
    limits: Labels
    copied_us: int = 0


class CountedHour(NamedTuple):
    """An hour likewise. ``callers`` and ``peaks`` as `quotas.models.UsageHour` has them."""

    admitted: int
    denied: int
    units: int
    early: int
    callers: dict[str, list[int]]
    peaks: dict[str, list[int | None]]
    copied_us: int = 0


class OlderUnits(NamedTuple):
    """Units of older quarters, those from one edge up to ``until_us``, the next, together."""

    scope: str
    until_us: int
    generation: int
    units: int


class CountedDay(NamedTuple):
    """A civil day whose quarters are no longer kept."""

    day: date
    scope: str
    admitted: int
    denied: int
    shadow_denied: int
    units: int
    limits: Labels


class KeptBalance(NamedTuple):
    """What a calendar quota of the tenant had used when it was copied."""

    used: int
    start_us: int
    copied_us: int


@dataclass(slots=True)
class Kept:
    """One tenant's rows.

    Quarters by (scope, start, generation), hours by (start, generation), balances by (scope, name,
    unit, end of the period); all in us.
    """

    quarters: dict[tuple[str, int, int], Counted] = field(default_factory=dict)
    hours: dict[tuple[int, int], CountedHour] = field(default_factory=dict)
    older: list[OlderUnits] = field(default_factory=list)
    days: list[CountedDay] = field(default_factory=list)
    balances: dict[tuple[str, str, str, int], KeptBalance] = field(default_factory=dict)


def read_kept(
    tenants: dict[int, TenantRow], at_us: int, since_us: int, edges: Sequence[int]
) -> dict[int, Kept]:
    """The rows of these tenants; both by primary key.

    Quarters and hours from ``since_us`` on, the units of older ones from the first of ``edges`` on,
    the days from there on, and the balances of periods that have not ended at ``at_us``. What these
    began with is an edge, too: under another time zone or anchor day there was another.
    """
    found: dict[int, Kept] = defaultdict(Kept)
    _balances(found, tenants, at_us)
    _quarters(found, tenants, since_us)
    _hours(found, tenants, since_us)
    starts = [each.start_us for kept in found.values() for each in kept.balances.values()]
    earlier = sorted({each for each in (*edges, *starts) if each < since_us})
    if earlier:
        _older(found, tenants, since_us, earlier)
    first = instant_at(min((*earlier, since_us)) - 86_400_000_000).date()
    rows = _rows(UsageDay, tenants).filter(day__gte=first)
    for pk, day, scope, limits, *sums in rows.values_list(
        "tenant_id", "day", "scope", "limits", *NUMBERS[:4]
    ):
        found[pk].days.append(CountedDay._make((day, scope, *sums, _labels(limits))))
    return found


def _quarters(found: dict[int, Kept], tenants: dict[int, TenantRow], since_us: int) -> None:
    rows = _rows(UsageQuarter, tenants).filter(start__gte=instant_at(since_us))
    named = ("tenant_id", "scope", "start", "generation", "copied_at", "limits")
    for pk, scope, start, generation, copied, limits, *numbers in rows.values_list(
        *named, *NUMBERS
    ):
        found[pk].quarters[scope, microseconds(start), generation] = Counted._make(
            (*numbers, _labels(limits), microseconds(copied))
        )


def _hours(found: dict[int, Kept], tenants: dict[int, TenantRow], since_us: int) -> None:
    rows = _rows(UsageHour, tenants).filter(start__gte=instant_at(since_us))
    numbers = ("admitted", "denied", "units", "early", "callers", "peaks")
    for pk, start, generation, copied, *counted in rows.values_list(
        "tenant_id", "start", "generation", "copied_at", *numbers
    ):
        found[pk].hours[microseconds(start), generation] = CountedHour._make(
            (*counted, microseconds(copied))
        )


def _older(
    found: dict[int, Kept], tenants: dict[int, TenantRow], since_us: int, edges: Sequence[int]
) -> None:
    until = [When(start__lt=instant_at(end), then=Value(end)) for end in (*edges[1:], since_us)]
    rows = (
        _rows(UsageQuarter, tenants)
        .filter(start__gte=instant_at(edges[0]), start__lt=instant_at(since_us))
        .annotate(until=Case(*until, output_field=BigIntegerField()))
        .values("tenant_id", "scope", "until", "generation")
        .annotate(sum=Sum("units"))
    )
    for pk, *named, units in rows.values_list("tenant_id", "scope", "until", "generation", "sum"):
        found[pk].older.append(OlderUnits._make((*named, int(units))))


def _balances(found: dict[int, Kept], tenants: dict[int, TenantRow], at_us: int) -> None:
    rows = _rows(CalendarBalance, tenants).filter(subject="", period_end__gt=instant_at(at_us))
    named = ("tenant_id", "epoch", "scope", "name", "unit", "period_end")
    for pk, epoch, scope, name, unit, end, used, start, copied in rows.order_by("used").values_list(
        *named, "used", "period_start", "copied_at"
    ):
        if epoch == tenants[pk].epoch_of(scope, name):
            found[pk].balances[scope, name, unit, microseconds(end)] = KeptBalance(
                used, microseconds(start), microseconds(copied)
            )


def _rows(model: type[Model], tenants: dict[int, TenantRow]) -> QuerySet[Any]:
    rows = model._default_manager.using(router.db_for_write(model))  # noqa: SLF001 - Django's documented name
    return rows.filter(tenant__in=list(tenants)).order_by()


def _labels(limits: dict[str, Any]) -> Labels:
    return {label: (int(pair[0]), int(pair[1])) for label, pair in limits.items()}
