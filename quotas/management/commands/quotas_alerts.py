"""Sends alerts: by e-mail to the managers of tenants, and to their webhooks."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import Error as DatabaseFault
from django.db import close_old_connections

from quotas.management.interruptions import Interruptions
from quotas.management.looping import add_loop, run
from quotas.services.deliveries import deliver


class Command(BaseCommand):
    """``quotas_alerts``: one line a run. With ``--loop`` it survives outages, until it is ended."""

    help = (
        "Sends the alerts that quotas_flush has raised: by e-mail to the managers of each tenant, "
        "and to its webhook. Any number may run at once; what failed is tried again for a day."
    )

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
                fate=" before all was sent; run it again for the rest.",
            )

    def _once(self, interruptions: Interruptions) -> None:
        try:
            self._deliver(interruptions)
        except DatabaseFault as error:
            raise CommandError(_told(error)) from error

    def _survive(self, interruptions: Interruptions) -> None:
        try:
            close_old_connections()  # one that the database has dropped is opened anew
            self._deliver(interruptions)
        except DatabaseFault as error:
            self.stderr.write(_told(error))

    def _deliver(self, interruptions: Interruptions) -> None:
        def after_each() -> None:
            with interruptions.allowed():
                pass

        done = deliver(after_each=after_each)
        if self._told_of:
            self.stdout.write(
                f"{done.sent:,} sent, {done.waiting:,} to be tried again, "
                f"{done.given_up:,} given up"
            )


def _told(error: Exception) -> str:
    reason = " ".join(str(error).split()).rstrip(".")
    return f"The database gave no answer: {reason}. What was not sent is sent later."
