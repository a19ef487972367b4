"""Staff edit plans, with their limits inline, and look through the limits of all plans."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.contrib import admin, messages
from django.db import transaction
from django.db.models import Count, IntegerField, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.translation import gettext_lazy as _

from quotas.admin.audit import locked, log_changes, turned
from quotas.admin.bound import own
from quotas.admin.deleted import DeletedAdmin
from quotas.admin.fields import LIMIT_FORM_FIELDS
from quotas.admin.formsets import LimitFormSet, LimitRowForm
from quotas.admin.in_force import TellsInForce
from quotas.admin.limit_forms import in_words
from quotas.admin.limit_questions import LimitListFormSet, PlanLimitForm
from quotas.admin.limits import LimitAdmin, changed, limit_fieldsets
from quotas.admin.parents import StackedInline
from quotas.admin.previews import PreviewAdmin
from quotas.admin.promises import promise_block
from quotas.admin.questions import Question
from quotas.models import Plan, PlanLimit, Tenant
from quotas.services.plan_moves import plan_moves

SCOPES = "quotas-scopes"


class PlanLimitInline(StackedInline):
    """The limits of the plan, each with its promise under its numbers."""

    model = PlanLimit
    form = LimitRowForm
    formset = LimitFormSet
    formfield_overrides = LIMIT_FORM_FIELDS
    fieldsets = limit_fieldsets("words")
    readonly_fields = ["promise"]
    ordering = ["scope", "name"]
    extra = 0
    show_change_link = True

    @admin.display(description=_("in words"))
    def words(self, row: PlanLimit) -> str:
        return in_words(row)

    @admin.display(description=_("promises"))
    def promise(self, row: PlanLimit) -> str:
        return promise_block(row)

    def formfield_for_dbfield(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        field = super().formfield_for_dbfield(db_field, request, **kwargs)
        if db_field.name == "scope" and field is not None:
            field.widget.attrs["list"] = SCOPES  # the scopes that views ask for
        return field


@admin.register(Plan)
class PlanAdmin(TellsInForce, DeletedAdmin, PreviewAdmin):
    """Plans, how many limits each has, and how many tenants."""

    list_display = [
        "key",
        "name",
        "limit_count",
        "tenant_count",
        "is_default",
        "is_anonymous",
        "active",
    ]
    list_filter = ["active"]
    search_fields = ["key", "name"]
    inlines = [PlanLimitInline]
    actions = ["make_default"]
    save_on_top = True

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        tenants = own(request, Tenant.objects.all())
        counts = {
            "limit_count": _counted(PlanLimit.objects.all()),
            "tenant_count": _counted(tenants),
        }
        rows: QuerySet[Any] = super().get_queryset(request).annotate(**counts)
        return rows

    def question_of_removal(self, rows: Sequence[Any]) -> Question:
        return Question(moves=plan_moves([], {row.pk for row in rows}))

    @admin.display(description=_("limits"), ordering="limit_count")
    def limit_count(self, row: Any) -> int:
        return int(row.limit_count)

    @admin.display(description=_("tenants"), ordering="tenant_count")
    def tenant_count(self, row: Any) -> int:
        return int(row.tenant_count)

    @admin.action(
        description=_("Make default: tenants without a plan have this one"), permissions=["change"]
    )
    def make_default(
        self, request: HttpRequest, queryset: QuerySet[Any]
    ) -> HttpResponseBase | None:
        chosen = list(queryset)
        if len(chosen) != 1 or not chosen[0].active:
            message = _("Nothing was changed: select one plan that is active.")
            self.message_user(request, message, messages.ERROR)
            return None
        concerned = Plan.objects.filter(Q(is_default=True) | Q(pk=chosen[0].pk))
        plans = list(concerned)
        after = [changed(row, "is_default", row == chosen[0]) for row in plans]
        if asked := self.ask_once(request, plans, lambda: Question(moves=plan_moves(after))):
            return asked
        rows = locked(concerned)
        with transaction.atomic(using=rows.db):
            # First the old one gives it up, for there is one at most.
            turns = [(row, row == chosen[0]) for row in rows.order_by("-is_default")]
            turns = [(row, value) for row, value in turns if row.is_default != value]
            for row, value in turns:
                Plan.objects.using(rows.db).filter(pk=row.pk).update(is_default=value)
            log_changes(
                request, [(row, turned("is_default", not value, value)) for row, value in turns]
            )
        done = _("%(plan)s is the default plan.") % {"plan": chosen[0]}
        self.message_user(request, done, messages.SUCCESS)
        return None


@admin.register(PlanLimit)
class PlanLimitAdmin(TellsInForce, DeletedAdmin, LimitAdmin):
    """The limits of all plans."""

    settled = ("plan",)
    list_display = ["limit", "plan", "allows", "promise", "amount", "mode"]
    list_editable = ["amount", "mode"]
    list_select_related = ["plan"]
    list_filter = ["plan", "mode", "algorithm", "scope"]
    search_fields = [*LimitAdmin.search_fields, "plan__key", "plan__name"]
    form = PlanLimitForm
    fieldsets = [(None, {"fields": ["plan"]}), *limit_fieldsets("words")]

    def get_changelist_formset(self, request: HttpRequest, **kwargs: Any) -> Any:
        return super().get_changelist_formset(request, **{"formset": LimitListFormSet, **kwargs})

    @admin.display(description=_("in words"))
    def words(self, row: PlanLimit) -> str:
        return in_words(row)


def _counted(rows: QuerySet[Any]) -> Coalesce:
    """How many of ``rows`` a plan has: by themselves, so that counts do not multiply."""
    of_plan = rows.filter(plan=OuterRef("pk")).order_by().values("plan")
    counted = of_plan.annotate(count=Count("pk")).values("count")
    return Coalesce(Subquery(counted), 0, output_field=IntegerField())
