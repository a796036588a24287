"""Run a bridge: `python -m dotagent <name>` for every transport in bridges/, one process for each home and bridge.

The process has the bridge's token and the providers' keys, and passes the keys to the providers of the agents that it
starts. Owns `bridges/<name>/pid`: the lock, with the pid.
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
from dotagent.store import credentials, disk, home, key_handover, launch, lives
from dotagent.store.home import Home

FORGETTING = 60.0  # seconds that an erasure may keep the lock
LOOK = 0.05  # seconds between two checks for that

arguments = key_handover.option


def run(name: str, asked: argparse.Namespace) -> int:
    """Carry messages until stopped."""
    where = home.find(asked.home)
    home.prepare(where)
    held = key_handover.take_over(where, asked.keys_on_stdin)
    while _carried(name, where, held):  # everything in memory was released
        continue
    return 0


def _carried(name: str, where: Home, held: Mapping[str, str]) -> bool:
    """Carry messages with a state read from the disk only. Return True if it ended in order to restart."""
    settings, module = home.settings(where), bridges.load(name)
    table = settings.bridges.get(name, {})
    known = rules.parse(name, table, module.SETTINGS)
    config = _config(name, module, table, {**held, **os.environ})
    transport = module.open(config)
    folder = where.bridges / name
    disk.make_dir(folder)
    lock = _hold(folder / "pid", name)

    def tell(text: str) -> None:
        errors.tell(f"{name}: {text}")

    agents = Lives(where, settings, folder / "agents.log", held, tell)
    journal = Journal(folder / "journal.jsonl")
    for odd in journal.odd:
        tell(odd)
    config.moved.update(journal.ledger.moved)
    ground = Ground(name, where, home.owner(settings), known, module.LIMITS, journal, transport, agents, tell)
    try:
        return asyncio.run(_carry(Hub(ground)))
    finally:
        os.close(lock)


async def _carry(hub: Hub) -> bool:
    """Run the bridge until SIGINT, SIGTERM or a requested restart. Return True for a restart."""
    task = asyncio.ensure_future(hub.run())
    for signum in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(signum, task.cancel)
    with suppress(asyncio.CancelledError):
        await task
        return True
    return False


def _config(name: str, module: Bridge, table: Mapping[str, object], known: Mapping[str, str]) -> Access:
    """Return how to reach the bridge's network. Raises Misuse if its token is not set."""
    token = next((known[variable] for variable in module.TOKENS if known.get(variable)), "")
    if module.TOKENS and not token:
        raise Misuse(
            f"the bridge {name} needs its token: set {module.TOKENS[0]} in the environment, "
            "or in .env in dotagent's data directory"
        )
    base = known.get(credentials.variable(name, "API_BASE")) or table.get("base") or module.BASE
    if not isinstance(base, str):
        raise Misuse(
            f"dotagent.toml, [bridges.{name}]: base must be an address in quotation marks, such as "
            '"https://chat.example.com"'
        )
    return Access(token, base.rstrip("/"), table)


def _hold(path: Path, name: str) -> int:
    """Take the bridge's lock. Raises Trouble if another process has it."""
    promise, wish = path.parents[2] / "forgotten" / "announced.json", path.with_name(lives.ANEW)
    end = time.monotonic() + FORGETTING
    while disk.is_file(wish) and disk.is_locked(promise) and time.monotonic() < end:
        time.sleep(LOOK)  # the erasing process takes the lock first, then removes the request
    disk.remove(wish)
    running = f"the bridge {name} is already running, as process {{}}; stop that process first"
    return launch.alone(path, running, FORGETTING if promise.exists() else launch.PATIENCE)
