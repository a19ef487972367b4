"""What staff look for among thousands of tenants: those that need somebody to look at them."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, ClassVar

from django.contrib import admin
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from quotas.admin.overrides import SOON
from quotas.domain.words import Mode
from quotas.models import Override, Plan, PlanLimit

NEAR = 80
DAY = timedelta(days=1)


class ChosenFilter(admin.SimpleListFilter):
    """Rows of one or another kind: ``kinds`` are what is told of each, and how it is asked for."""

    kinds: ClassVar[dict[str, Any]] = {}

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return list(self.kinds.items())

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        value = self.value()
        return (
            queryset.filter(self.chosen(value, timezone.now())) if value in self.kinds else queryset
        )

    def chosen(self, kind: str, now: datetime) -> Q | Exists:
        """Which rows are of a kind."""
        raise NotImplementedError


class NearFilter(ChosenFilter):
    """By the closest limit, at the last flush."""

    title = _("closest limit")
    parameter_name = "near"
    kinds = {"near": _("80 percent or more used"), "full": _("used up")}

    def chosen(self, kind: str, now: datetime) -> Q:
        return Q(snapshot__percent__gte=NEAR if kind == "near" else 100)


class DeniedFilter(ChosenFilter):
    """By whether calls were denied, at the last flush."""

    title = _("denied")
    parameter_name = "denied"
    kinds = {"now": _("now"), "day": _("in the last 24 hours")}

    def chosen(self, kind: str, now: datetime) -> Q:
        return Q(snapshot__denying=True) if kind == "now" else Q(snapshot__denied__gt=0)


class OverrideFilter(ChosenFilter):
    """By their overrides."""

    title = _("overrides")
    parameter_name = "override"
    kinds = {"soon": _("one ends within 7 days"), "any": _("any in force")}

    def chosen(self, kind: str, now: datetime) -> Exists:
        rows = Override.objects.in_force(now).filter(tenant=OuterRef("pk"))
        return Exists(rows.filter(ends_at__lte=now + SOON) if kind == "soon" else rows)


class ShadowFilter(ChosenFilter):
    """By whether a limit of theirs is in shadow, of the plan or of an override in force."""

    title = _("shadow")
    parameter_name = "shadow"
    kinds = {"any": _("a limit in shadow")}

    def chosen(self, kind: str, now: datetime) -> Q:
        shadows = PlanLimit.objects.filter(mode=Mode.SHADOW, plan__active=True)
        own = Override.objects.in_force(now).filter(tenant=OuterRef("pk"), mode=Mode.SHADOW)
        by_default = Q(plan=None) | Q(plan__active=False)
        of_default = Plan.objects.filter(is_default=True, pk__in=shadows.values("plan"))
        return (
            Q(plan__in=shadows.values("plan"))
            | Q(Exists(own))
            | (by_default & Q(Exists(of_default)))
        )


class TrafficFilter(ChosenFilter):
    """By when they called last, as of the last flush."""

    title = _("traffic")
    parameter_name = "traffic"
    kinds = {"none": _("none in the last 24 hours"), "never": _("none ever")}

    def chosen(self, kind: str, now: datetime) -> Q:
        never = Q(snapshot=None)
        return never if kind == "never" else never | Q(snapshot__last_seen__lt=now - DAY)
