"""The messages of a room as HTML for an exported file, in the form in which message.js shows them on the page.

The text, the tools and the files of a message come from the same functions as on the page (messages.py). Pictures are
in the file itself. A message names the time at which each agent read or wrote it, so that the scrubber can show
whether the agent has it in mind. Owns nothing on disk.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any

from dotagent.capabilities.view import messages
from dotagent.life import events
from dotagent.life.events import Hear
from dotagent.store import log_search, rooms
from dotagent.store.blobs import BlobCorrupt, BlobMissing
from dotagent.store.rooms import Message, Position
from dotagent.terminal.talk import Talk
from dotagent.text import media
from dotagent.text.sizes import plural

PICTURES = 1 << 24  # bytes of all pictures; the page names only the kind of each further picture


def rendered(talk: Talk, agents: Sequence[str], since: str, until: str) -> Iterator[str]:
    """Yield the messages of the room between two times."""
    left, read = [PICTURES], _times_of_reading(talk, agents)
    yield f'<section class="talk" aria-label="Room {escape(talk.room)}"><h2>{escape(talk.room)}</h2>\n'
    for part in _parts(talk):
        found = [one for one in part if since <= one.at < until]
        yield from (_message(talk, one, left, read) for one in (messages.format_messages(talk, found) if found else ()))
    yield "</section>\n"


def _times_of_reading(talk: Talk, agents: Sequence[str]) -> dict[int, list[str]]:
    """Return for each message, by its end in the room's file, the agents that read it, each with the time."""
    found = dict[int, list[str]]()
    for one in agents:
        for line in log_search.picked(talk.home.agent(one) / "LIFE.md", (Hear.WORD,)):
            event = events.parse(line)
            if isinstance(event, Hear) and event.room == talk.room:
                found.setdefault(event.offset, []).append(f"{one}={line.at}")
    return found


def _parts(talk: Talk) -> Iterator[list[Message]]:
    position = Position()
    while (found := rooms.read(talk.path, position)) and found[0]:
        yield found[0]
        position = found[1]


def _message(talk: Talk, one: Mapping[str, Any], left: list[int], read: Mapping[int, list[str]]) -> str:
    words = f'<div class="text" dir="auto">{one["html"]}</div>' if "html" in one else _plain_html(one["text"])
    files = "".join(_file(talk, file, left) for file in one["files"])
    held = [f"{one['agent']}={one['reply']}"] if one.get("reply") else read.get(one["end"], [])
    head = f"<b>{escape(one['who'])}</b> <time>{escape(one['at'].replace('T', ' '))}</time>"
    return (
        f'<article class="message {one["kind"]}" data-held="{escape(" ".join(held))}"><p class="by">{head}</p>{words}'
        f"{files}{_tools(one.get('tools'))}</article>\n"
    )


def _plain_html(text: str) -> str:
    return f'<div class="text plain" dir="auto">{escape(text)}</div>'


def _file(talk: Talk, file: Mapping[str, Any], left: list[int]) -> str:
    if file["kind"] == media.PICTURE:
        try:
            body = talk.home.store().get(file["id"]).body
        except (BlobMissing, BlobCorrupt) as lost:
            return f'<p class="faint">{escape(str(lost))}</p>'
        left[0] -= len(body)
        if left[0] >= 0:
            data = base64.b64encode(body).decode()
            return f'<img src="data:{escape(file["type"])};base64,{data}" alt="attached picture">'
    return f"<p>{escape(file['type'])}</p>"


def _tools(tools: list[Mapping[str, str]] | None) -> str:
    if not tools:
        return ""
    told = ((one["tool"], one["gist"], "" if one["how"] == "ok" else f" ({one['how']})") for one in tools)
    rows = "".join(f"<li><code>{escape(tool)}</code> {escape(gist + how)}</li>" for tool, gist, how in told)
    names = escape(", ".join(dict.fromkeys(one["tool"] for one in tools)))
    return f'<details class="tools"><summary>{plural(len(tools), "tool")}: {names}</summary><ul>{rows}</ul></details>'
