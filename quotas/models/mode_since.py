"""Since when a limit has had its mode: kept by whatever writes the mode, one row or many.

A mode that is written once more, the same, is no change.
"""

from __future__ import annotations

from typing import Any

from django.db.models import Case, DateTimeField, F, Model, Value, When
from django.utils import timezone


def since_turned(mode: Any) -> Case:
    """What `update` is to set besides ``mode``: a word, or an expression."""
    return Case(
        When(mode=mode, then=F("mode_since")),
        default=Value(timezone.now()),
        output_field=DateTimeField(),
    )


def with_mode_since(instance: Model, options: dict[str, Any]) -> dict[str, Any]:
    """The options of a `save` that writes ``mode_since`` wherever it writes the mode."""
    fields, deferred = options.get("update_fields"), instance.get_deferred_fields()
    if "mode_since" in deferred and "mode" not in deferred:
        instance.refresh_from_db(fields=["mode_since"])
    if fields is None or "mode" not in fields:
        return options
    return {**options, "update_fields": {*fields, "mode_since"}}


def keep_mode_since(
    *,
    sender: type[Model],
    instance: Any,
    using: str,
    raw: bool,
    update_fields: frozenset[str] | None,
    **_: Any,
) -> None:
    """Before a limit is saved: now when the mode is another one, else as the database has it.

    The instance may have been read before others turned the mode. Of a fixture the instant that it
    gives stands, when it gives another mode with it.
    """
    if update_fields is not None and "mode" not in update_fields:
        return
    if instance.pk is None or "mode" in instance.get_deferred_fields():
        return
    rows = sender._base_manager.using(using).filter(pk=instance.pk)  # noqa: SLF001 - Django's documented name
    stored = rows.values_list("mode", "mode_since").first()
    if stored is None:
        return
    mode, since = stored
    if mode == instance.mode:
        instance.mode_since = since
    elif not raw or instance.mode_since == since:
        instance.mode_since = timezone.now()
