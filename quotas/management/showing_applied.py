"""What applied to a tenant once, as lines of text, for operators."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from zoneinfo import ZoneInfo

from quotas.domain.policies import Limit
from quotas.domain.words import EVERY_SCOPE
from quotas.management.drawing import shown, table
from quotas.services.applied import Applied, NotKnown

HEADINGS, ALIGNMENT, LONGEST = ("scope", "limit", "amount", "mode", "from"), "<<><<", 60


def report_applied(
    found: Applied | NotKnown, zone: ZoneInfo, scope: str | None, encoding: str | None
) -> Iterator[str]:
    """The answer line by line; under each limit those that it took the place of."""
    if isinstance(found, NotKnown):
        begin = f"begin at {_instant(found.begins, zone)}" if found.begins else "are not there"
        yield f"Not known: the versions of this tenant {begin}."
        return
    tenant, plan = found.tenant, found.plan
    named = f"plan {shown(plan.name, LONGEST)} ({plan.key})" if plan else "no plan"
    default = ", the default one" if found.by_default else ""
    yield (
        f"{shown(tenant.name, LONGEST)} ({shown(tenant.key, LONGEST)}) at "
        f"{_instant(found.at, zone)}: {named}{default}, time zone {tenant.time_zone}, "
        f"anchor day {tenant.anchor_day}"
    )
    if tenant.suspended:
        yield "Suspended: every request was answered 403 tenant_suspended."
    rows = [
        (each.scope if first else "", each.name if first else "  instead of", *_rest(each))
        for effective in found.limits
        if scope is None or effective.limit.scope in {scope, EVERY_SCOPE}
        for first, each in [(True, effective.limit), *((False, one) for one in effective.beaten)]
    ]
    yield ""
    yield from table([HEADINGS, *rows], ALIGNMENT, encoding) if rows else ["No limit applied."]


def _rest(limit: Limit) -> tuple[str, str, str]:
    amount = limit.rule.amount
    source = f"{limit.source.kind} {shown(limit.source.title, LONGEST)}"
    by = f"the tenant's own cap on {source}" if limit.cap is not None else source
    return "unlimited" if amount is None else f"{amount:,}", str(limit.mode.value), by


def _instant(when: datetime, zone: ZoneInfo) -> str:
    return f"{when.astimezone(zone):%Y-%m-%d %H:%M:%S %Z}"
