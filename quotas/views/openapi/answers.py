"""Schemas of whole answers: the usage of a tenant, one denied call, a line of the export."""

from __future__ import annotations

from quotas.domain.words import Code
from quotas.services.denials import Chance
from quotas.services.statement import State
from quotas.views.exports import COLUMNS
from quotas.views.openapi.calls import ANY_CALLER
from quotas.views.openapi.history import BUCKET_SUMS, ENDS
from quotas.views.openapi.limits import DENIAL, FACTS, LIVE
from quotas.views.openapi.shapes import (
    Schema,
    closed,
    component,
    instant,
    listed,
    maybe,
    path,
    text,
    truth,
    word,
)

STANDINGS = [State.DENYING.value, State.NEAR.value, State.OK.value, State.UNKNOWN.value]
DENIED = [
    each.value for each in (Code.QUOTA_EXCEEDED, Code.COST_ABOVE_CAPACITY, Code.TOO_MANY_IN_FLIGHT)
]
OUTAGE = truth("Whether the limiter cannot be reached: limits are told without what is used.")

TENANT = closed(
    "Whose usage it is.",
    {
        "key": text("The tenant's key, as in the address."),
        "name": text("The tenant's name."),
        "time_zone": text("Its time zone, by its name in the IANA database."),
        "suspended": truth("Whether every call is refused, whatever the limits have left."),
    },
)

PLAN = closed(
    "The plan that applies.",
    {
        "key": text("The plan's key."),
        "name": text("The plan's name."),
        "since": maybe(
            instant("When the tenant was moved to it. Null: the default plan stands in.")
        ),
    },
)

FILTERS = closed(
    "What the address asked for, besides the span.",
    {
        "zone": text("The zone of every day and instant, but those of alerts."),
        "scope": maybe(
            text("The only scope of month, history and peaks. Null: every scope together.")
        ),
        "scopes": listed("The scopes that can be asked for.", text("A scope.")),
    },
)

READ_AT = instant("When the limits were read, by the limiter's clock; in an outage by the site's.")

USAGE = closed(
    "What a tenant may use and has used: all that its page shows.",
    {
        "tenant": component("Tenant", "Whose usage it is."),
        "plan": maybe(component("Plan", "The plan that applies. Null: none.")),
        "read_at": READ_AT,
        "outage": OUTAGE,
        "state": word("The worst state of a limit that denies.", STANDINGS),
        "summary": listed(
            "How the limits stand, in the language of the request; nothing in an outage.",
            text("A sentence."),
        ),
        "filters": component("Filters", "What the address asked for."),
        "limits": listed(
            "Limits that count the whole tenant, or the reader's own calls.",
            component("LimitUsage", "A limit as it stands."),
        ),
        "counted_apart": listed(
            "Limits in force that count each of others apart: there is no one number.",
            component("Limit", "A limit."),
        ),
        "overrides": listed("Overrides in force.", component("Limit", "An override.")),
        "month": component("Months", "The month so far."),
        "history": component("History", "What was counted in the span that was asked for."),
        "calls": component("Calls", "Who called in it, and how full each limit got."),
        "denials": maybe(
            listed(
                "The latest denied calls, the latest first. Null: the limiter, which alone has "
                "them, cannot be reached.",
                component("RecentDenial", "A denied call."),
            )
        ),
        "alerts": listed("The latest alerts, the latest first.", component("Alert", "An alert.")),
    },
)

DECISION = closed(
    "A denied call, and the limit that denied it as it is now.",
    {
        "tenant": component("Tenant", "Whose call it was."),
        "read_at": READ_AT,
        "outage": OUTAGE,
        "denial": closed(
            "What was denied.",
            DENIAL | {"code": word("Why, by what is known of the limit now.", DENIED)},
        ),
        "limit": {
            "description": "The limit now. Null: the plan has none of that name.",
            "anyOf": [
                component("LimitUsageNow", "Its count is known."),
                component("Limit", "It counts each of others apart."),
                {"type": "null"},
            ],
        },
        "standing": word("Whether a call of the same cost would be admitted now.", Chance),
        "fits_now": maybe(truth("The same, whatever `tenant.suspended` says. Null: not known.")),
        "advice": text("What to do next, in the language of the request."),
        "usage": path("The address of the usage page at that time."),
    },
)

_LINE = ENDS | {"scope": text("A scope in which anything was counted.")} | BUCKET_SUMS
EXPORT_LINE = closed(
    "A line of the export: what was counted in a bucket of the history, in one scope. A text that "
    "a spreadsheet would take for a formula begins with an apostrophe; null is a blank cell.",
    {name: _LINE[name] for name in COLUMNS},
)

LIMITS: dict[str, Schema] = {
    "Limit": closed("A limit, whatever was used of it.", FACTS),
    "LimitUsage": closed("A limit with what is used of it.", FACTS | LIVE),
    "LimitUsageNow": closed(
        "A limit with what is used of it, without where it is heading.",
        FACTS | {name: each for name, each in LIVE.items() if name != "projection"},
    ),
    "RecentDenial": closed("A denied call, and whose it was.", DENIAL | ANY_CALLER),
}
