"""When an edit is in force, in words: within a poll for plans, at the next request for the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.utils.translation import gettext, ngettext

from quotas.conf import conf
from quotas.domain.workers import in_force
from quotas.engine import workers
from quotas.errors import ConfigurationError, EngineUnavailable

if TYPE_CHECKING:
    from quotas.domain.workers import InForce


def plans_in_force() -> InForce | None:
    """How many workers have applied the plans as they are now; None when Redis does not say."""
    try:
        found = workers.registry()
    except (EngineUnavailable, ConfigurationError):
        return None
    return in_force(found.workers, found.version, found.now_us)


def of_plans() -> str:
    """When edited plans are in force."""
    return ngettext(
        "In force on every worker within %(seconds)s second of saving (QUOTAS_PLAN_POLL).",
        "In force on every worker within %(seconds)s seconds of saving (QUOTAS_PLAN_POLL).",
        1 if conf.plan_poll == 1 else 2,
    ) % {"seconds": f"{conf.plan_poll:g}"}


def of_plans_now(found: InForce | None) -> str:
    """The same, and which workers have come so far."""
    return without_an_answer() if found is None else f"{of_plans()} {applied_by(found)}"


def of_tenants() -> str:
    """When edits of a tenant, its members, overrides and caps are in force."""
    return gettext("In force at the next request of every worker.")


def without_an_answer() -> str:
    """When an edit is in force that Redis could not be told of."""
    return gettext(
        "Redis gives no answer: which workers have applied the latest edit cannot be told. "
        "Each goes on with what it knows, and reads it anew within a minute."
    )


def applied_by(found: InForce) -> str:
    """How many workers have applied the latest edit of plans."""
    waiting = found.idle - found.idle_applied
    parts = []
    if found.busy:
        parts.append(
            ngettext(
                "%(applied)d of %(count)d busy worker has applied the latest edit.",
                "%(applied)d of %(count)d busy workers have applied the latest edit.",
                found.busy,
            )
            % {"applied": found.busy_applied, "count": found.busy}
        )
    if found.idle_applied:
        parts.append(
            ngettext(
                "%(count)d idle worker has applied it.",
                "%(count)d idle workers have applied it.",
                found.idle_applied,
            )
            % {"count": found.idle_applied}
        )
    if waiting:
        parts.append(
            ngettext(
                "%(count)d idle worker applies it before its next decision.",
                "%(count)d idle workers apply it before their next decisions.",
                waiting,
            )
            % {"count": waiting}
        )
    return " ".join(parts) or gettext("No worker has decided by a plan in the last hour.")
