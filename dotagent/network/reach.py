"""Which addresses are public, and the addresses of a name. Owns nothing on disk.

An IPv6 address is public if it is in the global unicast block and outside the parts with other uses. So a new kind of
local or tunnelled address is refused without an entry here.
"""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Collection

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

_GLOBAL = ipaddress.ip_network("2000::/3")  # RFC 4291: the only block of assigned public addresses
_TUNNELS = tuple(
    map(
        ipaddress.ip_network,
        (
            "2001::/23",  # protocols: Teredo, benchmarks, ORCHID
            "2001:db8::/32",  # documentation
            "2002::/16",  # 6to4
            "3fff::/20",  # documentation
        ),
    )
)
_CARRIERS = tuple(map(ipaddress.ip_network, ("::ffff:0:0/96", "64:ff9b::/96")))  # the last 32 bits are an IPv4 address
_ISATAP, _ISATAP_MASK = 0x5EFE, 0xFDFFFFFF  # RFC 5214: the third quarter of an address whose last quarter is IPv4
_NOT_HOSTS = tuple(
    map(
        ipaddress.ip_network,
        (
            "192.0.0.0/24",  # protocols; some versions of Python do not know the whole block
            "192.88.99.0/24",  # relays of 6to4
        ),
    )
)


class NotPublic(Exception):
    """An address of this machine or its network, which no setting opens."""

    def __init__(self, host: str, port: int) -> None:
        super().__init__(f"{host} is on this machine or its local network, where access is not allowed")
        self.host = host
        self.place = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"  # in the form of a setting


def public(*addresses: str) -> bool:
    """Return True if each address, and any IPv4 address inside it, is public."""
    return all(map(_public, addresses))


def _public(address: str) -> bool:
    found: Address = ipaddress.ip_address(address.partition("%")[0])
    if any(found in carrier for carrier in _CARRIERS):
        found = ipaddress.IPv4Address(int(found) & 0xFFFFFFFF)
    if isinstance(found, ipaddress.IPv6Address):
        isatap = int(found) >> 32 & _ISATAP_MASK == _ISATAP
        return found in _GLOBAL and not isatap and not any(found in part for part in _TUNNELS)
    local = found.is_multicast or found.is_reserved or not found.is_global
    return not local and not any(found in part for part in _NOT_HOSTS)


def addresses(host: str, port: int, near: Collection[str] = ()) -> list[str]:
    """Return the addresses of a host, which must be public unless `host:port` is in `near`.

    Raises NotPublic, and OSError or UnicodeError if the name cannot be looked up.
    """
    told = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    found = list(dict.fromkeys(str(one[4][0]) for one in told))
    opened = {one.lower().replace("[", "").replace("]", "") for one in near}
    if f"{host}:{port}".lower() not in opened and not public(*found):
        raise NotPublic(host, port)
    return found
