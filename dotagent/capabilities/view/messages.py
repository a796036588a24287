"""The messages of a room as the page shows them: their HTML, the tools behind an answer, questions, and files.

Tools and questions come from the agents' LIFEs and not from what a message says, so that no message can pretend to be a
question. Owns nothing on disk.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from dotagent import extensions
from dotagent.capabilities.view import markup
from dotagent.life import events, origins, questions
from dotagent.life.events import Ask, Did, Effect, Reply, Result
from dotagent.store import attachments, disk, lines, lives, log, log_search, rooms
from dotagent.store.log import Line
from dotagent.store.rooms import Message
from dotagent.terminal.talk import Talk, words
from dotagent.text import escape, times
from dotagent.text.grammar import ToolCall
from dotagent.text.reference import short

LATELY = 400  # the newest events of an agent that are searched for the work on a new message
ALL = 1 << 30

Work = dict[tuple[str, str], dict[str, object]]
"""The facts about messages in LIFEs, by the short id of the agent and the time of the message."""


def messages_before(path: Path, count: int, stop: int) -> list[Message]:
    """Return the last messages that end at or before this offset, even a message that is too large for `rooms.last`."""
    found = rooms.last(path, count, stop)
    if found or stop <= rooms.MOST:
        return found
    with disk.reading(path) as file:
        start = next((at + data.rfind(b"\n[") + 1 for at, data in lines.back(file.fileno(), stop - 1, 1)
                      if b"\n[" in data), 0)  # fmt: skip
    told = rooms.read(path, rooms.position_after(path, start))
    return told[0][:1] if told else []


def format_messages(talk: Talk, found: Sequence[Message], *, new: bool = False) -> list[dict[str, object]]:
    """Return messages for the page. With `new`, they came just now."""
    work = _work(talk, found, new) if any(one.kind == "AGENT" for one in found) else {}
    return [_format_message(talk, one, work.get((one.name, one.at), {})) for one in found]


def _format_message(talk: Talk, one: Message, work: dict[str, object]) -> dict[str, object]:
    text = words(one)
    agent = one.kind == "AGENT"
    said, number, _ = ("", 0, ()) if agent else questions.answer(one.text[:200])
    return {
        "id": f"{one.end}.{one.mark}",
        "start": one.end - len(one.raw),
        "end": one.end,
        "kind": "agent" if agent else "me" if one.name == talk.name else "person",
        "who": talk.who(one),
        "at": times.format_stamp(one.at, 19) if one.at else "",
        **({"html": markup.html(text)} if agent else {"text": text}),
        "files": [{"id": media.id, "kind": media.kind, "type": media.type}
                  for media in attachments.find_media(talk.home.store(), talk.room, one.raw[: rooms.MOST])],
        "answers": (number or -1) if said else 0,
        **work,
    }  # fmt: skip


def _work(talk: Talk, found: Sequence[Message], new: bool) -> Work:
    """Return what the LIFEs of the room's agents know of these messages."""
    first, last = min(one.at for one in found), max(one.at for one in found)
    known: Work = {}
    for one in lives.find_agents(talk.home, talk.room):
        path = talk.home.agent(one) / "LIFE.md"
        day = first[:10] if times.is_stamp(first) else ""
        start = log_search.lately(path, LATELY) if new or not day else log_search.offset_of_day(path, day)
        for at, told in _tools_by_message(talk.room, log.lines(path, start), last):
            known[short(one), at] = {**told, "agent": one}
    return known


def _tools_by_message(room: str, found: Iterator[Line], last: str) -> Iterator[tuple[str, dict[str, object]]]:
    """Yield the time of each message of an agent in the room, up to `last`, and what preceded it: the tools used, and
    the time of the model's answer that contained the message."""
    here, reply, tools = False, "", list[dict[str, str]]()
    for line in found:
        if line.at > last and not tools:
            return
        match events.parse(line):
            case Ask(room=asked):
                here = asked == room
            case Reply():
                reply = line.at
            case Did(tool=tool) | Result(tool=tool) as ended if here and not _is_speech(tool):
                how = ended.how if isinstance(ended, Result) else "ok"
                tools.append({"tool": tool, "how": how, "gist": escape.one_line(line.gist)})
            case Effect(tool=tool, what=what) if tool == origins.QUESTION:
                if (now := questions.read(what)) and now.room == room:
                    yield now.at, {"tools": tools, "question": format_question(now)}
                    tools = []
            case Effect(tool=tool, what=what) if _is_speech(tool):
                to, _, at = (*what.split(" "), "", "")[:3]
                if to == room:
                    yield at, {"tools": tools, "reply": reply}
                    tools = []


def format_question(now: questions.Question) -> dict[str, object]:
    """Return a question with what its buttons say."""
    ways = [["Yes", f"yes {now.number}"], ["No", f"no {now.number}"]]
    if len(now.calls) > 1:
        ways[:1] = [["Yes to all", f"yes {now.number}"]]
        ways[1:1] = [[f"Yes to {at}", f"yes {now.number} {at}"] for at in range(1, len(now.calls) + 1)]
    lasting = [[f"Always {at}" if len(now.calls) > 1 else "Always", f"always {now.number} {at}"]
               for at, key in enumerate(now.calls.values(), 1) if key]  # fmt: skip
    left = times.ahead(now.until) if times.is_stamp(now.until) else 0.0
    return {"number": now.number, "ways": ways + lasting, "left": left}


def _is_speech(tool: str) -> bool:
    return extensions.tools().speaks(ToolCall(tool, "", None))


def search(talk: Talk, words: Sequence[str], most: int) -> list[Message]:
    """Return the newest messages of the room whose text contains each of these words in lower case, newest first."""
    found = list[Message]()
    stop = talk.path.stat().st_size
    while stop > 0 and len(found) < most:
        part = messages_before(talk.path, ALL, stop)
        for one in reversed(part):
            text = one.text.casefold()
            if all(word in text for word in words):
                found.append(one)
        stop = part[0].end - len(part[0].raw) if part else 0
    return found[:most]
