"""The decision script: composed once from one Lua file per algorithm, run by its digest.

EVALSHA, and EVAL when the server does not know the script. Nothing else is ever asked twice: a
lost reply may be a charge that was made.
"""

from __future__ import annotations

from functools import cache
from hashlib import sha1
from importlib.resources import files
from typing import TYPE_CHECKING

from redis.exceptions import NoScriptError, RedisError
from redis.exceptions import TimeoutError as RedisTimeout

from quotas.domain.words import Algorithm
from quotas.errors import EngineUnavailable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from redis import Redis

DENY_ALL = 0
DECIDE_PARTS = (
    "arithmetic",
    "records",
    "charges",
    "record",
    "expiry",
    "cells",
    "usage",
    "early",
    "hours",
    "peaks",
    "denials",
)
GRANT_PARTS = ("arithmetic", "records", "expiry", "gifts", "record")
GRANTED = (
    Algorithm.TOKEN_BUCKET,
    Algorithm.LEAKY_BUCKET,
    Algorithm.SLIDING_WINDOW_COUNTER,
    Algorithm.SLIDING_WINDOW_LOG,
    Algorithm.CONCURRENCY,
)
CODES = {algorithm: code for code, algorithm in enumerate(Algorithm, start=1)}


class Script:
    """A Lua script and its digest."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.digest = sha1(source.encode(), usedforsecurity=False).hexdigest()

    def run(self, client: Redis, keys: Sequence[str], args: Sequence[bytes]) -> bytes:
        """The script's answer.

        Raises `EngineUnavailable` when the server gives none, within one timeout.
        """
        try:
            try:
                return client.execute_command("EVALSHA", self.digest, len(keys), *keys, *args)  # type: ignore[no-any-return, no-untyped-call]
            except NoScriptError:
                return client.execute_command("EVAL", self.source, len(keys), *keys, *args)  # type: ignore[no-any-return, no-untyped-call]
        except (RedisError, OSError) as error:
            unavailable = EngineUnavailable(f"Redis gave no answer: {error}")
            unavailable.perhaps_done = isinstance(error, RedisTimeout)
            raise unavailable from error

    def run_each(self, client: Redis, keys: Iterable[Sequence[str]], args: Sequence[bytes]) -> None:
        """Run it once for each of ``keys``, in one round trip: for what may be run twice."""
        try:
            with client.pipeline(transaction=False) as pipeline:
                for some in keys:
                    pipeline.execute_command("EVAL", self.source, len(some), *some, *args)  # type: ignore[no-untyped-call]
                pipeline.execute()
        except (RedisError, OSError) as error:
            raise EngineUnavailable(f"Redis gave no answer: {error}") from error

    def run_all(
        self, client: Redis, calls: Iterable[tuple[Sequence[str], Sequence[bytes]]]
    ) -> list[bytes]:
        """Its answers to these keys and arguments, in one round trip: for what may be run twice."""
        try:
            with client.pipeline(transaction=False) as pipeline:
                pipeline.execute_command("SCRIPT LOAD", self.source)  # type: ignore[no-untyped-call]
                for keys, args in calls:
                    pipeline.execute_command("EVALSHA", self.digest, len(keys), *keys, *args)  # type: ignore[no-untyped-call]
                return pipeline.execute()[1:]
        except (RedisError, OSError) as error:
            raise EngineUnavailable(f"Redis gave no answer: {error}") from error


def read(name: str) -> str:
    """The text of ``lua/<name>.lua``."""
    return (files("quotas.engine") / "lua" / f"{name}.lua").read_text("utf-8")


@cache
def decide_script() -> Script:
    """``decide.lua`` with every algorithm spliced in as a branch of one if.

    A call would cost a closure each.
    """
    branches = [f"if algorithm == {DENY_ALL} then\n{read('deny_all')}"]
    branches += [f"elseif algorithm == {CODES[each]} then\n{read(each)}" for each in Algorithm]
    return spliced("decide", branches, DECIDE_PARTS)


@cache
def grant_script() -> Script:
    """``grant.lua`` with the algorithms of which units can be given back."""
    branches = [f"elseif algorithm == {CODES[each]} then\n{read(each)}" for each in GRANTED]
    return spliced("grant", [branches[0].removeprefix("else"), *branches[1:]], GRANT_PARTS)


def spliced(name: str, branches: Iterable[str], parts: Iterable[str]) -> Script:
    """``<name>.lua`` with these branches of one if and these parts, the outer ones first."""
    source = read(name).replace("--@algorithms", "\n".join([*branches, "end"]))
    for part in parts:
        source = source.replace(f"--@{part}\n", read(part) + "\n")
    for algorithm, code in CODES.items():
        source = source.replace(f"== {algorithm.upper()} ", f"== {code} ")
    return Script("\n".join(line for line in map(_bare, source.splitlines()) if line))


def _bare(line: str) -> str:
    return line.split("--", 1)[0].strip()
