"""Ask the script: consume, peek and give back, in one round trip each."""

from __future__ import annotations

from secrets import token_bytes
from typing import TYPE_CHECKING, NamedTuple

from quotas.domain.keys import denials_key, owner_key
from quotas.engine.clock import clock
from quotas.engine.connection import link
from quotas.engine.script import Script, decide_script, read
from quotas.engine.wire import NO_SLOT, Call, Owner, Refused

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from quotas.domain.decisions import Decision
    from quotas.domain.keys import Subject
    from quotas.engine.bundle import Bundle, Place

__all__ = [
    "NO_SLOT",
    "Owner",
    "Question",
    "Refused",
    "asked",
    "consume",
    "give_back",
    "new_slot",
    "peek",
    "peek_each",
]

RELEASE = Script(read("release"))


def consume(
    bundle: Bundle,
    subjects: Mapping[str, Subject],
    costs: Sequence[int],
    *,
    owner: Owner | None = None,
    slot: bytes = b"",
    now_us: int = 0,
) -> Decision | Refused:
    """Decide a call and charge all its limits or none.

    ``subjects`` are by `Place.who`; ``costs`` by position, whole numbers of at least 0, else
    `InvalidCost`. ``slot`` is the call's `new_slot`. ``now_us`` is for tests and the simulator.
    Raises `EngineUnavailable`.
    """
    now_us = now_us or clock.given_us
    slot = slot or new_slot(bundle)
    return _ask(Call(bundle=bundle, costs=costs, now_us=now_us, slot=slot, owner=owner), subjects)


def new_slot(bundle: Bundle) -> bytes:
    """A name for the places in flight that a call will hold; zeros when it will hold none."""
    return token_bytes(8) if bundle.slots else NO_SLOT


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
    now_us = now_us or clock.given_us
    call = Call(
        bundle=bundle, costs=costs, now_us=now_us, consuming=False, owner=owner, seeds=seeds
    )
    return _ask(call, subjects)


class Question(NamedTuple):
    """A `peek` among others, at cost 1 of each limit."""

    bundle: Bundle
    subjects: Mapping[str, Subject]
    owner: Owner


def peek_each(
    questions: Sequence[Question], *, as_unused: bool = False
) -> list[Decision | Refused]:
    """What `peek` would answer to each, in one round trip. Raises `EngineUnavailable`.

    ``as_unused``: absent calendar quotas are unused without the owner's mark, too.
    """
    calls = [
        asked(each, seeds=[0] * len(each.bundle.limits) if as_unused else None)
        for each in questions
    ]
    answers = decide_script().run_all(link().client, [(keys, args) for _, keys, args in calls])
    return [call.read(answer) for (call, _, _), answer in zip(calls, answers, strict=True)]


def asked(
    question: Question, *, seeds: Sequence[int] | None = None
) -> tuple[Call, list[str], list[bytes]]:
    """The call that a question is, with its keys and arguments. ``seeds`` as for `peek`."""
    call = Call(
        bundle=question.bundle,
        costs=[1] * len(question.bundle.limits),
        now_us=clock.given_us,
        consuming=False,
        owner=question.owner,
        seeds=seeds,
    )
    return call, _keys(call, question.subjects), [call.bundle.packed, call.packed()]


def give_back(places: Iterable[Place], subjects: Mapping[str, Subject], slot: bytes) -> None:
    """Free the places in flight that ``slot`` names.

    Raises `EngineUnavailable`; the lease then frees them.
    """
    client, key = link()
    keys = [key(subjects[who].key(what, scope, name)) for who, what, scope, name in places]
    RELEASE.run(client, keys, [slot])


def _ask(call: Call, subjects: Mapping[str, Subject]) -> Decision | Refused:
    arguments = [call.bundle.packed, call.packed()]
    return call.read(decide_script().run(link().client, _keys(call, subjects), arguments))


def _keys(call: Call, subjects: Mapping[str, Subject]) -> list[str]:
    _, key = link()
    keys = [key(owner_key(call.owner.tag))] if call.owner is not None else []
    for who, what, scope, name in call.bundle.places:
        keys.append(key(subjects[who].key(what, scope, name)))
    if call.owner is not None and call.owner.tallies:
        keys.append(key(denials_key(call.owner.tag)))
    return keys
