"""Addresses of proxies: convert the forms in people's environments to those of HTTP libraries. Pure."""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping
from urllib.parse import urlsplit

SCHEMES = ("http", "https", "socks5", "socks5h")
"""The supported proxy protocols."""
_REPAIR = "change or unset this variable"
_NAMES = ("all_proxy", "http_proxy", "https_proxy")


def complete_address(address: str) -> str:
    """Return the address with a scheme that libraries know.

    GNOME writes `socks://` for SOCKS 5 with remote name lookup; an address without a scheme means HTTP. Quotes stay
    around a value in files such as those of `docker run --env-file`.
    """
    address = address.strip().strip("'\"")
    scheme, mark, rest = address.partition("://")
    if not address or not mark:
        return address and f"http://{address}"
    scheme = scheme.lower()
    return f"{'socks5h' if scheme == 'socks' else scheme}://{rest}"


def adopt(environ: MutableMapping[str, str]) -> str:
    """Convert the proxies of this environment for libraries that read it themselves. Return why one of them cannot be
    used, or ""."""
    found = {name: complete_address(value) for name, value in environ.items() if name.lower() in _NAMES}
    environ.update(found)
    return next(filter(None, (flaw(address, environ) for address in found.values())), "")


def flaw(address: str, environ: Mapping[str, str]) -> str:
    """Return why a proxy's address cannot be used, with the variable that contains it and what to do, or ""."""
    if not address:
        return ""
    named = [name for name, value in environ.items() if name.lower() in _NAMES and complete_address(value) == address]
    who, scheme = " and ".join(named) or "a proxy", address.partition("://")[0]
    if scheme not in SCHEMES:
        return f"{who} begins with {scheme[:20]}://, but it must begin with {', '.join(SCHEMES)}; {_REPAIR}"
    why = f"{who} is not the address of a proxy, such as http://proxy.example:3128; {_REPAIR}"
    return "" if _is_place(address) else why


def _is_place(address: str) -> bool:
    """Return True if the address has a host, and its port is a number."""
    try:
        parts = urlsplit(address)
        return bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False
