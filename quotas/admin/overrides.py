"""Staff give a tenant limits of its own, for a time."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.contrib import admin
from django.db.models import OuterRef, Q, QuerySet, Subquery
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from quotas.admin.deleted import DeletedAdmin
from quotas.admin.limit_questions import OverrideForm
from quotas.admin.limits import LIMIT_FIELDSETS, LimitAdmin
from quotas.admin.ordering import Known
from quotas.models import Override

SOON = timedelta(days=7)
WHEN_FIELDSETS: Any = [(None, {"fields": ["reason", ("starts_at", "ends_at")]})]


class StateFilter(admin.SimpleListFilter):
    """Overrides in force, those of them that end soon, to come, and over."""

    title = _("state")
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [
            ("in_force", _("in force")),
            ("soon", _("ends within 7 days")),
            ("to_come", _("to come")),
            ("over", _("over")),
        ]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        now = timezone.now()
        over = Q(ends_at__lte=now)
        in_force = Q(starts_at__lte=now) & ~over
        chosen = {
            "in_force": in_force,
            "soon": in_force & Q(ends_at__lte=now + SOON),
            "to_come": Q(starts_at__gt=now),
            "over": over,
        }
        return queryset.filter(chosen.get(self.value() or "", Q()))


def later_in_force() -> Subquery:
    """The override that acts in place of a row: of its (scope, name), in force, begun later."""
    others = Override.objects.in_force(timezone.now()).filter(
        Q(starts_at__gt=OuterRef("starts_at"))
        | Q(starts_at=OuterRef("starts_at"), pk__gt=OuterRef("pk")),
        tenant=OuterRef("tenant"),
        scope=OuterRef("scope"),
        name=OuterRef("name"),
    )
    return Subquery(others.order_by("-starts_at", "-pk").values("pk")[:1])


def state(override: Override) -> str:
    """Whether it is in force now, by the application's clock, and whether another one acts."""
    now = timezone.now()
    if override.starts_at > now:
        return gettext("to come")
    if override.ends_at is not None and override.ends_at <= now:
        return gettext("over")
    later = getattr(override, "later", None)
    if later is None:
        return gettext("in force")
    return gettext("in force, but number %(pk)s began later and acts") % {"pk": later}


@admin.register(Override)
class OverrideAdmin(DeletedAdmin, LimitAdmin):
    """All overrides, the one that began last first: of several in force for one limit, it wins."""

    form = OverrideForm
    list_display = [
        "limit",
        "tenant",
        "allows",
        "state",
        "starts_at",
        "ends",
        "reason",
        "created_by",
        "mode",
        "promise",
    ]
    list_select_related = ["tenant", "created_by"]
    list_filter = [StateFilter, "mode", "algorithm", "scope"]
    search_fields = [*LimitAdmin.search_fields, "reason", "tenant__key", "tenant__name"]
    autocomplete_fields = ["tenant"]
    readonly_fields = [*LimitAdmin.readonly_fields, "created_by", "state"]
    date_hierarchy = "starts_at"
    fieldsets = [
        (None, {"fields": ["tenant"]}),
        *LIMIT_FIELDSETS,
        *WHEN_FIELDSETS,
        (None, {"fields": [("state", "created_by")]}),
    ]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows: QuerySet[Any] = super().get_queryset(request).annotate(later=later_in_force())
        return rows

    @admin.display(description=_("state"))
    def state(self, row: Override) -> str:
        return state(row) if row.pk else "–"

    def stands(self, limit: Override) -> str:
        """The mode, and whether the override acts at all."""
        acts = gettext("The override is %(state)s.") % {"state": state(limit)}
        return f"{super().stands(limit)} {acts}"

    @admin.display(description=_("until"), ordering=Known("ends_at"))
    def ends(self, row: Override) -> Any:
        return row.ends_at or _("for good")

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:  # noqa: FBT001
        if not change:
            obj.created_by = request.user
        super().save_model(request, obj, form, change)
