"""Starts all that the demo needs, says where it is, and takes everything with it at the end.

Run by `make demo` as ``python -m project.supervise PORT``. It ends on Ctrl-C, SIGTERM, SIGHUP and
when the process that started it is gone; `project.tether` cleans up when it is itself killed.
"""

from __future__ import annotations

import http.client
import os
import signal
import socket
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from subprocess import Popen
from types import FrameType
from typing import NamedTuple

from project import banner, given
from project.tether import Tether
from project.valkey import HOST, NoServer, Valkey, free_port

START_SECONDS = 60.0
"""How long the web server may take to answer."""

MANAGE = (sys.executable, str(Path(__file__).resolve().parent.parent / "manage.py"))


class Commands(NamedTuple):
    """What a demo consists of: commands that run to their end, then the web server's.

    Those that run ``beside`` it go on until the demo ends.
    """

    prepare: Sequence[Sequence[str]]
    serve: Sequence[str]
    beside: Sequence[Sequence[str]] = ()


DEMO = Commands(
    prepare=((*MANAGE, "migrate", "--verbosity=0"), (*MANAGE, "loaddemo")),
    serve=(*MANAGE, "runserver", "--noreload", f"{HOST}:{{port}}"),
    beside=tuple(
        (*MANAGE, name, "--loop=10", "--verbosity=0") for name in ("quotas_flush", "quotas_alerts")
    ),
)


class Stopped(Exception):
    """Somebody asked for the end."""


class Failed(Exception):
    """The demo cannot go on; the message is the one line that says why."""


class Caller:
    """The process that started us, `make` as a rule."""

    def __init__(self) -> None:
        self._pid = os.getppid()
        self._caught = self._signals() if self._name() in {"make", "gmake"} else 0

    def wants_us(self) -> bool:
        """False when it is gone, or when it is `make` and was told to end.

        An INT or HUP sent to make alone is not passed on to us: make waits for us instead. Its
        handler for the signal is gone by then, which Linux shows.
        """
        return os.getppid() == self._pid and not self._caught & ~self._signals()

    def _name(self) -> str:
        try:
            return Path(f"/proc/{self._pid}/comm").read_text().strip()
        except OSError:
            return ""

    def _signals(self) -> int:
        try:
            lines = Path(f"/proc/{self._pid}/status").read_text().splitlines()
        except OSError:
            return 0
        caught = next((line for line in lines if line.startswith("SigCgt:")), "SigCgt: 0")
        return int(caught.split()[1], 16)


class Patience:
    """Waits, for as long as nobody asks for the end."""

    def __init__(self) -> None:
        self._caller = Caller()
        self._asked = False
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._ask)
        if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # nohup asked for that
            signal.signal(signal.SIGHUP, self._ask)

    def _ask(self, number: int, frame: FrameType | None) -> None:
        self._asked = True

    def wait(self, seconds: float) -> None:
        """Raise `Stopped` once somebody has asked for the end."""
        if self._asked or not self._caller.wants_us():
            raise Stopped
        time.sleep(seconds)


class Supervisor:
    """Runs the demo's commands, one after the other and side by side."""

    def __init__(self, patience: Patience, tether: Tether) -> None:
        self._patience = patience
        self._tether = tether

    def valkey(self) -> Valkey:
        """A server of our own. Raises `NoServer`."""
        server = Valkey(self._tether)
        server.start()
        return server

    def run(self, command: Sequence[str]) -> None:
        """Run to its end. Raises `Failed` unless it ends well."""
        child = self._tether.spawn(command)
        while child.poll() is None:
            self._patience.wait(0.02)
        self._tether.end(child)
        if child.returncode:
            raise Failed(_ended(command, child))

    def serve(self, command: Sequence[str], port: int) -> Popen[bytes]:
        """Start a web server and return once it answers. Raises `Failed` when it does not."""
        child = self._tether.spawn(command)
        until = time.monotonic() + START_SECONDS
        while not _answers(port):
            if child.poll() is not None or time.monotonic() > until:
                raise Failed(f"The web server does not answer on port {port}, see above.")
            self._patience.wait(0.05)
        return child

    def watch(
        self, web: Popen[bytes], valkey: Valkey | None, commands: Sequence[Sequence[str]]
    ) -> None:
        """Run these, until the end is asked for. Raises `Failed` when anything ends by itself."""
        beside = [(self._tether.spawn(command), command) for command in commands]
        while True:
            self._patience.wait(0.2)
            if web.poll() is not None:
                raise Failed(f"The web server ended with {web.returncode}, see above.")
            if valkey and not valkey.running:
                raise Failed("The embedded Valkey ended.")
            for child, command in beside:
                if child.poll() is not None:
                    raise Failed(_ended(command, child))


def _ended(command: Sequence[str], child: Popen[bytes]) -> str:
    return f"{' '.join(command[1:])} ended with {child.returncode}, see above."


def _answers(port: int) -> bool:
    connection = http.client.HTTPConnection(HOST, port, timeout=5)
    try:
        connection.request("GET", "/admin/login/")
        connection.getresponse().read()  # to its end, else the server reports a broken pipe
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
    return True


def read_port(text: str = "8000") -> int:
    """The port that ``text`` names; 0 picks a free one. Raises `Failed` when it cannot be had."""
    if not text.isascii() or not text.isdigit() or int(text) >= 1 << 16:
        raise Failed(f"PORT is {text!r}: give a number up to 65535, as in make demo PORT=8123.")
    port = int(text) or free_port()
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError as error:
            raise Failed(
                f"Port {port}: {error.strerror}. Take another, as in make demo PORT=8123; "
                "0 takes any that is free."
            ) from error
    return port


def demo(supervisor: Supervisor, port: int, commands: Commands) -> None:
    """The demo from its first to its last moment; ends by `Stopped` or `Failed`."""
    database_url = os.environ.get("DATABASE_URL")
    if database_url and (trouble := given.trouble_with_database(database_url)):
        raise Failed(f"DATABASE_URL: {trouble}.")
    valkey, trouble = None, ""
    if redis_url := os.environ.get("REDIS_URL"):
        trouble = given.trouble_with_redis(redis_url)
    else:
        valkey = supervisor.valkey()
        redis_url = os.environ["REDIS_URL"] = valkey.url
    os.environ["DJANGO_SETTINGS_MODULE"] = "project.settings"
    os.environ["DJANGO_RUNSERVER_HIDE_WARNING"] = "true"
    for command in commands.prepare:
        supervisor.run(command)
    web = supervisor.serve([word.format(port=port) for word in commands.serve], port)
    site = f"http://{HOST}:{port}"
    say(banner.text(site, redis_url, embedded=valkey is not None, trouble=trouble))
    os.environ.setdefault("QUOTAS_SITE_URL", site)  # for the links in e-mail
    supervisor.watch(web, valkey, commands.beside)


def say(text: str) -> None:
    """Print, unless the terminal is gone."""
    try:
        print(text, flush=True)
    except OSError:
        return


def main(arguments: Sequence[str], commands: Commands = DEMO) -> int:
    """The exit code: 0 when somebody asked for the end, 1 after one line that says what failed."""
    patience = Patience()
    tether = Tether()
    try:
        demo(Supervisor(patience, tether), read_port(*arguments), commands)
    except Stopped:
        say("\nThe demo has ended; nothing of it is running.")
    except (Failed, NoServer) as error:
        say(str(error))
        return 1
    finally:
        tether.close()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
