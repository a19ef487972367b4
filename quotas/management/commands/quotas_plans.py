"""Writes plans to a file that can live in version control, and puts such a file into force."""

from __future__ import annotations

import codecs
import sys
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NoReturn

from django.core.exceptions import ImproperlyConfigured
from django.core.management.base import (
    BaseCommand,
    CommandError,
    CommandParser,
    no_translations,
)
from django.db import Error as DatabaseFault

from quotas.errors import BadPlansFile, PlansChanged
from quotas.management.drawing import plain, shown
from quotas.management.plan_differences import report
from quotas.models.versions import acting
from quotas.services.plans_file.comparing import Differences
from quotas.services.plans_file.entries import PlansFile
from quotas.services.plans_file.importing import look, write
from quotas.services.plans_file.reading import read_plans
from quotas.services.plans_file.stored import stored_plans, tenants_by_plan
from quotas.services.plans_file.writing import ascii_only, written

DIFFERS, FAILED, INTERRUPTED = 1, 2, 130
LONGEST_NAME, LONGEST_LINE = 60, 1000
QUESTION = "Write these changes? They act on the next requests. [y/N] "
WITHOUT_TERMINAL = (
    "Nothing was written: there is no terminal to ask. Give --yes to write what is shown above, "
    "or --check only to compare."
)


class Command(BaseCommand):
    """``quotas_plans``: exit status 0 when all is the same or written, 1 differs, 2 failed."""

    help = (
        "Writes plans with their limits to a file of TOML, the same plans always to the same text; "
        "imports such a file after showing what it would change. Plans that are not in the file "
        "are left alone."
    )
    requires_system_checks = ()  # a file may put right what they complain of

    def add_arguments(self, parser: CommandParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True, metavar="export|import")
        export = actions.add_parser("export", help="write plans to a file")
        export.add_argument("plan", nargs="*", help="keys of plans (default: all)")
        export.add_argument("--output", metavar="FILE", help="where to (default: the terminal)")
        importing = actions.add_parser("import", help="show what a file would change, and do it")
        importing.add_argument("file", help="as an export writes it")
        ways = importing.add_mutually_exclusive_group()
        ways.add_argument(
            "--check", action="store_true", help="only show: exit status 1 with any difference"
        )
        ways.add_argument("--yes", action="store_true", help="write without asking")

    @no_translations
    def handle(self, *args: Any, **options: Any) -> None:
        try:
            if options["action"] == "export":
                self._export(options["plan"], options["output"])
            else:
                self._import(options["file"], check=options["check"], yes=options["yes"])
        except BadPlansFile as error:
            self._refuse(error.complaints)
        except PlansChanged as error:
            raise CommandError(str(error), returncode=FAILED) from error
        except (DatabaseFault, ImproperlyConfigured) as error:
            reason = " ".join(str(error).split()).rstrip(".")
            raise CommandError(f"The database: {reason}.", returncode=FAILED) from error

    def _export(self, keys: list[str], output: str | None) -> None:
        plans = {plan.key: plan for plan in stored_plans().entries}
        for key in keys:
            if key not in plans:
                raise CommandError(_unknown(key, list(plans)), returncode=FAILED)
        text = written(plans[key] for key in dict.fromkeys(keys or plans))
        if output is None:
            # A file is UTF-8, whatever the terminal that it is written through.
            name = codecs.lookup(getattr(self.stdout, "encoding", None) or "utf-8").name
            self.stdout.write(text if name == "utf-8" else ascii_only(text), ending="")
            return
        try:
            Path(output).write_text(text, encoding="utf-8", newline="\n")
        except (OSError, ValueError) as error:
            raise _no_file(output, "written", error) from error

    def _import(self, path: str, *, check: bool, yes: bool) -> None:
        file = _read(path)
        differences = look(file)
        self._show(differences)
        if not differences.changed:
            return
        if check:
            raise CommandError("The database differs from the file.", returncode=DIFFERS)
        if not yes:
            self._ask()
        with acting(reason="quotas_plans import"):
            write(file, differences)
        self.stdout.write("Written.")

    def _show(self, differences: Differences) -> None:
        encoding = getattr(self.stdout, "encoding", None)
        for line in report(differences, tenants_by_plan()):
            self.stdout.write(plain(line, encoding))

    def _ask(self) -> None:
        """Go on only when a person at the terminal says so."""
        if not sys.stdin.isatty():
            raise CommandError(WITHOUT_TERMINAL, returncode=FAILED)
        self.stdout.write(QUESTION, ending="")
        self.stdout.flush()
        try:
            answer = sys.stdin.readline()
        except KeyboardInterrupt:
            raise CommandError("Nothing was written.", returncode=INTERRUPTED) from None
        if answer.strip().lower() not in {"y", "yes"}:
            raise CommandError("Nothing was written.", returncode=DIFFERS)

    def _refuse(self, complaints: list[str]) -> NoReturn:
        encoding = getattr(self.stderr, "encoding", None)
        for line in complaints:
            self.stderr.write(plain(shown(line, LONGEST_LINE), encoding))
        raise CommandError("Nothing was written: put right what is said above.", returncode=FAILED)


def _read(path: str) -> PlansFile:
    try:
        # With or without the mark that some editors put before UTF-8.
        text = Path(path).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadPlansFile(
            [f"{path}: this is no UTF-8: {error.reason}. Save it as such."]
        ) from error
    except (OSError, ValueError) as error:
        raise _no_file(path, "read", error) from error
    return read_plans(text, path)


def _no_file(path: str, done: str, error: Exception) -> CommandError:
    reason = getattr(error, "strerror", None) or str(error)
    return CommandError(f"{path!r} cannot be {done}: {reason}.", returncode=FAILED)


def _unknown(key: str, known: list[str]) -> str:
    near = get_close_matches(key, known, n=3) or known
    hint = f"Did you mean: {', '.join(near)}?" if near else "Plans are made in the admin."
    return f"There is no plan {shown(key, LONGEST_NAME)}. {hint}"
