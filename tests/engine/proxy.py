"""A wire to Redis that a test may cut: requests go through, answers may be lost."""

from __future__ import annotations

import contextlib
import socket
from threading import Thread
from urllib.parse import urlsplit

HOST = "127.0.0.1"


class Proxy:
    """Stands before the server at ``url``; to be closed by whoever made it.

    ``losing`` says what becomes of an answer: None passes it on, ``"close"`` drops it and hangs up
    on both, ``"swallow"`` drops it and keeps the line open.
    """

    def __init__(self, url):
        parts = urlsplit(url)
        self._target = (parts.hostname, parts.port)
        self._door = socket.create_server((HOST, 0))
        self._lines = []
        self.losing = None
        self.lost = 0
        self.url = parts._replace(netloc=f"{HOST}:{self._door.getsockname()[1]}").geturl()
        Thread(target=self._accept, daemon=True).start()

    def close(self):
        for line in [self._door, *self._lines]:
            _hang_up(line)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._door.accept()
                server = socket.create_connection(self._target)
                self._lines += [client, server]
                Thread(target=self._ask, args=(client, server), daemon=True).start()
                Thread(target=self._answer, args=(server, client), daemon=True).start()

    def _ask(self, client, server):
        with contextlib.suppress(OSError):
            while asked := client.recv(65_536):
                server.sendall(asked)
        _hang_up(server)

    def _answer(self, server, client):
        with contextlib.suppress(OSError):
            while answer := server.recv(65_536):
                if self.losing is None:
                    client.sendall(answer)
                    continue
                self.lost += 1
                if self.losing == "close":
                    break
        _hang_up(client)
        _hang_up(server)


def _hang_up(line):
    with contextlib.suppress(OSError):
        line.shutdown(socket.SHUT_RDWR)
    line.close()


@contextlib.contextmanager
def black_hole():
    """The address of one who takes connections and never says a word."""
    with socket.create_server((HOST, 0)) as door:
        yield f"redis://{HOST}:{door.getsockname()[1]}/0"


def nobody():
    """An address at which nobody listens."""
    with socket.create_server((HOST, 0)) as door:
        port = door.getsockname()[1]
    return f"redis://{HOST}:{port}/0"
