"""A limit's numbers as people say them: “100 per minute, bursts of 20”, read strictly.

Pure: standard library, `quotas.errors` and the domain only. A phrase fixes what it says and no
more; a text that could be taken for something else is refused.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, NoReturn

from quotas.domain.limits import LONGEST_PERIOD, MOST_AMOUNT
from quotas.domain.rates import CIVIL, SECOND, SECONDS, UNITS
from quotas.domain.words import Algorithm, CalendarUnit
from quotas.errors import InvalidLimit, InvalidRate

EXAMPLES = ("100 per minute, bursts of 20", "5 at once", "10,000 per month")
LONGEST_PHRASE = 100
NONE, UNLIMITED = "none", "unlimited"
BUCKETS = frozenset({Algorithm.TOKEN_BUCKET, Algorithm.LEAKY_BUCKET})
# What a calendar quota cannot tell from a period by itself; months and years have no period.
AS_LONG = {timedelta(days=1): CalendarUnit.DAY, timedelta(weeks=1): CalendarUnit.WEEK}

# [0-9], not \d: digits of other scripts look alike and are easily mistaken.
NUMBER = "(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]{1,13})"
PHRASE = re.compile(
    rf"(?P<amount>{NUMBER}|none|unlimited)"
    r"(?:(?P<at_once> at once)"
    r"|(?: per | ?/ ?)(?P<civil>calendar )?(?P<count>[0-9]{1,9} ?)?(?P<unit>[a-z]+)"
    rf"(?:,? bursts? of (?P<burst>{NUMBER}))?)?"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Phrase:
    """What a text says of a limit; what it leaves unsaid is None. ``amount`` None: unlimited."""

    amount: int | None
    period: timedelta | None = None
    unit: CalendarUnit | None = None
    burst: int | None = None
    at_once: bool = False


def read_phrase(text: str) -> Phrase:
    """What ``text`` says, whatever its capitals; raises `InvalidRate` for anything unclear."""
    readable = len(text) <= LONGEST_PHRASE and text.isascii()
    found = PHRASE.fullmatch(re.sub(" +", " ", text.lower()).strip(" ")) if readable else None
    if found is None:
        _refuse(text)
    amount, burst, unit = _amount(found["amount"]), _number(found["burst"]), found["unit"]
    if max(amount or 0, burst or 0) > MOST_AMOUNT or burst == 0:
        _refuse(text)
    if unit is None:
        # An amount alone says neither for how long nor that it is at once.
        if not found["at_once"] and found["amount"] not in {NONE, UNLIMITED}:
            _refuse(text)
        return Phrase(amount=amount, at_once=bool(found["at_once"]))
    if found["civil"] or unit in CIVIL:
        if found["count"] or burst or unit not in set(CalendarUnit):
            _refuse(text)
        return Phrase(amount=amount, unit=CalendarUnit(unit))
    seconds = int(found["count"] or 1) * SECONDS.get(unit, 0)
    if not 1 <= seconds <= LONGEST_PERIOD // SECOND:
        _refuse(text)
    return Phrase(amount=amount, period=timedelta(seconds=seconds), burst=burst)


def fields_said(phrase: Phrase, algorithm: Algorithm) -> dict[str, Any]:
    """The fields of a limit that ``phrase`` fixes, where ``algorithm`` is the one chosen so far.

    Months and “at once” fix the algorithm too. Raises `InvalidLimit` for a phrase that says
    nothing about which other algorithm is meant.
    """
    said: dict[str, Any] = {"amount": phrase.amount}
    if phrase.at_once:
        return said | {"algorithm": Algorithm.CONCURRENCY}
    if phrase.unit is not None:
        return said | {"algorithm": Algorithm.CALENDAR_QUOTA, "unit": phrase.unit}
    if phrase.period is None:
        return said
    calendar = algorithm is Algorithm.CALENDAR_QUOTA
    if algorithm is Algorithm.CONCURRENCY or (calendar and phrase.period not in AS_LONG):
        raise InvalidLimit(f"algorithm is {algorithm}: choose one that has a rate.")
    if phrase.burst is not None:
        if algorithm not in BUCKETS:
            raise InvalidLimit(f"algorithm is {algorithm}: only a bucket has bursts.")
        said["capacity"] = phrase.burst
    return said | ({"unit": AS_LONG[phrase.period]} if calendar else {"period": phrase.period})


def fields_unsaid(phrase: Phrase, algorithm: Algorithm) -> dict[str, Any]:
    """The fields that a limit of the chosen ``algorithm`` loses, unless somebody gives them too."""
    if phrase.at_once or phrase.unit is not None:
        turned = algorithm is not (
            Algorithm.CONCURRENCY if phrase.at_once else Algorithm.CALENDAR_QUOTA
        )
        lost = {"capacity": None, "period": None} if turned else {}
        return lost | ({"unit": ""} if phrase.at_once else {})
    return {} if phrase.period is None or phrase.burst is not None else {"capacity": None}


def phrase_text(
    *,
    algorithm: Algorithm,
    amount: int | None,
    period: timedelta | None = None,
    unit: CalendarUnit | None = None,
    capacity: int | None = None,
) -> str:
    """The phrase that reads back to these numbers; nothing where no phrase can say them."""
    if not amount:
        return UNLIMITED if amount is None else NONE
    if algorithm is Algorithm.CONCURRENCY:
        return f"{amount:,} at once"
    if unit is not None:
        civil = "calendar " if unit in AS_LONG.values() else ""
        return f"{amount:,} per {civil}{unit}"
    if period is None or period % SECOND or period < SECOND:
        return ""
    burst = "" if capacity is None else f", bursts of {capacity:,}"
    return f"{amount:,} per {_period(period)}{burst}"


def _period(period: timedelta) -> str:
    length = period // SECOND
    seconds, _letter, word, _others = next(unit for unit in UNITS if length % unit[0] == 0)
    return word if length == seconds else f"{length // seconds} {word}s"


def _amount(text: str) -> int | None:
    return None if text == UNLIMITED else 0 if text == NONE else _number(text)


def _number(text: str | None) -> int | None:
    return None if text is None else int(text.replace(",", ""))


def _refuse(text: str) -> NoReturn:
    shown = repr(text[:LONGEST_PHRASE])
    raise InvalidRate(f"the phrase is {shown}: write one such as {', '.join(map(repr, EXAMPLES))}.")
