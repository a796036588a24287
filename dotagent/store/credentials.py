"""Credentials: which variables contain them, which provider they belong to, and how a process hides them.

They come from the environment or from the home's `.env`, which a person or the command `config` writes. Only the
processes that need credentials get them (key_handover.py). Such a process makes its memory unreadable to the user's
other processes.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from dotagent import errors, extensions
from dotagent.errors import Misuse
from dotagent.store import disk
from dotagent.store.blobs import content_id
from dotagent.store.home import Home, settings
from dotagent.store.variables import TRUST, is_plain
from dotagent.text import encoding, lazy
from dotagent.text.encoding import NotText

if TYPE_CHECKING:
    pass

PR_SET_DUMPABLE = 4
_EXPORT, _COMMENT = lazy.compile(r"\Aexport\s+"), lazy.compile(r"\s#.*")
_QUOTED = lazy.compile(r"""\s*(['"])(.*?)\1\s*(?:\s#.*)?""")
SEARCH_KEYS = ("BRAVE_API_KEY",)
"""Variables of .env that contain a search engine's key."""
_TOKENS = ("OAUTH_ACCESS_TOKEN", "OAUTH_TOKEN_FILE")
_KINDS = {"openai": ("API_KEY", *_TOKENS), "openai-codex": _TOKENS}  # other providers: API_KEY
_THEIRS = lazy.compile(r"API_|OAUTH_|(?:ORGANIZATION|PROJECT|PROXY)$")  # the part after the provider's name


def child_environment(more: Collection[str] = ()) -> dict[str, str]:
    """Return an environment without secrets for a child process: plain variables, certificates, `more`, and
    PYTHONPATH."""
    kept = {name: value for name, value in os.environ.items() if is_plain(name) or name in (*TRUST, *more)}
    return {**kept, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}


def key_of(home: Home, provider: str) -> str | None:
    """Return the variable that contains the key of a configured server.

    Return "" for a provider that has a module, and None for a custom program or if settings are unreadable.
    """
    if provider in extensions.names("providers"):
        return ""
    try:
        asked = settings(home)
    except Misuse:
        return None
    return str(asked.table(provider).get("key") or variable(provider, "API_KEY")) if asked.kind(provider) else None


def env_file(home: Home) -> dict[str, str]:
    """Return the variables of the home's `.env`. An editor may be saving it at this moment. Raises Misuse if others can
    read the file, or a line is invalid."""
    from dotagent.store import half_saved  # a chat reads no .env

    path = home.root / ".env"
    try:
        raw = half_saved.settled(path, lambda: disk.read(path, follow=True), lambda raw: raw.endswith(b"\n"))
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise Misuse(errors.line(error)) from None
    if path.stat().st_mode & 0o077:
        raise Misuse(f"other users of this machine can read {path}; run `chmod 600 {path}`")
    return variables(path, raw)


def variables(path: Path, raw: bytes) -> dict[str, str]:
    """Parse the bytes of an `.env` file into variables, renamed to the names that dotagent uses. Raises Misuse.

    Outside quotes, ` #` begins a comment.
    """
    found = {}
    try:
        text = encoding.decode(raw)[0]
    except NotText:
        text = raw.decode("utf-8-sig", "replace")
    for number, line in enumerate(encoding.lines(text), 1):
        text = _EXPORT.sub("", line.strip())
        if not text or text.startswith("#"):
            continue
        name, mark, value = text.partition("=")
        if not mark or not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name.strip()):
            raise Misuse(f"{path}, line {number}: write this line as NAME=VALUE")
        quoted = _QUOTED.fullmatch(value)
        found[name.strip()] = quoted[2] if quoted else _COMMENT.sub("", value).strip()
    from dotagent.store import aliases  # many homes have no .env

    return aliases.secrets(found, str(path))


def variable(provider: str, what: str) -> str:
    """Return the variable's name for a provider's credential or address, e.g. `DEEPSEEK_API_KEY`."""
    return f"{provider.upper().replace('-', '_')}_{what}"


def has_credentials(provider: str, environ: Mapping[str, str]) -> bool:
    """Return True if any variable is set that may contain a credential of this provider, valid or not."""
    return any(environ.get(name) for name in variables_of(provider))


def variables_of(provider: str) -> list[str]:
    """Return the names of the variables that may contain a credential of this provider."""
    return [variable(provider, kind) for kind in _KINDS.get(provider, ("API_KEY",))]


def credentials(provider: str, environ: Mapping[str, str], key: str = "") -> dict[str, str]:
    """Return the variables of this provider: those with its name as prefix, and the one named `key`. If another
    provider's longer name matches, the variable belongs to that provider."""
    mine = variable(provider, "")
    others = {variable(name, "") for name in extensions.names("providers")} - {mine}
    longer = tuple(name for name in others if name.startswith(mine))  # OPENAI_CODEX_ is not OPENAI_
    found = {name: value for name, value in environ.items() if name.startswith(mine) and not name.startswith(longer)}
    theirs = {name: value for name, value in found.items() if value and _THEIRS.match(name.removeprefix(mine))}
    return {**theirs, key: environ[key]} if environ.get(key) else theirs


def fingerprint(provider: str, secrets: Mapping[str, str], key: str = "") -> str:
    """Return a short hash that differs between two sets of credentials and reveals neither, or "" without
    credentials."""
    mine = credentials(provider, secrets, key)
    return content_id(json.dumps(mine, sort_keys=True).encode())[:12] if mine else ""


def close() -> None:
    """Make this process's memory and environment unreadable to other processes of the same user."""
    if sys.platform == "linux":
        import ctypes  # agents import this module and need no ctypes

        ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
