"""Limits in shadow, tenants that they would have denied, and the pages that tell it."""

from __future__ import annotations

from datetime import timedelta

from django.urls import reverse
from django.utils import timezone

from quotas.models import TenantSnapshot, UsageQuarter
from tests.models.rows import a_tenant

NOW = timezone.now()
HOUR, DAY = timedelta(hours=1), timedelta(days=1)


def in_shadow(row, since=NOW - 3 * DAY):
    type(row).objects.filter(pk=row.pk).update(mode_since=since)
    row.refresh_from_db()
    return row


def a_caller(plan, would=0, *, ago=HOUR, key=None, **fields):
    """A tenant that made ten calls, and what of them would have been denied."""
    tenant = a_tenant(key, plan=plan, plan_since=NOW - 9 * DAY)
    values = {"admitted": 10, "shadow_denied": would, "limits": {"api/minute": [0, would]}}
    UsageQuarter.objects.create(
        tenant=tenant, scope="api", start=NOW - ago, generation=1, **{**values, **fields}
    )
    return tenant


def flushed(tenant, at=NOW):
    TenantSnapshot.objects.create(tenant=tenant, last_seen=at, taken_at=at)


def shadow_url(row, turn=None):
    name = f"admin:quotas_{row._meta.model_name}_shadow"
    return reverse(f"{name}_turn", args=[row.pk, turn]) if turn else reverse(name, args=[row.pk])
