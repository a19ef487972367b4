"""The answers that an operation may give instead of what it was asked for, and their headers."""

from __future__ import annotations

from typing import Any

from quotas.conf import conf
from quotas.services.reading import MOST_READS
from quotas.views.openapi.shapes import text
from quotas.views.reads import PROBLEM

HEADERS: dict[str, dict[str, str]] = {
    "draft-11": {
        "RateLimit-Policy": "The limits: `q` units in `w` seconds (RFC 9651, a list).",
        "RateLimit": "What is left of each: `r` units; `t` seconds until there are more.",
    },
    "x-ratelimit": {
        "X-RateLimit-Limit": "Units in a period.",
        "X-RateLimit-Remaining": "Units left.",
        "X-RateLimit-Reset": "When there are more, in seconds since 1970.",
    },
}
"""By the dialect of ``QUOTAS_HEADERS`` that has them."""
NOWHERE = "There is no such tenant or decision, or it is not yours to see: one answer for both."
OF_API = "Of an API with the exception handler of this app"
STRING = {"schema": {"type": "string"}}


def limit_headers() -> dict[str, Any]:
    """The headers that tell of the limit on reads, in the dialects of the project."""
    return {
        name: {"description": f"{said} Absent while the limiter cannot be reached.", **STRING}
        for dialect in conf.headers
        for name, said in HEADERS.get(dialect, {}).items()
    }


def retry_after(said: str) -> dict[str, Any]:
    """The header that tells how long to wait."""
    whole = {"type": "integer", "minimum": 1, "description": "Whole seconds."}
    return {"Retry-After": {"description": said, "schema": whole}}


def answer(said: str, media: str, schema: dict[str, Any], **more: Any) -> dict[str, Any]:
    """An answer in one media type."""
    return {"description": said, "content": {media: {"schema": schema}}, **more}


def problem(name: str, said: str, **more: Any) -> dict[str, Any]:
    """A problem of the components."""
    return answer(said, PROBLEM, {"$ref": f"#/components/schemas/{name}"}, **more)


_DETAIL = {"$ref": "#/components/schemas/Detail"}
_ANSWERS: dict[str, Any] = {
    "NotAuthenticated": answer(
        "Not authenticated, where the project's API answers with a challenge.",
        "application/json",
        _DETAIL,
    ),
    "NotAllowed": answer(
        "Not authenticated, where the project's API has no challenge to answer with.",
        "application/json",
        _DETAIL,
    ),
    "Login": {
        "description": "Not logged in.",
        "headers": {"Location": {"description": "The page to log in at.", **STRING}},
    },
    "Refused": problem("Refused", f"{OF_API}: the plan or the tenant does not allow the call."),
    "LimiterUnavailable": problem("LimiterUnavailable", f"{OF_API}: the limiter cannot answer."),
}


def responses() -> dict[str, Any]:
    """The components: of these pages, and of a project's own API whose limits deny."""
    return _ANSWERS | {
        "WrongRange": problem(
            "WrongRange",
            "The range that was asked for cannot be shown.",
            headers=limit_headers(),
        ),
        "NotFound": answer(NOWHERE, "application/json", _DETAIL, headers=limit_headers()),
        "NoPage": answer(NOWHERE, "text/html", text("A page for people."), headers=limit_headers()),
        "TooManyReads": problem(
            "QuotaExceeded",
            f"Usage may be read as data {MOST_READS} times in any minute by each user, whatever "
            "the tenant. Nothing of the tenant's is spent.",
            headers=limit_headers() | retry_after("How long to wait."),
        ),
        "QuotaExceeded": problem(
            "QuotaExceeded",
            f"{OF_API}: a limit denied the call.",
            headers=limit_headers() | retry_after("Absent when waiting does not help."),
        ),
    }
