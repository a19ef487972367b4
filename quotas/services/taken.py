"""How many tenants have taken more of a limit at this instant than an edit will let them.

Read by peek, of limits that count the whole tenant: consumes, creates and extends nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.db.models import F

from quotas.domain.limits import DenyAll
from quotas.domain.words import Mode, SubjectKind
from quotas.engine import limiter
from quotas.engine.clock import now_us
from quotas.errors import EngineUnavailable
from quotas.models import Tenant
from quotas.services.closest import Asker
from quotas.services.loading import tenants_of
from quotas.services.outage import outage
from quotas.services.policy import PlanRow, Policy

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from django.db.models import QuerySet

    from quotas.domain.decisions import Decision
    from quotas.domain.edits import Edit
    from quotas.domain.policies import Limit

MOST_LOOKED_AT = 1_000
"""At how many tenants one looks: those who lately took most."""
OVERRIDE = "override"
AT_ONCE = 250
"""Of how many tenants Redis is asked in one round trip: well within its timeout."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """Of ``looked_at`` tenants, how many have taken more now than will fit at once.

    ``looked_at`` is 0 when Redis gave no answer (``outage``), or cannot tell of any of them.
    """

    looked_at: int = 0
    above: int = 0
    outage: bool = False


def can_be_seen(limit: Limit) -> bool:
    """Whether a limit counts each tenant as a whole, so that a peek tells what it has taken."""
    counted = limit.mode is not Mode.OFF and not isinstance(limit.rule, DenyAll)
    return counted and limit.subject is SubjectKind.TENANT


def taken_now(edit: Edit, tenants: QuerySet[Tenant], busiest: Sequence[int]) -> Taken:
    """How these tenants stand to ``edit.most``.

    ``busiest`` are primary keys of those among them who are looked at first. Five queries, and a
    round trip for each 250 of at most 1,000 tenants.
    """
    answered, above, most = 0, 0, edit.most
    try:
        for decision in _peeked(edit.before, _chosen(tenants, busiest)):
            answered += 1
            above += most is not None and any(each.used > most for each in decision.verdicts)
    except EngineUnavailable as error:
        outage.report(error)
        return Taken(outage=True)
    return Taken(looked_at=answered, above=above)


def _chosen(tenants: QuerySet[Tenant], busiest: Sequence[int]) -> list[Tenant]:
    by_snapshot = tenants.order_by(F("snapshot__percent").desc(nulls_last=True), "pk")
    first = dict.fromkeys(busiest[:MOST_LOOKED_AT])
    if len(first) < MOST_LOOKED_AT:
        first |= dict.fromkeys(by_snapshot.values_list("pk", flat=True)[:MOST_LOOKED_AT])
    return list(Tenant.objects.filter(pk__in=list(first)[:MOST_LOOKED_AT]).order_by())


def _peeked(limit: Limit, tenants: Sequence[Tenant]) -> Iterator[Decision]:
    """What Redis says of the limit as it stands for each tenant, its own cap included."""
    asker, at_us = Asker(now_us()), now_us()
    of_plan = () if limit.source.kind == OVERRIDE else (limit,)
    plan, rows = PlanRow(pk=0, key="", name="", rows=of_plan), tenants_of(tenants)
    for first in range(0, len(rows), AT_ONCE):
        policies = [Policy(plan=plan, tenant=row) for row in rows[first : first + AT_ONCE]]
        questions = [
            asker.question(policy, policy.tenant, [own])
            for policy in policies
            if policy.tenant and (own := _own(policy, limit, at_us))
        ]
        answers = limiter.peek_each(questions) if questions else []
        yield from (each for each in answers if not isinstance(each, limiter.Refused))


def _own(policy: Policy, limit: Limit, at_us: int) -> Limit | None:
    """The limit as it stands for one tenant; none where another has taken its place."""
    found = policy.in_force(at_us).rows.get((limit.scope, limit.name))
    same = found and (found.source.kind, found.source.pk) == (limit.source.kind, limit.source.pk)
    return found if same else None
