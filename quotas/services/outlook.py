"""Whom an edit of a limit concerns, and what it takes away, before it is made."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from django.db.models import Q, QuerySet

from quotas.domain.edits import Edit
from quotas.models import Override, Plan, Tenant
from quotas.services.having import having
from quotas.services.hindsight import Hindsight, Untold, hindsight_of
from quotas.services.last_day import Ask, LastDay, Peaks, last_day
from quotas.services.taken import Taken, can_be_seen, taken_now

if TYPE_CHECKING:
    from quotas.services.shadow import Shadow

MOST_TOLD = 3
"""Of how many edits at once that take away the records and Redis are asked.

Of more, only how many they concern.
"""

Concerned = tuple[Plan | Tenant, Edit]
"""An edit, with the plan whose tenants have the limit, or the one tenant that has it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outlook:
    """An edit, how many tenants have the limit, and how many used more than it will let them.

    ``above`` counts tenants whose hours of the last day have a peak above what will fit at once,
    ``hours`` these hours. ``taken`` is how they stand now, ``hindsight`` what they would have been
    denied: None where the edit takes nothing away. ``told``: whether all that was looked for.
    ``shadow``: of an edit that takes a limit out of shadow, what it would have denied there.
    """

    edit: Edit
    tenants: int
    above: int = 0
    hours: int = 0
    taken: Taken | None = None
    hindsight: Hindsight | Untold | None = None
    told: bool = True
    shadow: Shadow | None = None

    @property
    def asks(self) -> bool:
        """Whether somebody loses more than goes without a question.

        More than 10 %, or what was used or is in use; where that was not looked for, anything.
        """
        used = self.above or (self.taken and self.taken.above)
        recorded = self.hindsight if isinstance(self.hindsight, Hindsight) else None
        unknown = not self.told or (recorded and recorded.is_blind)
        large = self.edit.is_noticed or (self.edit.tightens and unknown)
        return bool(used or (recorded and recorded.denied) or (large and self.tenants))


def outlooks(plan: Plan, edits: Iterable[Edit], *, now: datetime) -> list[Outlook]:
    """What each edit means for the tenants of ``plan``; see `outlooks_among`."""
    return outlooks_among([(plan, each) for each in edits], now=now)


def outlooks_among(concerned: Sequence[Concerned], *, now: datetime) -> list[Outlook]:
    """What each edit means for those beside it.

    At most three queries, and ten for each of the first three that take away from somebody,
    however many edits and tenants; and the round trips of `taken_now`.
    """
    of_plans = [(whom, edit.before) for whom, edit in concerned if isinstance(whom, Plan)]
    each = iter(having(of_plans, now))
    counts = [next(each) if isinstance(whom, Plan) else 1 for whom, _edit in concerned]
    tightening = [place for place, (_whom, edit) in enumerate(concerned) if edit.tightens]
    first = sorted(tightening, key=lambda place: not counts[place])[:MOST_TOLD]
    found = [
        Outlook(edit=edit, tenants=counts[place], told=place in first or not edit.tightens)
        for place, (_whom, edit) in enumerate(concerned)
    ]
    looked_up = [place for place in first if counts[place]]
    told = _looked_up([concerned[place] for place in looked_up], now)
    for place, outlook in zip(looked_up, told, strict=True):
        found[place] = outlook
    return found


def tenants_of(plan: Plan) -> QuerySet[Tenant]:
    """The tenants that have the plan: of the default one, also those without an active one."""
    if not plan.active:
        return Tenant.objects.none()
    theirs = Q(plan=plan.pk)
    return Tenant.objects.filter(
        theirs | Q(plan=None) | Q(plan__active=False) if plan.is_default else theirs
    )


def plan_tenants(plan: Plan, edit: Edit, now: datetime) -> QuerySet[Tenant]:
    """Those of the plan's tenants that have its limit, not an override in its place."""
    limit = edit.before
    own = Override.objects.in_force(now).filter(scope=limit.scope, name=limit.name)
    return tenants_of(plan).exclude(pk__in=own.order_by().values("tenant"))


def _looked_up(concerned: Sequence[Concerned], now: datetime) -> list[Outlook]:
    """What edits mean that take away, by what their tenants used and have in use."""
    if not concerned:
        return []
    among = Q()
    for whom in dict.fromkeys(whom for whom, _edit in concerned):
        among |= Q(tenant__in=_all_of(whom).order_by().values("pk"))
    asks = [ask for _whom, edit in concerned if (ask := _ask(edit))]
    day = last_day(among, asks, now=now)
    return [
        _outlook(
            plan_tenants(whom, edit, now) if isinstance(whom, Plan) else _all_of(whom), edit, day
        )
        for whom, edit in concerned
    ]


def _all_of(whom: Plan | Tenant) -> QuerySet[Tenant]:
    return tenants_of(whom) if isinstance(whom, Plan) else Tenant.objects.filter(pk=whom.pk)


def _ask(edit: Edit) -> Ask | None:
    """What the records of peaks are asked: where less will fit at once."""
    if edit.most is None or not edit.lowers_most:
        return None
    return f"{edit.before.scope}/{edit.before.name}", edit.most


def _outlook(tenants: QuerySet[Tenant], edit: Edit, day: LastDay) -> Outlook:
    known: Collection[int] = set(tenants.order_by().values_list("pk", flat=True))
    peaks, taken = Peaks(), None
    if ask := _ask(edit):
        peaks = day.peaks(ask, known)
        if can_be_seen(edit.before):
            taken = taken_now(edit, tenants, peaks.busiest)
    return Outlook(
        edit=edit,
        tenants=len(known),
        above=peaks.above,
        hours=peaks.hours,
        taken=taken,
        hindsight=hindsight_of(edit.after, known, day),
    )
