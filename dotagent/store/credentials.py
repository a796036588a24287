"""Credentials: which variables hold them, whose they are, and how a process takes them over without showing them.

They come from the environment or the home's `.env`, which a person writes, or `config` for them; only processes that
need them get them. Such a process runs itself anew without them in its environment, gets them through a pipe, and
closes its memory to its own user.
"""

from __future__ import annotations

import json
import os
import re
import sys
from argparse import ArgumentParser
from collections.abc import Collection, Mapping
from pathlib import Path

from dotagent import errors, extensions
from dotagent.errors import Misuse
from dotagent.store import disk, foreign, options
from dotagent.store.blobs import content_id
from dotagent.store.home import Home, settings

PR_SET_DUMPABLE = 4
_PLAIN = frozenset("PATH HOME USER LOGNAME SHELL LANG LANGUAGE TERM TMPDIR TZ".split())
_TRUST = ("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE")
_OURS = frozenset(
    "DOTAGENT_HOME DOTAGENT_PROFILE DOTAGENT_PROVIDER DOTAGENT_MODEL DOTAGENT_CONTEXT_LIMIT DOTAGENT_SANDBOX "
    "DOTAGENT_POLICY DOTAGENT_HANDED "
    "SSL_CERT_FILE SSL_CERT_DIR REQUESTS_CA_BUNDLE PYTHONPATH PYTHONHOME LD_LIBRARY_PATH DYLD_LIBRARY_PATH".split()
)
_WAYS = re.compile(r"(?:HTTPS?|ALL|NO)_PROXY|\w+_API_BASE|DOTAGENT_NEARBY", re.IGNORECASE)
_TOKENS = ("OAUTH_ACCESS_TOKEN", "OAUTH_TOKEN_FILE")
_KINDS = {"openai": ("API_KEY", *_TOKENS), "openai-codex": _TOKENS}  # of credentials; of all others it is API_KEY
_THEIRS = re.compile(r"API_|OAUTH_|(?:ORGANIZATION|PROJECT|PROXY)$")  # what follows a provider's name in its variables


def plain(name: str) -> bool:
    """Whether an agent's commands may see the variable of this name; no other, unless settings name it."""
    return name in _PLAIN or name.startswith("LC_")


def beside(more: Collection[str] = ()) -> dict[str, str]:
    """The environment of a process of ours that has no secret: what commands may see, whom to trust of the web's
    servers, these, and where Python finds us."""
    kept = {name: value for name, value in os.environ.items() if plain(name) or name in (*_TRUST, *more)}
    return {**kept, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}


def key_of(home: Home, provider: str) -> str | None:
    """The variable that holds the key of a server that is spoken to like a provider; "" for a provider that has a file,
    None for a program of somebody's own, and for settings that cannot be read just now."""
    if provider in extensions.names("providers"):
        return ""
    try:
        asked = settings(home)
    except Misuse:
        return None
    return str(asked.table(provider).get("key") or variable(provider, "API_KEY")) if asked.kind(provider) else None


def split(environ: Mapping[str, str], named: Collection[str] = ()) -> tuple[dict[str, str], dict[str, str]]:
    """The environment in two: what an agent may have, with what settings name, and all else, which may be a secret.

    Of addresses it may have those that hold no password: who starts a provider again must know where that goes.
    """

    def may(name: str, value: str) -> bool:
        way = _WAYS.fullmatch(name) and not re.search(r"[@?]", value)
        return bool(plain(name) or name in _OURS or name in named or way or foreign.kept(name))

    kept = {name: value for name, value in environ.items() if may(name, value)}
    return kept, {name: value for name, value in environ.items() if name not in kept}


def env_file(home: Home) -> dict[str, str]:
    """The variables of the home's `.env`: lines NAME=VALUE. Raises Misuse when others can read it."""
    path = home.root / ".env"
    try:
        raw = disk.read(path, follow=True)
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise Misuse(errors.line(error)) from None
    if path.stat().st_mode & 0o077:
        raise Misuse(f"{path} can be read by others: chmod 600 {path}")
    return variables(path, raw)


def variables(path: Path, raw: bytes) -> dict[str, str]:
    """The variables that these bytes say as an `.env`, under the names that they have here. Raises Misuse."""
    found = {}
    for number, line in enumerate(raw.decode("utf-8-sig", "replace").replace("\r\n", "\n").split("\n"), 1):
        text = line.strip().removeprefix("export ").strip()
        if not text or text.startswith("#"):
            continue
        name, mark, value = text.partition("=")
        if not mark or not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name.strip()):
            raise Misuse(f"{path}, line {number}: a line is NAME=VALUE")
        value = value.strip()
        if len(value) > 1 and value[0] == value[-1] and value[0] in "'\"":
            value = value[1:-1]
        found[name.strip()] = value
    return foreign.secrets(found, str(path))


def variable(provider: str, what: str) -> str:
    """The environment's name of a provider's credential or address: `DEEPSEEK_API_KEY`."""
    return f"{provider.upper().replace('-', '_')}_{what}"


def has_credentials(provider: str, environ: Mapping[str, str]) -> bool:
    """Whether any variable is set that may hold a credential of this provider; it need not be one that can be used."""
    return any(environ.get(variable(provider, kind)) for kind in _KINDS.get(provider, ("API_KEY",)))


def credentials(provider: str, environ: Mapping[str, str], key: str = "") -> dict[str, str]:
    """Those of the variables that are this provider's: they begin with its name, and not with another's, longer one;
    and the one that is named as its `key`."""
    mine = variable(provider, "")
    others = {variable(name, "") for name in extensions.names("providers")} - {mine}
    longer = tuple(name for name in others if name.startswith(mine))  # OPENAI_CODEX_ is not OPENAI_
    found = {name: value for name, value in environ.items() if name.startswith(mine) and not name.startswith(longer)}
    theirs = {name: value for name, value in found.items() if value and _THEIRS.match(name.removeprefix(mine))}
    return {**theirs, key: environ[key]} if environ.get(key) else theirs


def fingerprint(provider: str, secrets: Mapping[str, str], key: str = "") -> str:
    """Tells two sets of credentials apart without telling anything of either; "" for none."""
    mine = credentials(provider, secrets, key)
    return content_id(json.dumps(mine, sort_keys=True).encode())[:12] if mine else ""


def option(parser: ArgumentParser) -> None:
    """A command that needs credentials can be handed them on its standard input."""
    words = "take the credentials from stdin, as a JSON object"
    parser.add_argument("--keys-on-stdin", action="store_true", help=words)


def take_over(home: Home, on_stdin: bool) -> dict[str, str]:
    """The caller's credentials, and those of the home's .env that the caller does not set.

    When the environment holds more than an agent may have, this process starts itself again without that, and reads
    the variables of providers and bridges from a pipe. Raises Misuse when what stands on stdin, or the .env, is not
    what it should be.
    """
    given: object = json.loads(sys.stdin.buffer.read() or b"null") if on_stdin else {}  # who starts us may die over it
    if not isinstance(given, dict):
        raise Misuse("--keys-on-stdin: a JSON object of names and values")
    asked = settings(home)
    clean, rest = split(os.environ, asked.environment)
    if rest:
        servers = {*options.presets(), *asked.providers}
        keys = {str(asked.table(name).get("key", "")) for name in servers}
        servers |= {*extensions.names("providers"), *extensions.names("bridges")}
        whose = tuple(variable(name, "") for name in servers)
        theirs = {name: value for name, value in rest.items() if name in keys or name.startswith(whose)}
        read, write = os.pipe()
        os.write(write, json.dumps({**theirs, **given}).encode())
        os.close(write)
        os.dup2(read, 0)
        os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:], "--keys-on-stdin"], clean)
    close()
    return {**env_file(home), **{str(name): str(value) for name, value in given.items()}}


def close() -> None:
    """From now on not even other processes of the same user may read this one's memory and environment."""
    if sys.platform == "linux":
        import ctypes  # agents import this module and need no ctypes

        ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
