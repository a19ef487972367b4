"""What a tenant has used: the limiter's own state, read by peek, in the words that people see."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from quotas.domain.decisions import Decision
from quotas.domain.denials import Denial
from quotas.domain.keys import tenant_tag
from quotas.domain.limits import CalendarQuota, Unlimited
from quotas.domain.words import SubjectKind
from quotas.engine import limiter
from quotas.engine.bundle import Asked, pack
from quotas.engine.clock import now_us
from quotas.engine.sight import Sight, look
from quotas.errors import EngineUnavailable
from quotas.services.attempt import Attempt
from quotas.services.laying_out import Caller, subjects_of
from quotas.services.outage import outage
from quotas.services.seeding import balances
from quotas.services.store import store

if TYPE_CHECKING:
    from quotas.domain.decisions import Verdict
    from quotas.domain.policies import Limit
    from quotas.engine.denials import Denied
    from quotas.engine.tallies import Tallied
    from quotas.services.policy import Policy, TenantRow

MOST_TRIES = 4


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

    @property
    def closeness(self) -> float:
        """Used, as a share of what fits at once: what cannot be told, or has no end, is below 0."""
        most = getattr(self.limit.rule, "most_at_once", None)
        if self.used is None or most is None:
            return -1
        return self.used / most if most else math.inf


@dataclass(frozen=True, slots=True)
class Usage:
    """Every limit that applies to a tenant, at one instant of the engine's clock (us).

    ``lines`` have the limit first that is closest to its end; in an outage they are as they come.
    ``at_us`` is 0 in an outage. ``tallied`` is what Redis has counted for people, None in an
    outage; ``denials`` are the latest, the latest first. ``policy`` is what it was read under.
    """

    policy: Policy = field(repr=False)
    tenant: TenantRow
    plan_key: str | None
    plan_name: str | None
    lines: tuple[UsageLine, ...]
    at_us: int
    outage: bool
    tallied: Tallied | None = None
    denials: tuple[Denial, ...] = ()


def usage_of(
    tenant: str | int, *, user_pk: object = None, scope: str | None = None
) -> Usage | None:
    """What a tenant has used of each limit; None when there is no such tenant.

    Consumes, creates and extends nothing. Limits that count users are those of ``user_pk``, and are
    left out without one; so are limits that count credentials and addresses. ``scope`` narrows to
    one scope and ``*``.
    """
    with Attempt(started_at=store.clock()) as attempt:
        at_us, seeded = 0, False
        for _ in range(MOST_TRIES):
            policy = store.policy(tenant, attempt)
            if policy is None or policy.tenant is None:
                return None
            question = _question(policy, policy.tenant, user_pk, scope, at_us or now_us())
            seen = _look(question, attempt, seeded=seeded)
            if seen is None or not isinstance(seen.found, limiter.Refused):
                return _usage(policy, policy.tenant, question.asked, seen)
            at_us, seeded = seen.found.now_us, seeded or seen.found.unseeded
            if seen.found.version is not None:
                store.drop_tenant(policy.tenant.pk)
            last = _usage(policy, policy.tenant, question.asked, None)
        outage.report(EngineUnavailable("the policy changed faster than it could be read"))
        return last


@dataclass(frozen=True, slots=True)
class _Question:
    """What is asked of the limiter for a tenant's page, and when."""

    tenant: TenantRow
    asked: limiter.Question
    at_us: int


def _question(
    policy: Policy, tenant: TenantRow, user_pk: object, scope: str | None, at_us: int
) -> _Question:
    kinds = {SubjectKind.TENANT} if user_pk is None else {SubjectKind.TENANT, SubjectKind.USER}
    limits = tuple(each for each in policy.effective(scope, at_us) if each.subject in kinds)
    bundle = pack(
        [Asked(limit, limit.subject) for limit in limits],
        edges_of=lambda unit: policy.edges(unit, at_us),
        span=policy.in_force(at_us).span,
    )
    subjects = subjects_of(Caller(address="", user_pk=user_pk), tenant, (), bundle)
    owner = limiter.Owner(tenant_tag(tenant.pk), policy.version, marked=True)
    return _Question(tenant, limiter.Question(bundle, subjects, owner), at_us)


def _look(question: _Question, attempt: Attempt, *, seeded: bool) -> Sight | None:
    """What the limiter knows; None when it gives no answer."""
    if attempt.failure is None:
        try:
            return look(question.asked, seeds=_seeds(question) if seeded else None)
        except EngineUnavailable as error:
            attempt.failure = error
    outage.report(attempt.failure)
    return None


def _seeds(question: _Question) -> list[int]:
    """What the database knows of each limit, by position, while Redis has no memory of it."""
    known = {
        (row.scope, row.name, row.rule.unit, row.subject.text): row.used
        for row in reversed(balances(question.tenant, question.at_us))
    }
    subjects = question.asked.subjects
    return [
        known.get((each.scope, each.name, each.rule.unit, subjects[each.subject].text), 0)
        if isinstance(each.rule, CalendarQuota | Unlimited) and each.rule.unit is not None
        else 0
        for each in question.asked.bundle.limits
    ]


def _usage(policy: Policy, tenant: TenantRow, asked: limiter.Question, seen: Sight | None) -> Usage:
    limits = asked.bundle.limits
    found = seen.found if seen and isinstance(seen.found, Decision) else None
    verdicts = found.verdicts if found else (None,) * len(limits)
    lines = map(UsageLine, limits, verdicts)
    return Usage(
        policy=policy,
        tenant=tenant,
        plan_key=policy.plan.key if policy.plan else None,
        plan_name=policy.plan.name if policy.plan else None,
        lines=tuple(sorted(lines, key=lambda each: -each.closeness)),
        at_us=found.now_us if found else 0,
        outage=found is None,
        tallied=seen.tallied if seen else None,
        denials=tuple(_denial(each, tenant) for each in seen.denials) if seen else (),
    )


def _denial(denied: Denied, tenant: TenantRow) -> Denial:
    scope, _, name = denied.label.rpartition("/")
    return Denial(
        tenant_pk=tenant.pk,
        at_us=denied.at_us,
        scope=scope,
        name=name,
        cost=denied.cost,
        retry_after=denied.retry_after,
        operation=denied.operation,
        caller=denied.caller,
    )
