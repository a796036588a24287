"""A provider as hints name it, and whether the key and the address that a person gave can be used there.

A token may stand in a file that another program renews, so that file is read anew for each call. A flaw names variables
and paths, never what they hold.
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

FILE = "_TOKEN_FILE"  # how a variable's name ends that holds the path of a token, not a token
EMPTY, LACKING = "is empty", "is JSON without access_token or tokens.access_token"
MOST = 64 << 10  # bytes of a token's file
WRITING = 0.1  # seconds that a program which renews the file may need to write it


@dataclass(frozen=True)
class Address:
    """What hints name: the provider, its two variables, and the pages for keys, credit and models."""

    name: str
    key: str
    base: str
    keys: str
    credit: str
    models: str
    keyless: bool = False  # it may be asked without a key

    def of(self, config: Config) -> Address:
        """The same, as hints name the server that is configured to be spoken to like this one."""
        if not config.server:
            return self
        page = str(config.settings.get("page") or "its own pages")
        base = f"base under [providers.{config.server}]"
        return replace(self, name=config.server, key=config.variable, base=base, keys=page, credit=page, models=page)

    def unset(self, config: Config) -> str | None:
        """None when key and base can be used, else one sentence that names the variable and never its value."""
        self = self.of(config)
        where = f"put one from {self.keys} into the environment or a 0600 .env in the home"
        if not config.key and not self.keyless:
            return f"{self.key} is not set: {where}"
        if config.key and (wrong := flaw(self.key, config.key, where)):
            return wrong
        if origin(config.base) is None or any(character.isspace() for character in config.base):
            return f"{self.base} must be an address that begins with https:// or http://"
        return None

    def check(self, config: Config) -> None:
        """Raise ProviderError (unconfigured) when key or base can not be used."""
        if problem := self.unset(config):
            raise ProviderError("unconfigured", problem)

    def bearer(self, config: Config) -> dict[str, str]:
        """The header with the key, none where there is no key; the setting `header` names another one, which holds the
        key alone. Raises as `check` does."""
        self.check(config)
        if config.key and (header := config.settings.get("header")):
            return {str(header): config.key}
        return {"Authorization": f"Bearer {config.key}"} if config.key else {}


@lru_cache(64)  # a call asks several times, of the same few
def origin(url: str) -> str | None:
    """Scheme, host and port of an address, which a hint may show; None for what is no address of http or https."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        return None
    if parts.scheme not in ("http", "https") or not host:
        return None
    return f"{parts.scheme}://{host}" + (f":{port}" if port else "")


@lru_cache(64)
def near(url: str) -> bool:
    """Whether an address of http or https is this machine's own."""
    host = urlsplit(url).hostname or "" if origin(url) else ""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def flaw(label: str, value: str, where: str) -> str | None:
    """None when the value can be a credential, else a sentence about the label; `where` says how to get another."""
    if any(character.isspace() for character in value):
        return f"{label} has white space in it: copy it again, alone"
    if re.search(r"[<>…]|\.\.\.|^(?:your|changeme)", value, re.IGNORECASE):
        return f"{label} holds a sample, not a key: {where}"
    if not value.isascii() or not value.isprintable():
        return f"{label} has characters that no key has: copy it again, alone"
    return None


def keyed(config: Config, place: Address, names: Sequence[str], where: str) -> tuple[Config, Address]:
    """The configuration with the one credential that is set as its key, and what hints name, with its variable.

    `names` are the variables that may hold one, `where` how to get one; that of a variable which ends in FILE is read
    from the file at its path. Raises ProviderError (unconfigured) when none is set, more than one is, or it can not be
    used.
    """
    place, names = place.of(config), (config.variable,) if config.server else names
    where = f"put one from {place.keys} into the environment or a 0600 .env in the home" if config.server else where
    there = [name for name in names if config.given.get(name)]
    if not there:
        others = f" (nor {', '.join(names[1:])})" if len(names) > 1 else ""
        raise ProviderError("unconfigured", f"{names[0]} is not set{others}: {where}")
    if len(there) > 1:
        raise ProviderError("unconfigured", f"{' and '.join(there)} are set, and it takes one: unset the others")
    name, key = there[0], config.given[there[0]]
    if name.endswith(FILE):
        key = _from_file(name, key, where)
    elif wrong := flaw(name, key, where):
        raise ProviderError("unconfigured", wrong)
    return replace(config, key=key), replace(place, key=name)


def _from_file(name: str, path: str, where: str) -> str:
    """The token in a file: its text, or of a JSON object `access_token` or `tokens.access_token`."""
    if not re.match(r"[/~]", path) or not path.isprintable():  # it may be a token by mistake: it is not shown
        raise ProviderError("unconfigured", f"{name} must be the whole path of a file, from / or ~")
    label = f"{name}: {path}"
    token, wrong = _token(path)
    if wrong in (EMPTY, LACKING):  # it may be that it is just being written
        time.sleep(WRITING)
        token, wrong = _token(path)
    if wrong:
        raise ProviderError("unconfigured", f"{label} {wrong}: {where}")
    if flawed := flaw(label, token, where):
        raise ProviderError("unconfigured", flawed)
    return token


def _token(path: str) -> tuple[str, str]:
    """The token that the file holds now, and what is wrong with the file when it holds none."""
    try:
        fd = os.open(os.path.expanduser(path), os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            data = os.read(fd, MOST + 1) if stat.S_ISREG(os.fstat(fd).st_mode) else None
        finally:
            os.close(fd)
    except OSError as error:
        return "", f"can not be read ({error.strerror})"
    if data is None or len(data) > MOST:
        return "", "is no file" if data is None else f"has more than {MOST:,} bytes, more than a token"
    content = data.decode("utf-8-sig", "replace").strip()
    if not content.startswith("{"):
        return content, "" if content else EMPTY
    try:
        value = json.loads(content)
    except (ValueError, RecursionError):
        value = None
    token = text(value, "access_token") or text(value, "tokens", "access_token")
    return token, "" if token else LACKING
