"""Where there is no browser."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.project.running import ROOT

ABSENT = """
from pathlib import Path

def pytest_configure():
    from tests.browser import leaving_out
    leaving_out.CHROMIUM = Path("/nowhere/chromium")
"""


@pytest.mark.parametrize("workers", ["0", "1"])
def test_without_a_browser_the_end_says_what_was_left_out_and_nothing_fails(tmp_path, workers):
    (tmp_path / "absent.py").write_text(ABSENT)
    paths = os.pathsep.join([str(tmp_path), str(ROOT)])
    command = ["-m", "pytest", "-p", "absent", "-n", workers, "--no-header"]
    chosen = ["tests/browser/test_watching.py", "tests/domain/test_decisions.py"]

    run = subprocess.run(
        [sys.executable, *command, *chosen],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=False,
    )

    said = "browser tests, because /nowhere/chromium is missing: install Debian's chromium."
    assert 0 == run.returncode, run.stdout
    assert f"Left out: 7 {said}" in run.stdout
    assert " passed" in run.stdout
