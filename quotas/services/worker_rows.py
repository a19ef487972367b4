"""The workers in words, each a row of a table, for a page and for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from quotas.domain.calendar import instant_at
from quotas.domain.workers import Applied
from quotas.services.status_report import ago, moment, number

if TYPE_CHECKING:
    from quotas.domain.workers import Worker
    from quotas.services.status import Status

MOST_ROWS = 200
APPLIED = {
    Applied.CURRENT: _("current"),
    Applied.BEHIND: _("behind"),
    Applied.NONE: _("by no plan yet"),
}


class WorkerRow(NamedTuple):
    """A worker in the columns of a table."""

    host: str
    pid: str
    started: str
    seen: str
    plans: str
    decisions: str
    missed: str


def headings() -> WorkerRow:
    """The names of the columns of workers."""
    return WorkerRow(
        gettext("host"),
        gettext("process"),
        gettext("first seen"),
        gettext("last seen"),
        gettext("plans"),
        gettext("decisions"),
        gettext("without Redis"),
    )


def workers(found: Status) -> list[WorkerRow]:
    """The workers, each in a row: the first `MOST_ROWS`, those behind and busy ones first."""
    first = sorted(
        found.workers,
        key=lambda each: (
            each.applied(found.version) is not Applied.BEHIND,
            not each.is_busy(found.at_us),
        ),
    )
    return [_row(each, found) for each in first[:MOST_ROWS]]


def unlisted(found: Status) -> str:
    """How many workers have no row; blank when each has one."""
    count = len(found.workers) - MOST_ROWS
    told = ngettext("%(count)s more is not listed.", "%(count)s more are not listed.", count)
    return told % {"count": number(count)} if count > 0 else ""


def _row(worker: Worker, found: Status) -> WorkerRow:
    seen = instant_at(worker.seen_us)
    busy = gettext("busy") if worker.is_busy(found.at_us) else gettext("idle")
    return WorkerRow(
        host=worker.host,
        pid=str(worker.pid),
        started=moment(instant_at(worker.started_us)),
        seen=f"{ago(found.at - seen)} ({busy})",
        plans=str(APPLIED[worker.applied(found.version)]),
        decisions=number(worker.decisions),
        missed=number(worker.missed),
    )
