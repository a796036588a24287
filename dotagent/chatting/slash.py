"""What lines that begin with / do, and what they tell the person who typed one; a room hears none of it.

Owns nothing on disk; what /file gives is written by `giving`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from dotagent import extensions, installed
from dotagent.chatting import here
from dotagent.chatting.talk import Talk
from dotagent.errors import Trouble
from dotagent.store import bootstrap, disk, home, launch, lives, queue, rooms
from dotagent.store.blobs import BlobCorrupt, BlobMissing
from dotagent.store.home import Home
from dotagent.store.queue import Call
from dotagent.text import escape, names, near, times
from dotagent.text.reference import short

SHOWN = 4000  # characters of a document that are shown

COMMANDS = {
    "/help": ("", "this list"),
    "/status": ("", "who is here, what is being asked, what fails"),
    "/agents": ("", "every agent of this home"),
    "/stop": ("", "give up what a model is being asked for this room"),
    "/model": ("", "who answers, and how to change that"),
    "/file": ("PATH", "give a file to the agents of this room"),
    "/persona": ("", "who the agent is told to be, where that stands, its versions, what waits for you: /persona help"),
    "/forget": ("WORDS", "forget for good what tells of this: the agent shows it here first, and asks"),
    "/room": ("NAME", "go to another room"),
    "/rooms": ("", "list the rooms"),
    "/times": ("", "show when the last messages were said, and each from now on, or no more"),
    "/quit": ("", "leave, as ^D does"),
}
ELSEWHERE = {
    "/exit /bye /q": "/quit",
    "/new /reset /clear": "no session that ends: another conversation is another room, /room NAME",
    "/compact": f"`{installed.typed('fade')}`",
    "/usage /cost": f"`{installed.typed('usage')}`",
    "/memory": f"/persona, which shows its notes, and `{installed.typed('memory')} search`",
    "/history": f"/times, or `{installed.typed('recall')}`",
    "/config /settings": f"`{installed.typed('config')}`",
    "/tools /skills": f"`{installed.typed('toolpacks')}`, `{installed.typed('skills')}`",
}
"""Words of other assistants, and what does it here."""
PERSONA = ("show", "revisions", "diff", "rollback", "candidates", "apply", "reject")
KEYS = """a message that begins with / : put a blank before it
a line that ends in \\ goes on, as does Alt-Enter; arrows move in it and to what you typed before; ^R searches that
Tab completes commands, rooms and paths; ^C clears the line"""


def is_one(text: str) -> bool:
    """Whether this is a command and nothing to say."""
    return text.startswith("/") and text.split()[0][1:].isalpha()


def do(talk: Talk, name: str, rest: str) -> str:
    """Do a command of this name, but one that whoever shows the room does; what to tell the person. Raises Trouble."""
    if act := _ACTS.get(name):
        return "\n".join(act(talk, rest))
    if name in COMMANDS:
        raise Trouble(f"{name} is for a screen that is drawn (not with --plain, or where TERM is dumb)")
    if does := next((it for names, it in ELSEWHERE.items() if name in names.split()), ""):
        raise Trouble(f"no command {name}: here it is {does}")
    meant = near.hint(name, COMMANDS).removesuffix(".") or ":"
    raise Trouble(f"no command {escape.one_line(name)}{meant} /help lists them; to say it, put a blank before it")


def completions(where: Home, before: str) -> list[str]:
    """What a line that begins so may become: commands, rooms, and the paths of files."""
    if before.startswith("/file "):
        from dotagent.chatting import giving

        return [f"/file {path}" for path in giving.paths(before.removeprefix("/file "))]
    found = [*COMMANDS, *(f"/room {name}" for name in rooms_of(where)), *(f"/persona {what}" for what in PERSONA)]
    return [word for word in found if word.startswith(before)]


def rooms_of(where: Home) -> list[str]:
    """The rooms' names, sorted; not those of files that only lie there."""
    return sorted(path.stem for path in where.chats.glob("*.md") if names.ROOM.fullmatch(path.stem))


def _help(talk: Talk, rest: str) -> Iterator[str]:
    for name, (argument, does) in COMMANDS.items():
        yield f"{f'{name} {argument}':<13} {does}"
    yield KEYS


def _status(talk: Talk, rest: str) -> Iterator[str]:
    from dotagent.life import replay

    where = talk.home
    if talk.path.exists():
        yield f"room {talk.room}, {rooms.audience(talk.path, home.owner(home.settings(where)))}; you are {talk.name}"
    for one in here.of(where, talk.room):
        fails = replay.failing(where.agent(one.id) / "LIFE.md")
        yield f"{one}{f'; {fails}' if fails else ''}"
    if why := talk.nobody():
        yield why
    for call in _asked(talk):
        yield f"asked now: {call.provider}, for {_age(call):.0f} s, attempt {call.attempt} (/stop gives it up)"
    yield f"home {where.root}"


def _agents(talk: Talk, rest: str) -> Iterator[str]:
    yield "\n".join(here.everybody(talk.home)) or "no agent was born in this home yet"


def _rooms(talk: Talk, rest: str) -> Iterator[str]:
    yield "  ".join(rooms_of(talk.home)) or "there is no room yet"


def _room(talk: Talk, rest: str) -> Iterator[str]:
    """Without a name: whoever shows the room goes to another."""
    raise Trouble("which room? /room NAME; /rooms lists them")


def _stop(talk: Talk, rest: str) -> Iterator[str]:
    stopped = [call for call in _asked(talk) if queue.cancel(talk.home, call, hint=f"stopped by {talk.name}")]
    for call in stopped:
        yield f"stopped what {call.provider} was asked {_age(call):.0f} s ago"
    if not stopped:
        yield f"no model is being asked anything for {talk.room}"


def _asked(talk: Talk) -> list[Call]:
    """The calls that are out for this room."""
    return [call for _, call in queue.out(talk.home) if call.kind == "live" and call.room == talk.room]


def _age(call: Call) -> float:
    return max(0.0, -times.ahead(call.at)) if call.at else 0.0


def _model(talk: Talk, rest: str) -> Iterator[str]:
    found = here.of(talk.home, talk.room)
    yield from map(str, found)
    if not found:
        yield talk.nobody()
    who = short(found[0].id) if found else "HASH"
    told = launch.published(talk.home)
    ready = [name for name in extensions.names("providers") if told.get(name, {}).get("configured")]
    yield f"providers: {', '.join(extensions.names('providers'))}"
    yield f"set up, as far as is known: {', '.join(ready) or 'none'}"
    yield f"to change it end the agent (^C where it runs; `{installed.typed('ps')}` tells its pid), wake it by another:"
    yield f"  {installed.typed('agent')} {who}{talk.home.flag} --provider NAME --model NAME"
    yield f"for all: provider = and model = in {talk.home.root / home.SETTINGS}; keys belong in .env beside it"


def _persona(talk: Talk, rest: str) -> Iterator[str]:
    from dotagent.life import candidates, persona, replay

    if rest not in ("", "show"):
        yield from _revision(talk, *(*rest.split(), "")[:2])
        return
    for one in lives.of(talk.home, talk.room):
        yield f"the SOUL of {short(one)}, yours to edit: {talk.home.agent(one) / bootstrap.SOUL}"
        try:
            state = replay.derive(talk.home, one, home.CONTEXT_LIMIT).state
            yield _quoted(persona.soul(talk.home.store(), one, state))
        except (BlobMissing, BlobCorrupt) as lost:
            yield str(lost)
        for name in bootstrap.PERSONA:
            path = talk.home.agent(one) / name
            data = disk.read(path) if disk.is_file(path) else b""
            if data.strip() and not bootstrap.is_untouched(name, data):
                yield f"{path}:\n{_quoted(data.decode('utf-8', 'replace'))}"
        if waits := len(candidates.listed(talk.home, one, "pending")):
            yield f"what it would add to these waits for you: /persona candidates pending lists {waits}"
        notes = talk.home.agent(one) / "MEMORY.md"
        text = disk.read(notes).decode("utf-8", "replace") if notes.exists() else ""
        yield f"its notes, yours to edit too, are {notes}{':' if text.strip() else ', empty'}"
        if text.strip():
            yield _quoted(text)
    yield f"the next one is born with {talk.home.root / home.PROMPTS[0]}"


def _revision(talk: Talk, what: str, number: str) -> Iterator[str]:
    """What `/persona revisions`, `diff N` and `rollback [N]` tell, of the only agent in the room."""
    from dotagent.life import candidates, revisions

    one = lives.meant(talk.home, talk.room)
    if what == "revisions":
        for each, size in revisions.listed(talk.home, one):
            yield f"{each.number:>4}  {each.at[:16]}  {each.name}, {size:,} characters"
    elif what == "diff" and number.isdecimal():
        yield "\n".join(revisions.diff(talk.home, one, revisions.of(talk.home, one, int(number))))
    elif what == "rollback" and (number.isdecimal() or not number):
        back = revisions.roll_back(talk.home, one, int(number) if number else None)
        yield f"{back.name} is as revision {back.number} had it: the agent hears that at its next turn"
    elif what == "candidates":
        yield "\n".join(map(str, candidates.listed(talk.home, one, number))) or "there is no such candidate"
    elif what in ("apply", "reject"):
        yield candidates.leave(talk.home, one, what, number)
    else:
        yield "/persona [show], /persona revisions, diff N, rollback [N], candidates [STATUS], apply N, reject N"


def _quoted(text: str) -> str:
    return escape.indent(escape.head_and_tail(text.strip(), SHOWN, f"[… {len(text):,} characters …]"))


def _forget(talk: Talk, rest: str) -> Iterator[str]:
    """Said in the room, where the agent's harness answers it (loop/forgetting.py)."""
    if not rest:
        raise Trouble("forget what? /forget that my PIN at the bank is 4711")
    talk.say(f"/forget {rest}")
    if why := talk.nobody():
        yield why


def _file(talk: Talk, rest: str) -> Iterator[str]:
    from dotagent.chatting import giving

    if not rest:
        raise Trouble("which file? /file PATH")
    yield giving.give(talk, rest)


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
