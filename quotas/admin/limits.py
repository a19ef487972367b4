"""What the admin of plan limits and that of overrides share: columns, fields and actions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from copy import copy
from typing import Any, TypeVar

from django import forms
from django.contrib import admin, messages
from django.db import transaction
from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import timezone
from django.utils.formats import number_format
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from quotas.admin.audit import locked, log_changes, turned
from quotas.admin.fields import LIMIT_FORM_FIELDS
from quotas.admin.limit_forms import LimitForm
from quotas.admin.limit_questions import question_of, question_of_removal
from quotas.admin.parents import ActionForm
from quotas.admin.promises import promise
from quotas.admin.questions import AsksFirst, Question
from quotas.admin.shadow import ShadowPages
from quotas.domain.limits import MOST_AMOUNT
from quotas.domain.words import Mode
from quotas.models.limit_fields import LimitFields

Row = TypeVar("Row", bound=Model)
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


def changed(row: Row, field: str, value: Any) -> Row:
    """A row as it would be with another value."""
    after = copy(row)
    setattr(after, field, value)
    return after


class AmountActionForm(ActionForm):
    """The menu of actions, with the amount that one of them sets."""

    amount = forms.CharField(
        label=_("New amount:"),
        required=False,
        max_length=20,
        widget=forms.TextInput(attrs={"size": 10, "placeholder": _("number or “unlimited”")}),
    )


class LimitAdmin(AsksFirst, ShadowPages):
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

    def question_of_removal(self, rows: Sequence[Any]) -> Question:
        return question_of_removal(rows)

    def get_changelist_form(self, request: HttpRequest, **kwargs: Any) -> Any:
        return super().get_changelist_form(request, **{"form": LimitForm, **kwargs})

    @admin.action(description=_("Leave shadow mode: deny what is over"), permissions=["change"])
    def enforce(self, request: HttpRequest, queryset: QuerySet[Any]) -> HttpResponseBase | None:
        shadows = queryset.filter(mode=Mode.SHADOW)
        if asked := self.ask_before_all(request, shadows, "mode", Mode.ENFORCE.value):
            return asked
        self._set_all(request, shadows, "mode", Mode.ENFORCE.value)
        return None

    @admin.action(description=_("Set the amount"), permissions=["change"])
    def set_amount(self, request: HttpRequest, queryset: QuerySet[Any]) -> HttpResponseBase | None:
        text = request.POST.get("amount", "").strip()
        given = AMOUNT.fullmatch(text) is not None and int(text) <= MOST_AMOUNT
        if given or text == "unlimited":
            amount = int(text) if given else None
            if asked := self.ask_before_all(request, queryset, "amount", amount):
                return asked
            self._set_all(request, queryset, "amount", amount)
        else:
            message = _(
                "Nothing was changed: the new amount is “%(text)s”. Write a whole number up to "
                "10^12 (0 denies all), or “unlimited”."
            )
            self.message_user(request, message % {"text": text}, messages.ERROR)
        return None

    def ask_before_all(
        self, request: HttpRequest, queryset: QuerySet[Any], field: str, value: Any
    ) -> HttpResponseBase | None:
        """What an action answers that would set one field of many rows; see `ask_once`."""
        rows = list(queryset)
        pairs = [(row, changed(row, field, value)) for row in rows]
        return self.ask_once(request, rows, lambda: question_of(pairs, timezone.now()))

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
