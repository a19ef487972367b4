"""The limits to be tried: one from a JSON text, or those of a stored plan."""

from __future__ import annotations

import json

from quotas.domain.policies import Limit, Source
from quotas.domain.rules import rule_from_json
from quotas.domain.words import EVERY_SCOPE, Mode
from quotas.errors import InvalidLimit, NotInPlan, UnknownPlan
from quotas.models import Plan

NAMES_SHOWN = 10


def limit_from_json(text: str) -> Limit:
    """The limit that ``text`` describes. Raises `InvalidLimit`."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidLimit(f"it is not JSON ({error})") from error
    rule = rule_from_json(value)
    return Limit(scope=EVERY_SCOPE, name="limit", title="as given", rule=rule)


def limits_of_plan(key: str, scope: str | None) -> tuple[Limit, ...]:
    """The limits of a plan, active or not, that apply to ``scope``: its own and those of ``*``.

    Rows that are off are left out, and so there may be none. Raises `UnknownPlan`, and `NotInPlan`
    when no row covers the scope.
    """
    plan = Plan.objects.filter(key=key).first()
    if plan is None:
        known = list(Plan.objects.order_by("key").values_list("key", flat=True)[: NAMES_SHOWN + 1])
        raise UnknownPlan(f"plan is {key!r}, which is not stored: {_one_of(known)}.")
    rows = list(plan.limits.order_by("scope", "name"))
    covering = [row for row in rows if row.scope in {scope, EVERY_SCOPE}]
    if not covering:
        asked = "no scope was given" if scope is None else f"scope is {scope!r}"
        scopes = sorted({row.scope for row in rows})
        raise NotInPlan(f"{asked}, for which plan {key!r} has no limit: {_one_of(scopes)}.")
    limits = (row.as_limit(Source(kind="plan", title=plan.name, pk=row.pk)) for row in covering)
    return tuple(limit for limit in limits if limit.mode is not Mode.OFF)


def _one_of(names: list[str]) -> str:
    shown = names[:NAMES_SHOWN] + ["…"] * (len(names) > NAMES_SHOWN)
    return f"give one of {', '.join(shown)}" if names else "there is none yet"
