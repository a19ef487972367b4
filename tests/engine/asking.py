"""Short ways to ask the engine: limits from plain numbers, calls at given instants."""

from __future__ import annotations

import time
from datetime import timedelta
from zoneinfo import ZoneInfo

from quotas.domain.calendar import edges_around
from quotas.domain.keys import Subject
from quotas.domain.limits import MICROSECOND
from quotas.domain.policies import Limit
from quotas.domain.rules import build_rule
from quotas.domain.words import Algorithm, Mode
from quotas.engine import limiter
from quotas.engine.bundle import Asked, pack
from quotas.engine.connection import link
from tests import START_US

ENFORCED, SHADOW = Mode.ENFORCE, Mode.SHADOW


def at(seconds):
    """The instant, in us, so many seconds after the start: exact for decimal texts too."""
    return START_US + timedelta(seconds=float(seconds)) // MICROSECOND


def rule(algorithm, amount, seconds=60, *, unit=None, capacity=None):
    """A rule; of a calendar quota ``unit`` is the period, a day unless given."""
    if algorithm == Algorithm.CALENDAR_QUOTA:
        return build_rule(algorithm=algorithm, amount=amount, unit=unit or "day")
    period = timedelta(seconds=seconds)
    return build_rule(algorithm=algorithm, amount=amount, period=period, capacity=capacity)


def limit(algorithm, amount, seconds=60, *, name="only", scope="reports", mode=ENFORCED, **numbers):
    return Limit(
        scope=scope, name=name, rule=rule(algorithm, amount, seconds, **numbers), mode=mode
    )


class Asker:
    """One subject and the limits that it is asked for; `edit` puts others in their place.

    Calls are made at so many ``seconds`` after the start, or at ``now_us``, 0 for server time.
    """

    def __init__(self, *limits, tag="t1", text="t", zone="UTC", anchor=1):
        self.subject = Subject(tag, text)
        self.zone, self.anchor = ZoneInfo(zone), anchor
        self.limits = limits

    def edit(self, *limits):
        self.limits = limits

    def bundle(self, now_us=START_US):
        asked = [Asked(each, each.subject) for each in self.limits]
        return pack(asked, edges_of=lambda unit: self._edges(unit, now_us))

    def consume(self, cost=1, seconds=0, *, now_us=None, **options):
        return self._ask(limiter.consume, cost, seconds, now_us, options)

    def peek(self, cost=1, seconds=0, *, now_us=None, **options):
        return self._ask(limiter.peek, cost, seconds, now_us, options)

    def give_back(self, decision):
        bundle = self.bundle()
        limiter.give_back(bundle.slots, self._subjects(bundle), decision.slot)

    def key_names(self):
        """The names of all keys of this subject in Redis, as they are there."""
        key = link().key
        return [
            key(self.subject.key(place.what, place.scope, place.name))
            for place in self.bundle().places
        ]

    def _ask(self, ask, cost, seconds, now_us, options):
        now_us = at(seconds) if now_us is None else now_us
        bundle = self.bundle(now_us)
        costs = [cost] * len(self.limits) if isinstance(cost, int) else cost
        return ask(bundle, self._subjects(bundle), costs, now_us=now_us, **options)

    def _subjects(self, bundle):
        return {place.who: self.subject for place in bundle.places}

    def _edges(self, unit, now_us):
        around = now_us or time.time_ns() // 1000
        return edges_around(unit, around, zone=self.zone, anchor=self.anchor)


def one(decision):
    """The verdict of the only limit of a decision."""
    (verdict,) = decision.verdicts
    return verdict


def remaining(decision):
    """What is left of each limit, in their order."""
    return [verdict.remaining for verdict in decision.verdicts]


def admitted(asker, instants, cost=1):
    """Those of the instants, in seconds, at which a call was admitted."""
    return [seconds for seconds in instants if asker.consume(cost, seconds).allowed]


def every_key():
    """The names of all keys in Redis, sorted: each test finds it empty."""
    return sorted(name.decode() for name in link().client.scan_iter(count=1000))


def dumped():
    """What Redis keeps of this test: every key with its type, bytes and instant of expiry."""
    client = link().client
    return {name: (client.dump(name), client.pexpiretime(name)) for name in every_key()}


def contents():
    """As `dumped`, without the instants of expiry."""
    return {name: held for name, (held, _) in dumped().items()}
