"""Schemas of who called, and how full each limit got."""

from __future__ import annotations

from quotas.views.openapi.history import ENDS, LABEL
from quotas.views.openapi.limits import TITLE
from quotas.views.openapi.shapes import (
    Schema,
    calls,
    closed,
    component,
    listed,
    maybe,
    percent,
    text,
    units,
)

CALL_SUMS: dict[str, Schema] = {
    "requests": calls("Calls, each once whatever it asked for."),
    "admitted": calls("Calls that were admitted."),
    "denied": calls("Calls that were denied."),
    "early": calls("Denied calls that came sooner than the Retry-After before them."),
    "units": units("What the admitted calls cost."),
}
SHARE = {"share": percent("Of all requests.")}
CALLER = (
    "`u` and the user's key, `c` and the first letters of the credential's digest, or both with "
    "a space between."
)
CALLER_NAME = "A member by name; others by their key, or “no user”, in the request's language."
CREDENTIAL = "The first letters of the credential's digest. Null: none."
NOBODY = "Null: nobody in particular."
KNOWN_CALLER: dict[str, Schema] = {
    "caller": text(CALLER),
    "caller_name": text(CALLER_NAME),
    "credential": maybe(text(CREDENTIAL)),
}
ANY_CALLER: dict[str, Schema] = KNOWN_CALLER | {
    "caller": maybe(text(f"{CALLER} {NOBODY}")),
    "caller_name": maybe(text(f"{CALLER_NAME} {NOBODY}")),
}

PEAK = closed(
    "The most that was taken of a limit at once, by whoever took most.",
    {
        "limit": text(LABEL),
        "title": text(TITLE),
        **ENDS,
        "used": units("The most that was taken at once."),
        "most": maybe(units("What fitted at once then. Null: unlimited.")),
        "percent": maybe(
            percent(
                "`used` of `most`: above 100 what was taken before the limit was lowered. Null: "
                "unlimited, or nothing.",
                most=None,
            )
        ),
    },
)

CALLS = closed(
    "Who called in the span of the history, in whole hours and in every scope.",
    {
        **ENDS,
        "total": component("CallSums", "Of everybody."),
        "early_percent": maybe(
            percent("The share of denied calls that came early. Null: none was denied.")
        ),
        "backing_off": text(
            "Whether clients wait as long as they are told, in the language of the request."
        ),
        "callers": listed(
            "The busiest, the busiest first.",
            closed("Somebody who called.", KNOWN_CALLER | CALL_SUMS | SHARE),
        ),
        "rest": closed("Everybody else together.", CALL_SUMS | SHARE),
        "peaks": listed(
            "How full each limit got: by limit, the oldest first, without what was not charged; "
            "by the hour, of more than a week by the day.",
            component("Peak", "A limit at its fullest in a part of the span."),
        ),
    },
)
