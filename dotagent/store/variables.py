"""The environment of an agent: which variables it may have. A program that was started with more replaces itself by a
clean run before it imports anything else, because a process's memory and initial environment can be read.

Imports only what Python itself has imported by then. Owns nothing on disk.
"""

from __future__ import annotations

import os
import sys
from _collections_abc import Collection, Mapping

PLAIN = frozenset("PATH HOME USER LOGNAME SHELL LANG LANGUAGE TERM TMPDIR TZ".split())
"""Variables that an agent's commands may see without being named in settings, like all that begin with LC_."""
TRUST = ("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE")
ALLOWED = "DOTAGENT_CHANNELS_DISCORD_ALLOW_FROM"
SETTINGS = {
    "DOTAGENT_MEMORY_PERSONA_SYNC_APPLY": "persona_sync_apply",
    "DOTAGENT_MEMORY_PERSONA_FILE_SYNC_MODE": "persona_sync",
    "DOTAGENT_MEMORY_PERSONA_POLICY_MODE": "persona_policy",
    "DOTAGENT_MEMORY_PERSONA_MIN_CONFIDENCE": "persona_min_confidence",
    "DOTAGENT_MEMORY_EVENT_RETENTION_DAYS": "retention.episodes",
    "DOTAGENT_MEMORY_AUDIT_RETENTION_DAYS": "retention.audit",
}
"""Variables of other systems that are settings here (store/aliases.py)."""
CHOICES = {
    "DOTAGENT_AGENTS_DEFAULTS_PROVIDER": "DOTAGENT_PROVIDER",
    "DOTAGENT_AGENTS_DEFAULTS_MODEL": "DOTAGENT_MODEL",
}
"""Variables of other systems that have another name here."""
_OURS = frozenset(
    "DOTAGENT_HOME DOTAGENT_PROFILE DOTAGENT_PROVIDER DOTAGENT_MODEL DOTAGENT_CONTEXT_LIMIT DOTAGENT_SANDBOX "
    "DOTAGENT_POLICY DOTAGENT_HANDED PYTHONPATH PYTHONHOME LD_LIBRARY_PATH DYLD_LIBRARY_PATH".split()
)
_PROXIES = frozenset(("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"))
_WAYS = _PROXIES | {"NO_PROXY", "DOTAGENT_NEARBY"}
SHED = "DOTAGENT_SHED"
"""Contains the id of a process, and its descriptor of a pipe with the variables that it shed."""


def is_ours(name: str) -> bool:
    """Return True for a variable of dotagent itself."""
    return name in _OURS or name in _WAYS or name == SHED


def is_plain(name: str) -> bool:
    """Return True if an agent's commands may see the variable without being named in settings."""
    return name in PLAIN or name.startswith("LC_")


def split(environ: Mapping[str, str], named: Collection[str] = ()) -> tuple[dict[str, str], dict[str, str]]:
    """Split the environment into the variables that an agent may have, including those `named` in settings, and the
    rest.

    Any of the rest may be a secret. An agent may have addresses without a password, because it must know them to
    restart a provider.
    """
    kept = {name: value for name, value in environ.items() if name in named or _may(name, value)}
    return kept, {name: value for name, value in environ.items() if name not in kept}


def _may(name: str, value: str) -> bool:
    if is_plain(name) or name in _OURS or name in TRUST or name == ALLOWED or name in SETTINGS or name in CHOICES:
        return True
    whose, way, more = name.upper().rpartition("_API_BASE")
    is_way = name.upper() in _WAYS or (way and not more and whose.replace("_", "").isalnum())
    return bool(is_way) and "@" not in value and "?" not in value


def proxies(environ: Mapping[str, str]) -> dict[str, str]:
    """Return the proxies whose address has a password. An agent may not have these; a provider's process needs them."""
    return {name: value for name, value in environ.items() if name.upper() in _PROXIES and "@" in value}


def shed() -> None:
    """If this process has more than an agent may have, replace it by a new run of the program without these variables,
    which can receive them from a pipe."""
    clean, rest = split(os.environ)
    if SHED in rest and _pipe(rest[SHED]) is not None:
        del rest[SHED]
    if not rest:
        return
    read, write = os.pipe()
    if not (child := os.fork()):
        if not os.fork():  # an orphaned child fills the pipe, which may be smaller than the environment
            os.close(read)
            with os.fdopen(write, "wb") as pipe:
                pipe.write(b"".join(os.fsencode(f"{name}={value}\0") for name, value in rest.items()))
        os._exit(0)
    os.waitpid(child, 0)
    os.close(write)
    os.set_inheritable(read, True)
    os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], {**clean, SHED: f"{os.getpid()} {read}"})


def pipe() -> int | None:
    """Return the descriptor of the pipe with the variables that this process shed, and forget its number."""
    return _pipe(os.environ.pop(SHED, ""))


def _pipe(told: str) -> int | None:
    process, _, number = told.partition(" ")
    return int(number) if process == str(os.getpid()) else None


def received(pipe: int) -> dict[str, str]:
    """Return the variables that were shed into this pipe."""
    with os.fdopen(pipe, "rb") as file:
        lines = os.fsdecode(file.read()).split("\0")
    return {name: value for name, _, value in (line.partition("=") for line in lines if line)}
