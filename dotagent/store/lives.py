"""The agents of a home, seen from outside: who is in a room, and who runs. Owns the creation of an agent's directory,
and `agents/<self>/run/pid`, the process of an agent."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from dotagent.store import bootstrap, disk, home, log, process, rooms
from dotagent.store.home import Home, Settings
from dotagent.store.log import Line

ANEW = "anew"  # a file in an agent's run/ or a bridge's directory that asks for a restart
RULE = (
    "if several agents run in a room, the oldest answers; to ask another agent, begin with its name and a comma, or "
    "write the first 8 digits of its id"
)
ANSWERED = "dotagent itself answers this command."  # appended to a message that dotagent itself answers
ANSWERED_LAST = "dotagent itself answers the last message; the messages above it still need your answer."


def furnish(where: Home, self_id: str, room: Path, audience: str, soul: str) -> None:
    """Create the missing parts of a new agent's directory, and subscribe it to the room. LIFE.md comes last."""
    path = where.agent(self_id)
    disk.make_dir(path)
    if bootstrap.kind(audience) != "helper":
        disk.replace(path / "MEMORY.md", b"")
    list(bootstrap.seed(path, audience, soul, born=True, drafts=_drafts(where, audience)))
    join(where, self_id, room)
    os.close(disk.open_append(path / "LIFE.md"))
    disk.sync_dir(path)


def _drafts(where: Home, audience: str) -> dict[str, bytes]:
    """Return what a person wrote in the home for new agents. USER.md describes the owner, so only the owner's agents
    get it."""
    found = dict[str, bytes]()
    for name in bootstrap.DRAFTS:
        if name != "USER.md" or audience == f"private {home.owner(home.settings(where))}":
            with suppress(OSError):  # an unreadable draft counts as missing
                found[name] = disk.read(where.draft(name), follow=True)
    return {name: data for name, data in found.items() if data.strip()}


def join(where: Home, self_id: str, room: Path) -> None:
    """Subscribe an agent to a room; a running agent notices at once."""
    subs = where.agent(self_id) / "subs"
    disk.make_dir(subs)
    with suppress(FileExistsError):
        os.symlink(os.path.relpath(room, subs), subs / room.name)
    disk.sync_dir(subs)


def is_made(where: Home, self_id: str) -> bool:
    """Return True if the agent is a helper: created by another agent for one task, and not open to conversation."""
    if first := _first(where, self_id):
        return first.detail.startswith("helper ")
    return any(room.startswith("helper-") for room in subscribed(where.agent(self_id)))


def subscribed(path: Path) -> list[str]:
    """Return the names of the links in an agent's subs/, its rooms, in order."""
    return [name.removesuffix(".md") for name in disk.names(path / "subs", ".md")]


def runs(where: Home, self_id: str) -> bool:
    """Return True if a process runs the agent."""
    return disk.is_locked(_log(where, self_id))


def is_supervised(where: Home) -> bool:
    """Return True if `up` supervises the home; then it starts a stopped agent when a message comes."""
    return disk.is_locked(where.up / "pid")


def born(where: Home, self_id: str) -> str:
    """Return the time of the agent's first event, or ""."""
    first = _first(where, self_id)
    return first.at if first else ""


def last(where: Home, self_id: str) -> str:
    """Return the time of the agent's last event, or ""."""
    return next((line.at for line in log.backwards(_log(where, self_id))), "")


def is_subscribed(where: Home, self_id: str, room: str) -> bool:
    """Return True if the agent is subscribed to the room."""
    return (where.agent(self_id) / "subs" / f"{room}.md").is_symlink()


def find_agents(where: Home, room: str, owner: str = "") -> list[str]:
    """Return the agents of the room, oldest first: those that are subscribed to it and may read it. Without `owner`,
    settings give the owner's name."""
    return _readers(where, home.lives(where, room), room, owner)


def _readers(where: Home, ids: list[str], room: str, owner: str) -> list[str]:
    """Return those of the agents that may read the room, oldest first: a link alone lets no agent of another audience
    in."""
    path = where.room(room)
    if ids and disk.is_file(path):
        theirs = rooms.audience(path, owner or home.owner(home.settings_now(where, Settings())))
        ids = [one for one in ids if _audience(where, one) in ("", theirs)]
    return sorted(ids, key=lambda one: born(where, one)) if len(ids) > 1 else ids


def awake(where: Home, room: str, owner: str = "") -> list[str]:
    """Return the running agents of the room that are not helpers, oldest first. Without `owner`, settings give the
    owner's name."""
    running = [one for one in home.lives(where, room) if runs(where, one)]
    return _readers(where, running, room, owner)


def _audience(where: Home, self_id: str) -> str:
    """Return the audience with which the agent was created, or "" if it has no event yet."""
    first = _first(where, self_id)
    return first.detail if first and first.event == "BOOT" else ""


def _first(where: Home, self_id: str) -> Line | None:
    return next(log.lines(_log(where, self_id)), None)


def _log(where: Home, self_id: str) -> Path:
    return where.agent(self_id) / "LIFE.md"


def sign(where: Home, self_id: str, number: int) -> None:
    """Record the agent's process, so that others can end it."""
    disk.make_dir(where.agent(self_id) / "run")
    told = f"{number} {process.start_time(number)}\n"
    disk.replace(where.agent(self_id) / "run" / "pid", told.encode(), durable=False)


def pid(where: Home, self_id: str) -> int:
    """Return the pid of the agent's process, or 0."""
    return process.read_process(where.agent(self_id) / "run" / "pid")[0]
