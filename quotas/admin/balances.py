"""Staff look at what calendar quotas had used when they were last copied; nobody edits it."""

from __future__ import annotations

from django.contrib import admin
from django.http import HttpRequest

from quotas.admin.parents import ModelAdmin
from quotas.models import CalendarBalance


@admin.register(CalendarBalance)
class CalendarBalanceAdmin(ModelAdmin):
    """Balances: to look at, whatever one's permissions."""

    list_display = [
        "tenant",
        "scope",
        "name",
        "unit",
        "subject",
        "used",
        "period_start",
        "period_end",
        "copied_at",
    ]
    list_select_related = ["tenant"]
    list_filter = ["scope", "name"]
    search_fields = ["tenant__key", "tenant__name", "scope", "name", "subject"]
    date_hierarchy = "period_start"

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(
        self, request: HttpRequest, obj: CalendarBalance | None = None
    ) -> bool:
        return False

    def has_delete_permission(
        self, request: HttpRequest, obj: CalendarBalance | None = None
    ) -> bool:
        return False
