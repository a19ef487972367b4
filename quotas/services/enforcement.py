"""Enforce what applies to a request: one decision, one round trip, charged all or none.

The script refuses to decide under a policy that no longer holds; then the policy is read anew and
the script asked again, so that an edit acts on the next request anywhere without a query or a trip
of its own in steady state.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from django.db import Error as DatabaseFault

from quotas.domain.decisions import Decision, on_outage
from quotas.domain.keys import tenant_tag, user_tag
from quotas.engine import limiter, owners
from quotas.engine.clock import now_us
from quotas.errors import EngineUnavailable, NotInPlan, Refusal, TenantRequired, TenantSuspended
from quotas.services.anonymous import anonymous
from quotas.services.attempt import Attempt
from quotas.services.bounded import Bounded
from quotas.services.laying_out import Ask, Caller, LaidOut, distinct, lay_out, subjects_of
from quotas.services.outage import outage
from quotas.services.policy import Policy, TenantRow
from quotas.services.seeding import seed
from quotas.services.store import store
from quotas.services.workers import worker

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from quotas.domain.keys import Subject

__all__ = ["Answer", "Ask", "Caller", "enforce"]

logger = logging.getLogger("quotas")

MOST_TRIES, MOST_COMPARED = 5, 3
NOBODY = Policy(plan=None)
_warned: Bounded[bool] = Bounded(1000)


def forget() -> None:
    """Warn anew of what was warned of: for a process that starts over."""
    _warned.clear()


@dataclass(frozen=True, slots=True)
class Answer:
    """A decision, and for whom it was made.

    The tenant and the key of the plan, None without one.
    """

    decision: Decision
    tenant: TenantRow | None = None
    plan_key: str | None = None
    laid_out: LaidOut | None = None
    subjects: Mapping[str, Subject] | None = None

    def give_back(self) -> None:
        """Free the places in flight that this call holds.

        Never raises: what cannot be freed, its lease frees.
        """
        if not self.decision.holds_slots or self.laid_out is None or self.subjects is None:
            return
        try:
            limiter.give_back(self.laid_out.bundle.slots, self.subjects, self.decision.slot)
        except EngineUnavailable as error:
            outage.report(error)


def enforce(caller: Caller, asks: Sequence[Ask]) -> Answer:
    """Decide a request over everything it asks, and charge it.

    An outage is an outcome, not an error. Raises `NotInPlan`, `TenantRequired`, `TenantSuspended`,
    `ConflictingCosts` and `InvalidCost`.
    """
    asked = distinct(asks)
    with Attempt(started_at=store.clock(), creating=True) as attempt:
        answer = _enforce(caller, asked, attempt)
    worker.count(answer.decision)
    return answer


def _enforce(caller: Caller, asked: tuple[Ask, ...], attempt: Attempt) -> Answer:
    for tries in range(1, MOST_TRIES + 1):
        policy = None
        try:
            policy = _policy(caller, asked, attempt)
            laid = _lay_out(policy, caller, asked)
        except Refusal as refusal:
            if tries == MOST_TRIES or not _outdated(caller, policy, asked, attempt):
                _warn(refusal)
                raise
            continue
        answer = _answer(caller, policy, laid, asked, attempt, last=tries > MOST_COMPARED)
        if answer is not None:
            return answer
    outage.report(EngineUnavailable("the policy changed faster than it could be read"))
    found = on_outage(laid.bundle.limits, laid.costs(asked))
    return Answer(found, policy.tenant if policy else None)


def _answer(
    caller: Caller,
    policy: Policy,
    laid: LaidOut,
    asks: Sequence[Ask],
    attempt: Attempt,
    *,
    last: bool,
) -> Answer | None:
    """The decision; None when the script found the policy outdated, which has then been dropped."""
    subjects = subjects_of(caller, policy.tenant, asks, laid.bundle)
    slot = limiter.new_slot(laid.bundle)
    try:
        owner = _owner(caller, policy, asks, attempt, laid)
        if last and owner is not None:
            owner = replace(owner, version=None)
        if attempt.failure is not None:
            raise attempt.failure
        found = limiter.consume(laid.bundle, subjects, laid.costs(asks), owner=owner, slot=slot)
        if isinstance(found, limiter.Refused):
            _refresh(found, caller, policy)
            return None
        policy.instant_us = found.now_us
    except EngineUnavailable as error:
        attempt.failure = error
        outage.report(error)
        lost = slot if error.perhaps_done else limiter.NO_SLOT
        found = on_outage(laid.bundle.limits, laid.costs(asks), lost)
    if policy.tenant is None:
        anonymous.count(found, laid.tallies(asks))
    return Answer(found, policy.tenant, policy.plan.key if policy.plan else None, laid, subjects)


def _policy(caller: Caller, asks: Sequence[Ask], attempt: Attempt) -> Policy:
    """What applies to the caller.

    Drop-ins ask nothing of it; code-driven limits go on without a tenant.
    """
    if not any(ask.needs_tenant for ask in asks):
        return NOBODY
    of_plan = any(ask.limit is None for ask in asks)
    try:
        found = _tenants(caller, attempt)
    except TenantRequired:
        if of_plan:
            raise
        found = None
    if found is None:
        found = store.anonymous(attempt) if of_plan else NOBODY
    if found is None:
        raise NotInPlan("No active plan is for callers without a tenant.")
    return found


def _tenants(caller: Caller, attempt: Attempt) -> Policy | None:
    """The policy of the caller's tenant.

    Memberships read before the tenant last changed are read again.
    """
    for _ in range(2):
        named = caller.resolve()
        found = None if named is None else store.policy(named, attempt)
        since = None if caller.user_pk is None else store.known_since(caller.user_pk)
        if found is None or since is None or since >= min(found.changed_at, attempt.started_at):
            return found
        store.drop_user(caller.user_pk)
    return found


def _lay_out(policy: Policy, caller: Caller, asks: tuple[Ask, ...]) -> LaidOut:
    if policy.tenant is not None and policy.tenant.suspended:
        raise TenantSuspended(f"Tenant {policy.tenant.key!r} is suspended.")
    return lay_out(policy, caller, asks, policy.instant_us or now_us())


def _held(
    caller: Caller, policy: Policy | None, asks: Sequence[Ask], attempt: Attempt
) -> tuple[str, bytes] | None:
    """Whose version guards what is held, and the one it was read under.

    The tenant's; without one the user's, whose memberships may change. Nobody's when no tenant was
    looked up, or when the resolver does not go by memberships.
    """
    if policy is not None and policy.tenant is not None:
        return tenant_tag(policy.tenant.pk), policy.version
    if not any(ask.needs_tenant for ask in asks) or store.known_since(caller.user_pk) is None:
        return None
    return user_tag(caller.user_pk), store.belongings(caller.user_pk, attempt).version


def _owner(
    caller: Caller, policy: Policy, asks: Sequence[Ask], attempt: Attempt, laid: LaidOut
) -> limiter.Owner | None:
    held = _held(caller, policy, asks, attempt)
    if held is None or policy.tenant is None:
        return held and limiter.Owner(*held)
    return limiter.Owner(
        *held,
        marked=True,
        tallies=laid.tallies(asks),
        caller=caller.text,
        operation=caller.operation,
    )


def _outdated(caller: Caller, policy: Policy | None, asks: Sequence[Ask], attempt: Attempt) -> bool:
    """Whether a refusal rests on what has changed since; what is outdated is dropped."""
    held = _held(caller, policy, asks, attempt)
    if (
        held is None
        or attempt.ask(lambda: owners.version_of(held[0], create=True), held[1]) == held[1]
    ):
        return False
    _drop(caller, policy)
    return True


def _drop(caller: Caller, policy: Policy | None) -> None:
    store.drop_user(caller.user_pk)
    if policy is not None and policy.tenant is not None:
        store.drop_tenant(policy.tenant.pk)


def _refresh(refused: limiter.Refused, caller: Caller, policy: Policy) -> None:
    """Read anew what the script found outdated: rows, instant, or what calendar quotas had used."""
    policy.instant_us = refused.now_us
    policy.laid_out = {}
    if refused.version is not None:
        _drop(caller, policy)
    if refused.unseeded and policy.tenant is not None:
        try:
            seed(policy.tenant, refused.now_us)
        except DatabaseFault as error:
            raise EngineUnavailable(
                "Redis has lost its memory, and the database cannot say what was used"
            ) from error


def _warn(refusal: Refusal) -> None:
    """One line a reason for what only staff can mend: a scope that no plan has."""
    if isinstance(refusal, NotInPlan) and str(refusal) not in _warned:
        _warned.put(str(refusal), value=True)
        logger.warning("%s Its requests are answered 403 not_in_plan.", refusal)
