"""Drop-ins for DRF's rate throttles: the same names and hooks, counted exactly, decided in Redis.

They use the exact sliding window. What is counted is the text of `get_cache_key`, of which only a
digest is stored; no tenant and no plan is looked up. Other than in DRF:

- a rate text that says one thing and means another (``10/month``: DRF reads a minute) is refused;
- an unset NUM_PROXIES trusts no X-Forwarded-For, see `quotas.drf.subjects.client_address`;
- subclasses that set a rate but no scope of their own are counted apart, each by its dotted path;
- ``cache``, ``timer``, ``history``, ``throttle_success`` and ``throttle_failure`` have no effect.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from datetime import timedelta
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar

from django.core.exceptions import ImproperlyConfigured
from rest_framework.request import Request
from rest_framework.settings import api_settings

from quotas.domain.limits import MICROSECOND
from quotas.domain.policies import Limit
from quotas.domain.rates import SECOND, parse_rate, rate_text
from quotas.domain.rules import build_rule
from quotas.domain.words import Algorithm, Mode, OutagePolicy, SubjectKind
from quotas.drf.subjects import user_pk
from quotas.drf.throttles import QuotaThrottle
from quotas.services.enforcement import Ask
from quotas.services.routes import dotted_path

if TYPE_CHECKING:
    from rest_framework.views import APIView


class _Rates:
    """``DEFAULT_THROTTLE_RATES`` at the moment of use, so that `override_settings` works."""

    def __get__(self, throttle: object, kind: type | None = None) -> Mapping[str, str | None]:
        return api_settings.DEFAULT_THROTTLE_RATES  # type: ignore[return-value]


class SimpleRateThrottle(QuotaThrottle):
    """A rate for each text that `get_cache_key` returns.

    The rate is the class's ``rate``, else that of its ``scope`` in ``THROTTLE_RATES``; None never
    throttles. A subclass may set ``mode`` and ``outage_policy``.
    """

    cache_format = "throttle_%(scope)s_%(ident)s"
    rate: str | None
    THROTTLE_RATES: ClassVar[Any] = _Rates()
    mode: ClassVar[Mode] = Mode.ENFORCE
    outage_policy: ClassVar[OutagePolicy] = OutagePolicy.ALLOW

    def __init__(self) -> None:
        if not getattr(self, "rate", None):
            self.rate = self.get_rate()
        self.num_requests, self.duration = self.parse_rate(self.rate)

    def get_cache_key(self, request: Request, view: APIView) -> str | None:
        """The text that is counted; None exempts the request. A subclass must say it."""
        raise NotImplementedError(f"{type(self).__qualname__} must override get_cache_key.")

    def get_rate(self) -> str | None:
        """The rate's text; None never throttles."""
        if not getattr(self, "scope", None):
            raise ImproperlyConfigured(
                f"{type(self).__qualname__} has neither a scope nor a rate: set one of them."
            )
        try:
            rate: str | None = self.THROTTLE_RATES[self.scope]
        except KeyError as error:
            raise ImproperlyConfigured(
                f"Scope {self.scope!r} of {type(self).__qualname__} has no rate: add it to "
                "DEFAULT_THROTTLE_RATES, None for a scope that is never throttled."
            ) from error
        return rate

    def parse_rate(self, rate: str | None) -> tuple[int | None, float | None]:
        """The rate's text as (requests, seconds); (None, None) of None. Raises `InvalidRate`."""
        if rate is None:
            return None, None
        own = "rate" in vars(type(self)) or not self.scope
        place = f"{type(self).__qualname__}.rate"
        read = parse_rate(rate, setting=place if own else f"DEFAULT_THROTTLE_RATES[{self.scope!r}]")
        return read.amount, read.period // SECOND

    def ask(self, request: Request, view: APIView, cost: int, subject: str | None) -> Ask | None:
        if self.rate is None or self.num_requests is None or self.duration is None:
            return None
        counted = self.get_cache_key(request, view)
        if counted is None:
            return None
        scope = self._counted_scope()
        limit = _limit(scope, self.num_requests, self.duration, self.mode, self.outage_policy)
        return Ask(cost=cost, limit=limit, counted=str(counted))

    def _by_user(self, request: Request) -> str:
        pk = user_pk(request)
        ident = self.get_ident(request) if pk is None else pk
        return self.cache_format % {"scope": self.scope, "ident": ident}

    def _counted_scope(self) -> str:
        """The scope, if the class, its parents among the project's, or the instance set one."""
        owned = "scope" in vars(self) or self.owns_scope()
        return self.scope if owned and self.scope else dotted_path(type(self))

    @classmethod
    def owns_scope(cls) -> bool:
        """Whether the class has a scope that no other shares unasked: its own or the project's."""
        setter = next((each for each in cls.__mro__ if "scope" in vars(each)), cls)
        return setter is cls or not _is_shipped(setter)


class AnonRateThrottle(SimpleRateThrottle):
    """Throttles those who are not authenticated, by their address."""

    scope = "anon"

    def get_cache_key(self, request: Request, view: APIView) -> str | None:
        if getattr(request.user, "is_authenticated", False):
            return None
        return self.cache_format % {"scope": self.scope, "ident": self.get_ident(request)}


class UserRateThrottle(SimpleRateThrottle):
    """Throttles each user, and by their address those who are not authenticated."""

    scope = "user"

    def get_cache_key(self, request: Request, view: APIView) -> str | None:
        return self._by_user(request)


class ScopedRateThrottle(SimpleRateThrottle):
    """Throttles as `UserRateThrottle` does, at the rate of the scope that the view names."""

    scope_attr = "throttle_scope"

    def __init__(self) -> None:
        """Nothing yet: the view says the scope."""

    def ask(self, request: Request, view: APIView, cost: int, subject: str | None) -> Ask | None:
        scope = getattr(view, self.scope_attr, None)
        if not scope:
            return None
        own = copy(self)  # threads may share a throttle whose view says the scope
        own.scope, own.rate = scope, None
        own.rate = own.get_rate()
        own.num_requests, own.duration = own.parse_rate(own.rate)
        return super(ScopedRateThrottle, own).ask(request, view, cost, subject)

    def get_cache_key(self, request: Request, view: APIView) -> str | None:
        return self._by_user(request)


def _is_shipped(kind: type) -> bool:
    return kind.__module__ == __name__


@lru_cache(maxsize=1024)
def _limit(scope: str, amount: int, seconds: float, mode: Mode, policy: OutagePolicy) -> Limit:
    """Named for its period: a rate edited to another amount keeps what was counted."""
    period = timedelta(seconds=seconds)
    whole = not period % SECOND
    return Limit(
        scope=scope,
        name=rate_text(1, period).partition("/")[2] if whole else f"{period // MICROSECOND}us",
        rule=build_rule(algorithm=Algorithm.SLIDING_WINDOW_LOG, amount=amount, period=period),
        subject=SubjectKind.USER,
        mode=Mode(mode),
        outage_policy=OutagePolicy(policy),
    )
