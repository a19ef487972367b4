"""The status on a terminal."""

from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from tests.engine.proxy import nobody
from tests.models.rows import a_limit, a_tenant
from tests.services.asking import ask, of_tenant

pytestmark = pytest.mark.django_db


def told():
    out = StringIO()
    call_command("quotas_status", stdout=out)
    return out.getvalue()


def test_redis_the_flush_and_the_workers_are_told_of():
    ask(of_tenant(a_tenant(plan=a_limit().plan)))

    text = told()

    assert "Reachable: yes\n" in text
    assert "When memory is full: noeviction" in text
    assert "Last copied to the database: never\n" in text
    assert "1 of 1 busy worker has applied the latest edit." in text
    assert text.splitlines()[-1].endswith(" 1               0")
    assert "Warning" not in text


def test_without_redis_it_fails_after_telling_what_it_knows(settings, capsys):
    entry = settings.CACHES["quotas"] | {"LOCATION": nobody()}
    settings.CACHES = settings.CACHES | {"quotas": entry}

    with pytest.raises(CommandError, match="no answer"):
        told()
