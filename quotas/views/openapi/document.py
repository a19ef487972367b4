"""The whole document, and the address that it is served at."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.http import JsonResponse
from django.urls import reverse
from django.utils.decorators import method_decorator
from django.views.decorators.cache import cache_control
from django.views.generic import View

from quotas import __version__
from quotas.domain.alerts import DeliveryState
from quotas.views.openapi.answers import (
    DECISION,
    EXPORT_LINE,
    FILTERS,
    LIMITS,
    PLAN,
    TENANT,
    USAGE,
)
from quotas.views.openapi.calls import CALL_SUMS, CALLS, PEAK
from quotas.views.openapi.history import HISTORY, MONTH, MONTH_PART, SUMS
from quotas.views.openapi.limits import ALERT, PROJECTION, SOURCE
from quotas.views.openapi.operations import PARAMETERS, paths
from quotas.views.openapi.problems import PROBLEMS
from quotas.views.openapi.responses import responses
from quotas.views.openapi.security import schemes
from quotas.views.openapi.shapes import Schema, calls, closed, word

if TYPE_CHECKING:
    from django.http import HttpRequest

VERSION = "3.1.1"
AN_HOUR = 3600
ABOUT = (
    "What a tenant may use and has used. Instants are ISO 8601 with the offset of the zone that "
    "was asked for; numbers name their unit as `x-unit`."
)
SCHEMAS: dict[str, Schema] = {
    "Usage": USAGE,
    "Tenant": TENANT,
    "Plan": PLAN,
    "Filters": FILTERS,
    "Source": SOURCE,
    "Projection": PROJECTION,
    "Months": MONTH,
    "MonthPart": MONTH_PART,
    "Sums": closed("What was counted.", SUMS),
    "History": HISTORY,
    "Calls": CALLS,
    "CallSums": closed("Calls of somebody.", CALL_SUMS),
    "Peak": PEAK,
    "Alert": ALERT,
    "Delivery": closed(
        "How far the telling of an alert has come.",
        {
            "state": word("How far.", DeliveryState),
            "attempts": calls("How often it was begun.") | {"x-unit": "attempts"},
        },
    ),
    "Decision": DECISION,
    "ExportLine": EXPORT_LINE,
    **LIMITS,
    **PROBLEMS,
}


def document() -> dict[str, Any]:
    """The OpenAPI document of the pages where this project has them."""
    server = reverse("quotas:tenants").rstrip("/") or "/"
    return {
        "openapi": VERSION,
        "info": {"title": "Usage of tenants", "version": __version__, "description": ABOUT},
        "servers": [{"url": server, "description": "Where the pages are."}],
        "paths": paths(),
        "components": {
            "schemas": SCHEMAS,
            "parameters": PARAMETERS,
            "responses": responses(),
            "securitySchemes": schemes(),
        },
    }


@method_decorator(cache_control(public=True, max_age=AN_HOUR), name="dispatch")
class OpenApi(View):
    """The document, for everybody: there is nothing of anybody's in it."""

    http_method_names = ["get", "head", "options"]

    def get(self, request: HttpRequest) -> JsonResponse:
        return JsonResponse(document(), json_dumps_params={"ensure_ascii": False, "indent": 2})
