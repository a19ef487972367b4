"""Valkey servers of the tests: one for the worker, and private ones that a test may break."""

from __future__ import annotations

import os
import signal
from urllib.parse import urlsplit

import pytest
from redis import Redis

from project.tether import Tether
from project.valkey import Valkey


class WorkerServer:
    """What the ``quotas`` cache of this worker talks to; every test finds it empty.

    A server of our own, or a database of its own on the server that REDIS_URL names.
    """

    def __init__(self, tether: Tether, worker: int) -> None:
        given = os.environ.get("REDIS_URL")
        self.url = _database(given, worker) if given else _started(tether).url
        self.client = Redis.from_url(self.url)
        if self.client.dbsize():
            raise pytest.UsageError(
                f"REDIS_URL: database {self._database} holds keys, and tests would flush them. "
                "Name another, or unset REDIS_URL."
            )

    @property
    def _database(self) -> str:
        return urlsplit(self.url).path.strip("/")

    def flush(self) -> None:
        self.client.flushdb()

    def close(self) -> None:
        """Leave a given database as it was found: empty."""
        self.flush()
        self.client.close()


class PrivateServer(Valkey):
    """A test's own server, which it may flush, stop, start again on the same port, and hang."""

    def client(self) -> Redis:
        """A plain client, to look and to break."""
        return Redis.from_url(self.url)

    def restart(self) -> None:
        """Empty again, on the same port."""
        self.stop()
        self.start()

    def hang(self) -> None:
        """From now on connections are taken, and nothing is answered."""
        os.kill(self.pid, signal.SIGSTOP)

    def resume(self) -> None:
        os.kill(self.pid, signal.SIGCONT)


def _started(tether: Tether) -> Valkey:
    server = Valkey(tether)
    server.start()
    return server


def _database(url: str, worker: int) -> str:
    """``url`` with the number of its database raised by the worker's."""
    parts = urlsplit(url)
    number = int(parts.path.strip("/") or 0) + worker
    return parts._replace(path=f"/{number}").geturl()
