"""Start and find the process of each provider. There is one for each home and provider, and it has a flock while it
runs.

Owns `calls/<provider>.pid` (the lock, with the pid), `calls/<provider>.log` (the process's output), and
`agents/<id>/agent.log`, the output of an agent that was not started at a terminal. The provider gets its credentials
through a pipe, so that no environment, command line or file contains them.
"""

from __future__ import annotations

import json
import os
import re
import signal
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from dotagent import extensions, installed
from dotagent.errors import Misuse, Trouble
from dotagent.installed import CODE
from dotagent.store import child_processes, disk, options, process
from dotagent.store.credentials import credentials, env_file, fingerprint, has_credentials, key_of, variable
from dotagent.store.home import Home, Settings, settings
from dotagent.store.provider_status import HANDED as HANDED
from dotagent.store.provider_status import LAST as LAST
from dotagent.store.provider_status import OWN as OWN
from dotagent.store.provider_status import published as published
from dotagent.store.provider_status import served as served
from dotagent.store.variables import proxies, split
from dotagent.text import escape, names, suggestions
from dotagent.text.secrets import masked

if TYPE_CHECKING:
    import subprocess

ORDER = ("deepseek", "openrouter", "openai", "openai-codex", "anthropic", "gemini", "mistral")
"""The order of automatic choice: the first provider with credentials."""
PATIENCE = 2.0  # seconds for a process to release its lock after SIGTERM
BEGINS = 10.0  # seconds for a process to publish its credentials
MOST, WORDS = 1 << 14, 400  # bytes read from the end of a log; characters of the last message
SOON = 2.0  # seconds for the search for a local server; it normally takes a tenth


def choose(home: Home, wanted: str | None, secrets: Mapping[str, str]) -> str:
    """Return the provider to use: `wanted`, or the first with credentials or a configured address, or `offline`. Raises
    Misuse if `wanted` is unknown."""
    known = settings(home).names()
    if wanted:
        spooled = names.ROOM.fullmatch(wanted) and (home.calls / "new" / wanted).is_dir()
        if spooled or settings(home).kind(wanted):
            return wanted
        there = dict.fromkeys((*known, *options.presets()))
        raise Misuse(f"no provider {wanted!r}{suggestions.suggest_all(wanted, there)} "
                     f"(if {wanted} is your own program that answers model requests, it must first run "
                     f"`{installed.program('calls')} take --provider {wanted}`)")  # fmt: skip
    for name in (*ORDER, *OWN):
        addressed = name in OWN and secrets.get(variable(name, "API_BASE"))
        if name in known and (addressed or has_credentials(name, secrets)):
            return name
    return LAST


def start_all(where: Home, settings: Settings, wanted: str, life: str) -> str:
    """Choose the provider, or a local server that answers if none is set up. Start it with its keys, and start its
    fallbacks and the provider of background calls. Return the chosen one."""
    known = {**env_file(where), **os.environ}
    set_there = {variable(name, "API_BASE"): str(settings.providers.get(name, {}).get("base") or "")
                 for name in OWN}  # fmt: skip
    chosen = choose(where, wanted, {**set_there, **known})
    near = nearby(settings.nearby) if chosen == LAST and not wanted else None
    if near:
        chosen, base = near
        os.environ[variable(chosen, "API_BASE")] = base  # for the process that restarts the provider
    instead = settings.fallback_of(life)
    beside = str(settings.background.get("provider") or chosen)
    for name in dict.fromkeys((chosen, *(choose(where, one, {}) for one in (*instead, beside)))):
        ensure(where, name, {**known, **os.environ})
    return chosen


def nearby(addresses: Sequence[str], seconds: float = SOON) -> tuple[str, str] | None:
    """Return the first of these addresses at which a model server answers, and the provider for it, or None.

    A separate process asks, because an agent's process must not use the network.
    """
    import subprocess

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


def has_ended(home: Home, provider: str) -> bool:
    """Return True if a provider that `ensure` starts has no process."""
    return key_of(home, provider) is not None and not served(home, provider)


def last_words(home: Home, provider: str, seconds: float) -> str:
    """Return why a provider's process ended: the last line of its log, if written at most `seconds` ago."""
    path = home.calls / f"{provider}.log"
    with suppress(OSError), disk.reading(path) as file:
        about = os.fstat(file.fileno())
        file.seek(max(0, about.st_size - MOST))
        line = file.read().decode("utf-8", "replace").strip().rpartition("\n")[2]
        if line and time.time() - about.st_mtime <= seconds:
            said = escape.one_line(masked(line), WORDS)
            return said.removeprefix("dotagent: ") if said.startswith("dotagent: ") else f"{said} (from {path})"
    return f"the process gave no reason; see {path}"


def ensure(home: Home, provider: str, secrets: Mapping[str, str] | None = None) -> None:
    """Start the provider's process if none runs, with these credentials.

    A process with other credentials is stopped first; its calls go back into the queue.
    """
    key = key_of(home, provider)
    if key is None:
        return
    mine = fingerprint(provider, secrets or {}, key) if served(home, provider) else ""
    if mine:
        _replace(home, provider, secrets or {}, mine)
    elif not served(home, provider):
        start(home, provider, secrets or {})


def _replace(home: Home, provider: str, secrets: Mapping[str, str], mine: str) -> None:
    """Stop the process if it has other credentials than `mine`, and start one with these. Another agent may start one
    in between; that one is stopped, too, if it publishes other credentials."""
    begun, asked, pid = time.monotonic(), 0, 0
    while time.monotonic() < begun + (PATIENCE if pid in (0, asked) else BEGINS):
        pid, told = process.read_process(home.calls / f"{provider}.pid")[0], published(home).get(provider, {})
        if told.get("credentials") == mine and (not asked or told.get("pid") == pid):
            return
        if pid not in (0, asked) and (not asked or told.get("pid") == pid):
            stop(home, provider)
            begun, asked = time.monotonic(), pid
        if start(home, provider, secrets):
            return


def start(home: Home, provider: str, secrets: Mapping[str, str], patience: float = 0.1) -> bool:
    """Start the provider's process in the background, and send it its own credentials.

    The process inherits the lock, so no one starts a second process without the credentials. If another process has the
    lock for more than `patience` seconds, that one serves: False.
    """
    with disk.open_regular(home.calls / f"{provider}.pid", os.O_RDWR | os.O_CREAT) as lock:
        if not disk.try_lock(lock, patience):
            return False
        child = _spawn(home, provider, lock)
        sign(lock, child.pid)
    assert child.stdin is not None
    with suppress(BrokenPipeError):  # the process has already exited; its log says why
        mine = {**credentials(provider, secrets, key_of(home, provider) or ""), **proxies(secrets)}
        child.stdin.write(json.dumps(mine).encode())
        child.stdin.close()
    return True


def agent(
    home: Home, words: Sequence[str], log_path: Path, env: Mapping[str, str] | None = None
) -> subprocess.Popen[bytes]:
    """Start agent.py in the background with these arguments. Its output goes to the log."""
    program = [sys.executable, str(CODE / "agent.py"), *words, "--home", str(home.root)]
    with disk.open_regular(log_path, os.O_WRONLY | os.O_APPEND | os.O_CREAT) as log:
        return child_processes.start(program, log, env=env)


def sign(lock: int, pid: int) -> None:
    """Write the serving pid into the lock file. The process does so, too, in case its starter crashed."""
    told = f"{pid} {process.start_time(pid)}\n".encode()
    if os.pread(lock, 4096, 0) != told:
        os.ftruncate(lock, 0)
        os.pwrite(lock, told, 0)


def alone(path: Path, otherwise: str, patience: float = PATIENCE) -> int:
    """Take and sign the lock of a process that may run only once. Raises Trouble with `otherwise`, filled with the
    owner's pid, if the lock is not released within `patience` seconds."""
    fd = disk.open_file(path, os.O_RDWR | os.O_CREAT)
    if not disk.try_lock(fd, patience):
        os.close(fd)
        raise Trouble(otherwise.format(signed(path)))
    sign(fd, os.getpid())
    return fd


def signed(path: Path) -> str:
    """Return the pid in a lock file, or "?" if there is none."""
    found = re.match(rb"[0-9]{1,10}(?= )", disk.read(path))
    return found[0].decode() if found else "?"


def _spawn(home: Home, provider: str, lock: int) -> subprocess.Popen[bytes]:
    """Start the provider's process with a clean environment; it reads its credentials from standard input."""
    import subprocess

    words = ["provider", provider, "--home", str(home.root), "--keys-on-stdin", "--lock", str(lock)]
    program, (clean, _) = [sys.executable, "-m", "dotagent", *words], split(os.environ)
    with disk.open_regular(home.calls / f"{provider}.log", os.O_WRONLY | os.O_APPEND | os.O_CREAT) as log:
        return child_processes.start(program, log, env=clean, stdin=subprocess.PIPE, held=(lock,))


def stop(home: Home, provider: str) -> None:
    """Ask the provider's process to exit."""
    pid, _ = process.read_process(home.calls / f"{provider}.pid")
    if pid:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGTERM)
