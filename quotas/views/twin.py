"""The usage page as JSON: the same numbers, for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.utils import translation
from rest_framework.permissions import IsAuthenticated
from rest_framework.renderers import JSONRenderer
from rest_framework.response import Response
from rest_framework.views import APIView

from quotas.services.statement import as_data
from quotas.views.access import viewing
from quotas.views.callers import calls_data, calls_for
from quotas.views.denials import denials_data
from quotas.views.exports import history_data
from quotas.views.history import history_for
from quotas.views.pages import NO_CACHE, read
from quotas.views.reads import PROBLEM, counted

if TYPE_CHECKING:
    from rest_framework.request import Request


class UsageData(APIView):
    """What a tenant has used, as JSON.

    Authenticated as the project's API is, so that a token will do. No throttle of the project's
    defaults is asked: looking spends nothing of the tenant's, but of a limit on reads alone.
    """

    permission_classes = [IsAuthenticated]
    renderer_classes = [JSONRenderer]
    throttle_classes = []
    http_method_names = ["get", "head", "options"]

    def get(self, request: Request, tenant: str) -> Response:
        """The statement of usage, and the history of the span that is asked for."""
        reads = counted(request.user)
        if reads.problem is not None:
            return Response(
                reads.problem, reads.status, content_type=PROBLEM, headers=reads.headers
            )
        seen = viewing(request.user, tenant)
        statement = read(seen)
        history = history_for(statement, request.query_params.get("span", ""))
        found = as_data(statement, translation, reasons=seen.staff)
        return Response(
            found
            | {
                "history": history_data(history),
                "calls": calls_data(calls_for(history, statement)),
                "denials": denials_data(statement.usage.denials, statement),
            },
            headers=reads.headers,
        )

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        response = super().finalize_response(request, response, *args, **kwargs)
        response["Cache-Control"] = NO_CACHE
        return response
