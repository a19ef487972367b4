"""Compares what the limiter counted, the database and the page, and names each difference."""

from __future__ import annotations

import json
import time
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import Error as DatabaseFault

from quotas.errors import ConfigurationError, EngineUnavailable
from quotas.management.auditing import as_data, report
from quotas.management.drawing import plain, shown
from quotas.management.interruptions import Interruptions
from quotas.management.progress import Progress
from quotas.models import Tenant
from quotas.services.audit.differences import Audited
from quotas.services.audit.walk import UnknownTenant, audit

DIFFERS, FAILED = 1, 2
LONGEST_NAME = 60
FAULTS = (EngineUnavailable, DatabaseFault, ConfigurationError, ImproperlyConfigured)


class Command(BaseCommand):
    """``quotas_audit``: exit status 0 without a difference, 1 with any, 2 when it cannot tell."""

    help = (
        "Compares what the limiter counted, the database and the usage page, tenant by tenant, "
        "and names each difference. It changes nothing. Exit status: 0 without a difference, 1 "
        "with any, 2 when it could not compare."
    )
    requires_system_checks = ()  # it is there to look when something is wrong

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("tenant", nargs="*", help="keys of tenants (default: all)")
        parser.add_argument("--json", action="store_true", help="for programs")

    def handle(self, *args: Any, **options: Any) -> None:
        started = time.monotonic()
        with Interruptions() as interruptions:
            try:
                done = self._audit(interruptions, options["tenant"])
            except KeyboardInterrupt:
                raise interruptions.ended(" before all was compared.") from None
            except UnknownTenant as error:
                name = shown(str(error.args[0]), LONGEST_NAME)
                raise CommandError(
                    f"There is no tenant {name}. Ask quotas_show for it: it names those alike.",
                    returncode=FAILED,
                ) from error
            except FAULTS as error:
                reason = " ".join(str(error).split()).rstrip(".")
                raise CommandError(f"Not compared: {reason}.", returncode=FAILED) from error
        self._tell(done, time.monotonic() - started, as_json=options["json"])
        if done.differences:
            raise CommandError(f"{len(done.differences):,} differences.", returncode=DIFFERS)

    def _tell(self, done: Audited, seconds: float, *, as_json: bool) -> None:
        if as_json:
            self.stdout.write(json.dumps(as_data(done), indent=2))
            return
        encoding = getattr(self.stdout, "encoding", None)
        for line in report(done, seconds):
            self.stdout.write(plain(line, encoding))

    def _audit(self, interruptions: Interruptions, keys: list[str]) -> Audited:
        encoding = getattr(self.stderr, "encoding", None)

        def write(text: str) -> None:
            self.stderr.write(plain(text, encoding), style_func=str, ending="")

        progress = Progress(write, shown=self.stderr.isatty(), noun="tenants")
        total = len(keys) or (Tenant.objects.count() if progress.shown else 0)

        def after_page(seen: int) -> None:
            progress.update(seen, min(1.0, seen / total) if total else None)
            with interruptions.allowed():
                pass

        try:
            return audit(keys, after_page=after_page)
        finally:
            progress.erase()
