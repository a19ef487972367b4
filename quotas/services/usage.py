"""What a tenant has used: the limiter's own state, read by peek, in the words that people see."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from quotas.domain.words import SubjectKind
from quotas.engine import limiter
from quotas.engine.bundle import Asked, pack
from quotas.engine.clock import clock
from quotas.errors import EngineUnavailable
from quotas.services.laying_out import Caller, subjects_of
from quotas.services.outage import outage
from quotas.services.seeding import balances
from quotas.services.store import Attempt, store

if TYPE_CHECKING:
    from collections.abc import Mapping

    from quotas.domain.decisions import Decision, Verdict
    from quotas.domain.keys import Subject
    from quotas.domain.policies import Limit
    from quotas.services.policy import Policy, TenantRow


@dataclass(frozen=True, slots=True)
class UsageLine:
    """One limit as it stands: ``verdict`` is what a call of cost 1 would be told.

    None during an outage.
    """

    limit: Limit
    verdict: Verdict | None

    @property
    def used(self) -> int | None:
        """Units taken; None during an outage."""
        return None if self.verdict is None else self.verdict.used

    @property
    def remaining(self) -> int | None:
        """Whole units left; None when unlimited or during an outage."""
        return None if self.verdict is None else self.verdict.remaining

    @property
    def next_admission_us(self) -> int | None:
        """Microseconds until a call of cost 1 fits: 0 now, None never (or not known)."""
        return None if self.verdict is None else self.verdict.wait_us

    @property
    def percent(self) -> int | None:
        """Used, in percent of what fits at once, at most 100; None when unlimited or not known."""
        most = getattr(self.limit.rule, "most_at_once", None)
        if self.used is None or most is None:
            return None
        return min(100, 100 * self.used // most) if most else 100


@dataclass(frozen=True, slots=True)
class Usage:
    """Every limit that applies to a tenant, at one instant of the engine's clock (us.

    0 in an outage).
    """

    tenant: TenantRow
    plan_key: str | None
    plan_name: str | None
    lines: tuple[UsageLine, ...]
    at_us: int
    outage: bool


def usage_of(
    tenant: str | int, *, user_pk: object = None, scope: str | None = None
) -> Usage | None:
    """What a tenant has used of each limit; None when there is no such tenant.

    Consumes, creates and extends nothing. Limits that count users are those of ``user_pk``, and are
    left out without one; so are limits that count credentials and addresses. ``scope`` narrows to
    one scope and ``*``.
    """
    attempt = Attempt()
    policy = store.fresh_policy(tenant, attempt)
    if policy is None or policy.tenant is None:
        return None
    at_us = clock.given_us or policy.instant_us or time.time_ns() // 1000
    decision: Decision | None = None
    try:
        decision, limits = _peek(policy, policy.tenant, user_pk, scope, at_us, attempt)
    except EngineUnavailable as error:
        outage.report(error)
        limits = _shown(policy, user_pk, scope, at_us)
    verdicts = decision.verdicts if decision else (None,) * len(limits)
    plan = policy.plan
    return Usage(
        tenant=policy.tenant,
        plan_key=plan.key if plan else None,
        plan_name=plan.name if plan else None,
        lines=tuple(
            UsageLine(limit, verdict) for limit, verdict in zip(limits, verdicts, strict=True)
        ),
        at_us=decision.now_us if decision else 0,
        outage=decision is None,
    )


def _shown(policy: Policy, user_pk: object, scope: str | None, at_us: int) -> tuple[Limit, ...]:
    kinds = {SubjectKind.TENANT} if user_pk is None else {SubjectKind.TENANT, SubjectKind.USER}
    return tuple(limit for limit in policy.effective(scope, at_us) if limit.subject in kinds)


def _peek(
    policy: Policy,
    tenant: TenantRow,
    user_pk: object,
    scope: str | None,
    at_us: int,
    attempt: Attempt,
) -> tuple[Decision, tuple[Limit, ...]]:
    """The limiter's answer at its own instant.

    A policy laid out for another one is laid out again.
    """
    for _ in range(2):
        if attempt.failure is not None:
            raise attempt.failure
        limits = _shown(policy, user_pk, scope, at_us)
        bundle = pack(
            [Asked(limit, limit.subject) for limit in limits],
            edges_of=lambda unit: policy.edges(unit, at_us),  # noqa: B023 - used within this turn only
            span=policy.in_force(at_us).span,
        )
        subjects = subjects_of(Caller(address="", user_pk=user_pk), policy, (), bundle)
        seeds = _seeds(tenant, limits, subjects, at_us) if bundle.edges else None
        found = limiter.peek(bundle, subjects, [1] * len(limits), seeds=seeds or [0] * len(limits))
        if not isinstance(found, limiter.Refused):
            return found, limits
        at_us = found.now_us
    raise EngineUnavailable("the policy changed faster than it could be read")


def _seeds(
    tenant: TenantRow, limits: tuple[Limit, ...], subjects: Mapping[str, Subject], at_us: int
) -> list[int]:
    """What the database knows of each limit, by position.

    What counts while Redis has no memory of the tenant.
    """
    known = {(row.scope, row.name, row.subject.text): row.used for row in balances(tenant, at_us)}
    return [
        known.get((each.scope, each.name, subjects[each.subject].text), 0)
        if each.subject in subjects
        else 0
        for each in limits
    ]
