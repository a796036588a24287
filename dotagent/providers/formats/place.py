"""How hints describe a provider, and whether its key and address are usable.

A token may be in a file that another program renews, so the file is read for each call. An error names variables and
paths, never their values. Owns nothing on disk.
"""

from __future__ import annotations

import json
import os
import re
import stat
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from ipaddress import ip_address
from urllib.parse import urlsplit

from dotagent.providers import Config, ProviderError
from dotagent.providers.formats.fields import text

FILE = "_TOKEN_FILE"  # ending of a variable with the path of a token, instead of a token
EMPTY, LACKING = "is empty", "contains JSON without access_token or tokens.access_token"
MOST = 64 << 10  # bytes of a token's file
WRITING = 0.1  # seconds that another program may need to write the file


_VERSION = re.compile(r"/v\d[^/?]*/")
_ENDPOINT = re.compile(r"(?=/(?:chat/completions|responses)(?:\?|\Z))")


def versioned(url: str) -> str:
    """Return the address of a request with /v1 before its last part, or unchanged if it has a version."""
    return url if _VERSION.search(urlsplit(url).path) else _ENDPOINT.sub("/v1", url, count=1)


@dataclass(frozen=True)
class Address:
    """The facts for hints: the provider, its two variables, and the pages for keys, credit and models."""

    name: str
    key: str
    base: str
    keys: str
    credit: str
    models: str
    keyless: bool = False  # a key is optional

    def of(self, config: Config) -> Address:
        """Return the same for a configured compatible server. A person's own server may work without a key."""
        if not config.server:
            return self
        own = self.keyless or config.keyless
        page = str(config.settings.get("page") or "its own pages")
        base = f"base under [providers.{config.server}]"
        pages = {"keys": page, "credit": page, "models": page}
        return replace(self, name=config.server, key=config.variable, base=base, keyless=own, **pages)

    def unset(self, config: Config) -> str | None:
        """Return None if key and base are usable, otherwise a sentence that names the variable and never its value."""
        self = self.of(config)
        where = f"get one at {self.keys}, and put it into the environment or into .env in dotagent's data directory"
        if not config.key and not self.keyless:
            return f"{self.key} is not set: {where}"
        if config.key and (wrong := flaw(self.key, config.key, where)):
            return wrong
        if origin(config.base) is None or any(character.isspace() for character in config.base):
            return f"{self.base} must be an address that begins with https:// or http://"
        return None

    def check(self, config: Config) -> None:
        """Raise ProviderError (unconfigured) if key or base is unusable."""
        if problem := self.unset(config):
            raise ProviderError("unconfigured", problem)

    def bearer(self, config: Config) -> dict[str, str]:
        """Return the header with the key, or nothing without a key. The setting `header` names another header for the
        bare key. Raises like `check`."""
        self.check(config)
        if config.key and (header := config.settings.get("header")):
            return {str(header): config.key}
        return {"Authorization": f"Bearer {config.key}"} if config.key else {}


@lru_cache(64)  # called several times in a call, for the same few addresses
def origin(url: str) -> str | None:
    """Return scheme, host and port of an address, which hints may show, or None if it is not an http or https
    address."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        return None
    if parts.scheme not in ("http", "https") or not host:
        return None
    return f"{parts.scheme}://{host}" + (f":{port}" if port else "")


@lru_cache(64)
def is_local(url: str) -> bool:
    """Return True for an http or https address of this machine."""
    host = urlsplit(url).hostname or "" if origin(url) else ""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def flaw(label: str, value: str, where: str) -> str | None:
    """Return None if the value can be a credential, otherwise a sentence about the label. `where` says how to get a new
    one."""
    if any(character.isspace() for character in value):
        return f"{label} contains a space or line break; copy the key again, without anything else"
    if re.search(r"[<>…]|\.\.\.|^(?:your|changeme)", value, re.IGNORECASE):
        return f"{label} contains an example, not a key: {where}"
    if not value.isascii() or not value.isprintable():
        return f"{label} has characters that cannot be part of a key; copy the key again, without anything else"
    return None


def keyed(config: Config, place: Address, names: Sequence[str], where: str) -> tuple[Config, Address]:
    """Return the configuration with the only credential that is set, and the place with its variable.

    `names` are the possible variables, `where` says how to get a credential. A variable that ends in FILE contains the
    path of a file. Raises ProviderError (unconfigured) if several are set, if one is unusable, or if none is set for a
    server that needs one.
    """
    place, names = place.of(config), (config.variable,) if config.server else names
    where = (
        f"get one at {place.keys}, and put it into the environment or into .env in dotagent's data directory"
        if config.server
        else where
    )
    there = [name for name in names if config.given.get(name)]
    if not there and place.keyless:
        return replace(config, key=None), replace(place, key=names[0])
    if not there:
        others = f" (nor {', '.join(names[1:])})" if len(names) > 1 else ""
        raise ProviderError("unconfigured", f"{names[0]} is not set{others}: {where}")
    if len(there) > 1:
        raise ProviderError(
            "unconfigured", f"{' and '.join(there)} are set, but only one can be used; unset the others"
        )
    name, key = there[0], config.given[there[0]]
    if name.endswith(FILE):
        key = _from_file(name, key, where)
    elif wrong := flaw(name, key, where):
        raise ProviderError("unconfigured", wrong)
    return replace(config, key=key), replace(place, key=name)


def _from_file(name: str, path: str, where: str) -> str:
    """Return the token in a file: its text, or `access_token` or `tokens.access_token` of a JSON object."""
    if not re.match(r"[/~]", path) or not path.isprintable():  # it may be a token by mistake, so it is not shown
        raise ProviderError("unconfigured", f"{name} must be the full path of a file, starting with / or ~")
    label = f"{name}: {path}"
    token, wrong = _token(path)
    if wrong in (EMPTY, LACKING):  # another program may be writing it
        time.sleep(WRITING)
        token, wrong = _token(path)
    if wrong:
        raise ProviderError("unconfigured", f"{label} {wrong}: {where}")
    if flawed := flaw(label, token, where):
        raise ProviderError("unconfigured", flawed)
    return token


def _token(path: str) -> tuple[str, str]:
    """Return the token in the file, and the problem with the file, one of them empty."""
    try:
        fd = os.open(os.path.expanduser(path), os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            data = os.read(fd, MOST + 1) if stat.S_ISREG(os.fstat(fd).st_mode) else None
        finally:
            os.close(fd)
    except OSError as error:
        return "", f"cannot be read ({error.strerror})"
    if data is None or len(data) > MOST:
        return "", "is not a file" if data is None else f"has more than {MOST:,} bytes, which is too large for a token"
    content = data.decode("utf-8-sig", "replace").strip()
    if not content.startswith("{"):
        return content, "" if content else EMPTY
    try:
        value = json.loads(content)
    except (ValueError, RecursionError):
        value = None
    token = text(value, "access_token") or text(value, "tokens", "access_token")
    return token, "" if token else LACKING
