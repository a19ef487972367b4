"""Ask the script: consume, peek and give back, in one round trip each."""

from __future__ import annotations

from dataclasses import dataclass
from secrets import token_bytes
from struct import Struct
from typing import TYPE_CHECKING

from quotas.domain.decisions import Decision, Verdict
from quotas.domain.keys import owner_key
from quotas.domain.limits import MOST_AMOUNT, Concurrency
from quotas.domain.words import Outcome
from quotas.engine.clock import clock
from quotas.engine.connection import link
from quotas.engine.script import Script, decide_script, read
from quotas.errors import InvalidCost

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from quotas.domain.keys import Subject
    from quotas.engine.bundle import Bundle, Place

ANSWER = Struct("<B7sq6s6s")
NO_SLOT, NO_VERSION = bytes(8), bytes(7)
COMPARE_VERSION, NEED_MARK = 1, 2
OUTCOMES = {b"A": Outcome.ALLOWED, b"D": Outcome.DENIED, b"S": Outcome.SHADOW_DENIED}
OTHER_VERSION, UNSEEDED = b"V", b"U"  # else stale

RELEASE = Script(read("release"))


@dataclass(frozen=True, slots=True)
class Refused:
    """The script decided nothing and charged nothing: the policy does not hold at ``now_us``.

    ``version`` is the owner's (7 bytes) when that was the reason; ``unseeded`` when the owner's
    mark is missing.
    """

    now_us: int
    version: bytes | None = None
    unseeded: bool = False


@dataclass(frozen=True, slots=True)
class Owner:
    """Whose version is compared before anything is charged, under ``tag``.

    ``version`` (7 bytes) is the one that the policy was loaded under. ``marked``: an absent
    calendar quota counts as unused only under the owner's mark, else the answer is unseeded.
    """

    tag: str
    version: bytes
    marked: bool = False


def consume(
    bundle: Bundle,
    subjects: Mapping[str, Subject],
    costs: Sequence[int],
    *,
    owner: Owner | None = None,
    now_us: int = 0,
) -> Decision | Refused:
    """Decide a call and charge all its limits or none.

    ``subjects`` are by `Place.who`; ``costs`` by position, whole numbers of at least 0, else
    `InvalidCost`. ``now_us`` is for tests and the simulator. Raises `EngineUnavailable`.
    """
    slot = token_bytes(8) if bundle.slots else NO_SLOT
    return _ask(bundle, subjects, costs, owner, _head(now_us, slot, consuming=True))


def peek(
    bundle: Bundle,
    subjects: Mapping[str, Subject],
    costs: Sequence[int],
    *,
    owner: Owner | None = None,
    now_us: int = 0,
    seeds: Sequence[int] | None = None,
) -> Decision | Refused:
    """What `consume` would answer now. Writes, creates and extends nothing.

    ``seeds`` are what calendar quotas had used as far as the database knows, by position. They
    count for absent ones without the owner's mark, which is then no reason to refuse.
    """
    head = _head(now_us, NO_SLOT, consuming=False, seeded=seeds is not None)
    return _ask(bundle, subjects, costs, owner, head, seeds)


def give_back(places: Iterable[Place], subjects: Mapping[str, Subject], slot: bytes) -> None:
    """Free the places in flight that ``slot`` names.

    Raises `EngineUnavailable`; the lease then frees them.
    """
    client, key = link()
    keys = [key(subjects[who].key(what, scope, name)) for who, what, scope, name in places]
    RELEASE.run(client, keys, [slot])


def _head(now_us: int, slot: bytes, *, consuming: bool, seeded: bool = False) -> bytes:
    return (now_us or clock.given_us).to_bytes(7, "little") + bytes([consuming, seeded]) + slot


def _ask(
    bundle: Bundle,
    subjects: Mapping[str, Subject],
    costs: Sequence[int],
    owner: Owner | None,
    head: bytes,
    seeds: Sequence[int] | None = None,
) -> Decision | Refused:
    client, key = link()
    keys = [key(subjects[who].key(what, scope, name)) for who, what, scope, name in bundle.places]
    flags, version = 0, NO_VERSION
    if owner is not None:
        keys.insert(0, key(owner_key(owner.tag)))
        flags, version = COMPARE_VERSION + NEED_MARK * owner.marked, owner.version
    charged = [
        min(cost, 1 if isinstance(limit.rule, Concurrency) else MOST_AMOUNT + 1)
        for limit, cost in zip(bundle.limits, map(_whole, costs), strict=True)
    ]
    call = head + bytes([flags]) + version
    for cost, seed in zip(charged, [0] * len(charged) if seeds is None else seeds, strict=True):
        call += cost.to_bytes(6, "little") + seed.to_bytes(6, "little")
    answer = decide_script().run(client, keys, [bundle.packed, call])
    return _read(answer, bundle, charged, head[-len(NO_SLOT) :])


def _whole(cost: object) -> int:
    if not isinstance(cost, int) or isinstance(cost, bool) or cost < 0:
        raise InvalidCost(
            f"cost is {cost!r}: give a whole number of at least 0 (in get_cost, None exempts)."
        )
    return cost


def _read(answer: bytes, bundle: Bundle, costs: Sequence[int], slot: bytes) -> Decision | Refused:
    kind, now_us = answer[:1], int.from_bytes(answer[1:8], "little")
    if kind in OUTCOMES:
        verdicts = tuple(
            _verdict(bundle, position, costs[position], fields)
            for position, fields in enumerate(ANSWER.iter_unpack(answer[8:]))
        )
        return Decision(OUTCOMES[kind], verdicts, now_us, slot)
    return Refused(
        now_us, version=answer[8:] if kind == OTHER_VERSION else None, unseeded=kind == UNSEEDED
    )


def _verdict(
    bundle: Bundle, position: int, cost: int, fields: tuple[int, bytes, int, bytes, bytes]
) -> Verdict:
    fits, at, wait, level, part = fields
    return Verdict(
        bundle.limits[position],
        cost,
        bool(fits),
        0 if fits else None if wait < 0 else wait,
        wait if fits else 0,
        int.from_bytes(at, "little"),
        int.from_bytes(level, "little"),
        int.from_bytes(part, "little"),
        bundle.edges.get(position, ()),
    )
