"""Staff look after tenants: plan, members, overrides, suspension, counters."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.auth import get_user_model
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Count, F, IntegerField, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from quotas.admin.audit import AuditedAdmin, locked, log_changes, turned
from quotas.admin.fields import LIMIT_FORM_FIELDS
from quotas.admin.limit_forms import LimitForm
from quotas.admin.limits import LIMIT_FIELDSETS
from quotas.admin.overrides import WHEN_FIELDSETS
from quotas.admin.parents import ModelForm, StackedInline, TabularInline
from quotas.admin.promises import promise
from quotas.models import (
    Alert,
    CalendarBalance,
    Membership,
    Override,
    Tenant,
    UsageDay,
    UsageQuarter,
)

COUNTED = (Alert, CalendarBalance, UsageDay, UsageQuarter)


class MembershipForm(ModelForm):
    """A membership; its user is chosen once, so that a page of members looks up none by itself."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.instance.pk and "user" in self.fields:
            user = self.fields["user"]
            user.disabled = True
            user.widget = forms.Select(choices=[(self.instance.user_id, str(self.instance.user))])


class MemberForm(MembershipForm):
    """A membership among the others of its tenant."""

    def validate_constraints(self) -> None:
        # Not whether the user is a member already: the one who is may be deleted beside this row.
        # Django 6 asks each row; the formset sees to members who are there twice.
        exclude = {"tenant", *self.errors}
        try:
            self.instance.validate_constraints(exclude)
        except ValidationError as error:
            self.add_error(None, error)


class MembershipInline(TabularInline):
    """The members of the tenant."""

    model = Membership
    form = MemberForm
    raw_id_fields = ["user"]
    extra = 0

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).select_related("user", "tenant")


class OverrideInline(StackedInline):
    """The tenant's own limits, past ones too, the one that began last first."""

    model = Override
    form = LimitForm
    formfield_overrides = LIMIT_FORM_FIELDS
    fieldsets = [*LIMIT_FIELDSETS, *WHEN_FIELDSETS]
    readonly_fields = ["promise"]
    extra = 0
    show_change_link = True

    @admin.display(description=_("promises"))
    def promise(self, row: Override) -> str:
        return promise(row)


@admin.register(Tenant)
class TenantAdmin(AuditedAdmin):
    """Tenants, the plan of each, and how many overrides are in force."""

    list_display = ["key", "name", "plan_or_default", "override_count", "time_zone", "standing"]
    list_select_related = ["plan"]
    list_filter = ["suspended", "plan", "time_zone"]
    search_fields = ["key", "name"]
    readonly_fields = ["epoch", "created"]
    fields = ["key", "name", "plan", ("time_zone", "anchor_day"), "suspended", "epoch", "created"]
    inlines = [OverrideInline, MembershipInline]
    actions = ["suspend", "resume", "reset_counters"]
    save_on_top = True

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        of_tenant = Override.objects.in_force(timezone.now()).filter(tenant=OuterRef("pk"))
        counted = of_tenant.order_by().values("tenant").annotate(count=Count("pk")).values("count")
        count = Coalesce(Subquery(counted), 0, output_field=IntegerField())
        rows: QuerySet[Any] = super().get_queryset(request).annotate(override_count=count)
        return rows

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> Any:
        """What was counted goes with its tenant, though nobody may delete it by itself."""
        listed, counts, lacking, protected = super().get_deleted_objects(objs, request)
        counted = {model._meta.verbose_name for model in COUNTED}  # noqa: SLF001 - Django's documented name
        return listed, counts, set(lacking) - counted, protected

    @admin.display(description=_("plan"), ordering="plan__key")
    def plan_or_default(self, row: Tenant) -> Any:
        return row.plan or _("(the default plan)")

    @admin.display(description=_("standing"), ordering="suspended")
    def standing(self, row: Tenant) -> Any:
        return _("suspended") if row.suspended else _("served")

    @admin.display(description=_("overrides in force"), ordering="override_count")
    def override_count(self, row: Any) -> int:
        return int(row.override_count)

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
                [
                    (row, f"counters reset; {turned('epoch', row.epoch, row.epoch + 1)}")
                    for row in changed
                ],
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


def _all_of(rows: list[Any], using: str) -> QuerySet[Tenant]:
    return Tenant.objects.using(using).filter(pk__in=[row.pk for row in rows])


@admin.register(Membership)
class MembershipAdmin(AuditedAdmin):
    """Who belongs to which tenant."""

    form = MembershipForm
    list_display = ["user", "tenant", "role", "is_default"]
    list_select_related = ["user", "tenant"]
    list_filter = ["role", "is_default"]
    raw_id_fields = ["user"]
    autocomplete_fields = ["tenant"]

    def get_search_fields(self, request: HttpRequest) -> list[str]:
        return [f"user__{get_user_model().USERNAME_FIELD}", "tenant__key", "tenant__name"]
