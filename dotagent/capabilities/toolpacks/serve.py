"""The loop of a pack's process: it answers calls one after the other, and exits after a long time without calls.

Processes started by the pack continue from call to call, and end with this process. Owns nothing on disk except through
pack_calls.py.
"""

from __future__ import annotations

import os
import resource
import time
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from dotagent.capabilities.toolpacks import pack_calls, packs
from dotagent.capabilities.toolpacks.pack_calls import Fate, Use
from dotagent.capabilities.toolpacks.packs import Pack, Tool
from dotagent.capabilities.toolpacks.site import SHOWN, NotDone, Running, Site
from dotagent.errors import Misuse, Trouble
from dotagent.processes import background, process_tree
from dotagent.store import credentials, disk, home, launch
from dotagent.store.home import Home
from dotagent.store.watch import Watcher

LINGER = 300.0  # seconds without calls after which the process exits
LOOK = 30.0  # seconds between two checks whether it is still needed
MEMORY = 4 << 30  # bytes of address space of this process, and of each child


def start_pack(site: Site) -> Running:
    """Start the pack. Raises Trouble."""
    kind = site.pack.manifest.kind
    if kind == "command":
        from dotagent.capabilities.toolpacks import programs

        return programs.Commands(site)
    if kind == "mcp":
        from dotagent.capabilities.toolpacks import mcp_side

        return mcp_side.Server(site)
    from dotagent.capabilities.toolpacks import openapi

    return openapi.Interface(site)


def learn(where: Home, pack: Pack, data: Path) -> tuple[list[Tool], list[str]]:
    """Return the tools that a pack has now, and a line for each unusable one. Raises Trouble."""
    mark = f"{data}@{time.time_ns()}"
    try:
        running = start_pack(Site(where, home.settings(where), pack, data, secrets(where, pack), mark=mark))
        try:
            return [one for one in running.tools() if pack.manifest.offers(one.name)], running.left
        finally:
            running.close()
    finally:
        process_tree.kill_marked(f"{background.MARK}={mark}")


def secrets(where: Home, pack: Pack) -> dict[str, str]:
    """Return the variables that the pack's manifest names, from the home's .env. Raises Misuse."""
    wanted = pack.manifest.env
    found = credentials.env_file(where) if wanted else {}
    if missing := [name for name in wanted if not found.get(name)]:
        raise NotDone(
            f"the tool pack {pack.id} needs {', '.join(missing)}; the owner must add this to {where.root / '.env'}"
        )
    return {name: found[name] for name in wanted}


def serve(where: Home, self_id: str, id: str, linger: float = LINGER) -> None:
    """Answer calls until none has come for `linger` seconds. Return at once if another process does."""
    there = pack_calls.folder(where.agent(self_id), id)
    credentials.close()
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, hard))
    while True:
        with disk.open_regular(there / "pid", os.O_RDWR | os.O_CREAT) as lock:
            if not disk.try_lock(lock, disk.PROBED):
                return
            launch.sign(lock, os.getpid())
            _serve_until_idle(where, where.agent(self_id), id, linger)
        if not pack_calls.waiting(there):  # calls that came while the lock was released
            return


def _serve_until_idle(where: Home, life: Path, id: str, linger: float) -> None:
    there, watch, served = pack_calls.folder(life, id), Watcher(), _Served(where, life, id)
    with ExitStack() as ending:
        ending.callback(watch.close)
        ending.callback(lambda: process_tree.kill_marked(f"{background.MARK}={pack_calls.mark(life, id)}"))
        watch.names(there)
        end = time.monotonic() + linger
        while (left := end - time.monotonic()) > 0 and there.is_dir():
            for path in pack_calls.waiting(there):
                if call := pack_calls.take(path):
                    pack_calls.answer(there, call.key, served.answer(call))
                    end = time.monotonic() + linger
            if not pack_calls.waiting(there):
                watch.wait(min(left, LOOK))
        served.close()


class _Served:
    """A pack in its process: started by the first call, and restarted after it was enabled again."""

    def __init__(self, where: Home, life: Path, id: str) -> None:
        self._where, self._life, self._id = where, life, id
        self._pack: Pack | None = None  # the pack at the last call
        self._running: Running | None = None

    def answer(self, call: Use) -> Fate:
        """Return the result of a call."""
        try:
            return self._done(call)
        except NotDone as why:
            return Fate(str(why)[:SHOWN], False)
        except (Trouble, OSError, MemoryError) as why:
            self.close()
            return Fate(str(why)[:SHOWN] or "the tool needs too much memory", False, False)

    def close(self) -> None:
        """End the pack's processes."""
        if self._running:
            self._running.close()
        self._pack = self._running = None

    def _done(self, call: Use) -> Fate:
        try:
            pack, tool, running = self._ready(call)
        except Misuse as why:  # it was uninstalled or is misconfigured, so nothing was called
            self.close()
            raise NotDone(str(why)) from None
        said = running.call(tool, call.args)
        self._pack = pack
        return replace(said, text=said.text[:SHOWN])

    def _ready(self, call: Use) -> tuple[Pack, Tool, Running]:
        """Return the pack, the tool and the running pack for a call. Raises NotDone and Misuse."""
        pack = packs.read(self._where, self._id)
        if pack.why:
            raise NotDone(f"the tool pack {self._id}: {pack.why}")
        tool = pack.tool(call.tool)
        if tool is None or tool.mark != call.mark:
            raise NotDone(f"the tool pack {self._id} no longer has the tool {call.tool}, or the tool has changed")
        if pack != self._pack:
            self.close()
        if self._running is None:
            self._running = start_pack(self._site(pack, call))
        return pack, tool, self._running

    def _site(self, pack: Pack, call: Use) -> Site:
        data = pack_calls.folder(self._life, self._id) / "data"
        disk.make_dir(data)
        return Site(self._where, home.settings(self._where), pack, data, secrets(self._where, pack), self._life,
                    pack_calls.mark(self._life, self._id), call.audience, call.bridged)  # fmt: skip
