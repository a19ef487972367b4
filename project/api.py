"""An API for reports, limited by the plan of the tenant that calls it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from django.http import StreamingHttpResponse
from rest_framework.exceptions import ParseError, ValidationError
from rest_framework.parsers import JSONParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from quotas.drf import PlanThrottle

REPORTS = [
    {"id": 1, "title": "Orders by week", "rows": 52},
    {"id": 2, "title": "Parcels by depot", "rows": 17},
    {"id": 3, "title": "Returns by reason", "rows": 9},
]
LONGEST_EXPORT = 10
STEPS_A_SECOND = 10


class ReportsView(APIView):
    """``GET /api/reports/``: a token bucket and a monthly quota."""

    throttle_classes = [PlanThrottle]
    throttle_scope = "reports"

    def get(self, request: Request) -> Response:
        """The reports."""
        return Response({"reports": REPORTS})


class ExportsView(APIView):
    """``GET /api/exports/``: an exact window, and few at once.

    ``?seconds=5`` makes an export last, so that another one meets it in flight.
    """

    throttle_classes = [PlanThrottle]
    throttle_scope = "exports"

    def get(self, request: Request) -> StreamingHttpResponse:
        """The reports as CSV, line by line; the place in flight is free when the last is sent."""
        lines = csv_lines(seconds_of(request))
        return StreamingHttpResponse(lines, content_type="text/csv; charset=utf-8")


class BatchThrottle(PlanThrottle):
    """One unit for each item; a body that is no batch costs one, and is answered 400."""

    scope = "batches"

    def get_cost(self, request: Request, view: APIView) -> int:
        return len(items_of(request)) if request.method == "POST" else 1


class BatchesView(APIView):
    """``POST /api/batches/`` with ``{"items": [...]}``: each item costs one unit."""

    parser_classes = [JSONParser]
    throttle_classes = [BatchThrottle]

    def post(self, request: Request) -> Response:
        """How many items were accepted."""
        return Response({"accepted": len(items_of(request))})


def items_of(request: Request) -> list[Any]:
    """The items of a batch. Raises DRF's 400 for a body that is none."""
    try:
        body = request.data
    except RecursionError as error:
        raise ParseError("The body is nested too deeply.") from error
    items = body.get("items") if isinstance(body, dict) else None
    if not isinstance(items, list):
        raise ValidationError({"items": ['Give an object with a list: {"items": [...]}.']})
    return items


def seconds_of(request: Request) -> int:
    """How long an export shall last. Raises DRF's 400 for what is no number of seconds."""
    text = request.query_params.get("seconds", "0")
    if text not in {str(seconds) for seconds in range(LONGEST_EXPORT + 1)}:
        raise ValidationError({"seconds": [f"Give a whole number up to {LONGEST_EXPORT}."]})
    return int(text)


def csv_lines(seconds: int) -> Iterator[str]:
    """The reports as CSV; for ``seconds`` ever again, so that a client that leaves is noticed."""
    yield "id,title,rows\r\n"
    lines = [f"{report['id']},{report['title']},{report['rows']}\r\n" for report in REPORTS]
    yield from lines
    for step in range(seconds * STEPS_A_SECOND):
        time.sleep(1 / STEPS_A_SECOND)
        yield lines[step % len(lines)]
