"""What was deleted, and what makes it again: as it was last, with what was deleted with it.

What has no versions does not come back: the members of a tenant, its alert settings, its usage.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import Exists, Max, OuterRef, QuerySet
from django.utils.translation import gettext as _

from quotas.domain.keys import tenant_tag
from quotas.engine import owners
from quotas.errors import EngineUnavailable
from quotas.models import Tenant
from quotas.models.reach import rows_of
from quotas.models.versions import DELETED, last_versions
from quotas.services.returning import Return, made_again, take
from quotas.services.versions import CHILDREN, PARENT


def deleted(model: Any, using: str) -> QuerySet[Any]:
    """The last version of each row that was deleted, the newest first."""
    versions = model.history.using(using)
    later = versions.filter(id=OuterRef("id"), history_date__gt=OuterRef("history_date"))
    found: QuerySet[Any] = versions.filter(~Exists(later), history_type=DELETED)
    return found.order_by("-history_date", "-id")


def returns_of_deleted(model: Any, version: Any, using: str) -> list[Return]:
    """What makes a deleted row again under its number, and what belonged to it and went with it.

    Raises `ValidationError` for what cannot be there again as things are.
    """
    _must_be_gone(model, version, using)
    returns = [made_again(model, version)]
    for child in CHILDREN.get(model, ()):
        of_row = {PARENT[child]: version.id, "history_date": version.history_date}
        gone = deleted(child, using).filter(**of_row).order_by("id")
        returns += [made_again(child, each) for each in gone]
    row = returns[0].after
    if model is Tenant:
        row.epoch = _epoch_above(row.pk, using)
    _must_fit(model, row, using)
    return returns


def bring_back(returns: list[Return], using: str, *, staff: Any) -> None:
    """Make the rows that `returns_of_deleted` told of; raises `ValidationError` if it cannot be.

    What Redis still holds of a tenant's counts goes first: it may have been away when the tenant
    was deleted. Runs in a transaction, as `take` does.
    """
    for each in returns:
        if each.model is Tenant:
            _clear(each.after.pk)
    take(returns, using, staff=staff)


def names_of(model: Any, pks: Iterable[Any], using: str) -> dict[Any, tuple[str, bool]]:
    """What each of these rows is called, and whether it is there. Two queries, however many."""
    wanted = {pk for pk in pks if pk is not None}
    there = {row.pk: (str(row), True) for row in rows_of(model, using).filter(pk__in=wanted)}
    last = last_versions(model, using, list(wanted - there.keys()))
    return there | {pk: (str(version.instance), False) for pk, version in last.items()}


def _epoch_above(pk: Any, using: str) -> int:
    """An epoch under which the tenant of this number has never counted.

    Redis may still hold what it had counted, the database holds no balance of it any longer, nor
    which of its limits had been reset: going on from the old epoch, a counter that was reset would
    be back, and how much of a month is used would hang on what Redis happens to remember.
    """
    epochs = Tenant.history.using(using).filter(id=pk)
    highest: int = epochs.aggregate(epoch=Max("epoch"))["epoch"]
    return highest + 1


def _clear(pk: Any) -> None:
    try:
        owners.clear(tenant_tag(pk))
    except EngineUnavailable as error:
        message = _(
            "Redis gives no answer: what it still holds of this tenant must go first. Try again "
            "when it answers."
        )
        raise ValidationError(message, code="outage") from error


def _must_be_gone(model: Any, version: Any, using: str) -> None:
    if rows_of(model, using).filter(pk=version.id).exists():
        message = _("It is there already: somebody has brought it back, or used its number anew.")
        raise ValidationError(message, code="taken")
    if not deleted(model, using).filter(pk=version.pk).exists():
        message = _("It was there again and was deleted once more: bring back what it was then.")
        raise ValidationError(message, code="later")


def _must_fit(model: Any, row: Any, using: str) -> None:
    for field in model._meta.concrete_fields:  # noqa: SLF001 - Django's documented name
        pk = getattr(row, field.attname)
        if isinstance(field, models.ForeignKey) and field.editable and pk is not None:
            name, there = names_of(field.related_model, [pk], using).get(pk, (str(pk), False))
            if not there:
                message = _("%(field)s %(row)s has been deleted too: bring that back first.")
                params = {"field": field.verbose_name, "row": name}
                raise ValidationError(message, code="gone", params=params)
    row.full_clean()
