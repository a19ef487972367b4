"""The status in words, for a page and for a terminal: every state is said, not only coloured.

The workers are in `quotas.services.worker_rows`.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, NamedTuple

from django.template.defaultfilters import filesizeformat
from django.utils import timezone
from django.utils.formats import date_format, number_format
from django.utils.timesince import timesince
from django.utils.translation import gettext, ngettext, pgettext
from django.utils.translation import gettext_lazy as _

from quotas.conf import conf
from quotas.domain.calendar import EPOCH
from quotas.domain.keys import KeyKind
from quotas.services.in_force import of_plans_now, without_an_answer

if TYPE_CHECKING:
    from quotas.engine.server import KeyCount, Server
    from quotas.services.status import Status

MINUTE = timedelta(minutes=1)
NEARLY_FULL = 0.9
KEEPS = "noeviction"
KINDS = {
    KeyKind.CELLS: _("buckets and windows"),
    KeyKind.CALENDAR_QUOTA: _("calendar quotas"),
    KeyKind.LOG: _("exact logs"),
    KeyKind.SLOTS: _("calls in flight"),
    KeyKind.OWNER: _("usage and versions of tenants"),
    KeyKind.DENIALS: _("latest denials"),
    KeyKind.PLANS: _("version of the plans"),
    KeyKind.WORKERS: _("workers"),
}


class Line(NamedTuple):
    """One thing and how it is; ``warning`` says what is wrong with it, and what to do."""

    label: str
    value: str
    warning: str = ""


def of_redis(found: Status) -> list[Line]:
    """How Redis is."""
    if found.server is None:
        warning = gettext(
            "Each limit decides by its own outage policy until Redis answers. "
            "What follows is what the database knows."
        )
        return [Line(gettext("Reachable"), gettext("no: %s") % found.failure, warning)]
    return [
        Line(gettext("Reachable"), gettext("yes")),
        _round_trip(found.server),
        Line(gettext("Server"), found.server.product or _untold()),
        _memory(found.server),
        _eviction(found.server),
        _disk(found.server),
        Line(gettext("Keys of ours"), _keys(found.keys)),
    ]


def of_usage(found: Status) -> list[Line]:
    """How far the database is behind what Redis has counted, and what waits to be sent."""
    return [
        _copied(found),
        Line(
            gettext("Alerts to be sent"),
            gettext("%(emails)s by e-mail, %(webhooks)s by webhook")
            % {
                "emails": number(found.waiting_emails),
                "webhooks": number(found.waiting_webhooks),
            },
        ),
    ]


def of_workers(found: Status) -> str:
    """How many workers have applied the latest edit of plans."""
    return without_an_answer() if found.server is None else of_plans_now(found.in_force)


def ago(span: timedelta) -> str:
    """How long ago: seconds up to two minutes, then its two largest units."""
    seconds = max(0, round(span.total_seconds()))
    if span < 2 * MINUTE:
        told = ngettext("%(count)d second ago", "%(count)d seconds ago", seconds)
        return told % {"count": seconds}
    return gettext("%s ago") % timesince(EPOCH, EPOCH + span)


def _round_trip(server: Server) -> Line:
    limit = f"{conf.timeout:g}"
    value = gettext("%(fastest)s ms at best, %(median)s ms in the middle, from this process")
    near = server.median_us / 1_000_000 > conf.timeout / 2
    warning = gettext("Decisions fail after %s s (QUOTAS_TIMEOUT).") % limit if near else ""
    numbers = {
        "fastest": number_format(server.fastest_us / 1000, decimal_pos=2),
        "median": number_format(server.median_us / 1000, decimal_pos=2),
    }
    return Line(gettext("Round trip"), value % numbers, warning)


def _memory(server: Server) -> Line:
    label = gettext("Memory used")
    used, most = server.used_memory, server.max_memory
    if used is None:
        return Line(label, _untold())
    if not most:
        value = gettext("%s; no bound is set (maxmemory)")
        return Line(label, value % filesizeformat(used))
    warning = ""
    if used > NEARLY_FULL * most:
        warning = gettext("Nearly full: give it more memory (maxmemory).")
    value = gettext("%(used)s of %(most)s")
    told = {"used": filesizeformat(used), "most": filesizeformat(most)}
    return Line(label, value % told, warning)


def _eviction(server: Server) -> Line:
    label, policy = gettext("When memory is full"), server.eviction_policy
    if policy is None:
        return Line(label, _untold())
    if policy == KEEPS:
        return Line(label, gettext("%s: counters stay, and writes are refused") % policy)
    warning = gettext(
        "Full, it evicts counters, and admits more than limits allow. Give the limiter a server "
        "of its own with maxmemory-policy %s."
    )
    return Line(label, policy, warning % KEEPS)


def _disk(server: Server) -> Line:
    label = gettext("On disk")
    if server.append_only is None:
        return Line(label, _untold())
    warning = "" if server.saved_well is not False else gettext("Its last write to disk failed.")
    if server.append_only:
        return Line(label, gettext("an append-only file"), warning)
    saved = moment(EPOCH + timedelta(seconds=server.saved_at or 0))
    value = gettext(
        "no append-only file; a snapshot if any, the last at %s. After a restart without them "
        "calendar quotas are read from the database, other limits start anew."
    )
    return Line(label, value % saved, warning)


def _keys(keys: KeyCount | None) -> str:
    if keys is None:
        return gettext("not known: Redis did not answer so long")
    total = number(keys.kinds.total())
    kinds = ", ".join(f"{KINDS[kind]} {number(count)}" for kind, count in keys.kinds.most_common())
    value = f"{total} ({kinds})" if kinds else total
    return value if keys.complete else gettext("at least %s") % value


def _copied(found: Status) -> Line:
    label = gettext("Last copied to the database")
    if found.copied_at is None:
        value = gettext("never")
    else:
        span = found.at - found.copied_at
        value = gettext("%(ago)s, at %(instant)s; what was counted since is in Redis alone")
        value %= {"ago": ago(span), "instant": moment(found.copied_at)}
    warning = gettext(
        "Workers have decided since: let quotas_flush run each minute. Redis keeps what it counts "
        "for three days."
    )
    return Line(label, value, warning if found.flush_is_late else "")


def moment(when: datetime) -> str:
    """An instant in the reader's zone."""
    return date_format(timezone.localtime(when), pgettext("date format", "j M Y, H:i:s"))


def number(value: int) -> str:
    """A whole number with its digits grouped as the reader's language does."""
    return str(number_format(value, force_grouping=True))


def _untold() -> str:
    return gettext("the server does not say")
