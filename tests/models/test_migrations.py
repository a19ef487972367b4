from __future__ import annotations

import ast
from itertools import pairwise
from pathlib import Path

import pytest
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

import quotas.migrations

FILES = sorted(Path(quotas.migrations.__file__).parent.glob("[0-9]*.py"))


@pytest.mark.django_db
def test_the_models_ask_for_no_further_migration():
    call_command("makemigrations", "quotas", check=True, dry_run=True, verbosity=0)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_migration_imports_no_code_of_the_app(file):
    tree = ast.parse(file.read_text())
    modules = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    modules |= {
        name.name for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names
    }

    assert not {module for module in modules if module and module.startswith("quotas")}


def test_migrations_are_named_by_hand():
    assert not [file.stem for file in FILES if "auto_" in file.stem or "initial" in file.stem]


@pytest.mark.django_db(transaction=True)
def test_every_migration_can_be_taken_back_and_applied_again():
    everything = tables()
    left = []
    try:
        for target in [*(file.stem for file in reversed(FILES[:-1])), None]:
            MigrationExecutor(connection).migrate([("quotas", target)])
            left.append(tables())
    finally:
        MigrationExecutor(connection).migrate([("quotas", FILES[-1].stem)])

    assert set() == left[-1]
    assert all(later <= earlier for earlier, later in pairwise([everything, *left]))
    assert everything == tables()


def tables() -> set[str]:
    names = connection.introspection.table_names()
    return {name for name in names if name.startswith("quotas_")}
