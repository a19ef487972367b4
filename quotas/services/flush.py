"""Copies what Redis has counted into the database.

Numbers are copied as they are, never added: repeating a flush, two at once, and one that died
before or after its commit all end in the same rows. See docs/decisions/0007-usage-records.md.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from django.db import Error as DatabaseFault
from django.db import router

from quotas.domain.calendar import instant_at
from quotas.domain.keys import tenant_tag
from quotas.engine import clock, tallies
from quotas.engine.hours import Hour
from quotas.models import (
    AnonymousQuarter,
    CalendarBalance,
    TenantSnapshot,
    UsageHour,
    UsageQuarter,
)
from quotas.services.alerts import raise_alerts
from quotas.services.attempt import Attempt
from quotas.services.calendars import used_of
from quotas.services.flush_anonymous import flush_anonymous
from quotas.services.judging import LATE_US
from quotas.services.keeping import BALANCES, HOURS, QUARTERS, check_can_keep, counted_of, keep
from quotas.services.loading import load_tenants
from quotas.services.snapshots import age_snapshots, take_snapshots
from quotas.services.store import store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from datetime import datetime

    from quotas.engine.tallies import Quarter, Tallied
    from quotas.services.keeping import Copies, Row
    from quotas.services.policy import Plans, TenantRow

logger = logging.getLogger("quotas")

PAGE = 200
"""Tenants a round trip and a transaction: after a day away each has 96 quarters of every scope."""
HELD_US = 2 * 3600 * 1_000_000
"""How long what is copied stays in Redis, after its quarter has ended."""
LATEST_US = 3 * 24 * 3600 * 1_000_000
"""What began longer ago is let go of uncopied: its row may have been summed up by the day."""


@dataclass(frozen=True, slots=True)
class Flushed:
    """How much was copied: tenants that had anything, rows, and rows that the database refused.

    ``unalerted``: tenants whose alerts could not be raised.
    """

    tenants: int = 0
    quarters: int = 0
    hours: int = 0
    balances: int = 0
    refused: int = 0
    unalerted: int = 0

    def __add__(self, other: Flushed) -> Flushed:
        return Flushed(
            self.tenants + other.tenants,
            self.quarters + other.quarters,
            self.hours + other.hours,
            self.balances + other.balances,
            self.refused + other.refused,
            self.unalerted + other.unalerted,
        )


def flush(
    now_us: int | None = None, *, after_page: Callable[[int], object] = lambda _seen: None
) -> Flushed:
    """Copy all quarters, hours and calendar balances; let go of what is old in Redis.

    How each tenant stands is kept beside them: see `quotas.services.snapshots`.
    A row that the database refuses is named in the log and left for the next run. An error in
    raising alerts stops no copy: it is logged once, and the next run raises them. Balances are
    those of tenants and their members: see `quotas.services.calendars`. What ended two hours ago by
    Redis's clock and by this host's is let go of, for tests before ``now_us``: where one is ahead
    and steps back, calls go on being counted there. ``after_page`` is told how many tenants
    have been looked at; what it raises ends the flush well. Raises `EngineUnavailable`, the
    database's errors, and `ConfigurationError` for a database that cannot do it.
    """
    for model in (UsageQuarter, UsageHour, AnonymousQuarter, CalendarBalance, TenantSnapshot):
        check_can_keep(router.db_for_write(model))
    at_us = now_us or tallies.counting_at()
    sure_us = now_us or min(at_us, clock.now_us())
    done, seen = Flushed(), 0
    for tenants in _pages():
        done += _flush(tenants, at_us, sure_us, silent=done.unalerted > 0)
        seen += len(tenants)
        after_page(seen)
    age_snapshots(at_us)
    quarters, refused = flush_anonymous(at_us, sure_us - LATEST_US)
    return done + Flushed(quarters=quarters, refused=refused)


class _Counted(NamedTuple):
    tenant: TenantRow
    tallied: Tallied


def _pages() -> Iterator[list[TenantRow]]:
    """All tenants by primary key: one made meanwhile is met too, or by the next flush."""
    last = 0
    while page := load_tenants(last, PAGE):
        yield page
        last = page[-1].pk


def _flush(tenants: Sequence[TenantRow], at_us: int, sure_us: int, *, silent: bool) -> Flushed:
    """Copy one page. ``silent``: that no alerts can be raised has been logged."""
    found = tallies.tallies_of([tenant_tag(each.pk) for each in tenants])
    pairs = [_Counted(*each) for each in zip(tenants, found, strict=True)]
    counted = [each for each in pairs if each.tallied.quarters or each.tallied.hours]
    if not counted:
        return Flushed()
    quarters = _changed(counted, at_us)
    hours = _changed_hours(counted, at_us)
    unkept = [
        row[: len(copies.same)]
        for copies, rows in ((QUARTERS, quarters), (HOURS, hours))
        for row in keep(copies, rows, router.db_for_write(copies.model))
    ]
    with Attempt() as attempt:
        plans = store.plans(attempt)
        balances = used_of([each.tenant for each in counted], plans, at_us)
    refused = keep(BALANCES, balances, router.db_for_write(CalendarBalance))
    alerted = _alerted(counted, balances, plans, at_us, silent=silent)
    take_snapshots(counted, balances, plans, at_us)
    judged_us = at_us if alerted else at_us - LATE_US
    _let_go(counted, unkept, {row[0] for row in refused}, sure_us, judged_us)
    return Flushed(
        tenants=len(counted),
        quarters=len(quarters),
        hours=len(hours),
        balances=len(balances),
        refused=len(unkept) + len(refused),
        unalerted=0 if alerted else len(counted),
    )


def _alerted(
    counted: Sequence[_Counted], balances: Sequence[Row], plans: Plans, at_us: int, *, silent: bool
) -> bool:
    """Raise the alerts of these; whether the database let it. Copying goes on in any case."""
    try:
        raise_alerts(counted, balances, plans, at_us)
    except DatabaseFault as error:
        if not silent:
            logger.error(  # noqa: TRY400 - no trace to follow
                "No alerts are raised, and numbers are copied all the same: %s. See to the table "
                "of alerts (quotas_alert) and its migrations: the next flush raises what it can.",
                error,
            )
        return False
    return True


def _changed(counted: Sequence[_Counted], at_us: int) -> list[Row]:
    """The quarters that the database has not, or not as they are now: few of those in Redis."""
    instant = cache(instant_at)
    starts = [each.tallied.quarters[0].start_us for each in counted if each.tallied.quarters]
    known = _known(QUARTERS, counted, instant(min(starts))) if starts else {}
    rows: dict[Row, Row] = {}
    for tenant, tallied in counted:
        for each in tallied.quarters:
            same = (tenant.pk, each.scope, instant(each.start_us), tallied.generation)
            grown = (each.admitted, each.denied)
            if known.get(same) != grown and each.start_us > at_us - LATEST_US:
                rows[same] = (*same, *counted_of(each, instant(at_us)))
    return list(rows.values())


def _changed_hours(counted: Sequence[_Counted], at_us: int) -> list[Row]:
    """The hours that the database has not, or not as they are now."""
    instant = cache(instant_at)
    starts = [each.tallied.hours[0].start_us for each in counted if each.tallied.hours]
    known = _known(HOURS, counted, instant(min(starts))) if starts else {}
    rows: dict[Row, Row] = {}
    for tenant, tallied in counted:
        for each in tallied.hours:
            same = (tenant.pk, instant(each.start_us), tallied.generation)
            grown = (each.admitted, each.denied)
            if known.get(same) != grown and each.start_us > at_us - LATEST_US:
                callers = {
                    of.caller: [of.admitted, of.denied, of.units, of.early] for of in each.callers
                }
                peaks = {of.label: [of.used, of.most] for of in each.peaks}
                sums = (each.units, each.early)
                rows[same] = (*same, *grown, *sums, callers, peaks, instant(at_us))
    return list(rows.values())


def _known(copies: Copies, counted: Sequence[_Counted], since: datetime) -> dict[Row, Row]:
    rows = copies.model._default_manager.using(router.db_for_write(copies.model)).filter(  # noqa: SLF001 - Django's documented name
        tenant__in=[each.tenant.pk for each in counted], start__gte=since
    )
    found = rows.order_by().values_list(*copies.same, *copies.growing)
    return {row[: len(copies.same)]: row[len(copies.same) :] for row in found.iterator()}


def _let_go(
    counted: Sequence[_Counted],
    unkept: Sequence[Row],
    waiting: set[int],
    sure_us: int,
    judged_us: int,
) -> None:
    """Give up in Redis what is copied and too old to change, but not rows that were refused.

    Of tenants ``waiting`` for a balance to be kept the latest quarter stays, too: a tenant without
    any is not looked at. So do hours that began after ``judged_us``: they are to raise alerts yet.
    """
    named = set(unkept)
    gone: dict[str, list[Quarter | Hour]] = {}
    for tenant, tallied in counted:
        held = tallied.quarters[-1:] if tenant.pk in waiting else ()
        over = gone[tenant_tag(tenant.pk)] = []
        for each in tallied.records:
            ended_us = each.start_us + each.length_us
            if each.start_us <= sure_us - LATEST_US or (
                ended_us <= sure_us - HELD_US
                and each not in held
                and not (isinstance(each, Hour) and each.start_us > judged_us)
                and _same(tenant, each, tallied.generation) not in named
            ):
                over.append(each)
    tallies.forget(gone)


def _same(tenant: TenantRow, each: Quarter | Hour, generation: int) -> Row:
    """What names a row: `Copies.same` of its kind."""
    start = instant_at(each.start_us)
    if isinstance(each, Hour):
        return (tenant.pk, start, generation)
    return (tenant.pk, each.scope, start, generation)
