"""Without a browser its tests are left out, and the end of the output says so.

A plugin, since the process that reports is not always the one that collects.
"""

from __future__ import annotations

from pathlib import Path

import pytest

CHROMIUM = Path("/usr/bin/chromium")
HERE = Path(__file__).parent
LEFT_OUT = pytest.StashKey[int]()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if CHROMIUM.exists():
        return
    out = [item for item in items if item.path.is_relative_to(HERE)]
    items[:] = [item for item in items if not item.path.is_relative_to(HERE)]
    config.hook.pytest_deselected(items=out)
    config.stash[LEFT_OUT] = len(out)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """A worker tells whoever reports."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["left_out"] = session.config.stash.get(LEFT_OUT, 0)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node) -> None:
    """All workers collect the same, and a worker that crashed tells nothing."""
    told = getattr(node, "workeroutput", {}).get("left_out", 0)
    node.config.stash[LEFT_OUT] = max(told, node.config.stash.get(LEFT_OUT, 0))


def pytest_terminal_summary(terminalreporter, config: pytest.Config) -> None:
    if number := config.stash.get(LEFT_OUT, 0):
        terminalreporter.section("Left out", sep="!", red=True, bold=True)
        terminalreporter.line(
            f"Left out: {number} browser tests, because {CHROMIUM} is missing: "
            "install Debian's chromium."
        )
