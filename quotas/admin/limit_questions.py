"""What is asked before a limit is saved or deleted from its own page or from a list."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.db.models import prefetch_related_objects
from django.utils import timezone

from quotas.admin.asking_rows import AskingRows
from quotas.admin.limit_forms import LimitForm, WordedLimitForm
from quotas.admin.parents import ModelFormSet
from quotas.admin.questions import (
    Asking,
    Question,
    edit_of,
    limit_of,
    with_shadows,
)
from quotas.domain.policies import Limit
from quotas.models import Override, Plan, Tenant
from quotas.services.outlook import Concerned, outlooks_among
from quotas.services.removals import Removal, removals
from quotas.services.tenant_changes import lost_in, of_overrides, outlooks_of

Pair = tuple[Any, Any]
"""A row before and after a change."""


class PlanLimitForm(Asking, WordedLimitForm):
    """A plan's limit on a page of its own."""

    def question(self, now: datetime) -> Question:
        return question_of([(self.before, self.instance)], now)


class OverrideForm(Asking, LimitForm):
    """An override: what it means for its one tenant, a new one too."""

    asks_of_new = True

    def question(self, now: datetime) -> Question:
        return question_of([(self.before, self.instance)], now)


class LimitListFormSet(AskingRows, ModelFormSet):
    """The rows of a list that are edited in place, asked about all together."""

    def question(self) -> Question:
        changed = [form for form in self.initial_forms if form.has_changed()]
        return question_of([(form.before, form.instance) for form in changed], timezone.now())


def question_of(pairs: Sequence[Pair], now: datetime) -> Question:
    """What these changes mean: of rows of plans, or of overrides; new ones of overrides too."""
    if any(isinstance(after, Override) for _before, after in pairs):
        known = [before for before, _after in pairs if before.pk is not None]
        return question_of_overrides(known, [after for _before, after in pairs], now)
    prefetch_related_objects([before for before, _after in pairs], "plan")
    concerned: list[Concerned] = []
    gone: list[tuple[Plan, Limit | None]] = []
    for before, after in pairs:
        if edit := edit_of(before, after, str(before.plan)):
            concerned.append((before.plan, edit))
        if before.scope != after.scope:
            gone.append((before.plan, limit_of(before, str(before.plan))))
    found = outlooks_among(concerned, now=now)
    return Question(
        outlooks=with_shadows(found, [before for before, _after in pairs]),
        removals=_removals(gone, now),
    )


def question_of_overrides(
    gone: Sequence[Override],
    made: Sequence[Override],
    now: datetime,
    tenant: Tenant | None = None,
) -> Question:
    """What it means that overrides go, and that others are made; an edited one does both.

    Of ``tenant``, as it will be saved; None: of those whose they are.
    """
    rows = [*gone, *made]
    if tenant is None:
        prefetch_related_objects(rows, "tenant")
    tenants = [tenant] if tenant else list({row.tenant_id: row.tenant for row in rows}.values())
    changes = of_overrides(tenants, {row.pk for row in gone}, made, now=now)
    found = outlooks_of(changes, now=now)
    return Question(outlooks=with_shadows(found, gone), removals=lost_in(changes))


def question_of_removal(rows: Sequence[Any]) -> Question:
    """What the deletion of these rows means: of plans, or overrides."""
    now = timezone.now()
    if any(isinstance(row, Override) for row in rows):
        return question_of_overrides(rows, [], now)
    gone = [(row.plan, limit_of(row, str(row.plan))) for row in rows]
    return Question(removals=_removals(gone, now))


def _removals(gone: list[tuple[Plan, Limit | None]], now: datetime) -> list[Removal]:
    return removals([(plan, limit) for plan, limit in gone if limit], now=now)
