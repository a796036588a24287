"""Running a bridge: `python -m dotagent <name>` for every transport in bridges/, one process a home and bridge.

The process holds the bridge's token and the providers' keys, and hands the keys to the providers of the agents that it
starts. Owns `bridges/<name>/pid`: the lock, and in it the pid.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from dotagent import bridges, errors
from dotagent.bridges import Access, Bridge
from dotagent.bridges.pattern import rules
from dotagent.bridges.pattern.ground import Ground
from dotagent.bridges.pattern.hub import Hub
from dotagent.bridges.pattern.journal import Journal
from dotagent.bridges.pattern.lives import Lives
from dotagent.errors import Misuse
from dotagent.store import credentials, disk, home, launch, lives
from dotagent.store.home import Home

FORGETTING = 60.0  # seconds in which what is being forgotten holds the lock
LOOK = 0.05  # seconds between two looks at whether it does


def arguments(parser: argparse.ArgumentParser) -> None:
    """How the token and the keys come."""
    credentials.option(parser)


def run(name: str, asked: argparse.Namespace) -> int:
    """Carry messages until told to end."""
    where = home.find(asked.home)
    home.prepare(where)
    held = credentials.take_over(where, asked.keys_on_stdin)
    while _carried(name, where, held):  # it let go of all that it held
        continue
    return 0


def _carried(name: str, where: Home, held: Mapping[str, str]) -> bool:
    """Carry messages with nothing in mind but what is on the disk; whether it ended to begin anew."""
    settings, module = home.settings(where), bridges.load(name)
    table = settings.bridges.get(name, {})
    known = rules.parse(name, table, module.SETTINGS)
    transport = module.open(_config(name, module, table, {**held, **os.environ}))
    folder = where.bridges / name
    disk.make_dir(folder)
    lock = _hold(folder / "pid", name)

    def tell(text: str) -> None:
        errors.tell(f"{name}: {text}")

    agents = Lives(where, settings, folder / "agents.log", held, tell)
    journal = Journal(folder / "journal.jsonl")
    for odd in journal.odd:
        tell(odd)
    ground = Ground(name, where, home.owner(settings), known, module.LIMITS, journal, transport, agents, tell)
    try:
        return asyncio.run(_carry(Hub(ground)))
    finally:
        os.close(lock)


async def _carry(hub: Hub) -> bool:
    """Run the bridge until SIGINT or SIGTERM, or until it shall begin anew; whether that is so."""
    task = asyncio.ensure_future(hub.run())
    for signum in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(signum, task.cancel)
    with suppress(asyncio.CancelledError):
        await task
        return True
    return False


def _config(name: str, module: Bridge, table: Mapping[str, object], known: Mapping[str, str]) -> Access:
    """How to reach the bridge's world. Raises Misuse when its token is not set."""
    token = next((known[variable] for variable in module.TOKENS if known.get(variable)), "")
    if module.TOKENS and not token:
        raise Misuse(f"{name} needs its token: set {module.TOKENS[0]} in the environment, or in .env of the home")
    base = known.get(credentials.variable(name, "API_BASE")) or table.get("base") or module.BASE
    if not isinstance(base, str):
        raise Misuse(f"dotagent.toml, [bridges.{name}]: base must be an address")
    return Access(token, base.rstrip("/"), table)


def _hold(path: Path, name: str) -> int:
    """Take the bridge's lock. Raises Trouble when another process has it."""
    promise, wish = path.parents[2] / "forgotten" / "announced.json", path.with_name(lives.ANEW)
    end = time.monotonic() + FORGETTING
    while disk.is_file(wish) and disk.is_locked(promise) and time.monotonic() < end:
        time.sleep(LOOK)  # who forgets takes the lock first, and the wish away
    disk.remove(wish)
    running = f"{name} runs already, as process {{}}: end that one first"
    return launch.alone(path, running, FORGETTING if promise.exists() else launch.PATIENCE)
