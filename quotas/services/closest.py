"""How near the tenants of one page of a list are to their limits now, read by peek.

Limits that count the whole tenant; what users, credentials and addresses have used is not looked
at. Consumes, creates and extends nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from quotas.domain.keys import tenant_tag
from quotas.domain.words import SubjectKind
from quotas.engine import limiter
from quotas.engine.bundle import Asked, pack
from quotas.engine.clock import now_us
from quotas.errors import EngineUnavailable
from quotas.services.laying_out import Caller, subjects_of
from quotas.services.loading import load_plans, tenants_of
from quotas.services.outage import outage
from quotas.services.policy import Plans, Policy
from quotas.services.snapshots import can_be_near, percent_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from quotas.domain.decisions import Decision
    from quotas.domain.policies import Limit
    from quotas.domain.words import CalendarUnit
    from quotas.engine.bundle import Edges
    from quotas.models import Tenant
    from quotas.services.policy import TenantRow


class Near(NamedTuple):
    """The limit that is closest, if any can be, and whether any denies a call of cost 1."""

    percent: int
    limit: Limit | None
    denying: bool


NOTHING_NEAR = Near(0, None, denying=False)


def closest_of(tenants: Sequence[Tenant]) -> dict[int, Near] | None:
    """How near each is, by primary key; None when Redis gives no answer.

    Those of whom Redis cannot tell are left out: it has lost its memory, or another policy holds
    there this instant. Five queries and one round trip, however many they are.
    """
    at_us, plans = now_us(), _plans()
    asker = Asker(at_us)
    questions: dict[int, limiter.Question] = {}
    for tenant in tenants_of(tenants):
        policy = Policy(plan=plans.of(tenant.plan_pk), tenant=tenant)
        limits = [
            each
            for each in policy.effective(None, at_us)
            if each.subject is SubjectKind.TENANT and can_be_near(each)
        ]
        if limits:
            questions[tenant.pk] = asker.question(policy, tenant, limits)
    found = {each.pk: NOTHING_NEAR for each in tenants if each.pk not in questions}
    if not questions:
        return found
    try:
        answers = limiter.peek_each(list(questions.values()))
    except EngineUnavailable as error:
        outage.report(error)
        return None
    for pk, answer in zip(questions, answers, strict=True):
        if not isinstance(answer, limiter.Refused):
            found[pk] = _nearest(answer)
    return found


class Asker:
    """Lays questions out. The edges of periods are found once for all tenants."""

    def __init__(self, at_us: int) -> None:
        self.at_us = at_us
        self._edges: dict[tuple[str, int, CalendarUnit], Edges] = {}

    def question(
        self, policy: Policy, tenant: TenantRow, limits: Sequence[Limit]
    ) -> limiter.Question:
        """What is asked of one tenant."""

        def edges_of(unit: CalendarUnit) -> Edges:
            key = (tenant.time_zone, tenant.anchor_day, unit)
            if key not in self._edges:
                self._edges[key] = policy.edges(unit, self.at_us)
            return self._edges[key]

        bundle = pack(
            [Asked(each, each.subject) for each in limits],
            edges_of=edges_of,
            span=policy.in_force(self.at_us).span,
        )
        owner = limiter.Owner(tenant_tag(tenant.pk), None, marked=True)
        subjects = subjects_of(Caller(address=""), tenant, (), bundle)
        return limiter.Question(bundle, subjects, owner)


def _plans() -> Plans:
    """The plans as the database has them now: a page must not be a second behind an edit."""
    return Plans(
        **load_plans()._asdict(),
        version=b"",
        loaded_at=0.0,
        polled_at=0.0,
        fresh_until=0.0,
    )


def _nearest(decision: Decision) -> Near:
    nearest = max(decision.verdicts, key=lambda each: percent_of(each.used, each.limit))
    denying = any(not each.fits for each in decision.verdicts)
    return Near(percent_of(nearest.used, nearest.limit), nearest.limit, denying)
