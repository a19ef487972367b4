"""The options of `quotas_simulate`: what there is, and what does not go together."""

from __future__ import annotations

from argparse import BooleanOptionalAction
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from django.core.management.base import CommandError, CommandParser
from django.db import DatabaseError

from quotas.domain.calendar import LAST_ANCHOR, zone_named
from quotas.domain.policies import Limit
from quotas.errors import QuotasError
from quotas.services.simulation.access_log import Counted, event_from_log
from quotas.services.simulation.candidates import limit_from_json, limits_of_plan
from quotas.services.simulation.events import Event, event_from_json

BUCKET = '{"algorithm": "token_bucket", "amount": 100, "period": 60, "capacity": 20}'
QUOTA = '{"algorithm": "calendar_quota", "amount": 1000, "unit": "month"}'
TEXT, JSON_LINES = "text", "jsonl"
TOP = 10


class Run(NamedTuple):
    """What is asked for. ``read`` makes events of lines; ``progress`` None: as the terminal is."""

    limits: tuple[Limit, ...]
    path: str
    read: Callable[[bytes], Event]
    zone: ZoneInfo
    anchor_day: int
    json_lines: bool
    top: int
    progress: bool | None


def add_options(parser: CommandParser) -> None:
    """Tell ``parser`` all options."""
    what = parser.add_argument_group("what is tried").add_argument
    what("--limit", metavar="JSON", help=f"a limit, such as {BUCKET} or {QUOTA}")
    what("--plan", metavar="KEY", help="in place of --limit: a stored plan, active or not")
    what("--scope", help="which limits of the plan, besides those of * (default: only those)")
    what("--time-zone", default="UTC", help="of calendar quotas, and of the summary (default: UTC)")
    what("--anchor-day", type=int, default=1, help="from which months run (default: 1)")

    record = parser.add_argument_group("the record; - is standard input, a name in .gz is unpacked")
    record.add_argument(
        "--events",
        metavar="FILE",
        help='JSON lines {"at": 1793059200.05, "cost": 1, "subject": "all"}: Unix seconds with up '
        "to 6 decimals; cost and subject may be absent, for these values",
    )
    record.add_argument(
        "--access-log",
        metavar="FILE",
        help="in place of --events: a log of Apache or nginx, combined or common",
    )
    record.add_argument(
        "--subject",
        choices=[*Counted],
        help="what of the log is counted apart (default: address, as the limiter: IPv6 by its /64)",
    )

    answer = parser.add_argument_group("the answer").add_argument
    answer("--output", choices=[TEXT, JSON_LINES], default=TEXT, help="default: a summary, as text")
    answer("--top", type=int, default=TOP, help=f"subjects in the summary (default: {TOP})")
    answer(
        "--progress",
        action=BooleanOptionalAction,
        help="a progress bar (default: after a second, if standard error is a terminal)",
    )


def run_of(options: Mapping[str, Any]) -> Run:
    """What ``options`` ask for. Raises `CommandError` naming the option and the way out."""
    path, read = _record(options)
    if not 1 <= options["anchor_day"] <= LAST_ANCHOR:
        day = options["anchor_day"]
        raise CommandError(f"--anchor-day is {day}: give a day from 1 to {LAST_ANCHOR}.")
    if options["top"] < 0:
        raise CommandError(f"--top is {options['top']}: give a number of at least 0.")
    with _naming("--time-zone"):
        zone = zone_named(options["time_zone"])
    return Run(
        limits=_limits(options),
        path=path,
        read=read,
        zone=zone,
        anchor_day=options["anchor_day"],
        json_lines=options["output"] == JSON_LINES,
        top=options["top"],
        progress=options["progress"],
    )


def _limits(options: Mapping[str, Any]) -> tuple[Limit, ...]:
    scope = options["scope"]
    way_out = f"give a limit, such as --limit '{BUCKET}', or the key of a stored plan"
    if _given(options, "limit", "plan", way_out) == "limit":
        if scope is not None:
            raise CommandError(f"--scope is {scope!r}, but goes with --plan only: leave it out.")
        with _naming("--limit"):
            return (limit_from_json(options["limit"]),)
    with _naming("--plan"):
        return limits_of_plan(options["plan"], scope)


def _record(options: Mapping[str, Any]) -> tuple[str, Callable[[bytes], Event]]:
    subject = options["subject"]
    way_out = "give a file of JSON lines, or an access log; - is standard input"
    if _given(options, "events", "access_log", way_out) == "access_log":
        counted = Counted(subject or Counted.ADDRESS)
        return options["access_log"], partial(event_from_log, counted=counted)
    if subject is not None:
        raise CommandError(
            f"--subject is {subject!r}, but goes with --access-log only: "
            "events name their subjects themselves."
        )
    return options["events"], event_from_json


def _given(options: Mapping[str, Any], one: str, other: str, way_out: str) -> str:
    """Which of two options is given: exactly one has to be."""
    flags = [f"--{name.replace('_', '-')}" for name in (one, other)]
    given = [name for name in (one, other) if options[name] is not None]
    if not given:
        raise CommandError(f"Neither {' nor '.join(flags)} is given: {way_out}.")
    if len(given) > 1:
        raise CommandError(f"{' and '.join(flags)} are both given: leave one out.")
    return given[0]


@contextmanager
def _naming(option: str) -> Iterator[None]:
    """Errors tell which option they come from."""
    try:
        yield
    except (QuotasError, DatabaseError) as error:
        raise CommandError(f"{option}: {error}") from error
