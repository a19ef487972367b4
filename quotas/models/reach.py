"""Whom a change concerns, and the signal that says so once the change is committed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

from django.db import models, transaction

from quotas.models.since import Since
from quotas.signals import policy_changed


@dataclass(frozen=True, slots=True, kw_only=True)
class Concerns:
    """Which columns name the tenant and the user that a row concerns; ``plans``: all of them."""

    tenant: str = ""
    user: str = ""
    plans: bool = False

    @property
    def columns(self) -> list[str]:
        return [column for column in (self.tenant, self.user) if column]

    @property
    def movable(self) -> bool:
        """Whether a row belongs to a tenant or user, and may be handed to another."""
        return any(column.endswith("_id") for column in self.columns)

    def moved_by(self, values: Mapping[str, Any]) -> bool:
        """Whether setting ``values`` can hand a row to another tenant or user."""
        names = {column.removesuffix("_id") for column in self.columns}
        return not values.keys().isdisjoint(names | set(self.columns))


class Announced(models.Model):
    """A row whose every change is announced: see `changes` and `querysets` beside this module."""

    concerns: ClassVar[Concerns]
    since: ClassVar[Since | None] = None

    class Meta:
        abstract = True

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Write since when wherever its value is written."""
        super().save(*args, **(self.since.with_at_saved(self, kwargs) if self.since else kwargs))


def rows_of(model: type[Announced], using: str) -> models.QuerySet[Any]:
    """All rows of ``model``, whatever its default manager leaves out."""
    return model._base_manager.using(using)  # noqa: SLF001


class Reach:
    """Whom one change concerns: gathered before and after it, announced once."""

    def __init__(self, model: type[Announced], using: str) -> None:
        self.model = model
        self.using = using
        self.tenants: set[Any] = set()
        self.users: set[Any] = set()

    def add(self, row: Announced) -> None:
        """Count in what ``row`` says now."""
        concerns = self.model.concerns
        self._add({column: getattr(row, column) for column in concerns.columns})

    def add_rows(self, rows: models.QuerySet[Any]) -> None:
        """Count in what the database says of ``rows`` now."""
        columns = self.model.concerns.columns
        if not columns:
            return
        found = rows.values_list(*columns)
        found.query.select_for_update = False  # this reads, perhaps outside a transaction
        for values in found:
            self._add(dict(zip(columns, values, strict=True)))

    def announce(self) -> None:
        """Send `policy_changed` after the commit, or never when it is rolled back."""
        plans = self.model.concerns.plans
        tenants = self.tenants | self._tenants_of_users()
        if not (plans or tenants or self.users):
            return
        send = partial(
            policy_changed.send_robust,
            sender=self.model,
            tenant_ids=tenants,
            user_ids=set(self.users),
            plans=plans,
        )
        transaction.on_commit(send, using=self.using, robust=True)

    def _add(self, values: dict[str, Any]) -> None:
        concerns = self.model.concerns
        self.tenants.add(values.get(concerns.tenant))
        self.users.add(values.get(concerns.user))
        self.tenants.discard(None)
        self.users.discard(None)

    def _tenants_of_users(self) -> set[Any]:
        # A user whose default moves is no longer answered for by the tenant that was chosen so far.
        concerns = self.model.concerns
        if not self.users:
            return set()
        rows = rows_of(self.model, self.using).filter(**{f"{concerns.user}__in": self.users})
        return set(rows.values_list(concerns.tenant, flat=True))
