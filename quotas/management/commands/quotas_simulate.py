"""Tries a limit, or the limits of a plan, on recorded traffic."""

from __future__ import annotations

import os
import sys
from argparse import RawDescriptionHelpFormatter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.core.management.base import BaseCommand, CommandError, CommandParser

from quotas.conf import conf
from quotas.errors import EngineUnavailable, QuotasError
from quotas.management.drawing import plain
from quotas.management.interruptions import KILLED, Interruptions
from quotas.management.progress import Progress
from quotas.management.records import Record
from quotas.management.simulation.options import BUCKET, Run, add_options, run_of
from quotas.management.simulation.report import Report, bad_lines
from quotas.management.simulation.rows import row
from quotas.services.simulation.events import BadLine, Event
from quotas.services.simulation.lines import Line
from quotas.services.simulation.replay import Replay
from quotas.services.simulation.summary import BadLines, Summary

DESCRIPTION = f"""\
Tries a limit, or the limits of a stored plan, on recorded traffic: by the script that decides in
production, at the times of the record, in keys of its own that are removed at the end.

  quotas_simulate --limit '{BUCKET}' --events calls.jsonl
  quotas_simulate --plan free --scope reports --access-log access.log.gz

Every limit counts by the subject of the event; all are charged or none. Calls in flight end with
their lease. Lines that cannot be read are told and left out; when there are no others, the command
fails.
"""
READER_GONE = KILLED + 13
"""As SIGPIPE, which not every platform has, would end it."""


class Command(BaseCommand):
    """``quotas_simulate``: a summary for people, or with ``--output jsonl`` each decision."""

    help = DESCRIPTION
    requires_system_checks = ()  # a limit may be tried before all is set up

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        parser = super().create_parser(prog_name, subcommand, **kwargs)
        parser.formatter_class = RawDescriptionHelpFormatter  # keeps the examples on their lines
        return parser

    def add_arguments(self, parser: CommandParser) -> None:
        add_options(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            self._simulate(run_of(options))
        except EngineUnavailable as error:
            reason = str(error).rstrip(".")
            raise CommandError(
                f"{reason}. Limits are tried on the Redis of cache alias {conf.cache!r}: start it."
            ) from error
        except (QuotasError, ImproperlyConfigured) as error:
            raise CommandError(str(error)) from error
        except BrokenPipeError:  # the reader has seen enough, as head does
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            sys.exit(READER_GONE)

    def _simulate(self, run: Run) -> None:
        summary, bad, cut_short = Summary(), BadLines(), False
        with Interruptions() as interruptions:
            try:
                self._replay(run, interruptions, summary, bad)
            except KeyboardInterrupt:
                cut_short = True
        if run.json_lines:
            for line in bad_lines(bad):
                self.stderr.write(line, style_func=str)
        else:
            self._report(run, summary, bad)
        if cut_short:
            raise interruptions.ended(f" before the end of {run.path!r}.")
        if bad.count and not summary.total.asked:
            raise CommandError(f"No line of {run.path!r} could be read: the reasons are above.")

    def _replay(
        self, run: Run, interruptions: Interruptions, summary: Summary, bad: BadLines
    ) -> None:
        """Replay the record to its end, and remove the keys whatever happens."""
        progress = self._progress(run)
        replay = Replay(run.limits, zone=run.zone, anchor_day=run.anchor_day)
        try:
            with Record(run.path) as record, replay:
                for lines in interruptions.between(record.lines()):
                    events = _events(lines, lambda line: replay.admit(run.read(line)), bad)
                    decided = list(zip(events, replay.decide(events), strict=True))
                    for event, decision in decided:
                        summary.count(event, decision)
                    if run.json_lines:
                        with interruptions.allowed():
                            self._write(row(*each) for each in decided)
                    progress.update(lines[-1][0], record.share_read)
        finally:
            progress.erase()

    def _write(self, rows: Iterable[str]) -> None:
        if text := "\n".join(rows):
            self.stdout.write(text)
            self.stdout.flush()

    def _report(self, run: Run, summary: Summary, bad: BadLines) -> None:
        report = Report(
            summary=summary,
            bad=bad,
            limits=run.limits,
            zone=run.zone,
            top=run.top,
            encoding=getattr(self.stdout, "encoding", None),
        )
        for number, (heading, lines) in enumerate(report.sections()):
            self.stdout.write("\n" * (number > 0) + self.style.MIGRATE_HEADING(heading))
            for line in lines:
                self.stdout.write(plain(line, report.encoding))

    def _progress(self, run: Run) -> Progress:
        encoding = getattr(self.stderr, "encoding", None)

        def write(text: str) -> None:
            self.stderr.write(plain(text, encoding), style_func=str, ending="")

        if run.progress is not None:
            return Progress(write, shown=run.progress, patience=0)
        # Rows on the same terminal show the progress themselves.
        mixed = run.json_lines and self.stdout.isatty()
        return Progress(write, shown=self.stderr.isatty() and not mixed)


def _events(lines: Sequence[Line], read: Callable[[bytes], Event], bad: BadLines) -> list[Event]:
    events = []
    for number, line in lines:
        try:
            events.append(read(line))
        except BadLine as error:
            bad.add(number, str(error))
    return events
