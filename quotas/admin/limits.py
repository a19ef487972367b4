"""What the admin of plan limits and that of overrides share: columns, fields and actions."""

from __future__ import annotations

import re
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.formats import number_format
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from quotas.admin.audit import AuditedAdmin, locked, log_changes, turned
from quotas.admin.fields import LIMIT_FORM_FIELDS
from quotas.admin.limit_forms import LimitForm
from quotas.admin.parents import ActionForm
from quotas.admin.promises import promise
from quotas.domain.limits import MOST_AMOUNT
from quotas.domain.words import Mode
from quotas.models.limit_fields import LimitFields

AMOUNT = re.compile("[0-9]{1,13}")


def limit_fieldsets(*before: str) -> Any:
    """The fields of a limit, with some that its form adds ``before`` the numbers."""
    numbers = ["algorithm", ("amount", "period", "unit"), "capacity", "promise"]
    return [
        (None, {"fields": [("scope", "name", "title")]}),
        (None, {"fields": [*before, *numbers]}),
        (None, {"fields": [("subject", "mode"), ("outage_policy", "warn_at", "warn_projected")]}),
    ]


LIMIT_FIELDSETS = limit_fieldsets()


def allowed(limit: LimitFields) -> str:
    """The amount as people read it: 0, blank and a number look different everywhere."""
    return amount_said(limit.amount)


def amount_said(amount: int | None) -> str:
    """An amount as people read it."""
    if amount is None:
        return str(_("unlimited"))
    return number_format(amount, force_grouping=True) if amount else str(_("denies all"))


class AmountActionForm(ActionForm):
    """The menu of actions, with the amount that one of them sets."""

    amount = forms.CharField(
        label=_("New amount:"),
        required=False,
        max_length=20,
        widget=forms.TextInput(attrs={"size": 10, "placeholder": _("number or “unlimited”")}),
    )


class LimitAdmin(AuditedAdmin):
    """Lists limits with what they promise, and changes many at once."""

    form = LimitForm
    formfield_overrides = LIMIT_FORM_FIELDS
    readonly_fields = ["promise"]
    action_form = AmountActionForm
    actions = ["enforce", "set_amount"]
    search_fields = ["scope", "name", "title"]

    class Media:
        css = {"all": ["quotas/admin.css"]}

    @admin.display(description=_("limit"), ordering="scope")
    def limit(self, row: LimitFields) -> str:
        return str(row)

    @admin.display(description=_("allows"), ordering="amount")
    def allows(self, row: LimitFields) -> str:
        return allowed(row)

    @admin.display(description=_("promises"))
    def promise(self, row: LimitFields) -> str:
        return promise(row)

    def get_changelist_form(self, request: HttpRequest, **kwargs: Any) -> Any:
        return super().get_changelist_form(request, **{"form": LimitForm, **kwargs})

    @admin.action(description=_("Leave shadow mode: deny what is over"), permissions=["change"])
    def enforce(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        shadows = queryset.filter(mode=Mode.SHADOW)
        self._set_all(request, shadows, "mode", Mode.ENFORCE.value)

    @admin.action(description=_("Set the amount"), permissions=["change"])
    def set_amount(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        text = request.POST.get("amount", "").strip()
        if text == "unlimited":
            self._set_all(request, queryset, "amount", None)
        elif AMOUNT.fullmatch(text) and int(text) <= MOST_AMOUNT:
            self._set_all(request, queryset, "amount", int(text))
        else:
            message = _(
                "Nothing was changed: the new amount is “%(text)s”. Write a whole number up to "
                "10^12 (0 denies all), or “unlimited”."
            )
            self.message_user(request, message % {"text": text}, messages.ERROR)

    def _set_all(
        self, request: HttpRequest, queryset: QuerySet[Any], field: str, value: Any
    ) -> None:
        """Set one field of many rows, and keep the old and the new value of each."""
        rows = locked(queryset)
        with transaction.atomic(using=rows.db):
            changed = [row for row in rows if getattr(row, field) != value]
            chosen = self.model.objects.using(rows.db).filter(pk__in=[row.pk for row in changed])
            chosen.update(**{field: value})
            log_changes(
                request, [(row, turned(field, getattr(row, field), value)) for row in changed]
            )
        count = len(changed)
        message = ngettext("%(count)d limit was changed.", "%(count)d limits were changed.", count)
        self.message_user(request, message % {"count": count}, messages.SUCCESS)
