"""Every error that `quotas` raises, under one root. Imports nothing of ours."""

from __future__ import annotations


class QuotasError(Exception):
    """Root of all errors of this package."""


class InvalidLimit(QuotasError, ValueError):
    """A limit's numbers cannot make a limit.

    The message names the field, its value and the way out.
    """


class InvalidRate(InvalidLimit):
    """A rate text such as ``"100/minute"`` cannot be read."""


class InvalidCost(QuotasError, ValueError):
    """A cost that is not a whole number of at least 0: a programming error of the caller."""


class ConflictingCosts(InvalidCost):
    """Two throttles of one view charge the same scope with different costs."""


class EngineUnavailable(QuotasError):
    """The engine gave no answer: refused, timed out, or answered with an error. Never retried.

    ``perhaps_done``: what was asked may have been carried out all the same.
    """

    perhaps_done: bool = False


class StaffTenantsUnknown(QuotasError):
    """``QUOTAS_STAFF_TENANTS`` did not tell which tenants somebody of the staff may see."""


class Refusal(QuotasError):
    """A request that no limit denied, but the plan or the tenant does.

    ``code`` is the problem's.
    """

    code: str


class NotInPlan(Refusal):
    """Neither the scope nor ``*`` has a row in the plan that applies."""

    code = "not_in_plan"


class TenantRequired(Refusal):
    """A member of several tenants named none, and has no default one."""

    code = "tenant_required"


class TenantSuspended(Refusal):
    """The tenant is suspended."""

    code = "tenant_suspended"


class UnknownPlan(QuotasError, LookupError):
    """No plan, tenant or scope of that name."""


class BadDecisionId(QuotasError, ValueError):
    """A text that is no decision id of ours: made elsewhere, cut short, or signed by nobody."""


class BadPlansFile(QuotasError, ValueError):
    """A file of plans that cannot be read or acted on.

    ``complaints``: one sentence each, with the place, the value and the way out.
    """

    def __init__(self, complaints: list[str]) -> None:
        super().__init__("\n".join(complaints))
        self.complaints = complaints


class PlansChanged(QuotasError):
    """Plans are no longer as they were when somebody looked at what would change."""


class ConfigurationError(QuotasError):
    """A setting or a class attribute that cannot work; the message says which, and the way out."""
