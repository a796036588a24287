"""Commands that begin with /, and their output for the person. They do not appear in the room.

Owns nothing on disk; `uploads` writes the files of /file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from dotagent import extensions, installed
from dotagent.errors import Trouble
from dotagent.store import agent_search, bootstrap, disk, home, launch, lives, queue, rooms
from dotagent.store.blobs import BlobCorrupt, BlobMissing
from dotagent.store.home import Home
from dotagent.terminal import presence
from dotagent.terminal.talk import Talk
from dotagent.text import escape, suggestions, times
from dotagent.text.reference import short

SHOWN = 4000  # characters of a document that are shown

COMMANDS = {
    "/help": ("", "show this list"),
    "/status": ("", "show the agents, the waiting model requests and the problems of this room"),
    "/agents": ("", "list all agents"),
    "/stop": ("", "stop what the agents of this room are doing for it"),
    "/model": ("", "show which model answers, and how to change it"),
    "/file": ("PATH", "copy a file to the agents of this room"),
    "/persona": ("", "show the agent's character files, their versions and proposals; see /persona help"),
    "/forget": ("WORDS", "permanently forget something; the agent shows the owner the matches first, and asks"),
    "/room": ("NAME", "go to another room"),
    "/rooms": ("", "list the rooms"),
    "/times": ("", "show the times of messages, or hide them again"),
    "/quit": ("", "leave the chat (as Ctrl-D does)"),
}
ELSEWHERE = {
    "/exit /bye /q": "/quit",
    "/new /reset /clear": "there are no sessions; for a new conversation, use another room: /room NAME",
    "/compact": f"`{installed.program('fade')}`",
    "/cost": f"`{installed.program('usage')}`",
    "/memory": f"/persona, which also shows the agent's notes, and `{installed.program('memory')} search`",
    "/history": f"/times, or `{installed.program('recall')}`",
    "/settings": f"`{installed.program('config')}`",
    "/tools /skills": f"`{installed.program('toolpacks')}`, `{installed.program('skills')}`",
}
"""Commands of other assistants, and their equivalents here."""
_COMMAND = re.compile(r"[/／]([^\W\d_]+)([.!,;:…。！，]*)(?:\s+(.*))?", re.DOTALL)
PERSONA = ("show", "revisions", "diff", "rollback", "candidates", "apply", "reject")
KEYS = """To send a message that begins with /, put a space before it.
A line that ends in \\ continues on the next line; so does Alt-Enter. Arrow keys edit; Up and ^R find earlier input.
Tab completes commands, rooms and paths. ^C clears the line, and Up brings it back.
Pasted lines get a > in front, which marks them as someone else's text. Delete the > if you wrote them yourself."""


def parse(text: str) -> tuple[str, str] | None:
    """Return the command and its argument, or None if this is a message. Capital letters do not count, and neither does
    punctuation after a known command (`/stop!`)."""
    found = _COMMAND.fullmatch(text.rstrip())
    name = f"/{found[1].lower()}" if found else ""
    known = found and (not found[2] or name in COMMANDS)
    return (name, (found[3] or "").strip()) if found and known else None


def is_said(name: str, rest: str) -> bool:
    """Return True if a command is sent to the room, where the agent answers it."""
    return name == "/forget" and bool(rest)


def do(talk: Talk, name: str, rest: str) -> str:
    """Run this command, except those that the display handles itself. Return text for the person. Raises Trouble."""
    if act := _ACTS.get(name):
        return "\n".join(act(talk, rest))
    if name in COMMANDS:
        raise Trouble(f"{name} does not work with -m, --plain or TERM=dumb")
    other = f"`{installed.program(name[1:])}`" if name[1:] in extensions.names("commands") else ""
    if does := next((it for names, it in ELSEWHERE.items() if name in names.split()), other):
        instead = "" if does.startswith("there") else "use this instead: "
        raise Trouble(f"no command {name}; {instead}{does}")
    meant = suggestions.hint(name, COMMANDS).removesuffix(".") or ":"
    raise Trouble(
        f"no command {escape.one_line(name)}{meant} /help lists the commands; "
        "to send this line as a message, put a space before it"
    )


def completions(where: Home, before: str) -> list[str]:
    """Return the completions of a line: commands, rooms, and paths of files."""
    if before.startswith("/file "):
        from dotagent.terminal import uploads

        return [f"/file {path}" for path in uploads.paths(before.removeprefix("/file "))]
    found = [*COMMANDS, *(f"/room {name}" for name in rooms_of(where)), *(f"/persona {what}" for what in PERSONA)]
    return [word for word in found if word.startswith(before)]


def rooms_of(where: Home) -> list[str]:
    """Return the rooms' names, sorted, without other files."""
    return [path.stem for path in where.rooms()]


def _help(talk: Talk, rest: str) -> Iterator[str]:
    for name, (argument, does) in COMMANDS.items():
        yield f"{f'{name} {argument}':<13} {does}"
    yield KEYS


def _status(talk: Talk, rest: str) -> Iterator[str]:
    from dotagent.life import failures

    where = talk.home
    if talk.path.exists():
        yield f"room {talk.room}, {rooms.audience(talk.path, home.owner(home.settings(where)))}; you are {talk.name}"
    for one in presence.find_present(where, talk.room):
        fails = failures.describe_failure(where.agent(one.id) / "LIFE.md")
        yield f"{one}{f'; {fails}' if fails else ''}"
    if why := talk.nobody():
        yield why
    for call in (one for _, one in queue.out(where) if one.kind == "live" and one.room == talk.room):
        age = max(0.0, -times.ahead(call.at)) if call.at else 0.0
        yield f"waiting for {call.provider} for {age:.0f} s, attempt {call.attempt} (/stop ends the wait)"
    yield f"data directory {where.root}"


def _agents(talk: Talk, rest: str) -> Iterator[str]:
    yield "\n".join(presence.everybody(talk.home)) or "no agents yet"


def _rooms(talk: Talk, rest: str) -> Iterator[str]:
    yield "  ".join(rooms_of(talk.home)) or "no rooms yet"


def _room(talk: Talk, rest: str) -> Iterator[str]:
    """Raise Trouble: in a chat the display changes the room, and one message has no room to leave."""
    if rest:
        chat = installed.program("chat")
        raise Trouble(
            f"/room works only in a chat; to send one message to that room: {chat} {escape.one_line(rest)} -m TEXT"
        )
    raise Trouble("the room's name is missing; write /room NAME (/rooms lists the rooms)")


def _stop(talk: Talk, rest: str) -> Iterator[str]:
    from dotagent.life import stop_requests

    stopped = stop_requests.ask(talk.home, talk.room, talk.name)
    for self_id in stopped:
        yield f"stopped what agent {short(self_id)} is doing for room {talk.room}"
    if not stopped:
        yield f"no agent is doing anything for room {talk.room}"


def _model(talk: Talk, rest: str) -> Iterator[str]:
    found = presence.find_present(talk.home, talk.room)
    yield from map(str, found)
    if not found:
        yield talk.nobody()
    who = short(found[0].id) if found else "HASH"
    told = launch.published(talk.home)
    ready = [name for name in extensions.names("providers") if told.get(name, {}).get("configured")]
    yield f"providers: {', '.join(extensions.names('providers'))}"
    yield f"providers that are set up: {', '.join(ready) or 'none'}"
    stop = f"stop the agent (`{installed.program('ps')}` shows its pid)"
    yield f"to use another provider, {stop} and start it again with:"
    yield f"  {installed.program('agent')} {who}{talk.home.flag} --provider NAME --model NAME"
    yield f"for all agents: set provider and model in {talk.home.root / home.SETTINGS}, and keys in the .env next to it"


def _persona(talk: Talk, rest: str) -> Iterator[str]:
    from dotagent.life import candidates, persona, persona_answers, replay

    if rest not in ("", "show"):
        what, which = (*rest.split(), "")[:2]
        yield from persona_answers.lines(talk.home, agent_search.find_agent(talk.home, talk.room), what, which)
        return
    for one in lives.find_agents(talk.home, talk.room):
        yield f"the character (SOUL) of agent {short(one)}, which you can edit: {talk.home.agent(one) / bootstrap.SOUL}"
        try:
            state = replay.derive(talk.home, one, home.CONTEXT_LIMIT).state
            yield _quote(persona.soul(talk.home.store(), one, state))
        except (BlobMissing, BlobCorrupt) as lost:
            yield str(lost)
        for name in bootstrap.PERSONA:
            path = talk.home.agent(one) / name
            data = disk.read(path) if disk.is_file(path) else b""
            if data.strip() and not bootstrap.is_untouched(name, data):
                yield f"{path}:\n{_quote(data.decode('utf-8', 'replace'))}"
        if waits := len(candidates.list_candidates(talk.home, one, "pending")):
            yield f"{waits} proposed additions are waiting for you; list them with /persona candidates pending"
        notes = talk.home.agent(one) / "MEMORY.md"
        text = disk.read(notes).decode("utf-8", "replace") if notes.exists() else ""
        yield f"the agent's notes, which you can edit too: {notes}{':' if text.strip() else ' (empty)'}"
        if text.strip():
            yield _quote(text)
    yield f"new agents start with a copy of {talk.home.root / home.PROMPTS[0]}"


def _quote(text: str) -> str:
    return escape.indent(escape.head_and_tail(text.strip(), SHOWN, f"[… {len(text):,} characters …]"))


def _forget(talk: Talk, rest: str) -> Iterator[str]:
    """Do nothing: it is sent to the room and answered there (capabilities/erasure/room.py)."""
    if not rest:
        raise Trouble("say what to forget, for example: /forget that my PIN at the bank is 4711")
    talk.say(f"/forget {rest}")
    if why := talk.nobody():
        yield why


def _file(talk: Talk, rest: str) -> Iterator[str]:
    from dotagent.terminal import uploads

    if not rest:
        raise Trouble("the file's path is missing; for example, write /file notes/plan.pdf")
    yield uploads.give(talk, rest)


_ACTS: dict[str, Callable[[Talk, str], Iterator[str]]] = {
    "/help": _help,
    "/status": _status,
    "/agents": _agents,
    "/stop": _stop,
    "/model": _model,
    "/file": _file,
    "/forget": _forget,
    "/persona": _persona,
    "/room": _room,
    "/rooms": _rooms,
}
