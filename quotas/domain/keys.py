"""Key text: bounded, printable, without secrets, and apart for whoever must be counted apart.

A key is ``{tag}[.epoch]:what:scope[:name]:subject``. The tag decides the cluster slot: everything
of a tenant shares one. The cache's own key function adds KEY_PREFIX and VERSION around it.
"""

from __future__ import annotations

import re
from base64 import b32encode
from dataclasses import dataclass
from enum import StrEnum
from hashlib import blake2b

from quotas.domain.limits import Rule, Unlimited
from quotas.domain.words import EVERY_SCOPE, Algorithm, CalendarUnit, SubjectKind

PLAIN = re.compile(r"[A-Za-z0-9_.-]{1,40}", re.ASCII)
PLANS_KEY = "plans"
WORKERS_KEY = "workers"
ANONYMOUS_TAG = "anonymous"
"""The tag under which callers without a tenant are counted for people: no owner's is like it."""
WINDOWED = {Algorithm.FIXED_WINDOW, Algorithm.SLIDING_WINDOW_COUNTER}
KINDS = tuple(Algorithm)
OF_A_TAG = re.compile(r"\{[^{}]+\}(?:\.\d+)?:([a-z]+)(?::.*)?", re.ASCII | re.DOTALL)


class KeyKind(StrEnum):
    """What a key holds; the value is how its text says so."""

    CELLS = "c"
    CALENDAR_QUOTA = "q"
    LOG = "l"
    SLOTS = "s"
    OWNER = "owner"
    DENIALS = "denials"
    PLANS = PLANS_KEY
    WORKERS = WORKERS_KEY


OF_A_TAG_KINDS = {each.value: each for each in KeyKind if each not in {PLANS_KEY, WORKERS_KEY}}


def bounded(text: str) -> str:
    """``text`` itself when it is a short plain word, else ``~`` and a digest of it.

    At most 40 characters.
    """
    if text == EVERY_SCOPE or PLAIN.fullmatch(text):
        return text
    return digest(text)


def digest(text: str) -> str:
    """A printable digest of any text (120 bits).

    What stands in a key for a secret or a long value.
    """
    raw = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=15).digest()
    return "~" + b32encode(raw).decode().lower()


@dataclass(frozen=True, slots=True)
class Subject:
    """Who is counted: ``text`` inside the key space of ``tag``.

    An ``epoch`` above 0 starts all over.
    """

    tag: str
    text: str
    epoch: int = 0

    def key(self, what: str, scope: str, name: str = "") -> str:
        """The key of ``what``: c(ells), q(uota of a calendar), l(og) or s(lots)."""
        epoch = f".{self.epoch}" if self.epoch else ""
        named = f":{bounded(name)}" if name else ""
        return f"{{{self.tag}}}{epoch}:{what}:{bounded(scope)}{named}:{self.text}"


def tenant_tag(pk: int | str) -> str:
    """The tag of a tenant's keys: its primary key, never its slug."""
    return f"t{bounded(str(pk))}"


def user_tag(pk: object) -> str:
    """The tag of a user without a tenant."""
    return f"u{bounded(str(pk))}"


def owner_key(tag: str) -> str:
    """The key of what a tenant (or a user without one) owns besides its states.

    Version and mark.
    """
    return f"{{{tag}}}:owner"


def kind_of_key(text: str) -> KeyKind | None:
    """What the key of this text holds; None when it is not one of ours."""
    if text in {PLANS_KEY, WORKERS_KEY}:
        return KeyKind(text)
    found = OF_A_TAG.fullmatch(text)
    return OF_A_TAG_KINDS.get(found[1]) if found else None


def denials_key(tag: str) -> str:
    """The key of the latest denials of a tenant."""
    return f"{{{tag}}}:denials"


def subject_text(kind: SubjectKind, value: object = "") -> str:
    """The subject part of a key. A credential is always digested, an address keeps its digits."""
    if kind is SubjectKind.TENANT:
        return "t"
    if kind is SubjectKind.CREDENTIAL:
        return "c" + digest(str(value))
    if kind is SubjectKind.ADDRESS:
        return "a" + bounded(str(value).replace(":", "_"))
    return user_tag(value)


def state_name(name: str, epoch: int, unit: CalendarUnit | None = None) -> str:
    """What a key calls a limit that was reset so many times, and counts by a calendar unit if any.

    Itself, while neither is so. Each unit has a state of its own. A limit's name is a slug and has
    no dot; a unit is no number.
    """
    return ".".join([name, *[str(epoch)] * (epoch > 0), *[str(unit)] * (unit is not None)])


def record_name(name: str) -> bytes:
    """Four bytes that name a limit's state inside a cell key."""
    return blake2b(name.encode(), digest_size=4).digest()


def record_kind(rule: Rule) -> int:
    """What kind of state a rule keeps, 1 to 15: that of its algorithm.

    A state of another kind is no state of this rule: a changed algorithm starts a new one.
    """
    return KINDS.index(counted_as(rule)) + 1


def rule_tag(rule: Rule) -> int:
    """What tells rules apart whose numbers are not held against each other, 1 to 79.

    The kind of state, and of a calendar quota 16 times the unit's number from 1 on.
    """
    unit: CalendarUnit | None = getattr(rule, "unit", None)
    return record_kind(rule) + (0 if unit is None else 16 * (1 + list(CalendarUnit).index(unit)))


def counted_as(rule: Rule) -> Algorithm:
    """The algorithm whose state a rule keeps.

    An unlimited bucket or log counts windows.
    """
    kept = {*WINDOWED, Algorithm.CALENDAR_QUOTA, Algorithm.CONCURRENCY}
    if isinstance(rule, Unlimited) and rule.algorithm not in kept:
        return Algorithm.FIXED_WINDOW
    return rule.algorithm
