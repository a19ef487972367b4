"""Staff look at what tenants used, by quarters of an hour, hours and days; nobody edits it."""

from __future__ import annotations

from django.contrib import admin

from quotas.admin.parents import LookOnlyAdmin
from quotas.models import AnonymousQuarter, UsageDay, UsageHour, UsageQuarter

COUNTED = ["admitted", "denied", "shadow_denied", "units", "peak"]


@admin.register(UsageQuarter)
class UsageQuarterAdmin(LookOnlyAdmin):
    """Newest copies first.

    Without filters, and without the number of all rows: with millions either takes seconds.
    """

    list_display = ["tenant", "scope", "start", *COUNTED, "copied_at"]
    list_select_related = ["tenant"]
    search_fields = ["=tenant__key"]
    ordering = ["-pk"]
    show_full_result_count = False


@admin.register(UsageHour)
class UsageHourAdmin(LookOnlyAdmin):
    """Newest copies first."""

    list_display = ["tenant", "start", "admitted", "denied", "units", "early", "copied_at"]
    list_select_related = ["tenant"]
    search_fields = ["=tenant__key"]
    ordering = ["-pk"]
    show_full_result_count = False


@admin.register(AnonymousQuarter)
class AnonymousQuarterAdmin(LookOnlyAdmin):
    """Newest copies first."""

    list_display = ["scope", "start", *COUNTED, "copied_at"]
    search_fields = ["=scope"]
    ordering = ["-pk"]
    show_full_result_count = False


@admin.register(UsageDay)
class UsageDayAdmin(LookOnlyAdmin):
    """Newest sums first."""

    list_display = ["tenant", "scope", "day", *COUNTED]
    list_select_related = ["tenant"]
    search_fields = ["=tenant__key"]
    ordering = ["-pk"]
    show_full_result_count = False
