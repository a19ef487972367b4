"""Tells people and programs of alerts: by e-mail to a tenant's managers, and by its webhook.

A worker claims before it sends, so that no two send the same at once, and marks when it has sent.
One that dies in between leaves a claim that runs out: then it is sent again, under the same
reference, rather than not at all. A manager who is known to be told is not mailed again.
"""

from __future__ import annotations

import logging
from collections import Counter
from dataclasses import dataclass
from datetime import timedelta
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from django.db import router
from django.db.models import F, Q
from django.utils import timezone

from quotas.domain.alerts import DeliveryState, Failure
from quotas.models import Alert
from quotas.models.alerts import LONGEST_DETAIL
from quotas.services.messages import email, webhook
from quotas.services.webhooks import NotDelivered

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from django.db.models import QuerySet

logger = logging.getLogger("quotas")

CLAIM = timedelta(minutes=5)
FIRST_WAIT = timedelta(minutes=1)
LONGEST = timedelta(hours=24)
"""How long after an alert it is still tried, at waits that double from the first one on."""
MOST_TRIES = 11
"""As many as fit: one that is still pending after them had a worker end in the middle."""
CHANNELS: dict[str, Callable[[Alert], DeliveryState]] = {"email": email, "webhook": webhook}
"""What sends an alert, and says how that ended; any error is a failed try."""


@dataclass(frozen=True, slots=True)
class Delivered:
    """How many tellings were sent, are to be tried again, and were given up."""

    sent: int = 0
    waiting: int = 0
    given_up: int = 0

    def __add__(self, other: Delivered) -> Delivered:
        return Delivered(
            self.sent + other.sent,
            self.waiting + other.waiting,
            self.given_up + other.given_up,
        )


def deliver(
    now: datetime | None = None, *, after_each: Callable[[], object] = lambda: None
) -> Delivered:
    """Send what is to be sent, each once, whatever the number of workers.

    Tenants take turns, and one whose telling failed has its others wait for the next run: a
    receiver that answers late must not keep other tenants waiting once for each of its alerts.

    ``now`` is for tests. What ``after_each`` raises ends it well. Raises the database's errors.
    """
    done = Delivered()
    away: set[tuple[str, int]] = set()
    for _turn, channel, pk, tenant_pk, attempts in _turns(now or timezone.now()):
        claim = (now or timezone.now()) + CLAIM
        if attempts >= MOST_TRIES:
            done += _give_up(channel, pk, claim - CLAIM)
        elif (channel, tenant_pk) not in away and _claim(channel, pk, claim):
            found, reached = _send(channel, pk, claim)
            if not reached:
                away.add((channel, tenant_pk))
            done += found
            after_each()
    return done


def _rows() -> QuerySet[Alert]:
    return Alert.objects.using(router.db_for_write(Alert))


def _claimable(channel: str, at: datetime) -> Q:
    free = Q(**{f"{channel}_claimed_until": None}) | Q(**{f"{channel}_claimed_until__lte": at})
    return free & Q(**{f"{channel}_state": DeliveryState.PENDING.value})


class _Turn(NamedTuple):
    """An alert to be told; ``number`` of the same tenant and channel come before it."""

    number: int
    channel: str
    pk: int
    tenant_pk: int
    attempts: int


def _turns(at: datetime) -> list[_Turn]:
    """The alerts that nobody has claimed, each once: the oldest of each tenant, then the next."""
    found: list[_Turn] = []
    for channel in CHANNELS:
        before: Counter[int] = Counter()
        rows = _rows().filter(_claimable(channel, at)).order_by("pk")
        for pk, tenant_pk, attempts in rows.values_list("pk", "tenant_id", f"{channel}_attempts"):
            found.append(_Turn(before[tenant_pk], channel, pk, tenant_pk, attempts))
            before[tenant_pk] += 1
    return sorted(found, key=attrgetter("number"))


def _claim(channel: str, pk: int, until: datetime) -> bool:
    """Whether this worker, and no other, may send it until then."""
    free = _rows().filter(_claimable(channel, until - CLAIM), pk=pk)
    changes = {
        f"{channel}_claimed_until": until,
        f"{channel}_attempts": F(f"{channel}_attempts") + 1,
    }
    return free.update(**changes) == 1


def _give_up(channel: str, pk: int, at: datetime) -> Delivered:
    """Try no more what a worker was at so often and never marked: it may be what ends them."""
    changes = {
        f"{channel}_state": DeliveryState.FAILED.value,
        f"{channel}_claimed_until": None,
        f"{channel}_failure": Failure.CUT_OFF.value,
        f"{channel}_detail": "",
    }
    given_up = _rows().filter(_claimable(channel, at), pk=pk).update(**changes)
    if given_up:
        logger.warning("Alert %s: no %s, given up: %s tries cut off", pk, channel, MOST_TRIES)
    return Delivered(given_up=given_up)


def _send(channel: str, pk: int, claim: datetime) -> tuple[Delivered, bool]:
    """Send one, and say whether anybody was reached: not, when nobody of a tenant could be told."""
    alert = _rows().select_related("tenant", "tenant__alert_settings").filter(pk=pk).first()
    if alert is None:  # deleted with its tenant
        return Delivered(), True
    before = len(alert.email_told)
    try:
        ended = CHANNELS[channel](alert)
    except Exception as error:  # noqa: BLE001 - a mail backend of the project raises what it likes
        return _failed(channel, alert, claim, error), len(alert.email_told) > before
    _mark(channel, pk, claim, ended)
    return Delivered(sent=int(ended is DeliveryState.DONE)), True


def _failed(channel: str, alert: Alert, claim: datetime, error: Exception) -> Delivered:
    """Wait for the next try, or give up when that would be a day after the alert, or too many."""
    at = claim - CLAIM
    attempts: int = getattr(alert, f"{channel}_attempts")
    again = at + FIRST_WAIT * 2 ** (min(attempts, MOST_TRIES) - 1)
    why = _why(error)
    over = again > alert.raised_at + LONGEST or attempts >= MOST_TRIES
    logger.warning(
        "Alert %s of tenant %s: no %s at try %s, %s: %s",
        alert.pk,
        alert.tenant_id,
        channel,
        attempts,
        "the last" if over else f"again at {again:%Y-%m-%d %H:%M:%S}",
        _line(str(error)) or type(error).__name__,
    )
    if over:
        _mark(channel, alert.pk, claim, DeliveryState.FAILED, why)
        return Delivered(given_up=1)
    _mark(channel, alert.pk, claim, DeliveryState.PENDING, why, until=again)
    return Delivered(waiting=1)


def _mark(
    channel: str,
    pk: int,
    claim: datetime,
    state: DeliveryState,
    why: tuple[str, str] = ("", ""),
    *,
    until: datetime | None = None,
) -> None:
    """Write how it went, unless the claim has run out and another worker has taken it."""
    mine = {"pk": pk, f"{channel}_claimed_until": claim}
    changes = {
        f"{channel}_state": state.value,
        f"{channel}_claimed_until": until,
        f"{channel}_failure": why[0],
        f"{channel}_detail": why[1],
    }
    _rows().filter(**mine).update(**changes)


def _why(error: Exception) -> tuple[str, str]:
    """The failure and its detail, as they are kept: people read them in their own languages."""
    if isinstance(error, NotDelivered):
        return error.failure.value, _line(error.detail)
    return Failure.OTHER.value, _line(str(error)) or type(error).__name__


def _line(text: str) -> str:
    """One line that fits: a receiver may have put anything into it."""
    printable = "".join(each if each.isprintable() else " " for each in text)
    return " ".join(printable.split())[:LONGEST_DETAIL]
