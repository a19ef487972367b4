"""What staff see of plans, tenants and overrides, and how they change them.

An edge: imports services, models, domain, conf, errors and signals; never the engine.
"""

from __future__ import annotations

from quotas.admin.alerts import AlertAdmin, AlertSettingsAdmin, CapAdmin
from quotas.admin.balances import CalendarBalanceAdmin
from quotas.admin.memberships import MembershipAdmin
from quotas.admin.overrides import OverrideAdmin
from quotas.admin.plans import PlanAdmin, PlanLimitAdmin
from quotas.admin.status import StatusAdmin
from quotas.admin.tenants import TenantAdmin
from quotas.admin.usage import UsageDayAdmin, UsageQuarterAdmin

__all__ = [
    "AlertAdmin",
    "AlertSettingsAdmin",
    "CalendarBalanceAdmin",
    "CapAdmin",
    "MembershipAdmin",
    "OverrideAdmin",
    "PlanAdmin",
    "PlanLimitAdmin",
    "StatusAdmin",
    "TenantAdmin",
    "UsageDayAdmin",
    "UsageQuarterAdmin",
]
