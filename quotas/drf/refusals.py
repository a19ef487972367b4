"""What a throttle raises where no limit denied: 403 by the plan or the tenant, 503 in an outage."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext_lazy as _
from rest_framework.exceptions import APIException, PermissionDenied
from rest_framework.status import HTTP_503_SERVICE_UNAVAILABLE

from quotas.conf import conf
from quotas.domain.words import Code
from quotas.errors import Refusal


class LimiterUnavailable(APIException):
    """503: the limiter cannot answer, and a limit's outage policy is to deny meanwhile."""

    status_code = HTTP_503_SERVICE_UNAVAILABLE
    default_detail = _("The limiter cannot answer at the moment. Try again later.")
    default_code = Code.LIMITER_UNAVAILABLE.value


class RequestRefused(PermissionDenied):
    """403: not for this caller, however long it waits. Its details name no plan and no tenant."""


class NotInPlan(RequestRefused):
    """403: the plan that applies has no row for the scope."""

    default_detail = _("Your plan does not include this.")
    default_code = Code.NOT_IN_PLAN.value


class NotInAnyPlan(NotInPlan):
    """403: a caller without a tenant, for whom there is no plan, or none with a row for this."""

    default_detail = _("No plan for callers without a tenant includes this.")


class TenantRequired(RequestRefused):
    """403: the user belongs to several tenants and has not said which."""

    default_detail = _(
        "You belong to several tenants and have no default one: name one of your own in the "
        "header %(header)s."
    )
    default_code = Code.TENANT_REQUIRED.value

    def __init__(self, detail: Any = None, code: str | None = None) -> None:
        super().__init__(detail or self.default_detail % {"header": conf.tenant_header}, code)


class TenantSuspended(RequestRefused):
    """403: the tenant is suspended."""

    default_detail = _("Your access is suspended.")
    default_code = Code.TENANT_SUSPENDED.value


BY_CODE = {each.default_code: each for each in (NotInPlan, TenantRequired, TenantSuspended)}


def refused(refusal: Refusal, *, of_tenant: bool = True) -> RequestRefused:
    """The answer to a client for a refusal of `quotas.services`.

    ``of_tenant``: the caller has a tenant, and with it a plan to speak of.
    """
    kind = BY_CODE[refusal.code]
    return NotInAnyPlan() if kind is NotInPlan and not of_tenant else kind()
