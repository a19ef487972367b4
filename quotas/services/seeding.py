"""After Redis has lost its memory: calendar quotas resume where the database last knew them."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from django.db import router

from quotas.domain.calendar import instant_at, microseconds
from quotas.domain.keys import Subject, tenant_tag
from quotas.domain.limits import CalendarQuota
from quotas.domain.words import CalendarUnit
from quotas.engine import owners
from quotas.models import CalendarBalance

if TYPE_CHECKING:
    from quotas.services.policy import TenantRow

logger = logging.getLogger("quotas")


def balances(tenant: TenantRow, at_us: int) -> list[owners.Balance]:
    """What the tenant's calendar quotas had used, in the periods that have not ended at ``at_us``.

    Of two periods of one quota, which only clocks that stepped back leave, the earlier is first: it
    is the one that is written. One query.
    """
    rows = (
        CalendarBalance.objects.using(router.db_for_write(CalendarBalance))
        .filter(
            tenant_id=tenant.pk,
            epoch__gte=tenant.epoch,
            period_end__gt=instant_at(at_us),
        )
        .order_by("period_end", "pk")
    )
    return [
        owners.Balance(
            subject=Subject(tenant_tag(tenant.pk), row.subject or "t", tenant.epoch),
            scope=row.scope,
            name=row.name,
            # The amount does not name a state, the unit does.
            rule=CalendarQuota(amount=1, unit=CalendarUnit(row.unit)),
            used=row.used,
            start_us=microseconds(row.period_start),
            end_us=microseconds(row.period_end),
            epoch=row.epoch - tenant.epoch,
        )
        for row in rows
        if row.epoch == tenant.epoch_of(row.scope, row.name)
    ]


def seed(tenant: TenantRow, at_us: int) -> None:
    """Write the balances back, then the mark.

    Raises the database's error, or `EngineUnavailable`.
    """
    found = balances(tenant, at_us)
    owners.seed(tenant_tag(tenant.pk), found)
    if found:
        logger.warning(
            "Tenant %s: Redis had lost its memory; %s calendar quotas resumed.",
            tenant.key,
            len(found),
        )
