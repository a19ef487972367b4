"""A demo started as `make demo` starts it, with stand-ins for what takes long."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from project.valkey import NoServer, ask, find_binary

ROOT = Path(__file__).resolve().parents[2]
SECONDS = 120
# Whoever runs the tests in the background, or under nohup, ignores signals; children inherit that.
# Python itself ignores the last two.
UNIGNORED = """
import os, signal, sys
for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGPIPE", "SIGXFSZ"):
    signal.signal(getattr(signal, name), signal.SIG_DFL)
os.execvp(sys.argv[1], sys.argv[1:])
"""
HIDDEN = {
    "REDIS_URL",
    "MAKEFLAGS",
    "MAKELEVEL",
    "MFLAGS",
}  # a `make test` above is not its business

# The recipe of our own Makefile, and a demo that needs no database and no Django.
MAKEFILE = f"""
demo:
\t@exec {sys.executable} standin.py $(PORT)
"""
STANDIN = f"""
import sys
sys.path.insert(0, {str(ROOT)!r})
from project.supervise import Commands, main
sys.exit(main(sys.argv[1:], Commands(
    prepare=[[sys.executable, "-c", {{prepare!r}}]],
    serve=[sys.executable, "-m", "http.server", "--bind", "127.0.0.1", "{{{{port}}}}"],
    beside=[[sys.executable, "-c", each] for each in {{beside!r}}],
)))
"""


class Demo:
    """`make demo` in a folder and a session of its own, as from a terminal; or under nohup."""

    def __init__(self, folder, *, port="0", prepare="", beside=(), nohup=False, **environment):
        self.temporary = folder / "tmp"
        self.temporary.mkdir()
        self._log = folder / "log"
        (folder / "Makefile").write_text(MAKEFILE)
        (folder / "standin.py").write_text(STANDIN.format(prepare=prepare, beside=beside))
        kept = {name: value for name, value in os.environ.items() if name not in HIDDEN}
        with self._log.open("wb") as log:
            self.make = subprocess.Popen(
                unignored(*["nohup"] * nohup, "make", "demo", f"PORT={port}"),
                cwd=folder,
                env=kept | {"TMPDIR": str(self.temporary)} | environment,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    @property
    def output(self):
        return self._log.read_text()

    @property
    def supervisor(self):
        """The process under make."""
        children = Path(f"/proc/{self.make.pid}/task/{self.make.pid}/children").read_text()
        return int(children.split()[0])

    def until(self, text):
        """Wait for it to say ``text``."""
        wait_for(lambda: text in self.output or self.make.poll() is not None)
        assert text in self.output
        return self

    def kill(self, number, *, of, seconds=SECONDS):
        """Send a signal to make, to the supervisor, or to both, as a terminal does."""
        if of == "terminal":
            os.killpg(self.make.pid, number)
        else:
            os.kill(self.make.pid if of == "make" else self.supervisor, number)
        return self.make.wait(seconds)

    def ports(self):
        """Of the web server and of Valkey, as the banner says."""
        web, valkey = re.findall(r"(?:Admin +http|Redis +redis)://127\.0\.0\.1:(\d+)", self.output)
        return int(web), int(valkey)

    def close(self):
        if self.make.poll() is None:
            os.killpg(self.make.pid, signal.SIGKILL)
            self.make.wait(SECONDS)


def unignored(*command):
    """The command that runs ``command`` in its place with no signal ignored."""
    return [sys.executable, "-IS", "-c", UNIGNORED, *command]


def has_server():
    try:
        return bool(find_binary())
    except NoServer:
        return False


needs_server = pytest.mark.skipif(not has_server(), reason="no Valkey but that of REDIS_URL")


def wait_for(condition):
    until = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < until, f"nothing of the kind within {SECONDS} seconds"
        time.sleep(0.02)


def runs(pid):
    """Whether the process is there, and more than what its parent has not asked about yet."""
    try:
        return bool(Path(f"/proc/{pid}/cmdline").read_bytes())
    except (FileNotFoundError, ProcessLookupError):
        return False


def answers(port):
    return ask(port, "HEAD / HTTP/1.0\r\n") != ""
