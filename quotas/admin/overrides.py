"""Staff give a tenant limits of its own, for a time."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from quotas.admin.limits import LIMIT_FIELDSETS, LimitAdmin
from quotas.models import Override

WHEN_FIELDSETS: Any = [(None, {"fields": ["reason", ("starts_at", "ends_at")]})]


class StateFilter(admin.SimpleListFilter):
    """Overrides in force, to come, and over."""

    title = _("state")
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [("in_force", _("in force")), ("to_come", _("to come")), ("over", _("over"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        now = timezone.now()
        over = Q(ends_at__lte=now)
        chosen = {
            "in_force": Q(starts_at__lte=now) & ~over,
            "to_come": Q(starts_at__gt=now),
            "over": over,
        }
        return queryset.filter(chosen.get(self.value() or "", Q()))


def state(override: Override) -> str:
    """Whether it is in force now, by the application's clock."""
    now = timezone.now()
    if override.starts_at > now:
        return str(_("to come"))
    if override.ends_at is not None and override.ends_at <= now:
        return str(_("over"))
    return str(_("in force"))


@admin.register(Override)
class OverrideAdmin(LimitAdmin):
    """All overrides, the one that began last first: of several in force for one limit, it wins."""

    list_display = [
        "limit",
        "tenant",
        "allows",
        "promise",
        "mode",
        "state",
        "starts_at",
        "ends_at",
        "reason",
    ]
    list_select_related = ["tenant"]
    list_filter = [StateFilter, "mode", "algorithm", "scope"]
    search_fields = [*LimitAdmin.search_fields, "reason", "tenant__key", "tenant__name"]
    autocomplete_fields = ["tenant"]
    readonly_fields = [*LimitAdmin.readonly_fields, "created_by"]
    date_hierarchy = "starts_at"
    fieldsets = [
        (None, {"fields": ["tenant"]}),
        *LIMIT_FIELDSETS,
        *WHEN_FIELDSETS,
        (None, {"fields": ["created_by"]}),
    ]

    @admin.display(description=_("state"))
    def state(self, row: Override) -> str:
        return state(row)

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:  # noqa: FBT001
        if not change:
            obj.created_by = request.user
        super().save_model(request, obj, form, change)
