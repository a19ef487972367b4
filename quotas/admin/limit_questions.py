"""What is asked before a limit is saved or deleted from its own page or from a list."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import copy
from datetime import datetime
from typing import Any

from django.db.models import QuerySet, prefetch_related_objects
from django.utils import timezone

from quotas.admin.limit_forms import LimitForm, WordedLimitForm
from quotas.admin.parents import ModelFormSet
from quotas.admin.questions import (
    NOTHING,
    PREVIEW,
    Asking,
    Question,
    edit_of,
    is_answered,
    limit_of,
)
from quotas.domain.edits import Edit
from quotas.domain.policies import Limit
from quotas.models import Override, Plan, PlanLimit, Tenant
from quotas.services.outlook import outlooks_among, plan_tenants
from quotas.services.removals import Removal, removals

Pair = tuple[Any, Any]
"""A row before and after a change."""


class PlanLimitForm(Asking, WordedLimitForm):
    """A plan's limit on a page of its own."""

    def question(self, now: datetime) -> Question:
        return question_of([(self.before, self.instance)], now)


class OverrideForm(Asking, LimitForm):
    """An override: what its edit means for its one tenant."""

    def question(self, now: datetime) -> Question:
        return question_of([(self.before, self.instance)], now)


class LimitListFormSet(ModelFormSet):
    """The rows of a list that are edited in place, asked about all together."""

    asked_about: Question = NOTHING

    def _construct_form(self, i: int, **kwargs: Any) -> Any:
        form: Any = super()._construct_form(i, **kwargs)  # type: ignore[misc] # not in its stubs
        form.before = copy(form.instance)
        return form

    def is_valid(self) -> bool:
        """Whether all is well, and whoever takes much away from tenants has said so twice."""
        if not super().is_valid() or PREVIEW in self.data:
            return False
        self.asked_about = NOTHING
        if not is_answered(self.data):
            changed = [form for form in self.initial_forms if form.has_changed()]
            pairs = [(form.before, form.instance) for form in changed]
            prefetch_related_objects([before for before, _after in pairs], "plan")
            self.asked_about = question_of(pairs, timezone.now()).due
        return not self.asked_about


def question_of(pairs: Iterable[Pair], now: datetime) -> Question:
    """What these changes mean: of rows of plans, or of overrides."""
    concerned: list[tuple[QuerySet[Tenant], Edit]] = []
    gone: list[tuple[Plan, Limit | None]] = []
    for before, after in pairs:
        if isinstance(after, Override):
            if edit := edit_of(before, after, str(after.tenant)):
                concerned.append((_tenant_of(after, now), edit))
            continue
        if edit := edit_of(before, after, str(before.plan)):
            concerned.append((plan_tenants(before.plan, edit, now), edit))
        if before.scope != after.scope:
            gone.append((before.plan, limit_of(before, str(before.plan))))
    return Question(outlooks=outlooks_among(concerned, now=now), removals=_removals(gone, now))


def question_of_removal(rows: Sequence[PlanLimit]) -> Question:
    """What the deletion of these rows means."""
    gone = [(row.plan, limit_of(row, str(row.plan))) for row in rows]
    return Question(outlooks=[], removals=_removals(gone, timezone.now()))


def _removals(gone: list[tuple[Plan, Limit | None]], now: datetime) -> list[Removal]:
    return removals([(plan, limit) for plan, limit in gone if limit], now=now)


def _tenant_of(override: Override, now: datetime) -> QuerySet[Tenant]:
    """The tenant whose override it is, while it is not over."""
    over = override.ends_at is not None and override.ends_at <= now
    tenant = Tenant.objects.filter(pk=override.tenant_id)
    return tenant.none() if over else tenant
