"""Rows that are held while a form of them is read, compared with what was seen, and saved."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import ValidationError
from django.db.models import Model
from django.forms import models as model_forms


def hold_page(admin: Any, request: Any, pk: str, using: str) -> None:
    """Lock the row of a page, and those that the page shows inline."""
    try:
        key = admin.opts.pk.to_python(pk)
    except (ValidationError, ValueError):
        return
    if not _hold(admin.model, using, pk=key):
        return
    find: Any = getattr(model_forms, "_get_foreign_key")  # noqa: B009 - not in its stubs
    for inline in admin.get_inline_instances(request):
        column = find(admin.model, inline.model, fk_name=inline.fk_name).name
        _hold(inline.model, using, **{column: key})


def hold_list(admin: Any, request: Any, using: str) -> None:
    """Lock the rows of a list that is edited in place."""
    ending, keys = f"-{admin.opts.pk.name}", []
    for name, value in request.POST.items():
        if name.endswith(ending):
            try:
                keys.append(admin.opts.pk.to_python(value))
            except (ValidationError, ValueError):
                continue  # the form of that row says so
    _hold(admin.model, using, pk__in=keys)


def _hold(model: type[Model], using: str, **wanted: Any) -> int:
    """Lock rows until the transaction ends, in one order for everybody; how many there are."""
    rows: Any = model._base_manager.using(using).filter(**wanted)  # noqa: SLF001 - Django's documented name
    return len(rows.order_by("pk").select_for_update().values_list("pk"))
