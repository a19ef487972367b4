"""Staff look after tenants: plan, members, overrides, suspension, counters."""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.db import transaction
from django.db.models import F, QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from quotas.admin.audit import locked, log_changes, turned
from quotas.admin.deleted import DeletedAdmin
from quotas.admin.fields import LIMIT_FORM_FIELDS
from quotas.admin.limit_forms import LimitForm
from quotas.admin.limits import LIMIT_FIELDSETS
from quotas.admin.memberships import MembershipInline
from quotas.admin.overrides import WHEN_FIELDSETS
from quotas.admin.parents import StackedInline
from quotas.admin.promises import promise
from quotas.admin.tenant_applied import AppliedPage
from quotas.admin.tenant_buttons import TenantButtons
from quotas.admin.tenant_questions import OverrideFormSet, TenantForm
from quotas.models import (
    Alert,
    CalendarBalance,
    Override,
    Tenant,
    UsageDay,
    UsageHour,
    UsageQuarter,
)

COUNTED = (Alert, CalendarBalance, UsageDay, UsageHour, UsageQuarter)


class OverrideInline(StackedInline):
    """The tenant's own limits, past ones too, the one that began last first."""

    model = Override
    form = LimitForm
    formset = OverrideFormSet
    formfield_overrides = LIMIT_FORM_FIELDS
    fieldsets = [*LIMIT_FIELDSETS, *WHEN_FIELDSETS]
    readonly_fields = ["promise"]
    extra = 0
    show_change_link = True

    @admin.display(description=_("promises"))
    def promise(self, row: Override) -> str:
        return promise(row)


@admin.register(Tenant)
class TenantAdmin(DeletedAdmin, AppliedPage, TenantButtons):
    """Tenants, the plan of each, and how many overrides are in force."""

    form = TenantForm
    readonly_fields = ["epoch", "created"]
    fields = ["key", "name", "plan", ("time_zone", "anchor_day"), "suspended", "epoch", "created"]
    inlines = [OverrideInline, MembershipInline]
    actions = ["suspend", "resume", "reset_counters"]
    save_on_top = True

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> Any:
        """What was counted goes with its tenant, though nobody may delete it by itself."""
        listed, counts, lacking, protected = super().get_deleted_objects(objs, request)
        counted = {model._meta.verbose_name for model in COUNTED}  # noqa: SLF001 - Django's documented name
        return listed, counts, set(lacking) - counted, protected

    def save_formset(self, request: HttpRequest, form: Any, formset: Any, change: bool) -> None:  # noqa: FBT001
        staff: Any = request.user
        for row in formset.extra_forms:
            if isinstance(row.instance, Override):
                row.instance.created_by = staff
        super().save_formset(request, form, formset, change)

    @admin.action(description=_("Suspend: refuse every request"), permissions=["change"])
    def suspend(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        self._turn(request, queryset, suspended=True)

    @admin.action(description=_("Resume: admit requests again"), permissions=["change"])
    def resume(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        self._turn(request, queryset, suspended=False)

    @admin.action(
        description=_("Reset counters: give back all that was used"), permissions=["change"]
    )
    def reset_counters(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        rows = locked(queryset)
        with transaction.atomic(using=rows.db):
            changed = list(rows)
            # Raised by the database: two resets at once are two.
            _all_of(changed, rows.db).update(epoch=F("epoch") + 1)
            log_changes(
                request,
                [(row, _reset(row.epoch)) for row in changed],
            )
        self._told(request, len(changed))

    def _turn(self, request: HttpRequest, queryset: QuerySet[Any], *, suspended: bool) -> None:
        rows = locked(queryset).filter(suspended=not suspended)
        with transaction.atomic(using=rows.db):
            changed = list(rows)
            _all_of(changed, rows.db).update(suspended=suspended)
            log_changes(
                request, [(row, turned("suspended", not suspended, suspended)) for row in changed]
            )
        self._told(request, len(changed))

    def _told(self, request: HttpRequest, count: int) -> None:
        message = ngettext(
            "%(count)d tenant was changed.", "%(count)d tenants were changed.", count
        )
        self.message_user(request, message % {"count": count}, messages.SUCCESS)


def _reset(epoch: int) -> str:
    return gettext("counters reset; %(change)s") % {"change": turned("epoch", epoch, epoch + 1)}


def _all_of(rows: list[Any], using: str) -> QuerySet[Tenant]:
    return Tenant.objects.using(using).filter(pk__in=[row.pk for row in rows])
