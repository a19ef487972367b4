"""Runs `quotas_simulate` as a test needs it, and looks for what it left behind."""

from __future__ import annotations

import json
from io import BytesIO, StringIO, TextIOWrapper
from pathlib import Path

from django.core.management import call_command

from quotas.engine.connection import link

TRAFFIC = Path(__file__).parent / "traffic"
CALLS = TRAFFIC / "calls.jsonl"
ACCESS_LOG = TRAFFIC / "combined.log"
BUCKET = {"algorithm": "token_bucket", "amount": 100, "period": 60, "capacity": 20}


def simulate(limit=None, *, stdout=None, stderr=None, **options):
    """What the command writes: (standard output, standard error). A ``limit`` may be its text."""
    stdout, stderr = stdout or StringIO(), stderr or StringIO()
    text = json.dumps(limit) if isinstance(limit, dict) else limit
    call_command(
        "quotas_simulate", limit=text, **options, stdout=stdout, stderr=stderr, no_color=True
    )
    return stdout.getvalue(), stderr.getvalue()


def rows(limit=None, **options):
    """The JSON lines that it writes, read."""
    written, _ = simulate(limit, output="jsonl", **options)
    return [json.loads(line) for line in written.splitlines()]


def keys():
    return list(link().client.scan_iter(match="*scratch-*"))


def piped_in(monkeypatch, stream):
    """Make ``stream`` (or these bytes) the standard input."""
    if isinstance(stream, bytes):
        stream = TextIOWrapper(BytesIO(stream))
    monkeypatch.setattr("sys.stdin", stream)
