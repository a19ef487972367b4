"""What staff edit and what is kept: tenants, plans, overrides, balances.

Imports Django's ORM, `quotas.domain`, `quotas.errors` and `quotas.signals` only.
"""

from __future__ import annotations

from quotas.models.balances import CalendarBalance
from quotas.models.overrides import Override
from quotas.models.plans import Plan, PlanLimit
from quotas.models.tenants import Membership, Tenant

__all__ = ["CalendarBalance", "Membership", "Override", "Plan", "PlanLimit", "Tenant"]
