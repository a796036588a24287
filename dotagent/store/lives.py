"""The agents of a home, seen from outside: which agent a person means, who is in a room, and who answers there.

If several agents run in a room, the oldest agent answers, or the agent that the message calls by its id or name. Owns
the creation of an agent's directory.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path

from dotagent import installed
from dotagent.errors import Misuse
from dotagent.store import bootstrap, disk, home, log, rooms
from dotagent.store.home import Home, Settings
from dotagent.store.rooms import Message
from dotagent.text import names
from dotagent.text.reference import PREFIX, short

ANEW = "anew"  # a file in an agent's run/ or a bridge's directory that asks for a restart
ANSWERED = "dotagent itself answers this command."  # appended to a message that dotagent itself answers
ANSWERED_LAST = "dotagent itself answers the last message; the messages above it still need your answer."
RULE = (
    "if several agents run in a room, the oldest answers; to ask another agent, begin with its name and a comma, or "
    "write the first 8 digits of its id"
)


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
    first = next(log.lines(_log(where, self_id)), None)
    if first:
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
    first = next(log.lines(_log(where, self_id)), None)
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
    return _sorted(where, _reading(where, home.lives(where, room), room, owner))


def _reading(where: Home, ids: list[str], room: str, owner: str) -> list[str]:
    """Return those of the agents that may read the room: a link alone lets no agent of another audience in."""
    path = where.room(room)
    if not ids or not disk.is_file(path):
        return ids
    theirs = rooms.audience(path, owner or home.owner(home.settings_now(where, Settings())))
    return [one for one in ids if _audience(where, one) in ("", theirs)]


def _sorted(where: Home, ids: list[str]) -> list[str]:
    """Return the agents, oldest first."""
    return sorted(ids, key=lambda one: born(where, one)) if len(ids) > 1 else ids


def newest(where: Home, ids: list[str]) -> str:
    """Return the agent that was active last."""
    return max(ids, key=lambda one: last(where, one))


def stopped(where: Home, room: str) -> list[str]:
    """Return the stopped agents of the room that a person can start, oldest first. Helpers are not among them."""
    return [one for one in find_agents(where, room) if not runs(where, one) and not is_made(where, one)]


def awake(where: Home, room: str, owner: str = "") -> list[str]:
    """Return the running agents of the room that are not helpers, oldest first. Without `owner`, settings give the
    owner's name."""
    running = [one for one in home.lives(where, room) if runs(where, one)]
    return _sorted(where, _reading(where, running, room, owner))


def _audience(where: Home, self_id: str) -> str:
    """Return the audience with which the agent was created, or "" if it has no event yet."""
    first = next(log.lines(_log(where, self_id)), None)
    return first.detail if first and first.event == "BOOT" else ""


def answering(where: Home, settings: Settings, there: list[str], text: str) -> str:
    """Return the running agent that answers a message with this text: the agent that it calls, or the oldest."""
    return _called(where, settings, there, text) or there[0]


def concerns(where: Home, settings: Settings, there: list[str], self_id: str, room: str, message: Message) -> bool:
    """Return False if another agent's message answers a person who called that agent, and does not call this one."""
    before = rooms.back(where.room(room), message.end) if len(there) > 1 else iter(())
    asked = next((one.text for one in before if one.kind != "AGENT"), "")
    answers = message.name == short(_called(where, settings, there, asked))
    return not answers or _called(where, settings, there, message.text) == self_id


def _called(where: Home, settings: Settings, there: list[str], text: str) -> str:
    """Return the running agent that a message calls by id, or by a name that no other agent here has, or ""."""
    called = tuple(re.findall(r"(?<!\w)[0-9a-f]{8,32}(?!\w)", text.lower()))
    if found := next((one for one in there if any(map(one.startswith, called))), ""):
        return found
    from dotagent.store import call_names, display  # loaded only where several agents may answer

    faces = [(one, display.find_face(where, settings, one).given.casefold()) for one in dict.fromkeys(there)]
    given = [name for _, name in faces]
    alone = ((one, name) for one, name in faces if given.count(name) == 1)
    return next((one for one, name in alone if call_names.is_called(name, text, given)), "")


def find_agent(where: Home, wanted: str | None, newest_of_all: bool = False) -> str:
    """Return the agent that a person means: by id or prefix, by a room that only it is in, or by its name.

    Without `wanted`, it is the only agent, or with `newest_of_all` the most recently active agent. Raises Misuse.
    """
    known, place = home.lives(where), f"in {where.root}"
    known = known if wanted is not None else [one for one in known if not is_made(where, one)]
    if wanted is not None and not (there := _find_in_room(where, wanted)):
        same = _find_named(where, wanted)
        if len(same) > 1:
            raise Misuse(
                f"{len(same)} agents are called {wanted} ({', '.join(map(short, same))}); give the id of one instead"
            )
        return same[0] if same else home.find_life(where, wanted.lower())
    if wanted is not None:
        known, place = there, f"in room {wanted}"
    if not known:
        raise Misuse(f"no agents {place} yet; create one with `{installed.program('agent')}{where.flag}`")
    if len(known) > 1 and not newest_of_all:
        newest_last = ", ".join(map(short, sorted(known, key=lambda one: last(where, one))[-8:]))
        raise Misuse(
            f"there are {len(known)} agents {place}: {newest_last}; name one of them, or use --last for the most "
            f"recently active one"
        )
    return newest(where, known)


def _find_named(where: Home, name: str) -> list[str]:
    """Return the agent that settings create under this name, otherwise the agents with this display name. No beginning
    of an id is a name."""
    if PREFIX.fullmatch(name):
        return []
    from dotagent.store import display, named_agents

    born = named_agents.life(where.root, name)
    return [born] if born else display.find_named(where, name)


def _find_in_room(where: Home, name: str) -> list[str]:
    return find_agents(where, name) if names.ROOM.fullmatch(name) and not PREFIX.fullmatch(name) else []


def _log(where: Home, self_id: str) -> Path:
    return where.agent(self_id) / "LIFE.md"
