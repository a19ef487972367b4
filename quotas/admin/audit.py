"""What the history of an object says, and what happens when two people save at once."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from datetime import timedelta
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.contenttypes.models import ContentType
from django.core.exceptions import PermissionDenied
from django.db import DatabaseError, IntegrityError, models, router, transaction
from django.db.models import Max
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext as _

from quotas.admin.attributed import AttributedAdmin
from quotas.admin.in_force import tell_in_force, tell_now
from quotas.domain.periods import written_period

logger = logging.getLogger("quotas.admin")
LONGEST_NAME = 200


def turned(field: str, old: object, new: object) -> str:
    """One change of one field, as the history shows it."""
    values = {"field": field, "old": said_value(old), "new": said_value(new)}
    return _("%(field)s: %(old)s → %(new)s") % values


def log_changes(
    request: HttpRequest, changes: Iterable[tuple[models.Model, str]], *, edits: bool = True
) -> list[LogEntry]:
    """One entry an object in the history, with what was said of it, in one query.

    ``edits``: whether what applies was edited, so that the page tells when that is in force.
    """
    staff: Any = request.user
    changes = list(changes)
    entries = [
        LogEntry(
            user_id=staff.pk,
            content_type_id=ContentType.objects.get_for_model(row, for_concrete_model=False).pk,
            object_id=str(row.pk),
            object_repr=str(row)[:LONGEST_NAME],
            action_flag=CHANGE,
            change_message=message,
        )
        for row, message in changes
    ]
    if len(entries) == 1:
        entries[0].save()  # not every database tells the primary keys of many
    else:
        LogEntry.objects.bulk_create(entries)
    for row, _message in changes if edits else ():
        tell_in_force(request, row)
    return entries


def amend(entry: LogEntry, message: str | None) -> None:
    """Let an entry of what was asked say what came of it; None: nothing, and the entry goes.

    A database that refuses it leaves the entry as it is.
    """
    entries = LogEntry.objects.using(entry._state.db).filter(pk=entry.pk)  # noqa: SLF001 - Django's documented name
    try:
        with transaction.atomic(using=entries.db):
            if message is None:
                entries.delete()
            else:
                entries.update(change_message=message)
    except DatabaseError:
        logger.exception("The history keeps only %r, not what came of it: %r", entry, message)


def last_entry(staff: Any, row: models.Model) -> int:
    """The primary key of the last entry of ``row`` that this user has made; 0 without one."""
    entries = LogEntry.objects.using(router.db_for_write(LogEntry)).filter(
        user_id=staff.pk,
        content_type=ContentType.objects.get_for_model(row, for_concrete_model=False),
        object_id=str(row.pk),
    )
    last: int | None = entries.aggregate(last=Max("pk"))["last"]
    return last or 0


def locked(queryset: models.QuerySet[Any]) -> models.QuerySet[Any]:
    """The same rows, locked until the transaction ends, without what the list joined to them."""
    model: Any = queryset.model
    rows: models.QuerySet[Any] = model.objects.using(router.db_for_write(model))
    return rows.select_for_update().filter(pk__in=queryset.order_by().values("pk"))


class AuditedAdmin(AttributedAdmin):
    """Keeps the old and the new value of each changed field; answers a collision with a message."""

    def construct_change_message(
        self,
        request: HttpRequest,
        form: Any,
        formsets: Any,
        add: bool = False,  # noqa: FBT001, FBT002
    ) -> Any:
        if add:
            return super().construct_change_message(request, form, formsets, add)
        said = _changes(form)
        for formset in formsets or ():
            what = formset.model._meta.verbose_name  # noqa: SLF001
            said += [
                _("added %(what)s %(row)s") % {"what": what, "row": row}
                for row in formset.new_objects
            ]
            changed = {id(row) for row, _fields in formset.changed_objects}
            for row_form in formset.initial_forms:
                if id(row_form.instance) in changed:
                    said += [f"{row_form.instance} {line}" for line in _changes(row_form)]
            said += [
                _("deleted %(what)s %(row)s") % {"what": what, "row": row}
                for row in formset.deleted_objects
            ]
        return "; ".join(said) or _("nothing changed")

    def log_addition(self, request: HttpRequest, obj: Any, message: Any) -> Any:
        tell_in_force(request, obj)
        return super().log_addition(request, obj, message)

    def log_change(self, request: HttpRequest, obj: Any, message: Any) -> Any:
        tell_in_force(request, obj)
        return super().log_change(request, obj, message)

    def log_deletions(self, request: HttpRequest, queryset: Any) -> Any:
        for row in queryset:
            tell_in_force(request, row)
        return super().log_deletions(request, queryset)

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> Any:
        tell_now(request)
        try:
            return super().changeform_view(request, object_id, form_url, extra_context)
        except IntegrityError as error:
            return self._collided(request, error)

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> Any:
        tell_now(request)
        # Django passes over an action that is not on the menu; here it is refused.
        asked = {action for action in request.POST.getlist("action") if action}
        if not asked <= self.get_actions(request).keys():
            raise PermissionDenied
        try:
            return super().changelist_view(request, extra_context)
        except IntegrityError as error:
            return self._collided(request, error)

    def _collided(self, request: HttpRequest, error: IntegrityError) -> HttpResponse:
        # Forms check what they can; between that check and the write somebody else was faster.
        logger.warning(
            "%s: nothing was saved, for the database refused it: %s", request.path, error
        )
        self.message_user(
            request,
            _(
                "Nothing was saved: somebody else changed the same at the same moment. "
                "Look at what is there now, and change it again."
            ),
            messages.ERROR,
        )
        return HttpResponseRedirect(request.get_full_path())


def _changes(form: Any) -> list[str]:
    return [
        turned(name, _named(form.fields[name], form[name].initial), form.cleaned_data.get(name))
        for name in form.changed_data
        if name in form.fields
    ]


def _named(field: forms.Field, value: object) -> object:
    """A row in place of its primary key, which says nothing."""
    if (
        isinstance(field, forms.ModelChoiceField)
        and value is not None
        and field.queryset is not None
    ):
        return field.queryset.filter(pk=value).first() or value
    return value


def said_value(value: object) -> str:
    """A value as people read it."""
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if isinstance(value, timedelta):
        return written_period(value)
    return _("blank") if value is None or value == "" else str(value)
