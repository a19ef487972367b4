"""Reads a file of plans, or says all that is wrong with it, each with its place and the way out.

What makes a limit is judged later, by the models: here, what the text says.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

from quotas.errors import BadPlansFile, InvalidLimit
from quotas.services.plans_file.entries import (
    FORMAT,
    LimitEntry,
    PlanEntry,
    PlansFile,
    place,
    required,
)
from quotas.services.plans_file.lines import Headings, headings
from quotas.services.plans_file.values import LIMIT_READERS, PLAN_READERS, Reader
from quotas.services.plans_file.writing import literal

LONGEST_VALUE = 60


def read_plans(text: str, path: str) -> PlansFile:
    """The plans of ``text``; raises `BadPlansFile`. ``path`` is its name in messages."""
    try:
        found = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        reason = str(error).rstrip(".")
        raise BadPlansFile([f"{path}: this is no TOML: {reason}."]) from error
    version = found.pop("format", None)
    if version != FORMAT or isinstance(version, bool):
        raise BadPlansFile([_other_format(path, version)])
    return _Reading(path, headings(text)).file(found)


def shown(value: object) -> str:
    """The value as a message can carry it: escaped, and cut when it is long."""
    text = literal(value)
    return text if len(text) <= LONGEST_VALUE else f"{text[:LONGEST_VALUE]}…"


def _other_format(path: str, version: object) -> str:
    if version is None:
        return f"{path}: format is missing: write format = {FORMAT} at its top, as an export does."
    return (
        f"{path}: format is {shown(version)}: this release reads format {FORMAT}. "
        "Read it with the release that wrote it, or export anew."
    )


class _Reading:
    """One pass over a file: gathers plans, their lines, and complaints."""

    def __init__(self, path: str, found: Headings) -> None:
        self.path = path
        self.headings = found
        self.lines: dict[tuple[str, ...], int] = {}
        self.complaints: list[str] = []

    def file(self, found: Mapping[str, Any]) -> PlansFile:
        for name in found.keys() - {"plans"}:
            self._complain(f"{self.path}: {name} is nothing that a file of plans has: remove it.")
        tables = found.get("plans", {})
        if not isinstance(tables, dict):
            self._complain(f"{self.path}: plans is {shown(tables)}: write [plans.<key>] for each.")
            tables = {}
        plans = [self._plan(key, table) for key, table in tables.items()]
        if self.complaints:
            raise BadPlansFile(self.complaints)
        read = tuple(plan for plan in plans if plan is not None)
        return PlansFile(path=self.path, plans=read, lines=self.lines)

    def _plan(self, key: str, table: object) -> PlanEntry | None:
        line = self.headings.plans.get(key)
        where = place(self.path, line, f"plan {key}")
        if line is not None:
            self.lines[(key,)] = line
        if not isinstance(table, dict):
            self._complain(f"{where}: it is {shown(table)}: write [plans.{key}] and its fields.")
            return None
        limits = self._limits(key, where, table.pop("limits", []))
        values = self._values(PlanEntry, table, where, PLAN_READERS)
        return None if values is None else PlanEntry(key=key, limits=limits, **values)

    def _limits(self, key: str, where: str, tables: object) -> tuple[LimitEntry, ...]:
        if not isinstance(tables, list):
            self._complain(f"{where}: limits is {shown(tables)}: write [[plans.{key}.limits]].")
            return ()
        found: dict[tuple[str, str], tuple[LimitEntry, int]] = {}
        lines = self.headings.of_limits(key, len(tables))
        for at, table in enumerate(tables):
            limit = self._limit(key, table, lines[at], at)
            if limit is None:
                continue
            if limit.known_by in found:
                self._complain_twice(key, limit, (found[limit.known_by][1], at), lines)
                continue
            found[limit.known_by] = limit, at
            if (line := lines[at]) is not None:
                self.lines[(key, *limit.known_by)] = line
        return tuple(limit for _, (limit, _at) in sorted(found.items()))

    def _limit(self, key: str, table: object, line: int | None, at: int) -> LimitEntry | None:
        what = f"limit number {at + 1}"
        if isinstance(table, dict) and {"scope", "name"} <= table.keys():
            what = f"limit {table['scope']}/{table['name']}"
        where = place(self.path, line, f"plan {key}, {what}")
        if not isinstance(table, dict):
            self._complain(f"{where}: it is {shown(table)}: write [[plans.{key}.limits]].")
            return None
        values = self._values(LimitEntry, table, where, LIMIT_READERS)
        return None if values is None else LimitEntry(**values)

    def _values(
        self,
        kind: type[LimitEntry | PlanEntry],
        table: Mapping[str, object],
        where: str,
        readers: Mapping[str, Reader],
    ) -> dict[str, Any] | None:
        """What ``readers`` make of a table, or None after a complaint."""
        before = len(self.complaints)
        values = {}
        for name, value in table.items():
            if name not in readers:
                self._complain(f"{where}: {name} is no field. {_known(name, readers)}")
                continue
            try:
                values[name] = readers[name](value)
            except InvalidLimit as error:
                self._complain(f"{where}: {name} is {shown(value)}: {error}.")
        for name in sorted(required(kind) - table.keys()):
            self._complain(f"{where}: {name} is missing: {_way_out(name, readers)}.")
        return values if len(self.complaints) == before else None

    def _complain_twice(
        self, key: str, limit: LimitEntry, both: tuple[int, int], lines: list[int | None]
    ) -> None:
        first, second = (lines[at] for at in both)
        if first is not None and second is not None:
            where = f"{self.path}, lines {first} and {second}: plan {key}"
        else:
            where = f"{self.path}: plan {key}, limits number {both[0] + 1} and {both[1] + 1}"
        self._complain(
            f"{where}: both are called {limit.scope}/{limit.name}: rename one, or remove it."
        )

    def _complain(self, text: str) -> None:
        self.complaints.append(text)


def _known(name: str, readers: Mapping[str, Reader]) -> str:
    if near := get_close_matches(name, readers, n=1):
        return f"Did you mean {near[0]}?"
    return f"Those that there are: {', '.join(readers)}."


def _way_out(name: str, readers: Mapping[str, Reader]) -> str:
    """What the reader of the field says to a value that no field can have."""
    try:
        readers[name](object())
    except InvalidLimit as error:
        return str(error)
    return "give it"
