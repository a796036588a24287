"""Keep a home running: check for work, start the processes that it needs, and sleep in the kernel until a file changes.

All of its state is in files and locks, so it may crash and restart at any time. It leaves processes that still run
alone, and supervises them once they end. Agents with nothing to do need no process. Owns `up/pid`, the lock that
contains its pid.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from dotagent import errors
from dotagent.capabilities.supervisor import births, report
from dotagent.capabilities.supervisor.child import Child
from dotagent.capabilities.supervisor.roster import Roster
from dotagent.capabilities.supervisor.sleep import Asleep
from dotagent.capabilities.supervisor.stopped import due, processes, watched
from dotagent.capabilities.supervisor.template import Template
from dotagent.capabilities.supervisor.todo import Sleeper
from dotagent.errors import Misuse
from dotagent.installed import CODE
from dotagent.store import credentials, disk, home, key_handover, launch, lives, named_agents, variables, watch
from dotagent.store.home import SETTINGS, Home
from dotagent.store.watch import Changed, Watcher

LOOK = 1.0  # seconds between two checks, while a process that is not our child runs, or a provider is needed
PATIENCE = 10.0  # seconds from SIGTERM to SIGKILL


class Host:
    """A home that is kept running. `held` contains its secrets; each process gets only the secrets that it needs."""

    def __init__(self, where: Home, held: Mapping[str, str]) -> None:
        self._home, self._held = where, held
        self._settings = home.settings(where)
        self._changed, self.watcher = Changed(), Watcher()
        self._children: dict[str, Child] = {}
        self._sleepers: dict[str, Sleeper] = {}
        self._roster, self._asleep, self._template = Roster(where), Asleep(where), Template(where.root)
        self._due: dict[str, float] = {}  # when work for a stopped agent appears without a change of files
        self._unborn: list[str] = []
        self._newborn: dict[str, Child] = {}  # by the id of the agent
        self._told: set[str] = set()
        self._rows: list[report.Row] | None = None
        self._orphans = report.read(where)  # started by an earlier `up` that crashed
        self._others = False  # whether a process runs that is not our child
        self._leaving = False

    def leave(self) -> None:
        """Make the next `rest` the last."""
        self._leaving = True

    def rest(self, signals: int) -> bool:
        """Sleep until there may be something to do, or until the descriptor `signals` is readable. Return True to
        exit."""
        self.watcher.wait(self._pause())
        with suppress(BlockingIOError):
            os.read(signals, 4096)
        return self._leaving

    def look(self) -> None:
        """Do all pending work of the agents that changes since the last call concern."""
        changed = self.watcher.changed()
        self._watch_home(changed)
        if self._read():
            changed = None
        for self_id in self._roster.update(changed, self._settings.agents):
            self._watch(self_id)
        if changed is None or any(path.parent == self._home.agents for path in changed):
            self._unborn = births.unborn(self._home, self._settings.agents)
        self._others = False
        for child in self._children.values():
            self._reap(child)
        self._keep("bridge", tuple(self._settings.bridges), self._home.bridges)
        for process in processes(self._settings):
            self._keep(process.name, (process.name,), process.folder(self._home))
        for name in self._unborn:
            self._born(name)
        for self_id in [one for one, at in self._due.items() if at <= time.time()]:
            del self._due[self_id]
            self._roster.mark([self_id])
        for self_id in self._roster.take():
            self._life(self_id)
        if changed is None:
            self._asleep.save()
        self._serve()
        left = {(row["kind"], row["name"]): row for row in report.alive(self._orphans)}
        rows = [left.get((child.kind, child.name)) or child.told() for child in self._children.values()]
        if rows != self._rows:
            self._rows = rows
            report.write(self._home, rows)

    def _pause(self) -> float | None:
        """Return the longest sleep in seconds, or None to sleep until a file changes."""
        soon = [LOOK] if self._others or any(one.runs for one in self._of("life")) else []
        soon += [max(0.05, one.wait()) for one in self._children.values() if not one.runs and one.wait()]
        soon += [max(0.05, min(self._due.values()) - time.time())] if self._due else []
        return min(soon, default=None)

    def end(self) -> None:
        """Stop all processes that were started here, and the providers, whose calls go back into the queue."""
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
        self._template.close()
        self._asleep.save()
        report.write(self._home, [])

    # --- supervised processes

    def _of(self, kind: str) -> list[Child]:
        return [one for one in self._children.values() if one.kind == kind]

    def _child(self, kind: str, name: str, log: Path) -> Child:
        return self._children.setdefault(f"{kind} {name}", Child(kind, name, log))

    def _keep(self, kind: str, names: tuple[str, ...], folder: Path) -> None:
        """Keep the named processes of a kind running, and stop any others of that kind."""
        for child in self._of(kind):
            if child.name not in names and child.runs:
                child.signal(signal.SIGTERM, self._tell)
        for name in names:
            child = self._child(kind, name, self._home.up / f"{name}.log")
            if child.runs or child.wait():
                continue
            if disk.is_locked((folder / name if kind == "bridge" else folder) / "pid"):
                self._others = True
                continue
            words = [sys.executable, "-m", "dotagent", name, "--home", str(self._home.root)]
            secrets = self._held if kind == "bridge" else None
            child.start([*words, "--keys-on-stdin"] if kind == "bridge" else words, self._environment(), secrets)

    def _life(self, self_id: str) -> None:
        """Start the agent if it has something to do and is not running."""
        child = self._children.get(f"life {self_id}")
        if child and child.runs:
            return  # its end triggers the next check
        if child and child.wait():
            self._roster.mark([self_id])
            return
        newborn = self._newborn.get(self_id)
        if lives.runs(self._home, self_id) or (newborn and newborn.runs):  # it has printed its id, and signs soon
            self._others = True
            self._roster.mark([self_id])
            return
        births.subscribe(self._home, self._settings, self_id)
        self._due.pop(self_id, None)
        sleeper = self._sleepers.get(self_id) or Sleeper(self._home, self_id)
        if (child and child.why) or sleeper.why(self._settings, self._asleep):
            sleeper.started()
            self._sleepers[self_id] = sleeper
            child = self._child("life", self_id, self._home.agent(self_id) / "agent.log")
            self._start(child, self_id, self_id)
        elif (at := due(self._home, self._settings, self_id)) is not None:
            self._due[self_id] = at

    def _born(self, name: str) -> None:
        """Create an agent that settings list. Its output in the log gives its id."""
        child = self._child("birth", name, self._home.up / f"{name}.log")
        if self_id := named_agents.created(self._home.root, child.log):
            named_agents.keep(self._home.root, name, self_id)
            self._newborn[self_id] = child
            self._told.clear()
            self._roster.mark([self_id])
        elif not child.runs and not child.wait():
            try:
                words = named_agents.words(self._home.root, name, self._settings.agents[name])
            except Misuse as wrong:
                self._tell(str(wrong))
                return
            self._others = True
            self._start(child, name, *words)
        else:
            self._others = True

    def _start(self, child: Child, name: str, *words: str) -> None:
        """Start an agent, which is listed by this name or id, with these words."""
        program = [sys.executable, str(CODE / "agent.py"), *words, "--linger", f"{self._settings.linger:g}"]
        environment = {**self._environment(), **self._handed(name)}
        child.start([*program, "--home", str(self._home.root)], environment, template=self._template)

    def _environment(self) -> dict[str, str]:
        return variables.split(os.environ, self._settings.environment)[0]

    # --- providers

    def _answering(self, life: str) -> list[str]:
        """Return the providers of an agent for which there are credentials: the first choice, then the fallbacks."""
        own = self._settings.of_agent(life)
        first = launch.choose(self._home, str(own.get("provider") or self._settings.provider or ""), self._held)
        others = self._settings.fallback_of(life)
        names = dict.fromkeys((first, *others, str(self._settings.background.get("provider") or first)))
        keys = {name: credentials.key_of(self._home, name) or "" for name in names}
        return [name for name, key in keys.items() if credentials.credentials(name, self._held, key)]

    def _handed(self, life: str) -> dict[str, str]:
        """Start the agent's providers with our credentials. Return the environment variable that names the first of
        them; the agent gets no keys, and finds other providers itself."""
        try:
            names = self._answering(life)
            for name in names:
                launch.ensure(self._home, name, self._held)
        except Misuse as wrong:
            self._tell(str(wrong))
            return {}
        own = self._settings.of_agent(life).get("provider") or self._settings.provider
        return {launch.HANDED: names[0]} if names and own in (None, names[0]) else {}

    def _serve(self) -> None:
        """Keep the providers of each running agent running."""
        for child in self._of("life"):
            try:
                names = self._answering(child.name) if child.runs else []
            except Misuse as wrong:  # the settings on the disk are wrong at the moment
                self._tell(str(wrong))
                continue
            if any(not launch.served(self._home, name) for name in names):
                self._handed(child.name)

    # --- events

    def _reap(self, child: Child) -> None:
        status = child.died()
        if status is not None and child.kind == "life":
            self._roster.mark_neighbours(child.name)
        if status and child.kind != "birth":
            pause = f", trying again in {child.wait():.0f} s" if child.wait() >= 1 else ""
            what = "agent" if child.kind == "life" else child.kind
            errors.tell(f"{what} {child.name[:12]} ended, {child.why}{pause}: see {child.log}")

    def _read(self) -> bool:
        """Read changed settings and return True if they were read again. If they are broken, keep the earlier ones and
        report it."""
        changed = {self._changed.look(self._home.root / name) for name in (SETTINGS, ".env")}
        if True not in changed and self._told:
            return False
        try:
            self._settings = home.settings(self._home)
            self._held = {**self._held, **credentials.env_file(self._home)}
            self._told = {"read"}
            for line in self._settings.idle:
                self._tell(line)
            for name, variable in key_handover.tokens_without_bridge(self._settings.bridges, self._held):
                self._tell(f"{variable} is set, but {name} does not start: add the line [bridges.{name}] to {SETTINGS}")
            for child in self._children.values():
                child.again()
        except Misuse as wrong:
            self._tell(str(wrong))
        return True

    def _watch_home(self, changed: frozenset[Path] | None) -> None:
        """Watch the home for new agents and rooms, new messages, and changed settings."""
        here = self._home
        for folder in (here.root, here.chats, here.agents):
            if folder.is_dir():
                self.watcher.names(folder)
        for path in changed or ():
            if path.parent == here.agents and path.is_dir():  # an agent is being created: its LIFE.md comes later
                self.watcher.names(path)
        rooms = here.rooms() if changed is None else [one for one in changed if one.parent == here.chats]
        for path in (here.root / SETTINGS, here.root / ".env", *rooms):
            with suppress(OSError):  # it is gone, or not a regular file
                self.watcher.content(path)

    def _watch(self, self_id: str) -> None:
        """Watch the directories where something can arrive for a stopped agent."""
        path, done = self._home.agent(self_id), self._home.calls / "done" / self_id
        disk.make_dir(done)
        commands = [path / "processes" / name for name in disk.names(path / "processes")]
        for folder in (path / "subs", done, path / "processes", *watched(self._home, self_id), *commands):
            if folder.is_dir():
                self.watcher.names(folder)

    def _tell(self, text: str) -> None:
        if text not in self._told:
            self._told.add(text)
            errors.tell(text)


def run(where: Home, held: Mapping[str, str]) -> None:
    """Keep the home running until SIGINT or SIGTERM. Raises Trouble if another process already does."""
    disk.make_dir(where.up)
    lock = launch.alone(
        where.up / "pid", "`up` is already running for this data directory as process {}; `down` stops it"
    )
    host = Host(where, held)
    signal.signal(signal.SIGCHLD, lambda signum, frame: None)  # it ends the sleep when a child exits
    with watch.signalled(host.watcher, host.leave) as signals:
        host.look()
        print(
            f"`up` runs as process {os.getpid()} and keeps the agents and bridges of {where.root} running", flush=True
        )
        while not host.rest(signals):
            host.look()
        host.end()
    os.close(lock)
