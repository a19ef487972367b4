"""Limits packed for the script, once per policy version: the constant half of a call."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from struct import Struct
from typing import TYPE_CHECKING, NamedTuple

from quotas.domain.keys import counted_as, digest, record_name, rule_tag, state_name
from quotas.domain.limits import CalendarQuota, DenyAll, LeakyBucket, TokenBucket, Unlimited
from quotas.domain.words import Algorithm, CalendarUnit, Mode
from quotas.engine.script import CODES, DENY_ALL
from quotas.errors import InvalidLimit

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from quotas.domain.limits import Rule
    from quotas.domain.policies import Limit

ALWAYS = (0, (1 << 53) - 1)
NO_AMOUNT = (1 << 53) - 1
LONGEST_KEPT_US = (1 << 53) - 1
LONGEST_LABEL = 255
PLACES = Struct("<HH")
CELLS, QUOTA, LOG, SLOTS = "c", "q", "l", "s"
EXTRA_KEY = {Algorithm.SLIDING_WINDOW_LOG: LOG, Algorithm.CONCURRENCY: SLOTS}

Edges = tuple[int, int, int, int]


class Asked(NamedTuple):
    """A limit, and which of the call's subjects it counts."""

    limit: Limit
    who: str


class Place(NamedTuple):
    """One key of a call, before its subject is known.

    ``what`` as `quotas.domain.keys.Subject.key` has it.
    """

    who: str
    what: str
    scope: str
    name: str


@dataclass(frozen=True, slots=True)
class Bundle:
    """What applies to a call: its limits, the script's packed policy, and the keys that it needs.

    ``places`` are the keys in the script's order, after the owner's; ``edges`` those of the
    calendar quotas, by position.
    """

    limits: tuple[Limit, ...]
    packed: bytes
    places: tuple[Place, ...]
    edges: dict[int, Edges]

    @property
    def slots(self) -> tuple[Place, ...]:
        """The places of calls in flight, to be given back."""
        return tuple(place for place in self.places if place.what == SLOTS)


class _Packer:
    """Numbers the keys of a bundle while its limits are laid out."""

    def __init__(self, edges_of: Callable[[CalendarUnit], Edges] | None) -> None:
        self.edges_of = edges_of
        self.cells: dict[Place, int] = {}
        self.extras: dict[Place, int] = {}
        self.edges: dict[int, Edges] = {}
        self.states: set[tuple[int, bytes]] = set()

    def row(self, position: int, limit: Limit, who: str) -> tuple[int, int, list[int]]:
        """(cell, extra, numbers) of one limit; cell and extra count from 1, 0 is none."""
        rule = limit.rule
        if isinstance(rule, DenyAll):
            return 0, 0, [0] * 5
        kept = counted_as(rule)
        own = kept is Algorithm.CALENDAR_QUOTA
        # A limit that was reset has a cell of its own: the records of before expire with their key.
        # So has each unit of a calendar quota: what was used in a period is there until its end.
        unit = getattr(rule, "unit", None)
        alone = state_name(limit.name, limit.epoch, unit) * (own or limit.epoch > 0)
        place = self._cell(Place(who, QUOTA if own else CELLS, limit.scope, alone), limit)
        extra = 0
        if kept in EXTRA_KEY:
            other = place._replace(what=EXTRA_KEY[kept], name=place.name or limit.name)
            extra = self.extras.setdefault(other, len(self.extras) + 1)
        numbers = _numbers(limit)
        if own:
            self.edges[position] = self._edges(rule)
            numbers = [numbers[0], *self.edges[position]]
        return self.cells[place], extra, numbers

    def _cell(self, place: Place, limit: Limit) -> Place:
        """The cell key of a state: one in which no other limit has the same four bytes of name."""
        name, own = record_name(limit.name), place.name or limit.name
        for turn in count(2):
            cell = self.cells.setdefault(place, len(self.cells) + 1)
            if (cell, name) not in self.states:
                break
            place = place._replace(name=f"{own}~{turn}")
        self.states.add((cell, name))
        return place

    def _edges(self, rule: Rule) -> Edges:
        if (
            self.edges_of is None
            or not isinstance(rule, CalendarQuota | Unlimited)
            or rule.unit is None
        ):
            raise InvalidLimit(f"{rule!r}: a calendar quota needs the edges of its periods.")
        return self.edges_of(rule.unit)


def pack(
    asked: Sequence[Asked],
    *,
    edges_of: Callable[[CalendarUnit], Edges] | None = None,
    span: tuple[int, int] = ALWAYS,
) -> Bundle:
    """Pack ``asked`` for the script.

    ``edges_of`` gives the four edges (us) of a calendar unit, needed when there is a quota of one.
    ``span`` is when this policy holds (us, half-open).
    """
    packer = _Packer(edges_of)
    rows = [packer.row(position, limit, who) for position, (limit, who) in enumerate(asked)]
    cells = len(packer.cells)
    body = b"".join(
        bytes([_code(limit.rule), limit.mode is Mode.ENFORCE])
        + PLACES.pack(cell, extra and cells + extra)
        + record_name(limit.name)
        + bytes([rule_tag(limit.rule)])
        + b"".join(map(_seven, numbers))
        for (limit, _), (cell, extra, numbers) in zip(asked, rows, strict=True)
    )
    start = max([span[0], *(edges[0] for edges in packer.edges.values())])
    stop = min([span[1], *(edges[3] for edges in packer.edges.values())])
    head = _seven(start) + _seven(stop) + PLACES.pack(cells, len(rows))
    return Bundle(
        limits=tuple(limit for limit, _ in asked),
        packed=head + body + b"".join(labelled(limit.scope, limit.name) for limit, _ in asked),
        places=(*packer.cells, *packer.extras),
        edges=packer.edges,
    )


def labelled(scope: str, name: str = "") -> bytes:
    """What usage calls a scope, or a limit of it: the text, behind its length in bytes.

    What is too long for that is called by its digest.
    """
    parts = [scope, name] if name else [scope]
    most = LONGEST_LABEL // len(parts) - 1
    texts = [part.replace("\0", "\ufffd").encode("utf-8", "replace") for part in parts]
    short = [
        text if len(text) <= most else digest(part).encode()
        for part, text in zip(parts, texts, strict=True)
    ]
    label = b"/".join(short if sum(map(len, texts)) >= LONGEST_LABEL else texts)
    return bytes([len(label)]) + label


def _seven(number: int) -> bytes:
    return number.to_bytes(7, "little")


def _code(rule: Rule) -> int:
    return DENY_ALL if isinstance(rule, DenyAll) else CODES[counted_as(rule)]


def _numbers(limit: Limit) -> list[int]:
    """n, p, a, b, c as each algorithm's Lua file names them.

    A calendar quota's edges come in place of the last four.
    """
    rule = limit.rule
    if isinstance(rule, TokenBucket):
        return [rule.amount, min(limit.kept_us, LONGEST_KEPT_US), *rule.rate, rule.capacity]
    if isinstance(rule, LeakyBucket):
        return [rule.amount, rule.period_us, *rule.rate, rule.capacity]
    period = 0 if isinstance(rule, CalendarQuota | DenyAll) else rule.period_us
    return [NO_AMOUNT if isinstance(rule, Unlimited) else rule.amount, period, 0, 0, 0]
