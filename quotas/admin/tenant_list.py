"""The list of tenants: who is near a limit, who is denied, whose override ends.

Filters and the order of rows go by the snapshot of the last flush; the rows on the page are
peeked at.
"""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import Count, IntegerField, Max, Min, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.http import HttpRequest
from django.utils import timezone
from django.utils.formats import date_format, number_format
from django.utils.html import format_html
from django.utils.timesince import timesince
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from quotas.admin.audit import AuditedAdmin
from quotas.admin.ordering import Known
from quotas.admin.tenant_filters import (
    DeniedFilter,
    NearFilter,
    OverrideFilter,
    ShadowFilter,
    TrafficFilter,
)
from quotas.models import Override, Tenant, TenantSnapshot
from quotas.services.closest import closest_of

NOTHING = "–"


def meter(percent: int, label: str, *, denying: bool) -> str:
    """How much of a limit is used: a bar, the number, and in words whether it denies."""
    said = gettext("denying now") if denying else ""
    return format_html(
        '<meter min="0" max="100" high="79" optimum="0" value="{}" aria-label="{}">{}</meter> '
        "<strong>{}\u00a0%</strong> {} <em>{}</em>",
        str(percent),
        label,
        str(percent),
        str(percent),
        label,
        said,
    )


class TenantList(AuditedAdmin):
    """The columns, and where their numbers come from."""

    list_display = [
        "key",
        "name",
        "plan_or_default",
        "closest",
        "denied",
        "own_limits",
        "last_seen",
        "standing",
    ]
    list_select_related = ["plan", "snapshot"]
    list_filter = [
        NearFilter,
        DeniedFilter,
        OverrideFilter,
        ShadowFilter,
        TrafficFilter,
        "suspended",
        "plan",
        "time_zone",
    ]
    search_fields = ["key", "name"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        of_tenant = Override.objects.in_force(timezone.now()).filter(tenant=OuterRef("pk"))
        by_tenant = of_tenant.order_by().values("tenant")
        counted = Subquery(by_tenant.annotate(count=Count("pk")).values("count"))
        ends = Subquery(by_tenant.annotate(end=Min("ends_at")).values("end"))
        rows: QuerySet[Any] = super().get_queryset(request)
        count = Coalesce(counted, 0, output_field=IntegerField())
        listed: QuerySet[Any] = rows.annotate(override_count=count, override_end=ends)
        return listed

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> Any:
        """Peek at the rows of the page, when there is one to be shown."""
        response = super().changelist_view(request, extra_context)
        shown = getattr(response, "context_data", None) or {}
        if "cl" in shown:
            rows = list(shown["cl"].result_list)
            found = closest_of(rows)
            for row in rows:
                row.near = (found or {}).get(row.pk)
            shown["cl"].result_list = rows
            shown["outage"] = found is None
            shown["taken_at"] = TenantSnapshot.objects.aggregate(at=Max("taken_at"))["at"]
        return response

    @admin.display(description=_("plan"), ordering="plan__key")
    def plan_or_default(self, row: Tenant) -> Any:
        return row.plan or _("(the default plan)")

    @admin.display(description=_("standing"), ordering="suspended")
    def standing(self, row: Tenant) -> Any:
        return _("suspended") if row.suspended else _("served")

    @admin.display(description=_("closest limit"), ordering=Known("snapshot__percent"))
    def closest(self, row: Any) -> str:
        near = getattr(row, "near", None)
        if near is not None:
            limit = near.limit
            label = (limit.title or f"{limit.scope}/{limit.name}") if limit else ""
            return meter(near.percent, label, denying=near.denying) if limit else NOTHING
        kept = snapshot_of(row)
        if kept is None or kept.percent is None:
            return NOTHING
        then = gettext("%(label)s, %(age)s ago") % {
            "label": kept.label,
            "age": timesince(kept.taken_at),
        }
        return meter(kept.percent, then, denying=False)

    @admin.display(description=_("denied, 24 hours"), ordering=Known("snapshot__denied"))
    def denied(self, row: Tenant) -> str:
        kept = snapshot_of(row)
        return NOTHING if kept is None else number_format(kept.denied, force_grouping=True)

    @admin.display(description=_("last seen"), ordering=Known("snapshot__last_seen"))
    def last_seen(self, row: Tenant) -> str:
        kept = snapshot_of(row)
        return gettext("never") if kept is None else dated(kept.last_seen)

    @admin.display(description=_("overrides"), ordering=Known("override_end"))
    def own_limits(self, row: Any) -> str:
        """How many overrides are in force, and when the first of them ends."""
        count, end = row.override_count, row.override_end
        if end is None:
            return number_format(count) if count else NOTHING
        text = ngettext("%(count)d, ends %(end)s", "%(count)d, the first ends %(end)s", count)
        return text % {"count": count, "end": dated(end)}


def snapshot_of(row: Tenant) -> TenantSnapshot | None:
    """The tenant's snapshot, if it ever made a call."""
    return getattr(row, "snapshot", None)


def dated(when: Any) -> str:
    """An instant in the zone of the admin."""
    return date_format(timezone.localtime(when), "SHORT_DATETIME_FORMAT")
