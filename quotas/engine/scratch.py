"""A key space that exists for one replay: calls in order, under given times, and no trace of them.

Calls go to the real script in pipelines, which the server executes in their order. Beside its tag
nothing tells these keys from a tenant's. No key lives longer than `LIFE` after its last use,
whatever the script wanted, so that what a killed process leaves behind ends by itself; `Scratch`
renews what it still needs.
"""

from __future__ import annotations

import time
from secrets import token_hex
from typing import TYPE_CHECKING, Any, NamedTuple

from redis.exceptions import NoScriptError, RedisError

from quotas.domain.decisions import Decision
from quotas.domain.keys import Subject, bounded
from quotas.engine import wire
from quotas.engine.connection import link
from quotas.engine.script import decide_script
from quotas.errors import EngineUnavailable, QuotasError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from quotas.engine.bundle import Bundle

LIFE = 2 * 3600
"""Seconds, never below the hour that the script itself gives a state under a given time."""
RENEW_EVERY = 20 * 60
MARGIN = 60
KEYS_AT_ONCE = 500


class Call(NamedTuple):
    """One call of a replay: every limit of ``bundle`` counts ``subject`` and is asked ``cost``."""

    bundle: Bundle
    subject: str
    cost: int
    now_us: int


class StatesLost(QuotasError):
    """The states of a replay may be incomplete: what it would say is not to be trusted."""


class Scratch:
    """Decides the calls of one replay, and removes every key that they made."""

    def __init__(self) -> None:
        self.tag = f"scratch-{token_hex(8)}"
        self._keys: dict[str, tuple[str, ...]] = {}
        self._calls = 0
        self._renewed = time.time()
        self._loaded = False

    def consume(self, calls: Sequence[Call]) -> list[Decision]:
        """Decide ``calls``, each after the one before, and charge what is admitted.

        A few hundred at once: they share one reply timeout. Raises `EngineUnavailable` and
        `StatesLost`; what was charged until then stays charged, so neither can be gone on from.
        """
        self._renew()
        decisions: list[Decision] = []
        while len(decisions) < len(calls):
            decisions += self._send(calls[len(decisions) :])
        return decisions

    def remove(self) -> None:
        """Delete every key of this replay. Raises `EngineUnavailable`: they end within `LIFE`."""
        self._each("UNLINK", self._keys.values())
        self._keys.clear()

    def _send(self, calls: Sequence[Call]) -> list[Decision]:
        """The decisions of the first calls: of all, unless the server had forgotten the script."""
        script = decide_script()
        commands: list[Sequence[Any]] = [] if self._loaded else [("SCRIPT LOAD", script.source)]
        ahead = len(commands)
        asked = []
        for call in calls:
            keys = self._keys_of(call)
            asked.append(self._asked(call))
            args = (call.bundle.packed, asked[-1].packed())
            commands.append(("EVALSHA", script.digest, len(keys), *keys, *args))
        used = {key for call in calls for key in self._keys[call.subject]}
        commands += [("PEXPIRE", key, LIFE * 1000) for key in used]
        replies = _pipeline(commands)[ahead : ahead + len(calls)]
        decided = _decided(replies, loaded=not self._loaded)
        self._loaded = decided == len(calls)
        return [
            _decision(reply, call) for reply, call in zip(replies[:decided], asked, strict=False)
        ]

    def _asked(self, call: Call) -> wire.Call:
        """As the script is asked: no owner, nothing seeded, and a slot that no other call has."""
        self._calls += 1
        costs = [call.cost] * len(call.bundle.limits)
        slot = self._calls.to_bytes(8, "little")
        return wire.Call(bundle=call.bundle, costs=costs, now_us=call.now_us, slot=slot)

    def _keys_of(self, call: Call) -> tuple[str, ...]:
        keys = self._keys.get(call.subject)
        if keys is None:
            subject, key = Subject(self.tag, bounded(call.subject)), link().key
            places = call.bundle.places
            keys = tuple(key(subject.key(what, scope, name)) for _, what, scope, name in places)
            self._keys[call.subject] = keys
        return keys

    def _renew(self) -> None:
        """Give every key another `LIFE` now and then: real time must not cut virtual time short.

        By the wall clock, as the server's expiry is.
        """
        idle = time.time() - self._renewed
        if idle > LIFE - MARGIN:
            raise StatesLost(
                f"The replay stood still for {idle / 3600:.1f} hours, and its states in Redis "
                f"last {LIFE / 3600:.0f}: start it again."
            )
        if idle > RENEW_EVERY:
            self._each("PEXPIRE", self._keys.values(), LIFE * 1000)
            self._renewed = time.time()

    @staticmethod
    def _each(command: str, groups: Iterable[tuple[str, ...]], *args: int) -> None:
        """Send a command for every key, a bounded number at once."""
        keys = [key for group in groups for key in group]
        for start in range(0, len(keys), KEYS_AT_ONCE):
            _pipeline([(command, key, *args) for key in keys[start : start + KEYS_AT_ONCE]])


def _pipeline(commands: Iterable[Sequence[Any]]) -> list[Any]:
    """The replies, in order, those of failed commands included. Raises `EngineUnavailable`."""
    try:
        with link().client.pipeline(transaction=False) as pipeline:
            for command in commands:
                pipeline.execute_command(*command)  # type: ignore[no-untyped-call]
            replies: list[Any] = pipeline.execute(raise_on_error=False)
    except (RedisError, OSError) as error:
        raise EngineUnavailable(f"Redis gave no answer: {error}") from error
    for reply in replies:
        if isinstance(reply, RedisError) and not isinstance(reply, NoScriptError):
            raise EngineUnavailable(f"Redis answered with an error: {reply}") from reply
    return replies


def _decided(replies: Sequence[Any], *, loaded: bool) -> int:
    """How many calls were decided before the server forgot the script.

    The rest may be sent again only if none of it was decided: their order is what counts.
    """
    unknown = [isinstance(reply, NoScriptError) for reply in replies]
    decided = unknown.index(True) if any(unknown) else len(replies)
    if not all(unknown[decided:]) or (loaded and not decided and replies):
        raise StatesLost(
            "The server forgot its scripts in the middle of the replay: start it again."
        )
    return decided


def _decision(reply: bytes, asked: wire.Call) -> Decision:
    answer = asked.read(reply)
    if not isinstance(answer, Decision):
        raise StatesLost(
            f"The script decided nothing at {asked.now_us} us: its policy ends before."
        )
    return answer
