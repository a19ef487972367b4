"""Rows that are held while a form of them is read, compared with what was seen, and saved."""

from __future__ import annotations

from typing import Any

from django.db.models import Model
from django.forms import models as model_forms

from quotas.admin.odd_input import is_key


def hold_page(admin: Any, request: Any, pk: str, using: str) -> None:
    """Lock the row of a page, and those that the page shows inline."""
    if not is_key(admin.opts.pk, pk) or not _hold(admin.model, using, pk=pk):
        return
    find: Any = getattr(model_forms, "_get_foreign_key")  # noqa: B009 - not in its stubs
    for inline in admin.get_inline_instances(request):
        column = find(admin.model, inline.model, fk_name=inline.fk_name).name
        _hold(inline.model, using, **{column: pk})


def hold_list(admin: Any, request: Any, using: str) -> None:
    """Lock the rows of a list that is edited in place."""
    key = admin.opts.pk
    sent = [value for name, value in request.POST.items() if name.endswith(f"-{key.name}")]
    # What is none is left to the form of its row.
    _hold(admin.model, using, pk__in=[value for value in sent if is_key(key, value)])


def _hold(model: type[Model], using: str, **wanted: Any) -> int:
    """Lock rows until the transaction ends, in one order for everybody; how many there are."""
    rows: Any = model._base_manager.using(using).filter(**wanted)  # noqa: SLF001 - Django's documented name
    return len(rows.order_by("pk").select_for_update().values_list("pk"))
