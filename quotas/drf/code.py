"""Throttles whose numbers are in code: ``TokenBucketThrottle.of("100/minute")``.

``of`` returns a class for ``throttle_classes``, the same one for the same arguments; mistakes raise
`InvalidRate` or `InvalidLimit` there, when the module is read.
"""

from __future__ import annotations

import re
from datetime import timedelta
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, Self, cast
from weakref import WeakValueDictionary

from rest_framework.request import Request

from quotas.domain.limits import DEFAULT_LEASE, Rule
from quotas.domain.policies import Limit
from quotas.domain.rates import parse_rate, slug_of
from quotas.domain.rules import build_rule
from quotas.domain.words import Algorithm, CalendarUnit, Mode, OutagePolicy, SubjectKind
from quotas.drf.declared import declare
from quotas.drf.scopes import scope_on
from quotas.drf.throttles import QuotaThrottle
from quotas.errors import ConfigurationError, InvalidLimit, InvalidRate
from quotas.services.enforcement import Ask

if TYPE_CHECKING:
    from rest_framework.views import APIView

CALENDAR_RATE = re.compile(r"([0-9]{1,13}) */ *(day|week|month|year)s?")
NAME = re.compile(r"[A-Za-z0-9_-]{1,50}")

# Weakly, so that a class nobody lists any more is no longer declared.
_made: WeakValueDictionary[tuple[object, ...], type[CodeThrottle]] = WeakValueDictionary()


class CodeThrottle(QuotaThrottle):
    """A throttle with one limit of its own, in place of any plan's.

    It is counted by (scope, name): its own scope, else the view's ``throttle_scope``, else the
    view's dotted path; a name made of the rate's text. A subclass may set ``mode`` and
    ``outage_policy``, and has the hooks `get_tenant`, `get_subject` and `get_cost`.
    """

    algorithm: ClassVar[Algorithm]
    rule: ClassVar[Rule | None] = None
    name: ClassVar[str] = ""
    subject: ClassVar[SubjectKind] = SubjectKind.USER
    mode: ClassVar[Mode] = Mode.ENFORCE
    outage_policy: ClassVar[OutagePolicy] = OutagePolicy.ALLOW

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if cls.rule is not None:
            declare(cls)

    def ask(self, request: Request, view: APIView, cost: int, subject: str | None) -> Ask | None:
        return Ask(cost=cost, limit=self.limit_on(view), subject=subject)

    @classmethod
    def limit_on(cls, view: object) -> Limit:
        """The limit that this class enforces on a view, or on a class of views."""
        if cls.rule is None:
            raise ConfigurationError(
                f"{cls.__qualname__} has no numbers: list what {cls.__qualname__}.of(…) returns."
            )
        scope = scope_on(cls.scope, view)
        return _limit(scope, cls.name, cls.rule, cls.subject, cls.mode, cls.outage_policy)

    @classmethod
    def _with(
        cls, rule: Rule, text: str, *, subject: str, scope: str | None, name: str | None
    ) -> type[Self]:
        """The subclass of these numbers; ``text`` is what people wrote for them."""
        kind, named = _subject(subject), _name(name, text)
        key = (cls, rule, kind, scope, named)
        made = _made.get(key)
        if made is None:
            called = f"{cls.__name__}.of({text!r})"
            body = {"rule": rule, "name": named, "subject": kind, "scope": scope or cls.scope}
            body |= {"__module__": cls.__module__, "__qualname__": called, "__doc__": cls.__doc__}
            made = _made[key] = type(called, (cls,), body)
        return cast("type[Self]", made)


class _RateThrottle(CodeThrottle):
    """Numbers from a rate text."""

    @classmethod
    def of(
        cls,
        rate: str,
        *,
        capacity: int | None = None,
        subject: str = SubjectKind.USER,
        scope: str | None = None,
        name: str | None = None,
    ) -> type[Self]:
        """The throttle class of a rate such as ``"100/minute"``, ``"10/5m"``.

        ``capacity`` is for buckets (None: the amount); ``subject`` is who is counted: tenant, user,
        credential or address. Raises `InvalidRate` and `InvalidLimit`.
        """
        read = parse_rate(rate, setting=f"{cls.__name__}.of")
        rule = build_rule(
            algorithm=cls.algorithm, amount=read.amount, period=read.period, capacity=capacity
        )
        return cls._with(rule, rate, subject=subject, scope=scope, name=name)


class TokenBucketThrottle(_RateThrottle):
    """Bursts up to ``capacity``, refilled at the rate."""

    algorithm = Algorithm.TOKEN_BUCKET


class LeakyBucketThrottle(_RateThrottle):
    """Admits up to ``capacity`` queued calls; never sleeps, the decision says the delay."""

    algorithm = Algorithm.LEAKY_BUCKET


class FixedWindowThrottle(_RateThrottle):
    """The amount in each window from the epoch: up to twice that around an edge."""

    algorithm = Algorithm.FIXED_WINDOW


class SlidingWindowCounterThrottle(_RateThrottle):
    """About the amount in any period, from two counters; not exact."""

    algorithm = Algorithm.SLIDING_WINDOW_COUNTER


class SlidingWindowLogThrottle(_RateThrottle):
    """Never more than the amount in any period."""

    algorithm = Algorithm.SLIDING_WINDOW_LOG


class CalendarQuotaThrottle(CodeThrottle):
    """The amount in each civil day, week, month or year of the tenant's time zone."""

    algorithm = Algorithm.CALENDAR_QUOTA

    @classmethod
    def of(
        cls,
        rate: Any,
        *,
        subject: str = SubjectKind.USER,
        scope: str | None = None,
        name: str | None = None,
    ) -> type[Self]:
        """The throttle class of an amount and a civil period, such as ``"5000/month"``.

        Raises `InvalidRate` and `InvalidLimit`.
        """
        found = CALENDAR_RATE.fullmatch(rate.strip(" ")) if isinstance(rate, str) else None
        if found is None:
            raise InvalidRate(
                f"{cls.__name__}.of is {rate!r}: write an amount and a civil period, such as "
                '"100/day", "100/week", "5000/month" or "60000/year".'
            )
        unit = CalendarUnit(found[2])
        rule = build_rule(algorithm=cls.algorithm, amount=int(found[1]), unit=unit)
        return cls._with(rule, rate, subject=subject, scope=scope, name=name)


class ConcurrencyThrottle(CodeThrottle):
    """Never more than the amount in flight at once."""

    algorithm = Algorithm.CONCURRENCY

    @classmethod
    def of(
        cls,
        amount: int,
        *,
        lease: timedelta | float = DEFAULT_LEASE,
        subject: str = SubjectKind.USER,
        scope: str | None = None,
        name: str | None = None,
    ) -> type[Self]:
        """The throttle class of so many calls at once.

        A slot is freed when its response has ended, or after ``lease`` (a duration, or seconds) at
        the latest. Raises `InvalidLimit`.
        """
        span = lease if isinstance(lease, timedelta) else timedelta(seconds=lease)
        rule = build_rule(algorithm=cls.algorithm, amount=amount, period=span)
        return cls._with(rule, f"{amount} in flight", subject=subject, scope=scope, name=name)


@lru_cache(maxsize=1024)
def _limit(
    scope: str, name: str, rule: Rule, subject: SubjectKind, mode: Mode, outage_policy: OutagePolicy
) -> Limit:
    return Limit(
        scope=scope,
        name=name,
        rule=rule,
        subject=subject,
        mode=Mode(mode),
        outage_policy=OutagePolicy(outage_policy),
    )


def _subject(subject: str) -> SubjectKind:
    try:
        return SubjectKind(subject)
    except ValueError as error:
        raise InvalidLimit(
            f"subject is {subject!r}: give one of {', '.join(SubjectKind)}."
        ) from error


def _name(name: str | None, text: str) -> str:
    if name is None:
        return slug_of(text)
    if not NAME.fullmatch(name):
        raise InvalidLimit(
            f"name is {name!r}: give 1 to 50 ASCII letters, digits, hyphens and underscores."
        )
    return name
