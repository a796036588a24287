"""Rooms on the page: the list, a room's messages, and what a person does there. Its functions are those of chat.py.

Owns nothing on disk; `outbox.py` records the sent messages.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from dotagent.capabilities.view import asking, export, live, memory, messages, mind, outbox
from dotagent.capabilities.view.route import Download, PageRequest, Part, Reads, Streams, Writes
from dotagent.errors import Misuse, Trouble
from dotagent.store import agent_search, attachments, display, home, lives, rooms
from dotagent.store.rooms import Message
from dotagent.terminal import agent_start, presence, slash, uploads
from dotagent.terminal.talk import Talk, who, words
from dotagent.text import escape, media, times
from dotagent.text.reference import ID, short

PAGE, FOUND = 25, 50  # messages that one request returns
WIDE = 120  # characters of the last message of a room in the list
SAID = 1 << 20  # bytes of a message: the limit of chat.py


def list_rooms(request: PageRequest) -> object:
    """Return every room with its agents and the number of their questions that wait for an answer, the last changed
    room first."""
    where, settings = request.where, home.settings_now(request.where, home.Settings())
    inside = dict[str, list[str]]()
    agents = dict[str, dict[str, object]]()
    for one in home.lives(where):
        name = display.find_face(where, settings, one).given
        title = name or memory.first_words(where, one)
        agents[one] = {"id": short(one), "name": name, "title": title, "awake": lives.runs(where, one)}
        for room in lives.subscribed(where.agent(one)):
            inside.setdefault(room, []).append(one)
    faces = {str(one["id"]): str(one["name"]) for one in agents.values() if one["name"]}
    owner, found = home.owner(settings), list[dict[str, object]]()
    asked = Counter(one.room for _, one in asking.find_questions(where))
    for name in slash.rooms_of(where):
        path, told = where.room(name), where.room(name).stat()
        found.append({
            "name": name,
            "audience": rooms.audience(path, owner),
            "agents": [agents[one] for one in inside.get(name, [])],
            "asks": asked[name],
            "changed": told.st_mtime,
            "last": _last_words(_last_message(path, told.st_mtime_ns, told.st_size), faces),
        })  # fmt: skip
    found.sort(key=lambda one: str(one["changed"]).zfill(30), reverse=True)
    return {"rooms": found, "usual": presence.default_room(where, settings)}


def _last_words(last: Message | None, faces: Mapping[str, str]) -> dict[str, str] | None:
    """Return who said the last message of a room, and its beginning, or None for an empty room."""
    if not last:
        return None
    name = who(last)
    return {"who": faces.get(name, name), "text": escape.one_line(words(last), WIDE)}


@lru_cache(maxsize=1000)
def _last_message(path: Path, *changed: int) -> Message | None:
    """Return the last message of a room's file, which is read again only after it has changed."""
    end = rooms.end(path).offset
    found = rooms.last(path, 1, end) or messages.messages_before(path, 1, end)
    return found[-1] if found else None


def page(request: PageRequest) -> object:
    """Return messages of a room: the last ones, those before or after an offset, or those around it."""
    talk, query = _talk(request), request.query
    if not talk.path.exists():
        return {"messages": [], "older": False, "newer": False, "here": presence.describe_agents(talk.home, talk.room)}
    end = rooms.end(talk.path).offset
    stop = min(request.number("before", request.number("around", end)), end)
    found, newer = list[Message](), stop < end
    if "after" not in query:
        found = messages.messages_before(talk.path, PAGE, stop)
    if "after" in query or "around" in query:
        later = _later(talk, min(request.number("after", stop), end))
        found, newer = [*found, *later[:PAGE]], len(later) > PAGE or (bool(later) and later[-1].end < end)
    first = found[0].end - len(found[0].raw) if found else 0
    return {
        "messages": messages.format_messages(talk, found),
        "older": bool(found) and bool(messages.messages_before(talk.path, 1, first)),
        "newer": newer,
        "here": presence.describe_agents(talk.home, talk.room),
    }


def _later(talk: Talk, start: int) -> Sequence[Message]:
    """Return messages that begin at or after this offset, which is the end of a message."""
    found = rooms.read(talk.path, rooms.position_after(talk.path, start))
    return found[0] if found else []


def say(request: PageRequest) -> object:
    """Send a message, or run a command that begins with /. Return what the page shows or does then."""
    talk, text = _talk(request), request.text("text").strip("\n")
    if not text.strip():
        raise Misuse("the message is empty")
    command = slash.parse(text)
    if command and not slash.is_said(*command):
        return _command(talk, request.text("id"), *command)
    outbox.once(talk, request.text("id"), text)
    return {}


def _command(talk: Talk, id: str, name: str, rest: str) -> object:
    if name == "/room" and rest:
        return {"room": Talk(talk.home, rest, talk.name).room}
    if name == "/times":
        return {"times": True}
    if name == "/quit":
        return {"notice": "to leave, close this page"}
    if name == "/file":
        raise Misuse("attach files with the button next to the message; /file is for the chat at a terminal")
    if not outbox.is_new(talk, id):
        return {"notice": f"the page sent {name} twice; it ran once"}
    return {"notice": slash.do(talk, name, rest)}


def complete(request: PageRequest) -> object:
    """Return the completions of a line that begins with /."""
    before = request.query.get("text", "")
    if not before.startswith("/") or before.startswith("/file"):
        return []
    return [one for one in slash.completions(request.where, before) if one != "/file"]


def give(request: PageRequest) -> object:
    """Give an uploaded file to the agents of the room."""
    talk, name = _talk(request), request.query.get("name", "")
    if not name or not request.body:
        raise Misuse("the file has no name or is empty")
    uploads.hand(talk, name.rpartition("/")[2], request.body)
    return {}


def start(request: PageRequest) -> object:
    """Start the most recently active agent of the room, or create an agent if the room has none."""
    talk = _talk(request)
    stopped = agent_search.stopped(talk.home, talk.room)
    if lives.awake(talk.home, talk.room):
        return {"notice": ""}
    if stopped:
        agent_start.wake(talk, agent_search.newest(talk.home, stopped))
    elif not lives.find_agents(talk.home, talk.room):
        agent_start.born(talk)
    else:
        raise Trouble(f"the agents of {talk.room} are helpers, which you cannot start: an agent starts its own helpers")
    return {"notice": presence.describe_agents(talk.home, talk.room)}


def find(request: PageRequest) -> object:
    """Return the newest messages of a room with these words."""
    return _found([_talk(request)], request.query.get("words", ""))


def find_everywhere(request: PageRequest) -> object:
    """Return the newest messages with these words in all rooms, the last changed room first."""
    where = request.where
    names = sorted(slash.rooms_of(where), key=lambda name: where.room(name).stat().st_mtime, reverse=True)
    return _found([Talk(where, name, request.person) for name in names], request.query.get("words", ""))


def _found(talks: Sequence[Talk], words: str) -> list[dict[str, object]]:
    sought, found = words.casefold().split(), list[dict[str, object]]()
    for talk in talks:
        if not sought or len(found) == FOUND or not talk.path.exists():
            continue
        for one in messages.search(talk, sought, FOUND - len(found)):
            at = times.format_stamp(one.at) if one.at else ""
            told = {"room": talk.room, "end": one.end, "who": talk.who(one), "at": at}
            found.append({**told, "text": _excerpt(one, sought[0])})
    return found


def _excerpt(one: Message, word: str) -> str:
    """Return the part of the message that contains the word."""
    at = max(0, one.text.casefold().find(word) - 60)
    return escape.one_line(one.text[at : at + 400], 200)


def exported(request: PageRequest) -> object:
    """Return the file that the command `view --export` writes for this room."""
    talk = _talk(request)
    agents = lives.find_agents(talk.home, talk.room)
    if not agents:
        raise Misuse(f"no agent has joined room {talk.room}, so there is no context to show")
    return export.download(
        memory.scenes(talk.home), export.ExportRange(agents, talk.room, redact="redact" in request.query)
    )


def attached(request: PageRequest) -> object:
    """Return a file that is attached in the room: a picture to display, anything else to keep."""
    talk, id = _talk(request), request.path["id"]
    blob = talk.home.store().get(id) if ID.fullmatch(id) else None
    kind = media.recognise(blob.body, blob.id) if blob and blob.agent == attachments.OWNED + talk.room else None
    if not blob or not kind:
        raise Trouble("this room has no attached file of this name")
    return Download(blob.body, kind.type, "" if kind.kind == media.PICTURE else blob.gist or "file")


def _talk(request: PageRequest) -> Talk:
    return Talk(request.where, request.path["room"], request.person)


PART: Part = (
    Reads("/api/rooms", list_rooms),
    Reads("/api/complete", complete),
    Reads("/api/find", find_everywhere),
    Reads("/api/rooms/{room}/messages", page),
    Reads("/api/rooms/{room}/mind", mind.of_room),
    Reads("/api/rooms/{room}/find", find),
    Reads("/api/rooms/{room}/export", exported),
    Reads("/api/rooms/{room}/files/{id}", attached),
    Streams("/api/rooms/{room}/events", live.events),
    Writes("/api/rooms/{room}/say", say, SAID),
    Writes("/api/rooms/{room}/give", give, uploads.MOST),
    Writes("/api/rooms/{room}/start", start),
)
