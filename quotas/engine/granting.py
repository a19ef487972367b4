"""Give units of one limit back at once, in one round trip."""

from __future__ import annotations

from typing import TYPE_CHECKING

from redis.exceptions import RedisError, ResponseError

from quotas.domain.keys import owner_key
from quotas.engine.bundle import ALWAYS, Asked, pack
from quotas.engine.clock import clock
from quotas.engine.connection import link
from quotas.engine.owners import NO_VERSION
from quotas.engine.script import grant_script
from quotas.errors import EngineUnavailable

if TYPE_CHECKING:
    from redis import Redis

    from quotas.domain.keys import Subject
    from quotas.domain.policies import Limit

OUTDATED = -1


def grant(
    limit: Limit,
    subject: Subject,
    units: int,
    *,
    version: bytes = NO_VERSION,
    span: tuple[int, int] = ALWAYS,
    now_us: int = 0,
) -> int | None:
    """Give back up to ``units`` of what a subject has taken of a limit; how many there were.

    For limits that `gives_at_once` says. ``version`` is that of the owner's policy in which the
    limit was found, ``span`` when that holds (us, half-open). None: it does not hold any more, and
    nothing was given.

    Never retried: it would give twice. Raises `EngineUnavailable`, ``perhaps_done`` unless Redis
    did not answer a PING before, or answered with an error: then nothing was given.
    """
    client, key = link()
    bundle, call = pack([Asked(limit, "")], span=span), _call(units, version, now_us)
    states = [subject.key(what, scope, name) for _, what, scope, name in bundle.places]
    keys = [*map(key, (owner_key(subject.tag), *states))]
    _ping(client)
    try:
        answer = grant_script().run(client, keys, [bundle.packed, call])
    except EngineUnavailable as error:
        error.perhaps_done = not isinstance(error.__cause__, ResponseError)
        raise
    return _given(answer)


def _ping(client: Redis) -> None:
    try:
        client.ping()
    except (RedisError, OSError) as error:
        raise EngineUnavailable(f"Redis gave no answer: {error}") from error


def _call(units: int, version: bytes, now_us: int) -> bytes:
    """What the script reads of one call: '<I7I6' instant (us), units; then the version."""
    at = (now_us or clock.given_us).to_bytes(7, "little")
    return at + min(units, (1 << 48) - 1).to_bytes(6, "little") + version


def _given(answer: object) -> int | None:
    """What the script says: none for a policy that does not hold any more."""
    if not isinstance(answer, int):
        raise EngineUnavailable(f"What answers at Redis's address gave {answer!r:.60}.")
    return None if answer == OUTDATED else answer
