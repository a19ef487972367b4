"""Tests that run once more elsewhere: under other settings, or on another database."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def run_tests(redis_url, *chosen, **environment):
    """pytest on what was chosen, in a process of its own; on our server, idle meanwhile."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *chosen],
        check=False,
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=own | {"REDIS_URL": redis_url} | environment,
    )
