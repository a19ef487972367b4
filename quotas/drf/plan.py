"""The throttle that enforces what staff edit: a tenant's plan and its overrides."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rest_framework.request import Request

from quotas.drf.throttles import QuotaThrottle
from quotas.services.enforcement import Ask
from quotas.services.scopes import by_scope

if TYPE_CHECKING:
    from rest_framework.views import APIView


class PlanThrottle(QuotaThrottle):
    """Enforces the plan's limits for a scope, and those for every scope besides.

    The scope is the class's own, else the view's ``throttle_scope``; without either only limits of
    scope ``*`` apply, and a check says so. Who pays, who is counted and how much: `get_tenant`,
    `get_subject`, `get_cost`.
    """

    @by_scope
    def ask(self, request: Request, view: APIView, cost: int, subject: str | None) -> Ask | None:
        scope = self.scope or getattr(view, "throttle_scope", None)
        return Ask(cost=cost, scope=scope, subject=subject)
