"""Tells how the limiter stands, as the status page of the admin does."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from quotas.management.drawing import plain, shown, table
from quotas.services import status_report, worker_rows
from quotas.services.status import status

ALIGNMENT = "<><<<>>"
LONGEST_HOST = 40


class Command(BaseCommand):
    """``quotas_status``: Redis, the flush and the workers; fails while Redis gives no answer."""

    help = (
        "Tells how Redis, the copies in the database and the workers stand. "
        "Looking consumes nothing."
    )
    requires_system_checks = ()  # it is there to look when something is wrong

    def handle(self, *args: Any, **options: Any) -> None:
        found = status()
        encoding = getattr(self.stdout, "encoding", None)
        lines = []
        for line in status_report.of_redis(found) + status_report.of_usage(found):
            lines.append(f"{line.label}: {line.value}")
            if line.warning:
                lines.append(f"    Warning: {line.warning}")
        lines.append(status_report.of_workers(found))
        rows = [
            row._replace(host=shown(row.host, LONGEST_HOST)) for row in worker_rows.workers(found)
        ]
        if rows:
            lines += ["", *table([worker_rows.headings(), *rows], ALIGNMENT, encoding)]
        if unlisted := worker_rows.unlisted(found):
            lines.append(unlisted)
        for each in lines:
            self.stdout.write(plain(each, encoding))
        if found.server is None:
            raise CommandError("Redis gives no answer.")
