"""Give a tenant units of one limit back at once: tokens, places, or what it has used."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from quotas.domain.keys import Subject, subject_text, tenant_tag
from quotas.domain.limits import gives_at_once
from quotas.domain.words import Mode, SubjectKind
from quotas.engine import granting
from quotas.errors import EngineUnavailable, QuotasError
from quotas.services.attempt import Attempt
from quotas.services.outage import outage
from quotas.services.store import store

if TYPE_CHECKING:
    from quotas.domain.policies import Limit


@dataclass(frozen=True, slots=True, kw_only=True)
class Granted:
    """What came of a grant of ``asked`` units: how many were ``given``.

    None: it is not known, for Redis did not answer in time; all, some, or none.
    """

    asked: int
    given: int | None


class NotGranted(QuotasError):
    """Nothing was given: no such limit is in force now, or not one that gives at once."""


def can_be_granted(limit: Limit) -> bool:
    """Whether units of a limit can be given to the tenant at once."""
    counts = limit.mode is not Mode.OFF and limit.subject is SubjectKind.TENANT
    return counts and gives_at_once(limit.rule)


def grant(tenant_pk: int, scope: str, name: str, units: int, *, at_us: int) -> Granted:
    """Give back up to ``units`` of what the tenant has taken of the limit known by (scope, name).

    ``at_us`` is about now, by the engine's clock. Raises `NotGranted`, and `EngineUnavailable` when
    Redis gives no answer and certainly gave nothing.
    """
    policy = store.policy(tenant_pk, Attempt())
    if policy is None or policy.tenant is None:
        raise NotGranted("There is no such tenant.")
    rows = policy.in_force(at_us)
    limit = rows.rows.get((scope, name))
    if limit is None or not can_be_granted(limit):
        raise NotGranted(f"{scope}/{name} is not in force, or does not give at once.")
    own = subject_text(SubjectKind.TENANT)
    subject = Subject(tenant_tag(tenant_pk), own, policy.tenant.epoch)
    try:
        given = granting.grant(limit, subject, units, version=policy.version, span=rows.span)
    except EngineUnavailable as error:
        outage.report(error)
        if not error.perhaps_done:
            raise
        return Granted(asked=units, given=None)
    if given is None:
        raise NotGranted(f"{scope}/{name} was changed meanwhile.")
    return Granted(asked=units, given=given)
