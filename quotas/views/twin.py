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
from quotas.services.attempt import Attempt
from quotas.services.statement import State, as_data
from quotas.views.access import viewing
from quotas.views.callers import Names, calls_data, calls_for
from quotas.views.denials import denials_data
from quotas.views.exports import (
    history_data,
    months_data,
    peaks_data,
    projection_data,
    wrong_range,
)
from quotas.views.filters import FilterForm
from quotas.views.looks import Look, look_at
from quotas.views.pages import NO_CACHE, read
from quotas.views.reads import PROBLEM, JsonAlways, counted
from quotas.views.rows import LimitRow, summary, worst

if TYPE_CHECKING:
    from rest_framework.request import Request


def usage_data(look: Look, *, reasons: bool) -> dict[str, Any]:
    """All that the page shows, as JSON takes it; ``reasons``: why overrides were made, too."""
    statement, usage = look.statement, look.statement.usage
    calls = calls_for(look)
    names = Names(usage.tenant.pk, {*calls.callers, *(each.caller for each in usage.denials)})
    found = as_data(statement, translation, reasons=reasons)
    for limit, line in zip(found["limits"], usage.lines, strict=True):
        limit["projection"] = projection_data(line, look)
    return found | {
        **_stands(look),
        "filters": {
            "zone": look.zone_name,
            "scope": look.filters.scope or None,
            "scopes": FilterForm(look.filters, look.scopes).scopes,
        },
        "month": months_data(look),
        "history": history_data(look),
        "calls": calls_data(calls, names) | {"peaks": peaks_data(calls, look)},
        "denials": denials_data(usage.denials, statement, names),
        "alerts": alerts_data(usage.tenant.pk),
    }


def _stands(look: Look) -> dict[str, Any]:
    """How the limits stand together: the worst of their states, and in sentences."""
    if look.statement.usage.outage:
        return {"state": State.UNKNOWN.value, "summary": []}
    rows = [LimitRow(line, look.statement) for line in look.statement.usage.lines]
    return {"state": worst(rows).value, "summary": summary(rows) if rows else []}


class UsageData(APIView):
    """What a tenant has used, as JSON.

    Authenticated as the project's API is, so that a token will do. No throttle of the project's
    defaults is asked: looking spends nothing of the tenant's, but of a limit on reads alone.
    """

    permission_classes = [IsAuthenticated]
    renderer_classes = [JSONRenderer]
    content_negotiation_class = JsonAlways
    throttle_classes = []
    http_method_names = ["get", "head", "options"]

    def get(self, request: Request, tenant: str) -> HttpResponse:
        """The statement of usage, the history that is asked for, and the month so far."""
        with Attempt():
            reads = counted(request.user)
            self.headers.update(reads.headers)  # of whatever is answered, a 404 too
            if reads.problem is not None:
                return Response(reads.problem, reads.status, content_type=PROBLEM)
            seen = viewing(request.user, tenant)
            look = look_at(read(seen), request.query_params)
        if look.filters.trouble:
            return wrong_range(look.filters.trouble)
        return Response(usage_data(look, reasons=seen.staff))

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        response = super().finalize_response(request, response, *args, **kwargs)
        response["Cache-Control"] = NO_CACHE
        return response
