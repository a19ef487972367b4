"""Sums up old usage by the day, and deletes what is older still."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import Error as DatabaseFault

from quotas.management.drawing import plain
from quotas.management.interruptions import Interruptions
from quotas.management.progress import Progress
from quotas.models import Tenant
from quotas.services.prune import Pruned, prune


class Command(BaseCommand):
    """``quotas_prune``: one line. What was interrupted goes on at the next run."""

    help = (
        "Sums up quarters of an hour older than --quarters days by the day, in each tenant's time "
        "zone, deletes hours that old, and deletes days, calendar balances, alerts and "
        "anonymous quarters older than --days days."
    )
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--quarters",
            type=int,
            default=35,
            metavar="DAYS",
            help="how long quarters of an hour are kept: 35, if not given, and at least 4",
        )
        parser.add_argument(
            "--days",
            type=int,
            default=800,
            metavar="DAYS",
            help="how long days, balances and alerts are kept: 800, if not given",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        with Interruptions() as interruptions:
            try:
                done = self._prune(interruptions, options["quarters"], options["days"])
            except KeyboardInterrupt:
                raise interruptions.ended("; run it again to go on.") from None
            except (ValueError, OverflowError) as error:
                raise CommandError(str(error)) from error
            except DatabaseFault as error:
                raise CommandError(f"The database gave no answer: {error}") from error
        self.stdout.write(
            f"{done.quarters:,} quarters summed up by the day; "
            f"{done.hours:,} hours, {done.days:,} days, {done.balances:,} balances, "
            f"{done.alerts:,} alerts and {done.anonymous:,} anonymous quarters deleted"
        )

    def _prune(self, interruptions: Interruptions, quarters: int, days: int) -> Pruned:
        encoding = getattr(self.stderr, "encoding", None)

        def write(text: str) -> None:
            self.stderr.write(plain(text, encoding), style_func=str, ending="")

        progress = Progress(write, shown=self.stderr.isatty(), noun="tenants")
        total = Tenant.objects.count() if progress.shown else 0

        def after_tenant(seen: int) -> None:
            progress.update(seen, min(1.0, seen / total) if total else None)
            with interruptions.allowed():
                pass

        try:
            return prune(
                quarters=timedelta(days=quarters),
                days=timedelta(days=days),
                after_tenant=after_tenant,
            )
        finally:
            progress.erase()
