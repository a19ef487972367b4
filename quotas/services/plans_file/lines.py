"""On which lines the tables of a file begin: `tomllib` does not tell."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(slots=True)
class Headings:
    """Lines, counted from 1, of ``[plans.<key>]`` and of each ``[[plans.<key>.limits]]``."""

    plans: dict[str, int] = field(default_factory=dict)
    limits: dict[str, list[int]] = field(default_factory=dict)

    def of_limits(self, key: str, count: int) -> list[int | None]:
        """One line for each of ``count`` limits; none where they are written in another way."""
        found = self.limits.get(key, [])
        return list(found) if len(found) == count else [None] * count


def headings(text: str) -> Headings:
    """Where the headings of ``text`` are."""
    found = Headings()
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.lstrip().startswith("["):
            continue
        for key, table in _plans_of(line).items():
            if table == {}:
                found.plans.setdefault(key, number)
            elif table == {"limits": [{}]}:
                found.limits.setdefault(key, []).append(number)
    return found


def _plans_of(line: str) -> Mapping[str, object]:
    try:
        plans = tomllib.loads(line).get("plans")
    except (ValueError, RecursionError):  # a line of something longer
        return {}
    return plans if isinstance(plans, dict) else {}
