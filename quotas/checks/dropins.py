"""Checks of drop-ins: their rates can be read, are told apart, and what they set is used.

Nothing is instantiated: a drop-in that overrides `get_rate` or `parse_rate` knows its rate itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from itertools import chain
from typing import Any

from django.core import checks
from rest_framework.settings import api_settings

from quotas.checks.registration import TAG, Messages, listed
from quotas.domain.rates import Rate, parse_rate
from quotas.drf import ScopedRateThrottle, SimpleRateThrottle, unsupported_overrides
from quotas.errors import InvalidRate
from quotas.services.routes import Route, dotted_path, routes, types_in

SETTING = "DEFAULT_THROTTLE_RATES"
READABLE = 'Write it such as "100/minute", "10/5m" or "1/2h"; None is never throttled.'


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """A drop-in class where it is listed, and the scope whose rate it reads there."""

    kind: type[SimpleRateThrottle]
    scope: str | None

    @property
    def reads_itself(self) -> bool:
        """Whether the class has ways of its own to find or to read a rate."""
        ours, kind = SimpleRateThrottle, self.kind
        return kind.get_rate is not ours.get_rate or kind.parse_rate is not ours.parse_rate

    def rate(self) -> Rate | None:
        """The rate; None for never throttled. Raises `InvalidRate` for none that can be read."""
        name = dotted_path(self.kind)
        own = not issubclass(self.kind, ScopedRateThrottle) and getattr(self.kind, "rate", None)
        if own:
            return parse_rate(own, setting=f"{name}.rate")
        if not self.scope:
            raise InvalidRate(f"{name} has neither a scope nor a rate.")
        rates = self.kind.THROTTLE_RATES
        if not isinstance(rates, Mapping) or self.scope not in rates:
            raise InvalidRate(f"Scope {self.scope!r} of {name} has no rate in {SETTING}.")
        text = rates[self.scope]
        return None if text is None else parse_rate(text, setting=_place(self.scope))


@checks.register(TAG)
def check_rates(**kwargs: Any) -> Messages:
    """E021: every rate that a drop-in reads, or may read from the settings, says one thing."""
    found = list(uses())
    problems = {problem for use in found if (problem := _problem(use))}
    if found:
        elsewhere = {use.scope for use in found if use.reads_itself} | _scopes_of_others()
        problems |= set(_problems_of_settings(elsewhere))
    return [checks.Error(each, hint=READABLE, id="quotas.E021") for each in sorted(problems)]


@checks.register(TAG)
def check_overrides(**kwargs: Any) -> Messages:
    """W024: no drop-in sets what is not used here."""
    kinds = sorted({use.kind for use in uses()}, key=dotted_path)
    return [
        checks.Warning(
            f"{dotted_path(kind)} sets or uses {listed(names)}, without effect: Redis counts.",
            hint="Remove it; the hooks are get_cache_key, get_rate, parse_rate and get_cost.",
            id="quotas.W024",
        )
        for kind in kinds
        if (names := unsupported_overrides(kind))
    ]


@checks.register(TAG)
def check_scopes_apart(**kwargs: Any) -> Messages:
    """W025: drop-ins that share a scope and a period, and with them a state, have one rate."""
    sharing: dict[tuple[str | None, timedelta], dict[Rate, set[str]]] = {}
    for use in uses():
        rate = None if use.reads_itself or not use.kind.owns_scope() else _rate_or_none(use)
        if rate is not None:
            rates = sharing.setdefault((use.scope, rate.period), {})
            rates.setdefault(rate, set()).add(dotted_path(use.kind))
    return [
        checks.Warning(
            f"{listed(chain(*rates.values()))} share the scope {scope!r} with different rates: "
            "requests that one counts, count for the other.",
            hint="Give each a scope of its own, or none: then its name is its scope.",
            id="quotas.W025",
        )
        for (scope, _), rates in sharing.items()
        if len(rates) > 1
    ]


def uses() -> Iterator[Use]:
    """Every drop-in that a view or ``DEFAULT_THROTTLE_CLASSES`` lists."""
    for route in routes():
        for kind in route.of(SimpleRateThrottle):
            yield from _use(kind, route)
    for kind in default_throttles():
        if issubclass(kind, SimpleRateThrottle):
            yield from _use(kind, None)


def _use(kind: type[SimpleRateThrottle], route: Route | None) -> Iterator[Use]:
    if not issubclass(kind, ScopedRateThrottle):
        yield Use(kind=kind, scope=kind.scope)
    elif route and (scope := route.attribute(kind.scope_attr)):
        yield Use(kind=kind, scope=str(scope))


def _place(scope: object) -> str:
    """How messages name the rate of a scope."""
    return f"{SETTING}[{scope!r}]"


def _rate_or_none(use: Use) -> Rate | None:
    try:
        return use.rate()
    except InvalidRate:
        return None  # E021 says so


def _problem(use: Use) -> str | None:
    try:
        if not use.reads_itself:
            use.rate()
    except InvalidRate as error:
        return str(error)
    return None


def _problems_of_settings(elsewhere: set[str | None]) -> Iterator[str]:
    """What is wrong with the rates of all scopes, but for those that are read ``elsewhere``."""
    rates: object = api_settings.DEFAULT_THROTTLE_RATES
    for scope, text in rates.items() if isinstance(rates, Mapping) else ():
        if scope in elsewhere or text is None:
            continue
        try:
            parse_rate(text, setting=_place(scope))
        except InvalidRate as error:
            yield str(error)


def _scopes_of_others() -> set[str | None]:
    """The scopes of throttles that are not ours, which may read their rates as they like."""
    throttles: Iterable[type] = [each for route in routes() for each in route.throttles]
    foreign = [each for each in throttles if not issubclass(each, SimpleRateThrottle)]
    return {getattr(each, "scope", None) for each in foreign}


def default_throttles() -> list[type]:
    """``DEFAULT_THROTTLE_CLASSES``; nothing when they cannot be imported."""
    try:
        return types_in(api_settings.DEFAULT_THROTTLE_CLASSES)
    except Exception:  # noqa: BLE001 - DRF raises it again at the first import of a view
        return []
