"""Returns rows to an earlier version: looked at first, then all of it in one transaction.

What staff edit goes back; what counts on by itself, such as an epoch, does not.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.core.exceptions import ObjectDoesNotExist, ValidationError
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext as _

from quotas.models import Plan, PlanLimit
from quotas.models.reach import rows_of
from quotas.models.versions import DELETED
from quotas.services.versions import PARENT, held_at

BY = ("created_by", "set_by")


@dataclass(frozen=True, slots=True, kw_only=True)
class Return:
    """A row as it is, and as it is to be; None: it is not there."""

    model: Any
    before: Any
    after: Any

    @property
    def verb(self) -> str:
        """The permission that it takes."""
        if self.before is None:
            return "add"
        return "delete" if self.after is None else "change"

    @property
    def changes(self) -> list[Any]:
        """The fields that staff edit, of which a row that stays takes other values."""
        if self.before is None or self.after is None:
            return []
        return [
            field
            for field in self.model._meta.concrete_fields  # noqa: SLF001 - Django's documented name
            if field.editable
            and not field.primary_key
            and getattr(self.before, field.attname) != getattr(self.after, field.attname)
        ]

    @property
    def does_something(self) -> bool:
        """Whether the row is made, deleted or changed."""
        return self.verb != "change" or bool(self.changes)

    def leave(self, field: Any) -> None:
        """Keep one field of a row that stays as it is."""
        setattr(self.after, field.attname, getattr(self.before, field.attname))


def return_of(model: Any, version: Any, using: str) -> Return | None:
    """What returns one row to a version of it; None when it is so already, or was deleted then.

    Raises `ValidationError` for a row that belonged to another plan or tenant than it does now.
    """
    if version.history_type == DELETED:
        return None
    row = rows_of(model, using).filter(pk=version.id).first()
    back = _return(model, row, version)
    return back if back.does_something else None


def returns_of_plan(plan: Plan, at: datetime, using: str) -> list[Return]:
    """What returns a plan with all its limits to what they were at an instant.

    Raises `ValidationError` for a limit that belongs to another plan now.
    """
    then = held_at(Plan, at, using).filter(id=plan.pk).first()
    if then is None:
        return []
    known = held_at(PlanLimit, at, using).filter(plan_id=plan.pk)
    versions = {version.id: version for version in known}
    rows = {row.pk: row for row in rows_of(PlanLimit, using).filter(pk__in=versions)}
    others = rows_of(PlanLimit, using).filter(plan_id=plan.pk).exclude(pk__in=versions)
    gone = [Return(model=PlanLimit, before=row, after=None) for row in others]
    stored = rows_of(Plan, using).get(pk=plan.pk)
    returns = [_return(Plan, stored, then)]
    returns += [
        _return(PlanLimit, rows.get(pk), version) for pk, version in sorted(versions.items())
    ]
    return gone + [back for back in returns if back.does_something]


def made_again(model: Any, version: Any) -> Return:
    """What makes a row that is not there again, as it was in a version of it."""
    return _return(model, None, version)


def take(returns: list[Return], using: str, *, staff: Any) -> None:
    """Write the rows as they are to be; raises `ValidationError` for what cannot be.

    Runs in a transaction that keeps one version of each row: some are written twice.
    """
    for each in returns:
        if each.after is None:
            each.before.delete(using=using)
    _make_room(returns, using)
    for each in returns:
        if each.after is None:
            continue
        _must_be_there(each)
        if each.before is None:
            _by(each.after, staff)
        each.after.full_clean()
        each.after.save(using=using, force_insert=each.before is None)


def _return(model: Any, row: Any, version: Any) -> Return:
    parent = PARENT.get(model)
    if row is not None and parent and getattr(row, parent) != getattr(version, parent):
        message = _("%(row)s belongs to another now: move it back first, on its own page.")
        raise ValidationError(message, code="moved", params={"row": str(version.instance)})
    after = version.instance
    after._state.db = version._state.db  # noqa: SLF001 - what it says of relations is asked there
    if row is not None:
        after._state.adding = False  # noqa: SLF001 - it is there
        for field in model._meta.concrete_fields:  # noqa: SLF001 - Django's documented name
            if not field.editable and not field.primary_key:
                setattr(after, field.attname, getattr(row, field.attname))
    return Return(model=model, before=row, after=after)


def _make_room(returns: list[Return], using: str) -> None:
    """Move limits that change their name out of the way: two may swap theirs."""
    leaving = [
        each.before.pk
        for each in returns
        if each.model is PlanLimit
        and each.before is not None
        and each.after is not None
        and (each.before.scope, each.before.name) != (each.after.scope, each.after.name)
    ]
    if leaving:
        PlanLimit.objects.using(using).filter(pk__in=leaving).park()


def _must_be_there(back: Return) -> None:
    """Raise `ValidationError` when what the row pointed to then is gone."""
    for field in back.changes:
        if not isinstance(field, models.ForeignKey):
            continue
        try:
            getattr(back.after, field.name)
        except ObjectDoesNotExist:
            message = _("%(field)s: what it was then has been deleted.")
            raise ValidationError(
                message, code="gone", params={"field": field.verbose_name}
            ) from None


def _by(row: Any, staff: Any) -> None:
    """Whoever makes a row again has made it."""
    for name in BY:
        if hasattr(row, f"{name}_id"):
            setattr(row, name, staff)
    if hasattr(row, "set_at"):
        row.set_at = timezone.now()
