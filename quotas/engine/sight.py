"""All that is known of a tenant, at one sight: the answer of a peek, and what was counted.

One round trip, as a transaction: no call of a tenant comes between its states and its counts.
Nothing is written, created or extended.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from redis.exceptions import NoScriptError, RedisError

from quotas.domain.keys import denials_key, owner_key
from quotas.engine.connection import link
from quotas.engine.denials import Denied, denied
from quotas.engine.limiter import Question, Refused, asked
from quotas.engine.script import decide_script
from quotas.engine.tallies import Tallied, tallied
from quotas.errors import EngineUnavailable

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from quotas.domain.decisions import Decision


class Sight(NamedTuple):
    """What `look` saw: ``found`` as `quotas.engine.limiter.peek` answers, at cost 1 each.

    ``denials``: the latest first.
    """

    found: Decision | Refused
    tallied: Tallied
    denials: tuple[Denied, ...]


def look(question: Question, *, seeds: Sequence[int] | None = None) -> Sight:
    """A peek, the owner's counts and its latest denials. ``seeds`` as for `peek`.

    Raises `EngineUnavailable`.
    """
    call, keys, arguments = asked(question, seeds=seeds)
    script = decide_script()
    try:
        answer, fields, entries = _answers(
            question.owner.tag, ["EVALSHA", script.digest], keys, arguments
        )
        if isinstance(answer, NoScriptError):
            answer, fields, entries = _answers(
                question.owner.tag, ["EVAL", script.source], keys, arguments
            )
        for each in (answer, fields, entries):
            if isinstance(each, Exception):
                raise each
    except (RedisError, OSError) as error:
        raise EngineUnavailable(f"Redis gave no answer: {error}") from error
    return Sight(call.read(answer), tallied(fields), tuple(map(denied, entries)))


class Seen(NamedTuple):
    """``found`` as `quotas.engine.limiter.peek` answers at cost 1 each, without the mark too.

    ``marked``: an absent calendar quota is unused; without, Redis may have lost it.
    """

    found: Decision | Refused
    tallied: Tallied
    marked: bool


def look_at_each(questions: Sequence[Question]) -> list[Seen]:
    """What is seen of each, in their order. Raises `EngineUnavailable`."""
    calls = [asked(each, seeds=[0] * len(each.bundle.limits)) for each in questions]
    script, (client, key) = decide_script(), link()
    try:
        with client.pipeline(transaction=True) as pipeline:
            pipeline.execute_command("SCRIPT LOAD", script.source)  # type: ignore[no-untyped-call]
            for each, (_, keys, args) in zip(questions, calls, strict=True):
                pipeline.execute_command("EVALSHA", script.digest, len(keys), *keys, *args)  # type: ignore[no-untyped-call]
                pipeline.hgetall(key(owner_key(each.owner.tag)))
            _, *found = pipeline.execute()
    except (RedisError, OSError) as error:
        raise EngineUnavailable(f"Redis gave no answer: {error}") from error
    return [
        Seen(call.read(answer), tallied(fields), b"mark" in fields)
        for (call, _, _), answer, fields in zip(calls, found[::2], found[1::2], strict=True)
    ]


def _answers(
    tag: str, command: list[str], keys: Sequence[str], arguments: Sequence[bytes]
) -> list[Any]:
    client, key = link()
    with client.pipeline(transaction=True) as pipeline:
        pipeline.execute_command(*command, len(keys), *keys, *arguments)  # type: ignore[no-untyped-call]
        pipeline.hgetall(key(owner_key(tag)))
        pipeline.lrange(key(denials_key(tag)), 0, -1)
        return pipeline.execute(raise_on_error=False)
