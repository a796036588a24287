"""Making sure that somebody serves a provider: one process a home and provider, which holds a flock while it lives.

Owns `calls/<provider>.pid` (the lock, and in it the pid), `calls/<provider>.log` (what that process prints), and
`agents/<id>/agent.log`, which holds what an agent prints that nobody started at a terminal. The
provider gets the caller's credentials through a pipe: no environment, command line or file ever shows them.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from dotagent import extensions, installed
from dotagent.errors import Misuse, Trouble
from dotagent.installed import CODE
from dotagent.store import disk, options, process
from dotagent.store.credentials import credentials, fingerprint, has_credentials, key_of, split, variable
from dotagent.store.home import Home, settings
from dotagent.text import names, near

ORDER = ("deepseek", "openrouter", "openai", "openai-codex", "anthropic", "gemini", "mistral")
"""Which provider is chosen when none is named: the first of these that has credentials."""
OWN = ("ollama", "local")
"""These need no credentials: they are chosen when their address or key is set."""
LAST = "offline"
HANDED = "DOTAGENT_HANDED"  # tells an agent which provider has been given its credentials before the agent started
PATIENCE = 2.0  # seconds in which a process that was asked to leave lets go of its lock
SOON = 2.0  # seconds that looking for a server nearby may take at most; it gives up by itself after a tenth of that


def choose(home: Home, wanted: str | None, secrets: Mapping[str, str]) -> str:
    """The provider to use: the one wanted, else the first with credentials or an address of one's own, else `offline`.
    Raises Misuse."""
    known = settings(home).names()
    if wanted:
        spooled = names.ROOM.fullmatch(wanted) and (home.calls / "new" / wanted).is_dir()
        if spooled or settings(home).kind(wanted):
            return wanted
        there = dict.fromkeys((*known, *options.presets()))
        raise Misuse(f"no provider {wanted!r}{near.among(wanted, there)} (a program of your own that serves one "
                     f"makes it known by `{installed.typed('calls')} take --provider {wanted}`)")  # fmt: skip
    for name in (*ORDER, *OWN):
        addressed = name in OWN and secrets.get(variable(name, "API_BASE"))
        if name in known and (addressed or has_credentials(name, secrets)):
            return name
    return LAST


def nearby(addresses: Sequence[str], seconds: float = SOON) -> tuple[str, str] | None:
    """The first of these addresses at which a model server answers, and the provider that speaks to it; None if none.

    A process of its own asks: this one, which may be an agent, does not talk to the world.
    """
    if not addresses:
        return None
    path = str(extensions.CODE / "providers" / "server" / "nearby.py")
    program = [sys.executable, "-I", "-S", path, *addresses]
    clean, _ = split(os.environ)
    try:
        found = subprocess.run(
            program, env=clean, stdin=subprocess.DEVNULL, capture_output=True, timeout=seconds, check=False
        )
    except subprocess.TimeoutExpired:
        return None
    words = found.stdout.decode("utf-8", "replace").split()
    return (words[0], words[1]) if len(words) == 2 and words[0] in extensions.names("providers") else None


def served(home: Home, provider: str) -> bool:
    """Whether a process serves this provider now."""
    return bool(names.ROOM.fullmatch(provider)) and disk.is_locked(home.calls / f"{provider}.pid")


def ensure(home: Home, provider: str, secrets: Mapping[str, str] | None = None) -> None:
    """See to it that the provider is served, with these credentials if there are any.

    One that was started with other credentials is asked to leave first; its calls go back into the spool.
    """
    key = key_of(home, provider)
    if key is None:
        return
    patience = 0.1
    if served(home, provider):
        mine = fingerprint(provider, secrets or {}, key)
        if not mine or published(home).get(provider, {}).get("credentials") == mine:
            return
        stop(home, provider)
        patience = PATIENCE
    start(home, provider, secrets or {}, patience)


def start(home: Home, provider: str, secrets: Mapping[str, str], patience: float = 0.1) -> None:
    """Start the provider's process, on its own, and hand it those of the secrets that are its own.

    It is born with the lock, so that nobody who looks a moment later starts a second one, without the secrets. When
    another process holds the lock for longer than `patience` seconds, that one serves.
    """
    with disk.opened(home.calls / f"{provider}.pid", os.O_RDWR | os.O_CREAT) as lock:
        if not disk.try_lock(lock, patience):
            return
        child = _spawn(home, provider, lock)
        sign(lock, child.pid)
    assert child.stdin is not None
    with suppress(BrokenPipeError):  # it has left already; its log says why
        child.stdin.write(json.dumps(credentials(provider, secrets, key_of(home, provider) or "")).encode())
        child.stdin.close()


def agent(
    home: Home, words: Sequence[str], log_path: Path, env: Mapping[str, str] | None = None
) -> subprocess.Popen[bytes]:
    """Start agent.py with these words on its own; what it prints goes into the log."""
    program = [sys.executable, str(CODE / "agent.py"), *words, "--home", str(home.root)]
    with disk.opened(log_path, os.O_WRONLY | os.O_APPEND | os.O_CREAT) as log:
        return process.start(program, log, env=env)


def sign(lock: int, pid: int) -> None:
    """Write into the lock's file which process serves; it does so itself, too, since its starter may have died."""
    told = f"{pid} {process.start_time(pid)}\n".encode()
    if os.pread(lock, 4096, 0) != told:
        os.ftruncate(lock, 0)
        os.pwrite(lock, told, 0)


def alone(path: Path, otherwise: str, patience: float = PATIENCE) -> int:
    """Take the lock that a process of which there is one holds while it lives, and sign it. Raises Trouble,
    `otherwise` with the pid of who has it, when none leaves who was asked to."""
    fd = disk.open_file(path, os.O_RDWR | os.O_CREAT)
    if not disk.try_lock(fd, patience):
        os.close(fd)
        raise Trouble(otherwise.format(signed(path)))
    sign(fd, os.getpid())
    return fd


def signed(path: Path) -> str:
    """The pid that stands in a lock's file, as it was signed; "?" for anything else."""
    found = re.match(rb"[0-9]{1,10}(?= )", disk.read(path))
    return found[0].decode() if found else "?"


def _spawn(home: Home, provider: str, lock: int) -> subprocess.Popen[bytes]:
    """The provider's process, without a secret in its environment, waiting for them on its standard input."""
    words = ["provider", provider, "--home", str(home.root), "--keys-on-stdin", "--lock", str(lock)]
    program, (clean, _) = [sys.executable, "-m", "dotagent", *words], split(os.environ)
    with disk.opened(home.calls / f"{provider}.log", os.O_WRONLY | os.O_APPEND | os.O_CREAT) as log:
        return process.start(program, log, env=clean, stdin=subprocess.PIPE, held=(lock,))


def stop(home: Home, provider: str) -> None:
    """Ask the process that serves the provider to leave."""
    pid, _ = process.told(home.calls / f"{provider}.pid")
    if pid:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGTERM)


def published(home: Home) -> dict[str, dict[str, object]]:
    """What `calls/providers.json` tells of each provider that was served: a cache, {} when it cannot be read."""
    try:
        found = json.loads(disk.read(home.calls / "providers.json"))
    except (OSError, ValueError, RecursionError):
        return {}
    return {name: told for name, told in found.items() if isinstance(told, dict)} if isinstance(found, dict) else {}


CONDITION = ("pid", "well", "credentials", "configured", "why", "model")


def condition(home: Home) -> dict[str, tuple[object, ...]]:
    """What of each published provider changes when one that failed may be well: its process, when it recovered, its
    credentials, what is missing, its model. What it tells of its models later, while it fails, is no such sign."""
    return {name: tuple(told.get(one) for one in CONDITION) for name, told in published(home).items()}
