"""Versions in words: what was written of which row, by whom, and what it was before."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import models
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.formats import date_format
from django.utils.text import capfirst
from django.utils.timezone import localtime
from django.utils.translation import gettext as _

from quotas.admin.audit import said_value, turned
from quotas.admin.bound import own, tenants_seen
from quotas.services.returning import Return
from quotas.services.versions import PARENT, Moment, Version

KEPT_BY_ITSELF = {
    "plan_since",
    "default_since",
    "mode_since",
    "created",
    "created_by",
    "set_by",
    "set_at",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One row at one moment: ``kind`` in a word, and a line for each field."""

    what: str
    kind: str
    lines: list[str]
    version: Any = None
    model_name: str = ""
    returnable: bool = False


class Wording:
    """Words for the values of rows; what they point to is read once for all of them.

    Of that, whoever asks is told no name that they may not see, nor whether it is there.
    """

    def __init__(self, rows: Iterable[tuple[Any, Any]], using: str, request: HttpRequest) -> None:
        self._bound = tenants_seen(request) is not None
        self._names: dict[tuple[Any, Any], str] = {}
        wanted: dict[Any, set[Any]] = {}
        for model, row in rows:
            for field in shown_fields(model):
                if field.remote_field is not None and row is not None:
                    wanted.setdefault(field.related_model, set()).add(getattr(row, field.attname))
        for model, pks in wanted.items():
            rows_there = model._base_manager.using(using).filter(pk__in=pks - {None})  # noqa: SLF001 - Django's documented name
            found = own(request, rows_there)
            self._names.update({(model, row.pk): str(row) for row in found})

    def change(self, field: Any, before: Any, after: Any) -> str:
        """One field before and after."""
        return turned(_label(field), self._value(field, before), self._value(field, after))

    def value(self, field: Any, row: Any) -> str:
        """One field."""
        values = {"field": _label(field), "value": said_value(self._value(field, row))}
        return _("%(field)s: %(value)s") % values

    def _value(self, field: Any, row: Any) -> Any:
        value = getattr(row, field.attname)
        if field.remote_field is not None and value is not None:
            gone = _("number %(pk)s, which is gone") % {"pk": value}
            unknown = _("one that is gone, or that you may not see") if self._bound else gone
            return self._names.get((field.related_model, value), unknown)
        if isinstance(value, datetime):
            return date_format(localtime(value), "SHORT_DATETIME_FORMAT")
        if isinstance(value, list):
            return ", ".join(map(str, value))
        return dict(field.flatchoices).get(value, value) if field.flatchoices else value


def instant_said(instant: datetime) -> str:
    """An instant to the second, in the zone of the admin: versions follow fast."""
    local = localtime(instant)
    return f"{date_format(local)} {date_format(local, 'H:i:s')}"


def shown_fields(model: Any) -> list[Any]:
    """The fields whose changes are told."""
    hidden = {*KEPT_BY_ITSELF, PARENT.get(model, "").removesuffix("_id")}
    fields = model._meta.concrete_fields  # noqa: SLF001 - Django's documented name
    return [field for field in fields if not field.primary_key and field.name not in hidden]


def moments_said(
    moments: list[Moment], using: str, request: HttpRequest
) -> list[tuple[Moment, list[Said]]]:
    """Each moment with what is said of its rows."""
    every = [each for moment in moments for each in moment.versions]
    rows = [(each.model, row) for each in every for row in (each.before, each.after)]
    wording = Wording(rows, using, request)
    return [(moment, [_said(each, wording) for each in moment.versions]) for moment in moments]


def returns_said(returns: list[Return], using: str, request: HttpRequest) -> list[Said]:
    """What a return would do, row by row."""
    rows = [(each.model, row) for each in returns for row in (each.before, each.after)]
    wording = Wording(rows, using, request)
    return [_return_said(each, wording) for each in returns]


def names_others(request: HttpRequest, versions: QuerySet[Any], model: Any) -> bool:
    """Whether one of these versions of ``model`` points to what whoever asks may not see."""
    for field in shown_fields(model):
        if field.remote_field is None:
            continue
        pks = set(versions.order_by().values_list(field.attname, flat=True).distinct()) - {None}
        rows = field.related_model._base_manager.using(versions.db)  # noqa: SLF001 - Django's documented name
        if own(request, rows.filter(pk__in=pks)).count() < len(pks):
            return True
    return False


def _said(version: Version, wording: Wording) -> Said:
    model, before, after = version.model, version.before, version.after
    fields = shown_fields(model)
    if version.deleted:
        kind, lines = _("deleted"), _values(fields, after, wording)
    elif before is None:
        kind = _("made") if version.made else _("moved here")
        lines = _values(fields, after, wording)
    else:
        kind = _("changed")
        lines = [
            wording.change(field, before, after)
            for field in fields
            if getattr(before, field.attname) != getattr(after, field.attname)
        ]
    return Said(
        what=_what(model, after.instance),
        kind=kind,
        lines=lines,
        version=after.history_id,
        model_name=model._meta.model_name,  # noqa: SLF001 - Django's documented name
        returnable=not version.deleted,
    )


def _return_said(back: Return, wording: Wording) -> Said:
    row = back.after or back.before
    if back.after is None:
        kind, lines = _("is deleted"), []
    elif back.before is None:
        kind, lines = _("is made again"), _values(shown_fields(back.model), row, wording)
    else:
        kind = _("changes")
        lines = [wording.change(field, back.before, back.after) for field in back.changes]
    return Said(what=_what(back.model, back.before or row), kind=kind, lines=lines)


def _values(fields: list[Any], row: Any, wording: Wording) -> list[str]:
    """The fields that say something: those left as they begin are left out."""
    return [
        wording.value(field, row)
        for field in fields
        if not _as_begun(field, getattr(row, field.attname))
    ]


def _as_begun(field: models.Field[Any, Any], value: Any) -> bool:
    return value in (None, "") or (field.has_default() and value == field.get_default())


def _what(model: Any, row: Any) -> str:
    values = {"kind": capfirst(model._meta.verbose_name), "row": row}  # noqa: SLF001 - Django's documented name
    return _("%(kind)s %(row)s") % values


def _label(field: Any) -> str:
    return str(field.verbose_name)
