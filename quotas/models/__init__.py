"""What staff edit and what is kept: tenants, plans, overrides, caps, resets, balances, usage.

Imports Django's ORM, `quotas.domain`, `quotas.errors` and `quotas.signals` only.
"""

from __future__ import annotations

from quotas.models.alert_settings import AlertSettings
from quotas.models.alerts import Alert
from quotas.models.balances import CalendarBalance
from quotas.models.caps import Cap
from quotas.models.hours import UsageHour
from quotas.models.limit_resets import LimitReset
from quotas.models.overrides import Override
from quotas.models.plans import Plan, PlanLimit
from quotas.models.snapshots import TenantSnapshot
from quotas.models.status import Status
from quotas.models.tenants import Membership, Tenant
from quotas.models.usage import AnonymousQuarter, UsageDay, UsageQuarter

__all__ = [
    "Alert",
    "AlertSettings",
    "AnonymousQuarter",
    "CalendarBalance",
    "Cap",
    "LimitReset",
    "Membership",
    "Override",
    "Plan",
    "PlanLimit",
    "Status",
    "Tenant",
    "TenantSnapshot",
    "UsageDay",
    "UsageHour",
    "UsageQuarter",
]
