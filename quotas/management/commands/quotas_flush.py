"""Copies what Redis has counted into the database, once or again and again."""

from __future__ import annotations

import time
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import Error as DatabaseFault
from django.db import close_old_connections

from quotas.conf import conf
from quotas.errors import ConfigurationError, EngineUnavailable
from quotas.management.drawing import plain
from quotas.management.interruptions import Interruptions
from quotas.management.looping import add_loop, run
from quotas.management.progress import Progress
from quotas.models import Tenant
from quotas.services.flush import Flushed, flush

FAULTS = (EngineUnavailable, DatabaseFault)


class Command(BaseCommand):
    """``quotas_flush``: one line a run. With ``--loop`` it survives outages, until it is ended."""

    help = (
        "Copies what Redis has counted into the database: quarters of an hour, hours, and what "
        "calendar quotas have used, and raises the alerts that are due. Running it again, or twice "
        "at once, changes nothing."
    )
    requires_system_checks = ()  # what was counted must not wait for a setting to be mended

    def add_arguments(self, parser: CommandParser) -> None:
        add_loop(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        every, self._told_of = options["loop"], options["verbosity"] > 0
        with Interruptions() as interruptions:
            run(
                every,
                interruptions,
                once=self._once,
                survive=self._survive,
                fate=" before all was copied; what was, stays: run it again.",
            )

    def _once(self, interruptions: Interruptions) -> None:
        try:
            done = self._flush(interruptions)
        except FAULTS as error:
            raise CommandError(_told(error)) from error
        except (ConfigurationError, ImproperlyConfigured) as error:
            raise CommandError(str(error)) from error
        if done.refused:
            raise CommandError(f"The database refused {done.refused} rows: the log names them.")
        if done.unalerted:
            raise CommandError("All was copied, but not all alerts were raised: the log says why.")

    def _survive(self, interruptions: Interruptions) -> None:
        try:
            close_old_connections()  # one that the database has dropped is opened anew
            self._flush(interruptions)
        except FAULTS as error:
            self.stderr.write(_told(error))
        except (ConfigurationError, ImproperlyConfigured) as error:
            raise CommandError(str(error)) from error

    def _flush(self, interruptions: Interruptions) -> Flushed:
        """One run and its line."""
        started = time.monotonic()
        progress = self._progress()
        total = Tenant.objects.count() if progress.shown else 0

        def after_page(seen: int) -> None:
            progress.update(seen, min(1.0, seen / total) if total else None)
            with interruptions.allowed():
                pass

        try:
            done = flush(after_page=after_page)
        finally:
            progress.erase()
        refused = f", {done.refused:,} rows refused" if done.refused else ""
        unalerted = f", no alerts raised of {done.unalerted:,} tenants" if done.unalerted else ""
        if self._told_of:
            self.stdout.write(
                f"{done.tenants:,} tenants, {done.quarters:,} quarters, {done.hours:,} hours, "
                f"{done.balances:,} balances{refused}{unalerted} "
                f"in {time.monotonic() - started:.1f} s"
            )
        return done

    def _progress(self) -> Progress:
        encoding = getattr(self.stderr, "encoding", None)

        def write(text: str) -> None:
            self.stderr.write(plain(text, encoding), style_func=str, ending="")

        shown = self._told_of and self.stderr.isatty()
        return Progress(write, shown=shown, noun="tenants")


def _told(error: Exception) -> str:
    reason = " ".join(str(error).split()).rstrip(".")
    if isinstance(error, EngineUnavailable):
        return f"{reason}. Nothing is lost: Redis (alias {conf.cache!r}) holds three days."
    return f"The database gave no answer: {reason}. Nothing is lost: Redis holds three days."
