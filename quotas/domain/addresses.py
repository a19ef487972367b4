"""Which address is counted: the least that one client is given."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address

NETWORK_BITS = 64


def counted_address(text: str) -> IPv4Address | IPv6Network:
    """The IPv4 address of ``text``, or the /64 of its IPv6 address, less any zone.

    An IPv4 address in IPv6 clothing counts as what it is. Raises `ValueError` where there is none.
    """
    address = ip_address(text.partition("%")[0])
    if not isinstance(address, IPv6Address):
        return address
    return address.ipv4_mapped or IPv6Network((int(address), NETWORK_BITS), strict=False)
