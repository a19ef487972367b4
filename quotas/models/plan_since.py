"""Since when a tenant has been on its plan: kept by whatever writes the plan, one row or many.

A plan that is written once more, the same, is no move.
"""

from __future__ import annotations

from typing import Any

from django.db.models import Case, DateTimeField, F, Model, Q, Value, When
from django.db.models.lookups import IsNull
from django.utils import timezone

PLAN = {"plan", "plan_id"}


def since_moved(plan: Any) -> Case:
    """What `update` is to set besides ``plan``: a row, a primary key, None, or an expression."""
    if hasattr(plan, "resolve_expression"):
        same = Q(plan=plan) | Q(IsNull(plan, True), plan=None)  # noqa: FBT003 - is null
    else:
        same = Q(plan=plan)
    return Case(
        When(same, then=F("plan_since")),
        default=Value(timezone.now()),
        output_field=DateTimeField(),
    )


def keep_plan_since(
    *,
    sender: type[Model],
    instance: Any,
    using: str,
    raw: bool,
    update_fields: frozenset[str] | None,
    **_: Any,
) -> None:
    """Before a tenant is saved: now when the plan is another one, else as the database has it.

    The instance may have been read before others moved the tenant. Of a fixture the instant that it
    gives stands, when it gives another plan with it.
    """
    if update_fields is not None and PLAN.isdisjoint(update_fields):
        return
    if instance.pk is None or "plan_id" in instance.get_deferred_fields():
        return
    rows = sender._base_manager.using(using).filter(pk=instance.pk)  # noqa: SLF001 - Django's documented name
    stored = rows.values_list("plan_id", "plan_since").first()
    if stored is None:
        return
    plan_pk, since = stored
    if plan_pk == instance.plan_id:
        instance.plan_since = since
    elif not raw or instance.plan_since == since:
        instance.plan_since = timezone.now()
