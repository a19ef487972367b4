"""The engine's one chance within a request."""

from __future__ import annotations

from contextvars import ContextVar
from typing import TYPE_CHECKING, Self, TypeVar

from quotas.engine.owners import UNKNOWN_VERSION
from quotas.errors import EngineUnavailable

if TYPE_CHECKING:
    from collections.abc import Callable

Value = TypeVar("Value")


class Attempt:
    """What a request asks of the engine: after a first failure it is not asked again.

    As a context it is `current()`, so that a resolver that looks at memberships shares it; within
    another one it is the same chance.
    ``started_at`` tells what was read for this request. ``creating``: a version is written where
    there is none, which a page that only looks must not do.
    """

    def __init__(self, *, started_at: float = 0.0, creating: bool = False) -> None:
        self.failure: EngineUnavailable | None = None
        self.started_at = started_at
        self.creating = creating

    def __enter__(self) -> Self:
        self.around = _current.get()
        if self.around is not None:
            self.failure = self.failure or self.around.failure
        self.token = _current.set(self)
        return self

    def __exit__(self, *error: object) -> None:
        _current.reset(self.token)
        if self.around is not None:
            self.around.failure = self.failure

    def ask(self, question: Callable[[], Value], otherwise: Value) -> Value:
        """The engine's answer, or ``otherwise`` when it gives none or has failed before."""
        if self.failure is None:
            try:
                return question()
            except EngineUnavailable as error:
                self.failure = error
        return otherwise

    def version(self, read: Callable[[bool], bytes]) -> bytes:
        """What ``read(create)`` gives; a version that equals no other when it gives none."""
        return self.ask(lambda: read(self.creating), UNKNOWN_VERSION)


_current: ContextVar[Attempt | None] = ContextVar("quotas_attempt", default=None)


def current() -> Attempt:
    """The attempt of the request that is being decided; a new one outside of any."""
    return _current.get() or Attempt()
