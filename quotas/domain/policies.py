"""What applies to a request: limits by (scope, name), and where each came from."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from quotas.domain.limits import Rule
from quotas.domain.words import Mode, OutagePolicy, SubjectKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where a limit was defined: ``kind`` is plan, override or code.

    ``pk`` its row, if it has one.
    """

    kind: str
    title: str
    pk: int | None = None
    starts: datetime | None = None
    ends: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """One limit in force: known by (``scope``, ``name``), judged by ``rule``.

    ``name`` is an ASCII slug and goes into headers; ``title`` is for people. ``warn_at`` lists
    percentages of the amount at which people want to be told; ``warn_projected``: of a calendar
    quota, also when its pace will reach the amount. ``cap`` is the tenant's own, which ``rule`` has
    been lowered to from the amount ``uncapped`` (None: unlimited, or no cap); None: no cap lowers
    it. ``kept_us``: how long (us) its state is kept at least,
    since a token bucket whose state is gone is full, and without the cap holds more. ``epoch``: how
    often its counters were started anew for the tenant.
    """

    scope: str
    name: str
    rule: Rule
    title: str = ""
    subject: SubjectKind = SubjectKind.TENANT
    mode: Mode = Mode.ENFORCE
    outage_policy: OutagePolicy = OutagePolicy.ALLOW
    warn_at: tuple[int, ...] = ()
    warn_projected: bool = False
    cap: int | None = None
    uncapped: int | None = None
    kept_us: int = 0
    epoch: int = 0
    source: Source = Source(kind="code", title="code")
