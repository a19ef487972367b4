"""Posts to an address that a tenant chose: nowhere inside, not for long, and no further.

The name is resolved once, every address that it has is looked at, and the connection goes to one
of these: what the name stands for a moment later does not matter. Redirects are not followed.
"""

from __future__ import annotations

import socket
import ssl
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException, HTTPResponse
from threading import Timer
from time import monotonic
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit

from quotas.conf import conf
from quotas.domain.alerts import Failure
from quotas.domain.webhooks import host_of, is_public, is_this_machine
from quotas.errors import QuotasError
from quotas.models.alerts import FAILURES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

TIMEOUT = 5.0
"""Seconds from the first connection to the end of the answer. Resolving the name comes before."""
MOST_READ = 64 * 1024
PORTS = {"https": 443, "http": 80}
SUCCESS = range(200, 300)
ANY = "any"
IN_A_PATH = "/%:@!$&'()*+,;=~"
IN_A_QUERY = f"{IN_A_PATH}?"


class NotDelivered(QuotasError):
    """A post that did not arrive, or was not accepted.

    ``detail`` is what the other side said, in no language of ours. Its message is for the log.
    """

    def __init__(self, failure: Failure, detail: str = "") -> None:
        super().__init__(f"{failure.value}: {detail}" if detail else failure.value)
        self.failure = failure
        self.detail = detail

    @property
    def said(self) -> str:
        """Why, as a sentence in the language of whoever reads."""
        return str(dict(FAILURES)[self.failure.value])


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """An address that may be posted to: ``host`` in ASCII, ``path`` with the query."""

    scheme: str
    host: str
    port: int
    path: str

    @property
    def named(self) -> str:
        """The host as the Host header has it."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == PORTS[self.scheme] else f"{host}:{self.port}"


def target_of(url: str) -> Target:
    """What ``url`` says; raises `NotDelivered` for one that cannot be posted to, whoever asks."""
    schemes = ["https", "http"] if conf.webhook_addresses == ANY else ["https"]
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
        host = host_of(host) if host else ""
    except ValueError as error:
        raise NotDelivered(Failure.UNREADABLE) from error
    if parts.scheme not in schemes or not host:
        raise NotDelivered(Failure.NO_HTTPS)
    if "@" in parts.netloc:
        raise NotDelivered(Failure.LOGIN)
    later_than_6 = "[" in parts.netloc and ":" not in host
    if port == 0 or later_than_6:
        raise NotDelivered(Failure.UNREADABLE)
    target = Target(
        scheme=parts.scheme,
        host=host,
        port=PORTS[parts.scheme] if port is None else port,
        path=quote(parts.path or "/", safe=IN_A_PATH)
        + (f"?{quote(parts.query, safe=IN_A_QUERY)}" if parts.query else ""),
    )
    with suppress(ValueError):  # a name: what it stands for is looked at before each post
        _refuse_inner("127.0.0.1" if is_this_machine(host) else host)
    return target


def post(url: str, headers: Mapping[str, str], body: bytes) -> None:
    """Post ``body``; raises `NotDelivered` unless the answer is one of the 200s."""
    target = target_of(url)
    try:
        addresses = _resolved(target)
        ends = monotonic() + TIMEOUT
        with _connected(target, addresses, ends) as connection:
            named = {"Host": target.named, "Connection": "close", **headers}
            connection.request("POST", target.path, body, named)
            answer: HTTPResponse = connection.getresponse()
            if monotonic() >= ends:  # cut off in its head, which reads like the end of it
                raise TimeoutError
            with suppress(OSError, HTTPException):  # it has been answered, whatever else it says
                answer.read(MOST_READ)
    except (OSError, HTTPException, ValueError) as error:
        if isinstance(error, TimeoutError):
            raise NotDelivered(Failure.TOO_LATE) from error
        raise NotDelivered(Failure.NO_ANSWER, str(error) or type(error).__name__) from error
    if answer.status not in SUCCESS:
        raise NotDelivered(Failure.STATUS, str(answer.status))


def _resolved(target: Target) -> list[str]:
    """Every address of the host, each looked at; in the order in which they are tried."""
    found = socket.getaddrinfo(target.host, target.port, type=socket.SOCK_STREAM)
    addresses = list(dict.fromkeys(str(each[4][0]) for each in found))
    for address in addresses:
        _refuse_inner(address)
    return addresses


def _refuse_inner(address: str) -> None:
    if conf.webhook_addresses != ANY and not is_public(address):
        # Which one is not said: a name inside must tell nobody outside what it stands for.
        raise NotDelivered(Failure.INSIDE)


@contextmanager
def _connected(target: Target, addresses: list[str], ends: float) -> Iterator[HTTPConnection]:
    """A connection to the first of the addresses that takes it, cut off when time is up."""
    with closing(_reached(addresses, target.port, ends)) as plain, _cut_off(plain, ends):
        connection = HTTPConnection(target.host, target.port)
        connection.auto_open = 0
        connection.sock = plain
        if target.scheme == "https":
            context = ssl.create_default_context()
            connection.sock = context.wrap_socket(plain, server_hostname=target.host)
        with closing(connection):
            yield connection


def _reached(addresses: list[str], port: int, ends: float) -> socket.socket:
    failure: OSError = TimeoutError()
    for address in addresses:
        left = ends - monotonic()
        if left <= 0:
            break
        try:
            return socket.create_connection((address, port), timeout=left)
        except OSError as error:
            failure = error
    raise failure


@contextmanager
def _cut_off(plain: socket.socket, ends: float) -> Iterator[None]:
    """Ends the connection when time is up, however slowly the other side goes on answering."""
    over = []
    twin = plain.dup()  # the other may be taken over by TLS

    def cut() -> None:
        over.append(True)
        with suppress(OSError):
            twin.shutdown(socket.SHUT_RDWR)

    timer = Timer(max(0.0, ends - monotonic()), cut)
    timer.start()
    try:
        yield
    except (OSError, HTTPException) as error:
        if over:
            raise TimeoutError from error
        raise
    finally:
        timer.cancel()
        timer.join()
        twin.close()
