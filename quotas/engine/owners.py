"""What lies beside a tenant's states: the version of its policy, and the mark of its generation.

A version is 7 bytes that never repeat. The mark says that the calendar quotas in Redis are all
there are: it goes when Redis loses its memory, and the database is asked what was used.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from redis.exceptions import RedisError

from quotas.domain.keys import (
    PLANS_KEY,
    denials_key,
    owner_key,
    record_kind,
    record_name,
    state_name,
)
from quotas.engine.bundle import QUOTA
from quotas.engine.clock import clock
from quotas.engine.connection import link
from quotas.engine.script import Script, read
from quotas.errors import EngineUnavailable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from quotas.domain.keys import Subject
    from quotas.domain.limits import CalendarQuota

OWNER_LIFE_MS = 3 * 24 * 3600 * 1000
NO_VERSION = bytes(7)
UNKNOWN_VERSION = b"\xff" * 7
SEEDS_AT_ONCE = BUMPS_AT_ONCE = 500

BUMP, SEED, CLEAR = Script(read("bump")), Script(read("seed")), Script(read("clear"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Balance:
    """What one subject had used of a calendar quota in the period ``start_us`` to ``end_us``.

    ``epoch`` is the limit's.
    """

    subject: Subject
    scope: str
    name: str
    rule: CalendarQuota
    used: int
    start_us: int
    end_us: int
    epoch: int = 0

    @property
    def key(self) -> str:
        """The key of its state."""
        name = state_name(self.name, self.epoch, self.rule.unit)
        return self.subject.key(QUOTA, self.scope, name)


def version_of(tag: str, *, create: bool = False) -> bytes:
    """The version of an owner's policy.

    ``create`` writes one where there is none, so that the loss of Redis's memory shows: no version
    equals no other. Raises `EngineUnavailable`.
    """
    return _version(owner_key(tag), create=create)


def plans_version(*, create: bool = False) -> bytes:
    """The version of all plans, as `version_of`."""
    return _version(PLANS_KEY, create=create)


def bump(tags: Iterable[str], *, plans: bool = False) -> None:
    """Raise the versions of these owners, and of all plans. Raises `EngineUnavailable`."""
    client, key = link()
    keys = [key(text) for text in [*(owner_key(tag) for tag in tags), *[PLANS_KEY] * plans]]
    for start in range(0, len(keys), BUMPS_AT_ONCE):
        some = keys[start : start + BUMPS_AT_ONCE]
        BUMP.run_each(client, [[each] for each in some], [b"%d" % OWNER_LIFE_MS, b"0"])


def seed(tag: str, balances: Sequence[Balance]) -> None:
    """Write calendar quotas as the database knows them, where none is, then the owner's mark."""
    client, key = link()
    for start in range(0, max(1, len(balances)), SEEDS_AT_ONCE):
        some = balances[start : start + SEEDS_AT_ONCE]
        last = start + SEEDS_AT_ONCE >= len(balances)
        keys = [key(owner_key(tag)), *(key(each.key) for each in some)]
        args = [b"%d" % OWNER_LIFE_MS, b"%d" % last, b"%d" % clock.given_us]
        for each in some:
            args += [b"%d" % each.end_us, _record(each)]
        SEED.run(client, keys, args)


def clear(tag: str) -> None:
    """Let go of all that is counted of an owner: of one that is no more, or not there again yet.

    Its states stay until they expire: another epoch does not find them. Raises `EngineUnavailable`.
    """
    client, key = link()
    CLEAR.run(client, [key(owner_key(tag)), key(denials_key(tag))], [])


def _record(balance: Balance) -> bytes:
    """The state's record as decide.lua keeps it.

    Instant, used, time to the period's end, length of the period.
    """
    high, low = divmod(balance.start_us, 1 << 48)
    kind = record_kind(balance.rule) * 16 + high
    length_us = balance.end_us - balance.start_us
    numbers = (balance.used, length_us, length_us)
    head = record_name(balance.name) + low.to_bytes(6, "little") + bytes([kind])
    return head + b"".join(number.to_bytes(6, "little") for number in numbers)


def _version(text: str, *, create: bool) -> bytes:
    client, key = link()
    if create:
        found: object = BUMP.run(client, [key(text)], [b"%d" % OWNER_LIFE_MS, b"1"])
    else:
        try:
            found = client.hget(key(text), "version") or NO_VERSION
        except (RedisError, OSError) as error:
            raise EngineUnavailable(f"Redis gave no answer: {error}") from error
    if not isinstance(found, bytes):
        raise EngineUnavailable(f"What answers at Redis's address gave {found!r:.60}.")
    return found
