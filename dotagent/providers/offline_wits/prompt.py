"""The prompt read back: the entries of the context with their content, and the messages in them.

Only heads at column 0 begin an entry, and all that came from outside is indented, so nothing that was said can pass for
an entry here. It takes any list of messages and raises nothing; it owns nothing on disk.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from dotagent.store.requests import Message

ANSWER = "ANSWER"
"""The event of an entry that is the agent's own reply; its body is the reply's text."""

_HEAD = re.compile(r"#(\d{1,18}) (\d{4}-\S+Z) ([A-Z]+)(?: (.*?))??(?: [0-9a-f]{12}| ◱[^◱◲]*◲)?")
_TAG = re.compile(r"\[(USER|AGENT):([^\]\n]+?) (\d{4}-\d\d-\d\dT[\d:.]+Z)\] ?")
_FAINT = re.compile(r"- (\d{4}-\d\d-\d\d) ◱hash=[0-9a-f]{12} gist=([^\s:]+): ([^◱◲\n]*)◲")
_RECALLED = re.compile(r"[0-9a-f]{12}  (\d{4}-\S+)  (\S+)(?: in (\S+?))?: (.*)")
_SELF = re.compile(r"You are agent ([0-9a-f]{12})")
_OWN = ("me", "tool")  # speakers of turns that nobody else said
_ROOM = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")


@dataclass(frozen=True)
class Entry:
    """One entry; `detail` is the room, the paper's name, or the tool and how it went."""

    number: int
    event: str
    detail: str
    body: str


@dataclass(frozen=True)
class Said:
    """One message of a room. `agent` is true for another agent's; `at` is its time as written, or empty."""

    room: str
    who: str
    agent: bool
    at: str
    text: str


def entries(messages: Sequence[Message]) -> list[Entry]:
    """The context's entries in order, the agent's replies among them (their numbers come with the next message)."""
    found: list[Entry] = []
    for message in messages:
        if message["role"] == "assistant":
            found.append(Entry(0, ANSWER, "", message["content"]))
        elif message["role"] == "user":
            read, _ = _read(message["content"])
            found += read
    return _numbered(found)


def after_entries(message: str) -> str:
    """What stands at column 0 behind the last entry of a user message: an instruction to the model, or nothing."""
    return _read(message)[1]


def myself(messages: Sequence[Message]) -> str:
    """The first 12 digits of the agent's id, as the harness tells them; empty when it does not."""
    found = (_SELF.search(message["content"]) for message in messages if message["role"] == "system")
    return next((match[1] for match in found if match), "")


def crowded(view: Sequence[Entry], room: str) -> bool:
    """Whether people may be talking to each other there: it is a group's life, or two spoke in the room."""
    if any(entry.event == "BOOT" and entry.detail == "group" for entry in view):
        return True
    said = (said for entry in view if entry.detail == room for said in heard(entry, owner(view)))
    return len({one.who for one in said if not one.agent}) > 1


def owner(view: Sequence[Entry]) -> str:
    """The name of the person whose lines need no tag: the one this life was born for."""
    born = next((entry.detail for entry in view if entry.event == "BOOT"), "")
    return born.removeprefix("private ") if born.startswith("private ") else "owner"


def heard(entry: Entry, untagged: str) -> list[Said]:
    """The messages of a HEAR or JOIN entry; of any other, and of a room whose name is none, there are none.

    `untagged` is whose the lines without a tag are.
    """
    if entry.event not in ("HEAR", "JOIN") or not _ROOM.fullmatch(entry.detail) or not entry.body:
        return []
    if entry.event == "HEAR":
        return [_said(entry.detail, entry.body, untagged)]
    lines = entry.body.split("\n")
    starts = [at for at, line in enumerate(lines) if line and not line.startswith("  ")]
    bodies = ["\n".join(lines[start:end]) for start, end in pairwise([*starts, len(lines)])]
    return [_said(entry.detail, body, untagged) for body in bodies]


def reminded(entry: Entry) -> list[Said]:
    """What others said of old, as a faint memory or a RECALL's result tells it; `room` may be empty."""
    if entry.event == "FAINT":
        found = [Said("", who, False, at, text) for at, who, text in _FAINT.findall(entry.body)]
    elif entry.event == "TOOL" and entry.detail == "RECALL ok":
        lines = filter(None, map(_RECALLED.fullmatch, entry.body.split("\n")))
        found = [Said(line[3] or "", line[2], False, line[1], line[4]) for line in lines]
    else:
        found = []
    return [said for said in found if said.who not in _OWN]


def _said(room: str, raw: str, untagged: str) -> Said:
    tag = _TAG.match(raw)
    text = "\n".join(line.removeprefix("  ") for line in raw[tag.end() if tag else 0 :].split("\n")).strip()
    if tag is None:
        return Said(room, untagged, False, "", text)
    return Said(room, tag[2], tag[1] == "AGENT", tag[3], text)


def _read(content: str) -> tuple[list[Entry], str]:
    """A user message's entries, and the lines at column 0 that follow the last one."""
    found: list[Entry] = []
    body: list[str] = []
    rest: list[str] = []
    head: re.Match[str] | None = None

    def close() -> None:
        if head is not None:
            found.append(Entry(int(head[1]), head[3], head[4] or "", "\n".join(body)))

    for line in content.split("\n"):
        begins = _HEAD.fullmatch(line)
        if begins:
            close()
            head, body, rest = begins, [], []
        elif rest or (line and not line.startswith("  ")):
            rest.append(line)
        elif line:  # an empty line stands between entries; one of a content is indented too
            body.append(line.removeprefix("  "))
    close()
    return found, "\n".join(rest)


def _numbered(found: list[Entry]) -> list[Entry]:
    """Replies with the numbers that their REPLY entries tell; those entries themselves are left out."""
    numbered: list[Entry] = []
    waiting: int | None = None
    for entry in found:
        if entry.event == ANSWER:
            waiting = len(numbered)
        elif entry.event == "REPLY":
            if waiting is not None:
                numbered[waiting] = Entry(entry.number, ANSWER, "", numbered[waiting].body)
                waiting = None
            continue
        numbered.append(entry)
    return numbered
