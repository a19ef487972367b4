"""Schemas of what was counted: the history that is asked for, and the month so far."""

from __future__ import annotations

from quotas.domain.history import Grain, Span
from quotas.views.openapi.limits import SCOPE, TITLE
from quotas.views.openapi.shapes import (
    Schema,
    calls,
    closed,
    component,
    instant,
    listed,
    maybe,
    text,
    truth,
    units,
    word,
)

LABEL = "The limit, as `scope/name`."
SUMS: dict[str, Schema] = {
    "requests": calls("Calls, whatever they were told; one of several scopes is in each."),
    "admitted": calls("Calls that were admitted."),
    "denied": calls("Calls that were denied."),
    "shadow_denied": calls("Admitted calls that a limit in shadow would have denied."),
    "units": units("What the admitted calls cost."),
}
BY_MINUTE = "Null in buckets of a minute, where it is not counted."
BUCKET_SUMS = SUMS | {
    name: maybe(SUMS[name] | {"description": f"{SUMS[name]['description']} {BY_MINUTE}"})
    for name in ("shadow_denied", "units")
}
ENDS: dict[str, Schema] = {
    "start": instant("When it begins."),
    "end": instant("When it ends, that instant left out."),
}

HISTORY = closed(
    "What was counted in the span that was asked for.",
    {
        "span": word("The span.", Span),
        "grain": word("How long a bucket is.", Grain),
        **ENDS,
        "stale": truth(
            "Whether the limiter cannot be reached: what was counted since the last copy to the "
            "database is missing."
        ),
        "whole_days": truth(
            "Whether some of it is kept by days of the tenant's zone only; in another zone each "
            "is counted in the day that its noon lies in."
        ),
        "totals": component("Sums", "Of the whole span."),
        "buckets": listed(
            "The oldest first, without a gap.",
            closed("A part of the span.", ENDS | BUCKET_SUMS),
        ),
        "scopes": listed(
            "Scopes in which anything was counted.",
            closed(
                "What was counted in a scope.",
                {"scope": text("The scope; “*”: calls that named none.")} | SUMS,
            ),
        ),
        "denied_by_limit": listed(
            "Limits that denied a call, or would have in shadow.",
            closed(
                "How often a limit denied.",
                {
                    "limit": text(LABEL),
                    "title": text(TITLE),
                    "denied": calls(
                        "Calls that it denied; of several limits, the one with the longest wait."
                    ),
                    "shadow_denied": calls("Calls that it would have denied in shadow."),
                },
            ),
        ),
    },
)

MONTH_PART = closed(
    "A month of the tenant: from its anchor day, in its own zone.",
    {
        **ENDS,
        **SUMS,
        "days": listed(
            "The days that have begun, the oldest first.",
            closed(
                "A day, or a part: at `same_point_of_last`, and at the ends in another zone.",
                ENDS | SUMS | {"charted": units("Those of `month.charted.scope`.")},
            ),
        ),
    },
)

MONTH = closed(
    "The tenant's month so far, beside the last one.",
    {
        "this": component("MonthPart", "The month under way."),
        "last": component("MonthPart", "The one before."),
        "same_point_of_last": instant("When the same time of the last month had passed."),
        "last_at_same_point": component("Sums", "Of the last month up to then."),
        "charted": closed(
            "What the page's chart of the month adds up.",
            {
                "scope": text(f"{SCOPE} That of the filter, else of the fullest monthly quota."),
                "amount": maybe(
                    units("That quota's amount. Null: there is none, or it is unlimited.")
                ),
                "used_at_end": maybe(
                    units("By the end of the month at this pace. Null: too early to say.")
                ),
            },
        ),
    },
)
