"""Signed posts, as the Standard Webhooks specification (standardwebhooks.com) describes them.

And to which addresses they may go: pure, what resolves names and connects is elsewhere.
"""

from __future__ import annotations

import hmac
import re
from base64 import b64decode, b64encode
from hashlib import sha256
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from secrets import token_bytes
from socket import inet_aton, inet_ntoa

SECRET_PREFIX = "whsec_"  # noqa: S105 - what every secret begins with
SECRET_BYTES = 32
GLOBAL_UNICAST = IPv6Network("2000::/3")
NAT64 = IPv6Network("64:ff9b::/96")
LAST_32 = 0xFFFFFFFF
SHARED = (
    IPv4Network("192.0.0.0/24"),  # for protocols, such as 192.0.0.9 and .10: RFC 6890, 7723, 8155
    IPv4Network("192.31.196.0/24"),  # AS112, anycast: RFC 7535
    IPv4Network("192.52.193.0/24"),  # relays of AMT, anycast: RFC 7450
    IPv4Network("192.88.99.0/24"),  # relays of 6to4, anycast: RFC 7526
    IPv4Network("192.175.48.0/24"),  # AS112, anycast: RFC 7534
    IPv6Network("2001::/23"),  # for protocols: RFC 2928
    IPv6Network("2620:4f:8000::/48"),  # AS112, anycast: RFC 7534
    IPv6Network("3fff::/20"),  # for documentation: RFC 9637
)
"""Of no single machine, whatever the version of Python says: of whichever is near, or of none."""
LONGEST_NAME = 253
NAME = re.compile(r"[a-z0-9_-]+(\.[a-z0-9_-]+)*", re.ASCII)
NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*", re.ASCII)


def new_secret() -> str:
    """A secret that nobody can guess: ``whsec_`` and 32 bytes in base64."""
    return SECRET_PREFIX + b64encode(token_bytes(SECRET_BYTES)).decode()


def signed(*, secret: str, reference: str, at: int, body: bytes) -> dict[str, str]:
    """The headers that sign ``body``, sent ``at`` Unix seconds.

    The ``reference`` is the same however often it is sent. Raises `ValueError` for a secret that is
    none.
    """
    if not secret.startswith(SECRET_PREFIX):
        raise ValueError(f"a secret begins with {SECRET_PREFIX}")
    key = b64decode(secret.removeprefix(SECRET_PREFIX), validate=True)
    code = hmac.new(key, f"{reference}.{at}.".encode() + body, sha256).digest()
    return {
        "webhook-id": reference,
        "webhook-timestamp": str(at),
        "webhook-signature": f"v1,{b64encode(code).decode()}",
    }


def is_public(text: str) -> bool:
    """Whether an address is one of the internet at large, and of a single machine.

    An IPv6 address that stands for an IPv4 one (mapped, NAT64 of RFC 6052, 6to4) is what that is.
    Raises `ValueError` for a text that is no address.
    """
    address = ip_address(text)
    if isinstance(address, IPv6Address):
        inner = _within(address)
        if inner is not None:
            return is_public(str(inner))
        if address not in GLOBAL_UNICAST:
            return False
    shared = any(address in each for each in SHARED)
    return address.is_global and not address.is_multicast and not shared


def host_of(text: str) -> str:
    """A host as connections name it: in ASCII, an address in its usual form.

    A name that ends in a number is an IPv4 address (RFC 3696, section 2): ``127.1`` and
    ``2130706433`` are 127.0.0.1, as inet_aton(3) reads them. Raises `ValueError` for what nothing
    can be called.
    """
    host = text.lower() if ":" in text else text.encode("idna").decode("ascii").lower()
    name = host.removesuffix(".")
    if ":" in name and "%" not in name:
        return str(ip_address(name))
    if NUMBER.fullmatch(name.rpartition(".")[2]):
        try:
            return inet_ntoa(inet_aton(name))
        except OSError as error:
            raise ValueError(f"{text!r} ends in a number and is no address") from error
    if not NAME.fullmatch(name) or len(name) > LONGEST_NAME:
        raise ValueError(f"{text!r} is no name of a host")
    return host


def is_this_machine(host: str) -> bool:
    """Whether a name is this machine's own, wherever it is looked up: RFC 6761, section 6.3."""
    return host.removesuffix(".").rpartition(".")[2] == "localhost"


def _within(address: IPv6Address) -> IPv4Address | None:
    if address in NAT64:
        return IPv4Address(int(address) & LAST_32)
    return address.ipv4_mapped or address.sixtofour
