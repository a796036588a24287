"""The loop of a pack's process: it takes calls one after the other, answers them, and leaves when none comes for long.

What the pack starts goes on from call to call, and ends with this process. Owns nothing on disk but by
store/packed.py.
"""

from __future__ import annotations

import os
import resource
import time
from contextlib import ExitStack
from pathlib import Path

from dotagent.errors import Misuse, Trouble
from dotagent.packs.site import SHOWN, NotDone, Running, Site
from dotagent.store import credentials, disk, home, launch, packed, packs, process, supervised
from dotagent.store.home import Home
from dotagent.store.packed import Fate, Use
from dotagent.store.packs import Pack, Tool
from dotagent.store.watch import Watcher

LINGER = 300.0  # seconds without any call, after which the process leaves
LOOK = 30.0  # seconds between two looks at whether it is still wanted
MEMORY = 4 << 30  # bytes of address space of this process; what it starts has as many as it gets


def of(site: Site) -> Running:
    """The pack, ready to be asked. Raises Trouble."""
    kind = site.pack.manifest.kind
    if kind == "command":
        from dotagent.packs import commands

        return commands.Commands(site)
    if kind == "mcp":
        from dotagent.packs import mcp_side

        return mcp_side.Server(site)
    from dotagent.packs import openapi

    return openapi.Interface(site)


def learn(where: Home, pack: Pack, data: Path) -> list[Tool]:
    """The tools that a pack has now, whatever is written down of it. Raises Trouble."""
    mark = f"{data}@{time.time_ns()}"
    running = of(Site(where, home.settings(where), pack, data, secrets(where, pack), mark=mark))
    try:
        return [one for one in running.tools() if pack.manifest.offers(one.name)]
    finally:
        running.close()
        process.kill_marked(f"{supervised.MARK}={mark}")


def secrets(where: Home, pack: Pack) -> dict[str, str]:
    """The variables that the pack's manifest names, from the home's .env. Raises Misuse."""
    wanted = pack.manifest.env
    found = credentials.env_file(where) if wanted else {}
    if missing := [name for name in wanted if not found.get(name)]:
        raise NotDone(f"{pack.id} needs {', '.join(missing)}: its person puts it into {where.root / '.env'}")
    return {name: found[name] for name in wanted}


def serve(where: Home, self_id: str, id: str, linger: float = LINGER) -> None:
    """Answer what waits, and what comes, until nothing has come for so long; at once where another process does."""
    there = packed.folder(where.agent(self_id), id)
    credentials.close()
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, hard))
    while True:
        with disk.opened(there / "pid", os.O_RDWR | os.O_CREAT) as lock:
            if not disk.try_lock(lock, disk.PROBED):
                return
            launch.sign(lock, os.getpid())
            _all(where, where.agent(self_id), id, linger)
        if not packed.waiting(there):  # what came while the lock was let go of
            return


def _all(where: Home, life: Path, id: str, linger: float) -> None:
    there, watch, served = packed.folder(life, id), Watcher(), _Served(where, life, id)
    with ExitStack() as ending:
        ending.callback(watch.close)
        ending.callback(lambda: process.kill_marked(f"{supervised.MARK}={packed.mark(life, id)}"))
        watch.names(there)
        end = time.monotonic() + linger
        while (left := end - time.monotonic()) > 0 and there.is_dir():
            for path in packed.waiting(there):
                if call := packed.take(path):
                    packed.answer(there, call.key, served.answer(call))
                    end = time.monotonic() + linger
            if not packed.waiting(there):
                watch.wait(min(left, LOOK))
        served.close()


class _Served:
    """A pack as its process answers for it: started by the first call, and anew once its person enabled it anew."""

    def __init__(self, where: Home, life: Path, id: str) -> None:
        self._where, self._life, self._id = where, life, id
        self._pack: Pack | None = None  # as it was when a call was last done
        self._running: Running | None = None

    def answer(self, call: Use) -> Fate:
        """What comes of a call."""
        try:
            return self._done(call)
        except NotDone as why:
            return Fate(str(why)[:SHOWN], False)
        except (Trouble, OSError, MemoryError) as why:
            self.close()
            return Fate(str(why)[:SHOWN] or "it needs too much memory", False, False)

    def close(self) -> None:
        """End what was started."""
        if self._running:
            self._running.close()
        self._pack = self._running = None

    def _done(self, call: Use) -> Fate:
        try:
            pack, tool, running = self._ready(call)
        except Misuse as why:  # it is not installed any more, or misconfigured: nothing was called
            self.close()
            raise NotDone(str(why)) from None
        said = running.call(tool, call.args)
        self._pack = pack
        return Fate(said.text[:SHOWN], said.good, said.sure)

    def _ready(self, call: Use) -> tuple[Pack, Tool, Running]:
        """What the call goes to, as it is now. Raises NotDone and Misuse."""
        pack = packs.read(self._where, self._id)
        if pack.why:
            raise NotDone(f"{self._id}: {pack.why}")
        tool = pack.tool(call.tool)
        if tool is None or tool.mark != call.mark:
            raise NotDone(f"{self._id} has no {call.tool} any more as it was told of")
        if pack != self._pack:
            self.close()
        if self._running is None:
            self._running = of(self._site(pack, call))
        return pack, tool, self._running

    def _site(self, pack: Pack, call: Use) -> Site:
        data = packed.folder(self._life, self._id) / "data"
        disk.make_dir(data)
        return Site(self._where, home.settings(self._where), pack, data, secrets(self._where, pack), self._life,
                    packed.mark(self._life, self._id), call.audience, call.bridged)  # fmt: skip
