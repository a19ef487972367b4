"""Rate text such as ``"100/minute"``: read strictly, once, at the edge; inside, numbers only.

Pure: standard library, `quotas.errors` and the bounds of `quotas.domain.limits` only. A text that
could be taken for something else is refused with a message that says how to write it: a month is
no number of seconds, so that ``"100/month"`` is not a rate but a calendar quota.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import timedelta
from typing import NoReturn

from quotas.domain.limits import LONGEST_PERIOD, MOST_AMOUNT, is_whole
from quotas.errors import InvalidLimit, InvalidRate

SECOND = timedelta(seconds=1)
LONGEST_TEXT = 64
HOW = 'write an amount and a period, such as "100/minute", "10/5m" or "1/2h"'

# Each unit's letter and word, as `rate_text` writes them, and the other ways in which people do.
UNITS = (
    (604_800, "w", "week", ("weeks",)),
    (86_400, "d", "day", ("days",)),
    (3_600, "h", "hour", ("hours", "hr", "hrs")),
    (60, "m", "minute", ("minutes", "min", "mins")),
    (1, "s", "second", ("seconds", "sec", "secs")),
)
SECONDS = {
    spelling: seconds
    for seconds, letter, word, others in UNITS
    for spelling in (letter, word, *others)
}
CIVIL = frozenset(
    {"mo", "mon", "mth", "mths", "month", "months", "y", "yr", "yrs", "year", "years"}
)

# [0-9], not \d: digits of other scripts, signs and underscores are for int(), not for people.
RATE = re.compile(r"([0-9]+) */ *([0-9]*) *([a-z]+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """``amount`` units per ``period`` of whole seconds; an amount of 0 denies all."""

    amount: int
    period: timedelta

    def __post_init__(self) -> None:
        if not is_whole(self.amount) or not 0 <= self.amount <= MOST_AMOUNT:
            raise InvalidRate(
                f"amount is {self.amount!r}: give a whole number from 0 to {MOST_AMOUNT:,}."
            )
        if not SECOND <= self.period <= LONGEST_PERIOD or self.period % SECOND:
            raise InvalidRate(
                f"period is {self.period!r}: "
                f"give whole seconds, from 1 to {LONGEST_PERIOD.days} days of them."
            )


def parse_rate(text: str, *, setting: str = "rate") -> Rate:
    """The rate that ``text`` means; ``setting`` is its name in messages.

    An amount, a slash, and a unit by letter, abbreviation or word, of which a number may say how
    many; spaces around each are allowed. Raises `InvalidRate` for anything else.
    """
    if not isinstance(text, str):
        raise InvalidRate(f"{setting} is {_shown(text)}: {HOW}, as text.")
    if len(text) > LONGEST_TEXT:
        _refuse(setting, text, f"it is longer than {LONGEST_TEXT} characters")
    found = RATE.fullmatch(text.strip(" "))
    if found is None:
        _refuse(setting, text)
    amount, count, unit = int(found[1]), int(found[2] or 1), found[3]
    if unit in CIVIL:
        _refuse(setting, text, f"{unit!r} has no fixed length: for one, make a calendar quota")
    if unit not in SECONDS:
        _refuse(setting, text, f"{unit!r} is no unit: use s, m, h, d, w or their words")
    if amount > MOST_AMOUNT:
        _refuse(setting, text, f"the amount is at most {MOST_AMOUNT:,}")
    if not 1 <= count * SECONDS[unit] <= LONGEST_PERIOD // SECOND:
        _refuse(setting, text, f"a period is 1 second to {LONGEST_PERIOD.days} days")
    return Rate(amount=amount, period=timedelta(seconds=count * SECONDS[unit]))


def rate_text(amount: int, period: timedelta) -> str:
    """The one text for these numbers, in the largest unit that holds the period exactly.

    `parse_rate` reads it back to the same numbers. Raises `InvalidRate` where `Rate` does.
    """
    rate = Rate(amount=amount, period=period)
    length = rate.period // SECOND
    seconds, letter, word, _ = next(unit for unit in UNITS if length % unit[0] == 0)
    return f"{amount}/{word}" if length == seconds else f"{amount}/{length // seconds}{letter}"


def slug_of(text: str) -> str:
    """An ASCII slug for a limit's name: ``"100/minute"`` gives ``"100-minute"``.

    Raises `InvalidLimit` for a text without any ASCII letter or digit.
    """
    words = re.findall(r"[A-Za-z0-9]+", text)
    if not words:
        raise InvalidLimit(f"name is {_shown(text)}: give some ASCII letters or digits.")
    return "-".join(words).lower()


def _refuse(setting: str, text: str, why: str = "") -> NoReturn:
    reason = f" ({why})" if why else ""
    raise InvalidRate(f"{setting} is {_shown(text)}: {HOW}{reason}.")


def _shown(value: object) -> str:
    """The value as a message can carry it: escaped, and cut when it is long."""
    shown = repr(value)
    return shown if len(shown) <= LONGEST_TEXT + 2 else f"{shown[:LONGEST_TEXT]}…"
