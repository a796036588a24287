"""Start a stopped agent of a room, or create one there, at a person's request.

Owns the `agent.log` of a new agent until its directory exists.
"""

from __future__ import annotations

import re
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from dotagent import errors
from dotagent.errors import Misuse, Trouble
from dotagent.store import agent_search, disk, home, launch, lives, named_agents
from dotagent.terminal.talk import Talk
from dotagent.text.reference import short

PATIENCE = 60.0  # seconds for an agent to start, also on a busy machine; one that fails is noticed at once
LATE = f"could not create an agent within {PATIENCE:.0f} s"


def offer(talk: Talk, here: list[str]) -> None:
    """Ask the person whether to start the agent that was active last. Any text other than a yes or no, which was typed
    before the question appeared, is sent as a message and starts the agent. Raises Trouble if the start fails."""
    last = agent_search.newest(talk.home, here)
    try:
        said = input(f"Agent {short(last)} in room {talk.room} is stopped. Start it? [Y/n] ").strip()
    except EOFError:
        said = "no"
        print()
    if said.lower() in ("n", "no") or said.startswith("/"):  # a command is for the chat, which has not started yet
        return
    if said.lower() not in ("", "y", "yes"):
        talk.say(said)
        errors.tell(f"your answer was not yes or no, so it was sent to room {talk.room} as a message")
    wake(talk, last)


def wake(talk: Talk, last: str) -> None:
    """Start this agent in the background. Raises Trouble with its last output if that fails."""
    log = talk.home.agent(last) / "agent.log"
    before = log.stat().st_size if log.is_file() else 0
    with _ended_by_ctrl_c(launch.agent(talk.home, [last], log)) as agent:
        if not _wait_until_ready(agent, lambda: lives.runs(talk.home, last)):
            late = f"agent {short(last)} did not start within {PATIENCE:.0f} s; the end of {log} may say why"
            with disk.reading(log) as file:
                file.seek(before)
                raise _failed(agent, file.read(), late)
        _tell(f"started agent {short(last)}", agent, log)


def born(talk: Talk, audience: str = "private") -> None:
    """Create an agent in the room, in the background: the agent that settings name for it, otherwise an agent without a
    name. Raises Trouble with its last output if that fails."""
    tables = home.settings(talk.home).agents
    name = named_agents.main(talk.home.root, tables)
    if named_agents.is_name(name) and named_agents.first_room(name, tables[name]) == talk.room:
        _create_named(talk, name, named_agents.words(talk.home.root, name, tables[name]))
        return
    log = Path(disk.write_aside(talk.home.agents, b""))
    try:
        with _ended_by_ctrl_c(launch.agent(talk.home, ["--room", talk.room, "--audience", audience], log)) as agent:
            if not _wait_until_ready(agent, lambda: bool(_first(log))):
                raise _failed(agent, disk.read(log), LATE)
            kept = talk.home.agent(self_id := _first(log)) / "agent.log"
            disk.move(log, kept)
            _tell(f"created agent {short(self_id)} in room {talk.room}", agent, kept)
    finally:
        disk.remove(log)


def _create_named(talk: Talk, name: str, words: list[str]) -> None:
    """Create the agent that settings list by this name. It uses the log from which `up` reads the id, so `up` creates
    no second agent if this process is killed."""
    root, log = talk.home.root, talk.home.up / f"{name}.log"
    disk.make_dir(log.parent)
    with _ended_by_ctrl_c(launch.agent(talk.home, words, log)) as agent:
        if not _wait_until_ready(agent, lambda: bool(named_agents.created(root, log))):
            raise _failed(agent, disk.read(log), LATE)
        named_agents.keep(root, name, self_id := named_agents.created(root, log))
        _tell(f"created agent {name} {short(self_id)} in room {talk.room}", agent, log)


def _failed(agent: subprocess.Popen[bytes], said: bytes, late: str) -> Trouble:
    """Return the error for an agent that did not start: the last line of its output, with its exit status. `late` is
    the error for an agent that took too long."""
    last = said.decode("utf-8", "replace").strip().rpartition("\n")[2].removeprefix("dotagent: ")
    kind = Misuse if agent.poll() == Misuse.status else Trouble
    return kind(last if last and (agent.returncode or 0) > 0 else late)


def _first(log: Path) -> str:
    """Return the id that an agent prints when it is ready, or ""."""
    found = re.match(rb"([0-9a-f]{32})\n", disk.read(log))
    return found[1].decode() if found else ""


def _wait_until_ready(agent: subprocess.Popen[bytes], ready: Callable[[], bool]) -> bool:
    """Wait until the started agent is ready. Return False if it ends, or takes too long and is terminated."""
    end = time.monotonic() + PATIENCE
    while not ready():
        if agent.poll() is not None:
            return False
        if time.monotonic() > end:
            agent.terminate()
            return False
        time.sleep(0.02)
    return True


@contextmanager
def _ended_by_ctrl_c(agent: subprocess.Popen[bytes]) -> Iterator[subprocess.Popen[bytes]]:
    """During the block, let Ctrl-C also end the agent: the person does not know of it before the block has ended."""
    try:
        yield agent
    except KeyboardInterrupt:
        agent.terminate()
        raise


def _tell(what: str, agent: subprocess.Popen[bytes], log: Path) -> None:
    errors.tell(f"{what}; it runs in the background (`kill {agent.pid}` stops it), its output is in {log}")
