"""What tenants lose with a limit that goes, or by another plan, in sentences."""

from __future__ import annotations

from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from quotas.admin.outlooks import Told, called, promised
from quotas.admin.shadow_words import number
from quotas.domain.words import EVERY_SCOPE
from quotas.services.plan_moves import Move
from quotas.services.removals import Removal

LAST = _(
    "No other row of plan %(plan)s is for scope %(scope)s: its calls are refused with 403 "
    "not_in_plan, unless an override of the tenant allows them."
)
EVERY = _(
    "Plan %(plan)s then has no row for every scope: calls of scopes without a row of their own are "
    "refused with 403 not_in_plan, unless an override of the tenant allows them."
)
LAST_OF_TENANT = _(
    "Nothing else applies to the tenant for scope %(scope)s: its calls are refused with 403 "
    "not_in_plan."
)
EVERY_OF_TENANT = _(
    "Nothing then applies to the tenant for every scope: calls of scopes without a limit of their "
    "own are refused with 403 not_in_plan."
)
NO_PLAN = _(
    "They have no plan then: each of their calls is refused with 403 not_in_plan, unless an "
    "override of the tenant allows it."
)


def told_removal(removal: Removal) -> Told:
    """What is lost with one limit, for the page."""
    limit, plan = removal.limit, removal.plan
    lose = ngettext("%(count)s tenant loses it.", "%(count)s tenants lose it.", removal.tenants)
    said = [lose % {"count": number(removal.tenants)}]
    warnings = []
    if removal.last:
        every = limit.scope == EVERY_SCOPE
        of_tenant = EVERY_OF_TENANT if every else LAST_OF_TENANT
        last = of_tenant if plan is None else (EVERY if every else LAST)
        warnings.append(str(last) % {"scope": limit.scope, "plan": plan})
    elif plan is None:
        said.append(gettext("Other limits stay in force for calls of its scope."))
    else:
        said.append(gettext("Other limits of the plan stay in force for calls of its scope."))
    return Told(
        name=called(limit),
        before=promised(limit),
        after=gettext("gone"),
        sentences=said,
        warnings=warnings,
    )


def told_move(move: Move) -> Told:
    """How many tenants get the limits of another plan, for the page."""
    get = ngettext(
        "%(count)s tenant gets other limits by it.",
        "%(count)s tenants get other limits by it.",
        move.tenants,
    )
    kept = gettext(
        "What was used under the same scope and name stays used; overrides stay in force."
    )
    return Told(
        name=gettext("Plan of tenants"),
        before=move.before or gettext("no plan"),
        after=move.after or gettext("no plan"),
        sentences=[get % {"count": number(move.tenants)}, kept],
        warnings=[] if move.after else [str(NO_PLAN)],
    )
