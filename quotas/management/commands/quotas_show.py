"""Shows what applies to a tenant, or applied once, where each number came from, what is used."""

from __future__ import annotations

import json
from argparse import ArgumentTypeError
from datetime import datetime
from difflib import get_close_matches
from typing import Any

from django.contrib.auth import get_user_model
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db.models import Q
from django.utils import timezone

from quotas.domain.words import EVERY_SCOPE
from quotas.management.drawing import plain, shown
from quotas.management.showing import report
from quotas.management.showing_applied import report_applied
from quotas.models import Tenant
from quotas.services.applied import applied_to
from quotas.services.policy import zone_of
from quotas.services.statement import Statement, as_data, statement_of

MOST_NAMES, LONGEST_NAME = 3, 60


class Command(BaseCommand):
    """``quotas_show``: a table for people, or with ``--json`` the numbers of the usage page."""

    help = (
        "Shows what applies to a tenant, where each number came from, and what is used now. "
        "Looking consumes nothing."
    )
    requires_system_checks = ()  # it is there to look when something is wrong

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("tenant", help="the tenant's key")
        parser.add_argument("scope", nargs="?", help="only this scope, and * (default: all)")
        parser.add_argument("--user", help="a log-in whose own numbers to show, too")
        ways = parser.add_mutually_exclusive_group()
        ways.add_argument("--json", action="store_true", help="for programs")
        ways.add_argument(
            "--at",
            metavar="INSTANT",
            type=_instant,
            help="what applied then, without usage, such as 2026-11-03T14:02+01:00 (without an "
            "offset: in the tenant's time zone)",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["at"] is not None:
            if options["user"] is not None:
                raise CommandError(
                    "--at and --user do not go together: what applied then is told without usage."
                )
            self._applied(options["tenant"], options["at"], options["scope"])
            return
        scope, user = options["scope"], options["user"]
        user_pk = None if user is None else _user_pk(user)
        statement = statement_of(options["tenant"], user_pk=user_pk, scope=scope)
        if statement is None:
            raise CommandError(_unknown(options["tenant"]))
        if scope is not None and not statement.covers(scope):
            self.stderr.write(_not_in_plan(statement, scope))
        if statement.usage.outage:
            self.stderr.write("Redis cannot be reached: limits are shown without usage.")
        if options["json"]:
            self.stdout.write(json.dumps(as_data(statement, reasons=True), indent=2))
            return
        encoding = getattr(self.stdout, "encoding", None)
        for line in report(statement, encoding):
            self.stdout.write(plain(line, encoding))

    def _applied(self, key: str, at: datetime, scope: str | None) -> None:
        tenant = Tenant.objects.filter(key=key).first()
        if tenant is None:
            raise CommandError(_unknown(key))
        zone = zone_of(tenant.time_zone)
        at = at if at.tzinfo else at.replace(tzinfo=zone)
        if at > timezone.now():
            raise CommandError("--at is yet to come: give an instant that is past.")
        encoding = getattr(self.stdout, "encoding", None)
        for line in report_applied(applied_to(tenant.pk, at), zone, scope, encoding):
            self.stdout.write(plain(line, encoding))


def _instant(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except ValueError as error:
        message = f"{text!r} is no instant: write such as 2026-11-03T14:02"
        raise ArgumentTypeError(message) from error


def _user_pk(name: str) -> Any:
    model = get_user_model()
    try:
        return model._default_manager.get_by_natural_key(name).pk  # noqa: SLF001 - Django's own way
    except model.DoesNotExist as error:
        raise CommandError(f"There is no user {shown(name, LONGEST_NAME)}.") from error


def _unknown(key: str) -> str:
    """What is said of a key that no tenant has, with the nearest that some have."""
    alike = Q(key__icontains=key) | Q(name__icontains=key)
    found = list(Tenant.objects.filter(alike).values_list("key", flat=True)[:MOST_NAMES])
    known = Tenant.objects.values_list("key", flat=True).iterator()
    found += get_close_matches(key, known, n=MOST_NAMES)
    names = ", ".join(shown(each, LONGEST_NAME) for each in dict.fromkeys(found))
    hint = f"Did you mean: {names}?" if names else "Tenants are made in the admin."
    return f"There is no tenant {shown(key, LONGEST_NAME)}. {hint}"


def _not_in_plan(statement: Statement, scope: str) -> str:
    usage = statement.usage
    scopes = ", ".join(sorted(statement.scopes)) or "none"
    return (
        f"Neither scope {shown(scope, LONGEST_NAME)} nor {EVERY_SCOPE} has a row in plan "
        f"{usage.plan_key or 'none'}: its requests are answered 403 not_in_plan. "
        f"Scopes that have: {scopes}."
    )
