"""Which addresses anybody may reach, and where a name leads. Owns nothing on disk."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Collection

_WITHIN = ipaddress.ip_network("64:ff9b::/96")  # NAT64: an IPv4 address stands in its last 32 bits


class NotPublic(Exception):
    """An address that is not reached, and why."""


def public(*addresses: str) -> bool:
    """Whether anybody in the world may reach each of these addresses, also one that stands within another."""
    return all(map(_public, addresses))


def _public(address: str) -> bool:
    found: ipaddress.IPv4Address | ipaddress.IPv6Address = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(found, ipaddress.IPv6Address):
        inner = found.ipv4_mapped or found.sixtofour or (found.teredo[1] if found.teredo else None)
        if found in _WITHIN:
            inner = ipaddress.IPv4Address(int(found) & 0xFFFFFFFF)
        if inner is not None:
            found = inner
    return found.is_global and not found.is_multicast


def addresses(host: str, port: int, near: Collection[str] = ()) -> list[str]:
    """The addresses of a host, all of them public unless `host:port` is among the `near` ones.

    Raises NotPublic, OSError and UnicodeError for a name that cannot be looked up.
    """
    told = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    found = list(dict.fromkeys(str(one[4][0]) for one in told))
    if f"{host}:{port}".lower() not in near and not public(*found):
        raise NotPublic(f"{host} is an address of this machine or of its own network, which is not reached")
    return found
