"""Staff look at what calendar quotas had used when they were last copied; nobody edits it."""

from __future__ import annotations

from django.contrib import admin

from quotas.admin.parents import LookOnlyAdmin
from quotas.models import CalendarBalance


@admin.register(CalendarBalance)
class CalendarBalanceAdmin(LookOnlyAdmin):
    """What each subject had used of each calendar quota."""

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
