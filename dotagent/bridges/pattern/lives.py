"""The agents in a bridge's rooms: found by their subscriptions, created on first contact, started when stopped.

They are separate processes that continue without the bridge, and do not know its token. Owns
`bridges/<name>/agents.log`, the output of agents started here.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

from dotagent import errors
from dotagent.errors import Trouble
from dotagent.installed import CODE
from dotagent.life import events
from dotagent.life.events import Join
from dotagent.store import agent_search, child_processes, credentials, disk, launch, lives, log, variables
from dotagent.store.home import Home, Settings
from dotagent.text.reference import short

PATIENCE = 30.0  # seconds for an agent to start
AGAIN = 30.0  # seconds until an agent that failed to start is tried again


class Lives:
    """The agents in the rooms of one bridge."""

    def __init__(
        self, where: Home, settings: Settings, log: Path, keys: Mapping[str, str], tell: Callable[[str], None]
    ) -> None:
        self._home, self._settings, self._log, self._keys, self._tell = where, settings, log, keys, tell
        self._known: dict[str, str] = {}
        self._children: dict[str, subprocess.Popen[bytes]] = {}
        self._failed: dict[str, float] = {}
        self._turns: dict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    def of(self, room: str) -> str:
        """Return the id of the agent in the room, the youngest if there are several, or ""."""
        known = self._known.get(room)
        if known and self._hears(known, room):
            return known
        found = lives.find_agents(self._home, room)
        running = [one for one in found if self.runs(one)]
        newest = (running or found or [""])[-1]
        if newest:
            self._known[room] = newest
        return newest

    def runs(self, self_id: str) -> bool:
        """Return True if a process runs the agent."""
        return lives.runs(self._home, self_id)

    async def ensure(self, room: str, heading: str, agent: str, mode: str) -> None:
        """Make sure that an agent reads the room, as settings allow. A newly assigned agent is ready when this returns.

        `heading` is the room's audience, `agent` an agent's id from a route, and `mode` one of rules.AGENTS.
        """
        if mode == "none":
            return
        async with self._turns[room]:
            try:
                await self._ensure(room, heading, agent, mode)
            except (Trouble, OSError) as wrong:
                self._tell(
                    f"no agent can answer in {room}: {errors.line(wrong) if isinstance(wrong, OSError) else wrong}"
                )

    async def _ensure(self, room: str, heading: str, agent: str, mode: str) -> None:
        joined = bool(agent) and self._link(agent, room)
        found = self.of(room)
        if joined and self.runs(found):
            await self._joined(found, room)
        elif found and not self.runs(found) and self._may_start(room):
            if joined or not lives.is_supervised(self._home):
                await self._start(room, [found, *self._brief()], wait=joined)  # it also reads earlier messages
        elif not found and mode == "boot" and self._may_start(room):
            await self._start(room, ["--room", room, "--audience", heading, *self._brief()], wait=True)

    def _brief(self) -> list[str]:
        """Return the option to exit soon, if a supervisor will restart the agent when needed."""
        return ["--until-idle"] if lives.is_supervised(self._home) else []

    def _hears(self, self_id: str, room: str) -> bool:
        return lives.is_subscribed(self._home, self_id, room)

    def _link(self, agent: str, room: str) -> bool:
        """Subscribe the agent that settings name. Return True if it was not subscribed before."""
        self_id = agent_search.find_life(self._home, agent)
        self._known[room] = self_id
        if self._hears(self_id, room):
            return False
        lives.join(self._home, self_id, self._home.room(room))
        return True

    async def _joined(self, self_id: str, room: str) -> None:
        """Wait, at most a few seconds, until a running agent has joined the room that was just linked."""
        end = time.monotonic() + 3.0
        path = self._home.agent(self_id) / "LIFE.md"
        while time.monotonic() < end:
            if any(isinstance(event, Join) and event.room == room for event in map(events.parse, log.tail(path, 50))):
                return
            await asyncio.sleep(0.05)
        self._tell(
            f"agent {short(self_id)} has not joined room {room}; perhaps their audiences (who can read them) differ"
        )

    def _may_start(self, room: str) -> bool:
        child = self._children.get(room)
        if child and child.poll() is None:
            return False  # it is about to read the room
        return time.monotonic() - self._failed.get(room, -AGAIN) >= AGAIN

    async def _start(self, room: str, words: list[str], *, wait: bool) -> None:
        """Start agent.py in the background. With `wait`, wait until it prints its id, which means that it is ready."""
        handed = await self._hand_over()
        read, write = os.pipe()
        log = disk.open_append(self._log)
        try:
            program = [sys.executable, str(CODE / "agent.py"), "--home", str(self._home.root), *words]
            env = {**variables.split(os.environ, self._settings.environment)[0], **handed}
            self._children[room] = child_processes.start(program, write if wait else log, err=log, env=env)
        finally:
            os.close(write)
            os.close(log)
        if wait:
            await self._first_line(room, read)
        else:
            os.close(read)

    async def _hand_over(self) -> dict[str, str]:
        """Start the provider whose keys this process has, because the agent gets no keys."""
        provider = launch.choose(self._home, self._settings.provider, self._keys)
        if not credentials.credentials(provider, self._keys, credentials.key_of(self._home, provider) or ""):
            return {}  # the agent finds a provider by itself
        await asyncio.to_thread(launch.ensure, self._home, provider, {**self._keys, **os.environ})
        return {launch.HANDED: provider}

    async def _first_line(self, room: str, fd: int) -> None:
        """Wait until the agent has printed its id."""
        printed = asyncio.StreamReader()
        pipe, _ = await asyncio.get_running_loop().connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(printed), os.fdopen(fd, "rb")
        )
        line = b""
        try:
            with suppress(TimeoutError):
                line = await asyncio.wait_for(printed.readline(), PATIENCE)
        finally:
            pipe.close()
        if line.endswith(b"\n"):
            self._known[room] = line[:-1].decode("ascii", "replace")
        else:
            self._failed[room] = time.monotonic()
            self._tell(f"no agent has joined room {room}; the file {self._log} may say why")
