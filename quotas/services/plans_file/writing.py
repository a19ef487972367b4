"""Writes plans as TOML: the same plans, the same text, whatever the order of their rows."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import timedelta

from quotas.domain.limits import is_whole
from quotas.domain.periods import written_period
from quotas.services.plans_file.entries import (
    FORMAT,
    UNLIMITED,
    LimitEntry,
    PlanEntry,
    written_fields,
)

HEADING = f"""\
# Plans and their limits. To compare with the database: manage.py quotas_plans import FILE --check
# An amount of 0 denies all, "{UNLIMITED}" admits and counts all; there is always one.
# A limit's fields that are left out are: period, unit, title blank; capacity as the amount;
# subject "tenant", mode "enforce", outage_policy "allow", warn_at [80, 100], warn_projected true.
# A plan's: active true; default false, anonymous (for callers without a tenant) false.
format = {FORMAT}
"""
BARE = re.compile(r"[A-Za-z0-9_-]+")
SHORT = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
BASIC_PLANE = 0xFFFF


def written(plans: Iterable[PlanEntry]) -> str:
    """The text of the file, ending with a newline."""
    tables = (_table(plan) for plan in sorted(plans, key=lambda plan: plan.key))
    return "\n".join([HEADING, *tables])


def ascii_only(text: str) -> str:
    """The same file without any letter beyond ASCII, for where others cannot be shown."""
    return "".join(char if char.isascii() else _escaped(char) for char in text)


def literal(value: object) -> str:
    """``value`` as TOML writes it; for what it has no word for, as Python does."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f'"{"".join(map(_safe, value))}"'
    if isinstance(value, timedelta):
        return literal(written_period(value))
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(literal, value))}]"
    return f"{value:_}" if is_whole(value) else repr(value)


def _table(plan: PlanEntry) -> str:
    heading = f"plans.{plan.key if BARE.fullmatch(plan.key) else literal(plan.key)}"
    blocks = [f"[{heading}]\n{_fields(plan)}"]
    limits = sorted(plan.limits, key=lambda limit: limit.known_by)
    blocks += [f"[[{heading}.limits]]\n{_fields(limit)}" for limit in limits]
    return "\n".join(blocks)


def _fields(entry: PlanEntry | LimitEntry) -> str:
    return "".join(
        f"{name} = {literal(UNLIMITED if value is None else value)}\n"
        for name, value in written_fields(entry)
    )


def _safe(char: str) -> str:
    if char in SHORT:
        return SHORT[char]
    # What is not seen is spelt out: a reviewer reads what the program does.
    return char if char.isprintable() else _escaped(char)


def _escaped(char: str) -> str:
    number = ord(char)
    return f"\\u{number:04X}" if number <= BASIC_PLANE else f"\\U{number:08X}"
