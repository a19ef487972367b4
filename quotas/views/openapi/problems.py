"""Schemas of what is answered instead: problems (RFC 9457), and details of DRF's own answers."""

from __future__ import annotations

from http import HTTPStatus

from quotas.domain.words import QUOTA_EXCEEDED, QUOTA_EXCEEDED_TITLE, Code
from quotas.views.exports import WRONG_RANGE
from quotas.views.openapi.answers import DENIED
from quotas.views.openapi.shapes import (
    Schema,
    closed,
    listed,
    maybe,
    path,
    text,
    whole_seconds,
    word,
)

REFUSED = [each.value for each in (Code.NOT_IN_PLAN, Code.TENANT_REQUIRED, Code.TENANT_SUSPENDED)]


def _problem(
    description: str, status: HTTPStatus, codes: list[str], *, more: dict[str, Schema] | None = None
) -> Schema:
    kind = ("about:blank", status.phrase)
    if status is HTTPStatus.TOO_MANY_REQUESTS:
        kind = (QUOTA_EXCEEDED, QUOTA_EXCEEDED_TITLE)
    return closed(
        description,
        {
            "type": text("The problem type.", format="uri", const=kind[0]),
            "title": text("The type in words.", const=kind[1]),
            "status": {
                "type": "integer",
                "description": "The status of the answer.",
                "const": status.value,
            },
            "detail": text("What is wrong and the way out, in the language of the request."),
            **(more or {}),
            "code": word("The reason, for programs.", codes),
        },
    )


def _exceeded() -> Schema:
    found = _problem(
        "A limit denied the call.",
        HTTPStatus.TOO_MANY_REQUESTS,
        DENIED,
        more={
            "instance": path(
                "The page of the denial: `/decisions/{decision}/`, and as JSON at `decision.json` "
                "below it. Only of a denial to a tenant."
            ),
            "violated-policies": listed(
                "The limits that denied, by the names of the RateLimit headers.",
                text("The name of a policy."),
            ),
            "retry_after": maybe(
                whole_seconds("As the Retry-After header. Null: waiting does not help.")
            ),
        },
    )
    found["required"].remove("instance")
    return found


PROBLEMS: dict[str, Schema] = {
    "WrongRange": _problem(
        "The range that was asked for cannot be shown.", HTTPStatus.BAD_REQUEST, [WRONG_RANGE]
    ),
    "QuotaExceeded": _exceeded(),
    "Refused": _problem(
        "The call is refused, however long the client waits.", HTTPStatus.FORBIDDEN, REFUSED
    ),
    "LimiterUnavailable": _problem(
        "The limiter cannot answer, and a limit denies meanwhile.",
        HTTPStatus.SERVICE_UNAVAILABLE,
        [Code.LIMITER_UNAVAILABLE.value],
    ),
    "Detail": closed(
        "What Django REST framework answers; a project's own exception handler may say it in "
        "another shape.",
        {"detail": text("What is wrong, in the language of the request.")},
    ),
}
