"""Children that end with the process that started them, however it ends.

Two ropes hold each child. A watcher process reads a pipe from us: when the pipe closes, for
whatever reason, it kills the groups and removes the folders that it was told. On Linux the kernel
besides kills a child whose parent is gone. Run as a script, this file is the watcher or the
launcher of a child; it needs the standard library only.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

PYTHON = (sys.executable, "-I", "-S", __file__)
PR_SET_PDEATHSIG = 1
PATIENCE = 3.0
"""Seconds that a child asked to end may take before it is killed."""


class Tether:
    """Starts children and makes folders, and undoes both when closed or when this process dies.

    Start children from the main thread: the kernel counts the end of the thread that started one
    as the death of its parent.
    """

    def __init__(self) -> None:
        self._watcher = subprocess.Popen(
            [*PYTHON, "watch"], stdin=subprocess.PIPE, text=True, start_new_session=True
        )
        self._children: list[subprocess.Popen[bytes]] = []

    def folder(self, prefix: str) -> Path:
        """A new temporary folder."""
        made = tempfile.mkdtemp(prefix=prefix)
        self._tell("folder", made)
        return Path(made)

    def spawn(self, command: Sequence[str | Path], **options: Any) -> subprocess.Popen[bytes]:
        """``command`` in a process group of its own, without standard input."""
        launcher = [*PYTHON, "launch", str(os.getpid()), *map(str, command)]
        child = subprocess.Popen(
            launcher, stdin=subprocess.DEVNULL, start_new_session=True, **options
        )
        self._children.append(child)
        self._tell("group", child.pid)
        return child

    def end(self, child: subprocess.Popen[bytes]) -> None:
        """Ask ``child`` to end, kill its group when it does not, and forget it."""
        if child.poll() is None:
            child.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                child.wait(PATIENCE)
        _kill_group(child.pid)
        child.wait()
        self._children.remove(child)
        self._tell("forget", child.pid)

    def close(self) -> None:
        """End all children, the last first, and have the watcher remove the folders."""
        for child in reversed(list(self._children)):
            self.end(child)
        _pipe(self._watcher).close()
        self._watcher.wait()

    def _tell(self, word: str, what: object) -> None:
        pipe = _pipe(self._watcher)
        pipe.write(f"{word} {what}\n")
        pipe.flush()


def _pipe(process: subprocess.Popen[str]) -> IO[str]:
    if process.stdin is None:
        raise ValueError("the watcher was started without a pipe")
    return process.stdin


def _kill_group(group: int) -> None:
    try:
        os.killpg(group, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):  # ended; macOS says the latter of a zombie
        return


def watch() -> None:
    """Read words from standard input until it closes, then kill and remove what is left."""
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    groups: set[int] = set()
    folders: list[str] = []
    for line in sys.stdin:
        word, _, what = line.rstrip("\n").partition(" ")
        if word == "folder":
            folders.append(what)
        elif word == "group":
            groups.add(int(what))
        else:
            groups.discard(int(what))
    for group in groups:
        _kill_group(group)
    for folder in folders:
        _remove(folder)


def _remove(folder: str) -> None:
    # A process that was just killed may still be writing.
    for _ in range(20):
        shutil.rmtree(folder, ignore_errors=True)
        if not Path(folder).exists():
            return
        time.sleep(0.05)


def launch(parent: int, command: Sequence[str]) -> None:
    """Become ``command``, to be killed by the kernel, where it can, when ``parent`` is gone."""
    if sys.platform == "linux":
        import ctypes  # noqa: PLC0415 - a tenth of the launcher's time, for Linux only

        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # gone before the kernel was told
        sys.exit(1)
    os.execvp(command[0], list(command))  # noqa: S606 - no shell is wanted


if __name__ == "__main__":
    if sys.argv[1] == "watch":
        watch()
    else:
        launch(int(sys.argv[2]), sys.argv[3:])
