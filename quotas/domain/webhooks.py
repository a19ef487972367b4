"""Signed posts, as the Standard Webhooks specification (standardwebhooks.com) describes them.

And to which addresses they may go: pure, what resolves names and connects is elsewhere.
"""

from __future__ import annotations

import hmac
from base64 import b64decode, b64encode
from hashlib import sha256
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from secrets import token_bytes

SECRET_PREFIX = "whsec_"  # noqa: S105 - what every secret begins with
SECRET_BYTES = 32
GLOBAL_UNICAST = IPv6Network("2000::/3")
NAT64 = IPv6Network("64:ff9b::/96")
LAST_32 = 0xFFFFFFFF


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
    return address.is_global and not address.is_multicast


def _within(address: IPv6Address) -> IPv4Address | None:
    if address in NAT64:
        return IPv4Address(int(address) & LAST_32)
    return address.ipv4_mapped or address.sixtofour
