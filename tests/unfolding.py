"""Tests that run once more under django-unfold: which admin it is, is decided at import."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SETTINGS = "tests.unfold_settings"


def run_under_unfold(redis_url, *chosen):
    """pytest on what was chosen, in a process of its own; on our server, idle meanwhile."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--ds", SETTINGS, *chosen],
        check=False,
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=own | {"REDIS_URL": redis_url},
    )
