"""Addresses of proxies: convert the forms in people's environments to those of HTTP libraries. Pure."""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping

SCHEMES = ("http", "https", "socks5", "socks5h")
"""The supported proxy protocols."""
_NAMES = ("all_proxy", "http_proxy", "https_proxy")


def complete_address(address: str) -> str:
    """Return the address with a scheme that libraries know.

    GNOME writes `socks://` for SOCKS 5 with remote name lookup; an address without a scheme means HTTP.
    """
    address = address.strip()
    scheme, mark, rest = address.partition("://")
    if not address or not mark:
        return address and f"http://{address}"
    scheme = scheme.lower()
    return f"{'socks5h' if scheme == 'socks' else scheme}://{rest}"


def adopt(environ: MutableMapping[str, str]) -> None:
    """Convert the proxies of this environment for libraries that read it themselves."""
    for name, value in list(environ.items()):
        if name.lower() in _NAMES:
            environ[name] = complete_address(value)


def flaw(address: str, environ: Mapping[str, str]) -> str:
    """Return why a proxy's address cannot be used, with the variable that contains it, or ""."""
    scheme = address.partition("://")[0]
    if not address or scheme in SCHEMES:
        return ""
    named = [name for name, value in environ.items() if name.lower() in _NAMES and complete_address(value) == address]
    return (
        f"{' and '.join(named) or 'a proxy'} begins with {scheme[:20]}://, but it must begin with {', '.join(SCHEMES)}"
    )
