"""The usage page as JSON: the same numbers, for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.http import HttpResponse
from django.utils import translation
from rest_framework.permissions import IsAuthenticated
from rest_framework.renderers import JSONRenderer
from rest_framework.response import Response
from rest_framework.views import APIView

from quotas.services.alert_settings import alerts_data
from quotas.services.statement import as_data
from quotas.views.access import viewing
from quotas.views.callers import calls_data, calls_for
from quotas.views.denials import denials_data
from quotas.views.exports import history_data, months_data, projection_data, wrong_range
from quotas.views.looks import Look, look_at
from quotas.views.pages import NO_CACHE, read
from quotas.views.reads import PROBLEM, counted

if TYPE_CHECKING:
    from rest_framework.request import Request


def usage_data(look: Look, *, reasons: bool) -> dict[str, Any]:
    """All that the page shows, as JSON takes it; ``reasons``: why overrides were made, too."""
    statement = look.statement
    found = as_data(statement, translation, reasons=reasons)
    for limit, line in zip(found["limits"], statement.usage.lines, strict=True):
        limit["projection"] = projection_data(line, look)
    return found | {
        "month": months_data(look),
        "history": history_data(look.history),
        "calls": calls_data(calls_for(look)),
        "denials": denials_data(statement.usage.denials, statement),
        "alerts": alerts_data(statement.usage.tenant.pk),
    }


class UsageData(APIView):
    """What a tenant has used, as JSON.

    Authenticated as the project's API is, so that a token will do. No throttle of the project's
    defaults is asked: looking spends nothing of the tenant's, but of a limit on reads alone.
    """

    permission_classes = [IsAuthenticated]
    renderer_classes = [JSONRenderer]
    throttle_classes = []
    http_method_names = ["get", "head", "options"]

    def get(self, request: Request, tenant: str) -> HttpResponse:
        """The statement of usage, the history that is asked for, and the month so far."""
        reads = counted(request.user)
        if reads.problem is not None:
            return Response(
                reads.problem, reads.status, content_type=PROBLEM, headers=reads.headers
            )
        seen = viewing(request.user, tenant)
        look = look_at(read(seen), request.query_params)
        if look.filters.trouble:
            return wrong_range(look.filters.trouble)
        return Response(usage_data(look, reasons=seen.staff), headers=reads.headers)

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        response = super().finalize_response(request, response, *args, **kwargs)
        response["Cache-Control"] = NO_CACHE
        return response
