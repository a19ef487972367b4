"""What can be asked for: the addresses, their parameters, and the answers."""

from __future__ import annotations

from typing import Any

from quotas.domain.history import Span
from quotas.views.exports import COLUMNS
from quotas.views.filters import LONGEST_SCOPE, MOST_DAYS, UTC_ASKED
from quotas.views.openapi.responses import answer, limit_headers
from quotas.views.openapi.security import of_api, of_pages
from quotas.views.openapi.shapes import text, word

DAY = "A day, or a date and time, in the zone that is asked for unless it has an offset."
EXAMPLES = {
    "day": {"value": "2026-10-01"},
    "time": {"value": "2026-10-01T09:30"},
    "instant": {"value": "2026-10-01T09:30:00+09:00"},
}


def _part(name: str, said: str) -> dict[str, Any]:
    schema = {"type": "string"}
    return {"name": name, "in": "path", "required": True, "description": said, "schema": schema}


def _asked(name: str, said: str, schema: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"name": name, "in": "query", "description": said, "schema": schema, **more}


def _component(kind: str, name: str) -> dict[str, str]:
    return {"$ref": f"#/components/{kind}/{name}"}


SPANS = word("The span.", Span) | {"default": Span.DAY.value}
PARAMETERS: dict[str, Any] = {
    "tenant": _part("tenant", "The tenant's key."),
    "decision": _part("decision", "The id of a denied call: the end of its `instance`."),
    "span": _asked(
        "span",
        "60 minutes or 24 hours (with the rest of the quarter of an hour that they begin in), 7 "
        "or 31 civil days, the tenant's month so far, or what `from` and `to` say. An unknown one "
        "is a wrong range.",
        SPANS,
    ),
    "from": _asked(
        "from",
        f"The beginning of a span of one's own, of at most {MOST_DAYS} days. {DAY} "
        "With it or `to`, `span` says nothing; `to` alone is a wrong range.",
        text("The beginning."),
        examples=EXAMPLES,
    ),
    "to": _asked(
        "to",
        f"The end of a span of one's own: of a day its last instant. {DAY} Left out: today.",
        text("The end."),
        examples=EXAMPLES,
    ),
    "zone": _asked(
        "zone",
        f"“{UTC_ASKED}” tells days and instants in UTC, anything else in the tenant's zone.",
        word("The zone.", [UTC_ASKED]),
    ),
    "scope": _asked(
        "scope",
        "The only scope of month, history and peaks. Left out, or `*`: every scope together.",
        text("A scope.", maxLength=LONGEST_SCOPE),
    ),
}
"""The components: parts of an address, by their names."""
OF_USAGE = [
    _component("parameters", name) for name in ("tenant", "span", "from", "to", "zone", "scope")
]
UNKNOWN = {"401": "NotAuthenticated", "403": "NotAllowed", "404": "NotFound"}


def paths() -> dict[str, Any]:
    """The operations, by their addresses below the server's."""
    return {
        "/{tenant}/usage.json": _usage(),
        "/{tenant}/usage.csv": _export(),
        "/decisions/{decision}/decision.json": _decision(),
    }


def _usage() -> dict[str, Any]:
    return _read(
        "readUsage",
        "What a tenant may use and has used",
        "All that the usage page shows. Reading uses nothing of the tenant's limits up.",
        parameters=OF_USAGE,
        security=of_api(),
        responses={"200": _usage_answer(), "400": "WrongRange", **UNKNOWN, "429": "TooManyReads"},
    )


def _export() -> dict[str, Any]:
    return _read(
        "exportUsage",
        "What was counted, for spreadsheets",
        "A line for each bucket of the history and each scope in which anything was counted. "
        "A read as those of the JSON are: one limit counts both.",
        parameters=OF_USAGE,
        security=of_pages(),
        responses={
            "200": _export_answer(),
            "302": "Login",
            "400": "WrongRange",
            "404": "NoPage",
            "429": "TooManyReads",
        },
    )


def _decision() -> dict[str, Any]:
    schema = {"$ref": "#/components/schemas/Decision"}
    found = answer("The denied call.", "application/json", schema, headers=limit_headers())
    return _read(
        "readDecision",
        "One denied call",
        "What was denied, how its limit stands now, and what to do next. Found by the members of "
        "its tenant, and by staff who may see all. A read as those of the usage are: one limit "
        "counts both.",
        parameters=[_component("parameters", "decision")],
        security=of_api(),
        responses={"200": found, **UNKNOWN, "429": "TooManyReads"},
    )


def _usage_answer() -> dict[str, Any]:
    schema = {"$ref": "#/components/schemas/Usage"}
    return answer("The usage.", "application/json", schema, headers=limit_headers())


def _export_answer() -> dict[str, Any]:
    lines = text(
        f"UTF-8, with a head of these columns: {', '.join(COLUMNS)}. Each line after it is an "
        "`ExportLine`."
    )
    named = {
        "description": "The name of the file, which ends with “-stale.csv” in an outage.",
        "schema": {"type": "string"},
    }
    headers = limit_headers() | {"Content-Disposition": named}
    return answer("The file.", "text/csv", lines | {"x-columns": list(COLUMNS)}, headers=headers)


def _read(name: str, summary: str, description: str, **more: Any) -> dict[str, Any]:
    """An operation; its answers are whole, or named as the components have them."""
    answers = {
        status: _component("responses", found) if isinstance(found, str) else found
        for status, found in more.pop("responses").items()
    }
    said = {"operationId": name, "summary": summary, "description": description}
    return {"get": {**said, **more, "responses": answers}}
