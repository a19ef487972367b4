"""Schemas of limits: what each is, how it stands, and where it is heading."""

from __future__ import annotations

from quotas.domain.words import EVERY_SCOPE, Algorithm, CalendarUnit, Mode, SubjectKind
from quotas.services.statement import State
from quotas.views.openapi.shapes import (
    Schema,
    closed,
    component,
    instant,
    listed,
    maybe,
    path,
    percent,
    seconds,
    text,
    units,
    whole_seconds,
    word,
)

SOURCES = ["plan", "override"]
SCOPE = f"The scope that is counted; “{EVERY_SCOPE}” counts every scope together."
NAME = "The limit's name, as the RateLimit headers have it: with its scope it is the limit's key."
TITLE = "What people call the limit."

SOURCE = closed(
    "Where a limit comes from.",
    {
        "kind": word("The tenant's plan, or an override in place of it.", SOURCES),
        "title": maybe(
            text(
                "The plan's name. Of an override the reason it was made for, which staff alone "
                "are told: null for everybody else."
            )
        ),
        "from": maybe(instant("Since when an override is in force. Null: a plan's limit.")),
        "until": maybe(instant("When an override ends. Null: not by itself, or a plan's limit.")),
    },
)

FACTS: dict[str, Schema] = {
    "scope": text(SCOPE),
    "name": text(NAME),
    "title": text(TITLE),
    "subject": word("Who is counted.", SubjectKind),
    "algorithm": word("How the limit judges.", Algorithm),
    "guarantee": text("What the limit guarantees, in the language of the request."),
    "amount": maybe(units("What is admitted in a period. 0: nothing. Null: unlimited.")),
    "period": maybe(
        seconds(
            "The length of the period; of calls in flight, how long a place is held at most. "
            "Null: a civil period (see unit), none at all, or unlimited."
        )
    ),
    "unit": maybe(word("The civil period of a calendar quota. Null: no such one.", CalendarUnit)),
    "capacity": maybe(
        units("Token bucket: the most tokens held. Leaky bucket: the longest queue. Else null.")
    ),
    "most": maybe(units("What fits at once: `used` is measured by it. Null: unlimited.")),
    "cap": maybe(units("The tenant's own cap, to which the limit was lowered. Null: none.")),
    "uncapped": maybe(units("`amount` without the cap. Null: unlimited, or there is no cap.")),
    "warn_at": listed(
        "Percent of `most` at which people are told, the lowest first; from that on a limit is "
        "near.",
        percent("A threshold."),
    ),
    "mode": word("Whether the limit denies, only counts that it would, or is off.", Mode),
    "source": component("Source", "Where the limit comes from."),
}

LIVE: dict[str, Schema] = {
    "state": word("How the limit stands for a call of cost 1.", State),
    "used": maybe(units("What is taken now. Null: the limiter cannot be reached.")),
    "remaining": maybe(
        units("What is left now. Null: unlimited, or the limiter cannot be reached.")
    ),
    "percent": maybe(
        percent("`used` of `most`. Null: unlimited, or the limiter cannot be reached.")
    ),
    "next_admission_in": maybe(
        seconds(
            "Until a call of cost 1 fits if nobody else calls; 0: now. Null: never, or the "
            "limiter cannot be reached."
        )
    ),
    "next_admission_at": maybe(
        instant("The first whole second at which that is so. Null: as above.")
    ),
    "delay": maybe(
        seconds(
            "Leaky bucket: how long after its admission a call of cost 1 has its turn; 0 for "
            "others. Null: the limiter cannot be reached."
        )
    ),
    "reset_in": maybe(
        seconds("Until more fits, as `t` of the RateLimit header. Null: nothing to wait for.")
    ),
    "renews_at": maybe(
        instant(
            "When the window of a fixed window or calendar quota ends, and all of the amount is "
            "back. Null: another algorithm, unlimited, or the limiter cannot be reached."
        )
    ),
    "projection": maybe(
        component(
            "Projection",
            "Where a calendar quota is heading. Null: no calendar quota, unlimited, too early to "
            "say, or the limiter cannot be reached.",
        )
    ),
}

PROJECTION = closed(
    "Where a calendar quota is heading if its period goes on as it began.",
    {
        "reached_at": maybe(
            instant("When the amount will be used up. Null: not in this period, or it is already.")
        ),
        "used_at_end": units(
            "What is asked for by the end of the period at this pace, which may be more than the "
            "amount; once that is used up, what is used."
        ),
    },
)

ALERT = closed(
    "A limit that came to a threshold. Its instants are in the tenant's zone.",
    {
        "tenant": text("The tenant's key."),
        "scope": text(SCOPE),
        "name": text(NAME),
        "title": text("What people called the limit when the alert was raised."),
        "threshold": text("Percent of the amount, or “projected”: used up at this pace."),
        "used": units("What was used when the alert was raised."),
        "amount": units("What fitted at once."),
        "period_start": instant("Since when the alert is not raised again."),
        "period_end": instant("When that ends."),
        "raised_at": instant("When it was noticed."),
        "email": component("Delivery", "Whether the managers were told by e-mail."),
        "webhook": component("Delivery", "Whether it was posted to the tenant's address."),
    },
)

DENIAL: dict[str, Schema] = {
    "id": text("What people read out to each other: 8 letters and digits."),
    "instance": path("The address of the page of this denial: that of the 429's body."),
    "at": instant("When it was denied, by the limiter's clock."),
    "scope": text(SCOPE),
    "name": text(NAME),
    "title": text(TITLE),
    "operation": text("What was called: method and route. Blank: not known."),
    "cost": units("What the call cost: what it asked the limit for."),
    "retry_after": maybe(whole_seconds("The Retry-After given. Null: waiting does not help.")),
    "retry_at": maybe(instant("When that is over. Null: as above.")),
}
