"""Keeping a home running: look what there is to do, start what is to run, sleep in the kernel until something changes.

All that it goes by are files and locks, so it may die and begin anew at any time: what runs then is left alone, and
looked after once it ends. Lives that have nothing to do cost no process. Owns `up/pid`: the lock, and in it the pid.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from dotagent import errors, extensions
from dotagent.errors import Misuse
from dotagent.host import births, report
from dotagent.host.child import Child
from dotagent.host.todo import Sleeper
from dotagent.installed import CODE
from dotagent.store import allowance, credentials, disk, home, launch, listed, lives, watch
from dotagent.store.home import SETTINGS, Home
from dotagent.store.watch import Changed, Watcher

LOOK = 1.0  # seconds between two looks, while something runs that is not a child of ours, or a provider is needed
PATIENCE = 10.0  # seconds in which what was asked to leave must


class Host:
    """A home that is kept running; `held` are its secrets, which only those get that need them."""

    def __init__(self, where: Home, held: Mapping[str, str]) -> None:
        self._home, self._held = where, held
        self._settings = home.settings(where)
        self._changed, self.watcher = Changed(), Watcher()
        self._children: dict[str, Child] = {}
        self._sleepers: dict[str, Sleeper] = {}
        self._made = dict[str, bool]()  # whether a life is a helper
        self._told: set[str] = set()
        self._rows: list[report.Row] | None = None
        self._orphans = report.read(where)  # what one before us has started, and died over
        self._others = False  # whether something runs that another has started
        self._leaving = False

    def leave(self) -> None:
        """Let its rest be the last."""
        self._leaving = True

    def rest(self, signals: int) -> bool:
        """Sleep until there may be something to do, or this descriptor of signals is readable; whether to leave."""
        self.watcher.wait(self._pause())
        with suppress(BlockingIOError):
            os.read(signals, 4096)
        return self._leaving

    def look(self) -> None:
        """Do what is to be done now."""
        self._watch()
        self._read()
        self._others = False
        for child in self._children.values():
            self._reap(child)
        self._keep("bridge", tuple(self._settings.bridges))
        self._keep("clock", ("clock",) if "clock" in extensions.names("commands") else ())
        for name in births.unborn(self._home, self._settings.agents):
            self._born(name)
        for self_id in self._lives():
            self._life(self_id)
        self._serve()
        left = {(row["kind"], row["name"]): row for row in report.alive(self._orphans)}
        rows = [left.get((child.kind, child.name)) or child.told() for child in self._children.values()]
        if rows != self._rows:
            self._rows = rows
            report.write(self._home, rows)

    def _pause(self) -> float | None:
        """How long to sleep at most; None: until something changes."""
        soon = [LOOK] if self._others or any(one.runs for one in self._of("life")) else []
        soon += [max(0.05, one.wait()) for one in self._children.values() if not one.runs and one.wait()]
        return min(soon, default=None)

    def end(self) -> None:
        """Let all that was started here end, and the providers, whose calls go back into the spool."""
        for child in self._children.values():
            child.signal(signal.SIGTERM, self._tell)
        for row in report.alive(self._orphans):
            with suppress(ProcessLookupError):
                os.kill(int(str(row["pid"])), signal.SIGTERM)
        until = time.monotonic() + PATIENCE
        while report.alive(self._orphans) and time.monotonic() < until:
            self.watcher.wait(0.05)
        for child in self._children.values():
            while child.runs and time.monotonic() < until:
                self.watcher.wait(0.05)
            child.signal(signal.SIGKILL, self._tell)
        for path in self._home.calls.glob("*.pid"):
            launch.stop(self._home, path.stem)
        report.write(self._home, [])

    # --- what is kept running

    def _lives(self) -> list[str]:
        """The lives that are started here: not helpers, after which those look that made them."""
        found = home.lives(self._home)
        for one in found:
            if one not in self._made:
                self._made[one] = lives.is_made(self._home, one)
        return [one for one in found if not self._made[one]]

    def _of(self, kind: str) -> list[Child]:
        return [one for one in self._children.values() if one.kind == kind]

    def _child(self, kind: str, name: str, log: Path) -> Child:
        return self._children.setdefault(f"{kind} {name}", Child(kind, name, log))

    def _keep(self, kind: str, names: tuple[str, ...]) -> None:
        """See to it that these run, and no others of the kind."""
        for child in self._of(kind):
            if child.name not in names and child.runs:
                child.signal(signal.SIGTERM, self._tell)
        for name in names:
            child = self._child(kind, name, self._home.up / f"{name}.log")
            folder = self._home.root / "clock" if kind == "clock" else self._home.bridges / name
            if child.runs or child.wait():
                continue
            if disk.is_locked(folder / "pid"):
                self._others = True
                continue
            words = [sys.executable, "-m", "dotagent", name, "--home", str(self._home.root)]
            secrets = self._held if kind == "bridge" else None
            child.start([*words, "--keys-on-stdin"] if kind == "bridge" else words, self._environment(), secrets)

    def _life(self, self_id: str) -> None:
        """Start the life when it has something to do, and nobody lives it."""
        child = self._child("life", self_id, self._home.agent(self_id) / "agent.log")
        sleeper = self._sleepers.setdefault(self_id, Sleeper(self._home, self_id))
        if child.runs or child.wait():
            return
        if lives.runs(self._home, self_id):
            self._others = True
            return
        births.subscribe(self._home, self._settings, self_id)
        if child.why or sleeper.why(self._settings):
            sleeper.started()
            child.start(self._agent(self_id), {**self._environment(), **self._handed(self_id)})

    def _born(self, name: str) -> None:
        """Let the agent that settings list be born; its life is known by what it prints."""
        child = self._child("birth", name, self._home.up / f"{name}.log")
        if self_id := births.found(self._home, child.log):
            listed.keep(self._home.root, name, self_id)
            self._told.clear()
        elif not child.runs and not child.wait():
            try:
                words = births.words(self._home, self._settings, name)
            except Misuse as wrong:
                self._tell(str(wrong))
                return
            self._others = True
            child.start(self._agent(*words), {**self._environment(), **self._handed(name)})
        else:
            self._others = True

    def _agent(self, *words: str) -> list[str]:
        linger = ("--linger", f"{self._settings.linger:g}")
        return [sys.executable, str(CODE / "agent.py"), *words, *linger, "--home", str(self._home.root)]

    def _environment(self) -> dict[str, str]:
        return credentials.split(os.environ, self._settings.environment)[0]

    # --- providers

    def _answering(self, life: str) -> list[str]:
        """Who answers the life, first of all and otherwise, as far as we have credentials for them."""
        own = allowance.of(self._settings.agents, life)
        first = launch.choose(self._home, str(own.get("provider") or self._settings.provider or ""), self._held)
        others = allowance.fallback(self._settings.fallback, self._settings.agents, life)
        names = dict.fromkeys((first, *others, str(self._settings.background.get("provider") or first)))
        keys = {name: credentials.key_of(self._home, name) or "" for name in names}
        return [name for name, key in keys.items() if credentials.credentials(name, self._held, key)]

    def _handed(self, life: str) -> dict[str, str]:
        """See to it that those answer with the keys that we have; the agent gets none. It finds others by itself."""
        try:
            names = self._answering(life)
            for name in names:
                launch.ensure(self._home, name, self._held)
        except Misuse as wrong:
            self._tell(str(wrong))
            return {}
        own = allowance.of(self._settings.agents, life).get("provider") or self._settings.provider
        return {launch.HANDED: names[0]} if names and own in (None, names[0]) else {}

    def _serve(self) -> None:
        """While somebody lives, whoever answers him is there."""
        for child in self._of("life"):
            if child.runs and any(not launch.served(self._home, name) for name in self._answering(child.name)):
                self._handed(child.name)

    # --- what happens

    def _reap(self, child: Child) -> None:
        status = child.died()
        if status and child.kind != "birth":
            pause = f", again in {child.wait():.0f} s" if child.wait() >= 1 else ""
            errors.tell(f"{child.kind} {child.name[:12]} ended, {child.why}{pause}: see {child.log}")

    def _read(self) -> None:
        """Go by the settings as they are now; with broken ones by those before."""
        changed = {self._changed.look(self._home.root / name) for name in (SETTINGS, ".env")}
        if True not in changed and self._told:
            return
        try:
            self._settings = home.settings(self._home)
            self._held = {**self._held, **credentials.env_file(self._home)}
            self._told = {"read"}
            for child in self._children.values():
                child.again()
        except Misuse as wrong:
            self._tell(str(wrong))

    def _watch(self) -> None:
        """Wake when a room is written to or made, and where something comes for a life that may sleep."""
        here = self._home
        names = [here.root, here.chats, here.agents]
        for self_id in self._lives():
            path = here.agent(self_id)
            done = here.calls / "done" / self_id
            disk.make_dir(done)
            names += [path / "subs", done, path / "due", path / "processes", *(path / "processes").glob("*")]
        for folder in names:
            if folder.is_dir():
                self.watcher.names(folder)
        for path in (here.root / SETTINGS, here.root / ".env", *here.chats.glob("*.md")):
            with suppress(OSError):  # it is no file, or gone
                self.watcher.content(path)

    def _tell(self, text: str) -> None:
        if text not in self._told:
            self._told.add(text)
            errors.tell(text)


def run(where: Home, held: Mapping[str, str]) -> None:
    """Keep the home running until SIGINT or SIGTERM. Raises Trouble when somebody does already."""
    disk.make_dir(where.up)
    lock = launch.alone(where.up / "pid", "this home is kept running already, by process {}: `down` ends it")
    host = Host(where, held)
    signal.signal(signal.SIGCHLD, lambda signum, frame: None)  # it wakes: somebody ended
    with watch.signalled(host.watcher, host.leave) as signals:
        host.look()
        print(f"{where.root} is kept running, by process {os.getpid()}", flush=True)
        while not host.rest(signals):
            host.look()
        host.end()
    os.close(lock)
