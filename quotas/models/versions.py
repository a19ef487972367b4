"""Versions: what a plan, limit, tenant, override or cap was after each write, by whom, and why.

The tables are those of django-simple-history. Which rows get a version is decided here, out of what
the database holds after the write, so that expressions, cascades and bulk writes are kept alike:
the library hears only what is saved and deleted row by row, and no fixtures.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth import get_user_model
from django.db import connections, models, router, transaction
from django.db.models import Exists, Max, OuterRef
from django.utils import timezone
from simple_history.models import HistoricalRecords  # type: ignore[import-untyped]

from quotas.models.reach import Announced, rows_of

MADE, CHANGED, DELETED = "+", "~", "-"
LOADED = "loaddata"
LONGEST_REASON = 250
BATCH = 500
STEP = timedelta(milliseconds=1)


class Versions(HistoricalRecords):  # type: ignore[misc]  # the library has no types
    """The table of a model's versions, the same whatever the project's SIMPLE_HISTORY_ settings.

    Its keys are drawn, not counted, so that a dump that is loaded elsewhere meets no other version.
    """

    _date_indexing = False  # those of one row are asked for: the index below

    def __init__(self) -> None:
        super().__init__(
            history_id_field=models.UUIDField(default=uuid.uuid4),
            history_change_reason_field=models.CharField(
                max_length=LONGEST_REASON, blank=True, default=""
            ),
            use_base_model_db=True,
            no_db_index=["id"],
        )

    def copy_fields(self, model: type[models.Model]) -> dict[str, Any]:
        """The columns, without what serves forms alone."""
        fields: dict[str, Any] = super().copy_fields(model)
        for field in fields.values():
            field.help_text, field.choices, field._validators = "", None, []  # noqa: SLF001
        return fields

    def get_meta_options(self, model: type[models.Model]) -> dict[str, Any]:
        name = f"quotas_{model._meta.model_name}_version"  # noqa: SLF001 - Django's documented name
        index = models.Index(fields=["id", "history_date"], name=name)
        options: dict[str, Any] = super().get_meta_options(model)
        return options | {"indexes": [index], "default_permissions": ()}

    def post_save(self, instance: Any, created: bool, using: Any = None, **_: Any) -> None:  # noqa: FBT001
        """Nothing: `quotas.models.changes` hears it, and proxies and fixtures besides."""

    def pre_delete(self, instance: Any, **_: Any) -> None:
        """Nothing: what a row was is told by its last version."""

    def post_delete(self, instance: Any, using: Any = None, **_: Any) -> None:
        """Nothing: the same."""


class Versioned(Announced):
    """A row whose versions are kept, each in the transaction of the write that it tells of."""

    class Meta:
        abstract = True

    def save_base(self, *args: Any, **kwargs: Any) -> None:
        using = kwargs.get("using") or router.db_for_write(type(self), instance=self)
        with transaction.atomic(using, savepoint=False):
            super().save_base(*args, **{**kwargs, "using": using})

    def delete(self, using: str | None = None, keep_parents: bool = False) -> Any:  # noqa: FBT001, FBT002
        with one_version(using or router.db_for_write(type(self), instance=self)):
            return super().delete(using, keep_parents)

    delete.alters_data = True  # type: ignore[attr-defined]


@dataclass(frozen=True, slots=True)
class _Author:
    user: Any = None
    reason: str = ""


_author: ContextVar[_Author] = ContextVar("quotas_author", default=_Author())  # noqa: B039 - frozen
_pending: ContextVar[dict[str, dict[Any, set[Any]]] | None] = ContextVar(
    "quotas_pending", default=None
)


@contextmanager
def acting(*, user: Any = None, reason: str = "") -> Iterator[None]:
    """Inside, versions say that ``user``, or by which command, and why; a block inside adds to it.

    Without a user it is that of the request, where simple_history's middleware is installed.
    """
    outer = _author.get()
    token = _author.set(_Author(user or outer.user, reason or outer.reason))
    try:
        yield
    finally:
        _author.reset(token)


@contextmanager
def one_version(using: str) -> Iterator[None]:
    """A transaction that gives every row it writes, however often, one version, all of one instant.

    They are kept at its end; a block inside is part of it.
    """
    with transaction.atomic(using, savepoint=False):
        outer = _pending.get() or {}
        if using in outer:
            yield
            return
        mine: dict[Any, set[Any]] = {}
        token = _pending.set({**outer, using: mine})
        try:
            yield
        finally:
            _pending.reset(token)
        now = _instant(mine, using)
        for model, pks in mine.items():
            _settle(model, using, pks, now)


def keep(model: type[models.Model], using: str, pks: Iterable[Any] | None) -> None:
    """A version of each of these rows that differs from its last one; None: of all there are.

    A row that is gone gets one that says so. Three queries for every 500 rows.
    """
    concrete: Any = model._meta.concrete_model  # noqa: SLF001 - Django's documented name
    if not issubclass(concrete, Versioned):
        return
    if pks is None:
        pks = rows_of(concrete, using).values_list("pk", flat=True)
    pending = _pending.get() or {}
    if using in pending:
        pending[using].setdefault(concrete, set()).update(pks)
    else:
        _settle(concrete, using, pks, timezone.now())


def forget_double(*, sender: Any, instance: Any, using: str, raw: bool, **_: Any) -> None:
    """Of a row whose dump brings its versions, take back the one that was kept on loading it."""
    if not raw:
        return
    versions = sender._base_manager.using(using).filter(id=instance.id)  # noqa: SLF001 - Django's documented name
    newest = versions.order_by("-history_date")[:2]
    if len(newest) > 1 and newest[0].history_change_reason == LOADED and _same(*newest):
        newest[0].delete()


def _instant(written: dict[Any, set[Any]], using: str) -> datetime:
    """Now, or what follows the last version of any of these rows: they are of one instant."""
    now = timezone.now()
    for model, pks in written.items() if sum(map(len, written.values())) > 1 else ():
        found, versions = sorted(pks), model.history.using(using)
        for start in range(0, len(found), BATCH):
            some = versions.filter(id__in=found[start : start + BATCH])
            now = _after(some.aggregate(at=Max("history_date"))["at"], now)
    return now


def _settle(model: Any, using: str, pks: Iterable[Any], now: datetime) -> None:
    found, table = sorted(pks), model.history.model  # asked once: the library builds it anew
    for start in range(0, len(found), BATCH):
        batch = found[start : start + BATCH]
        # Locked before their versions are read, else a row that is looked at but was not written
        # here might be written by others in between, and its copy be kept as newer than theirs.
        rows = {row.pk: row for row in _held(model, using).filter(pk__in=batch)}
        last = last_versions(model, using, batch)
        made = [_version(table, rows.get(pk), last.get(pk), now) for pk in batch]
        versions = table._base_manager.using(using)  # noqa: SLF001 - Django's documented name
        versions.bulk_create([version for version in made if version is not None])


def _held(model: Any, using: str) -> models.QuerySet[Any]:
    """The rows, locked in one order, but not against others that only point to them."""
    no_key = connections[using].features.has_select_for_no_key_update
    return rows_of(model, using).select_for_update(no_key=no_key).order_by("pk")


def last_versions(model: Any, using: str, pks: list[Any]) -> dict[Any, Any]:
    """The last version of each row of these that has any."""
    versions = model.history.using(using)
    later = versions.filter(id=OuterRef("id"), history_date__gt=OuterRef("history_date"))
    return {each.id: each for each in versions.filter(~Exists(later), id__in=pks)}


def _version(table: Any, row: Any, last: Any, now: datetime) -> Any:
    """What is to be kept of a row: None when its last version says it all."""
    gone = last is None or last.history_type == DELETED
    if gone if row is None else not gone and _same(row, last):
        return None
    kind = DELETED if row is None else MADE if gone else CHANGED
    author = _author.get()
    user = author.user or _requesting()
    return table(
        history_date=_after(last and last.history_date, now),
        history_type=kind,
        history_user_id=getattr(user, "pk", user),
        history_change_reason=author.reason[:LONGEST_REASON],
        **{field.attname: getattr(row or last, field.attname) for field in table.tracked_fields},
    )


def _after(last: datetime | None, now: datetime) -> datetime:
    """Now, but later than the last version, whatever this host's clock says.

    In whole milliseconds: dumps keep no more.
    """
    now = now.replace(microsecond=now.microsecond // 1000 * 1000)
    return now if last is None else max(now, last + STEP)


def _same(first: Any, second: Any) -> bool:
    kept = first if hasattr(first, "tracked_fields") else second
    return all(
        getattr(first, field.attname) == getattr(second, field.attname)
        for field in kept.tracked_fields
    )


def _requesting() -> Any:
    """The user of the request, where simple_history's middleware is installed."""
    user = getattr(getattr(HistoricalRecords.context, "request", None), "user", None)
    return user if isinstance(user, get_user_model()) else None
