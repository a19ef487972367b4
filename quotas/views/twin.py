"""The usage page as JSON: the same numbers, for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.http import HttpResponse
from django.utils import translation
from rest_framework.permissions import IsAuthenticated
from rest_framework.renderers import JSONRenderer
from rest_framework.response import Response
from rest_framework.views import APIView

from quotas.services.statement import as_data
from quotas.views.access import viewing
from quotas.views.exports import history_data, months_data, projection_data, wrong_range
from quotas.views.looks import look_at
from quotas.views.pages import NO_CACHE, read

if TYPE_CHECKING:
    from rest_framework.request import Request


class UsageData(APIView):
    """What a tenant has used, as JSON.

    Authenticated as the project's API is, so that a token will do. No throttle of the project's
    defaults is asked: looking spends nothing of the tenant's.
    """

    permission_classes = [IsAuthenticated]
    renderer_classes = [JSONRenderer]
    throttle_classes = []
    http_method_names = ["get", "head", "options"]

    def get(self, request: Request, tenant: str) -> HttpResponse:
        """The statement of usage, the history that is asked for, and the month so far."""
        seen = viewing(request.user, tenant)
        look = look_at(read(seen), request.query_params)
        if look.filters.trouble:
            return wrong_range(look.filters.trouble)
        found = as_data(look.statement, translation, reasons=seen.staff)
        for limit, line in zip(found["limits"], look.statement.usage.lines, strict=True):
            limit["projection"] = projection_data(line, look)
        return Response(found | {"history": history_data(look.history), "month": months_data(look)})

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        response = super().finalize_response(request, response, *args, **kwargs)
        response["Cache-Control"] = NO_CACHE
        return response
