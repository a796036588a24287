"""What stands in a context.md, read back: a test's proof that nothing in an entry's content can be taken for a head."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from dotagent.life.context import Entry
from dotagent.life.event import FORMS
from dotagent.store.log import Line
from dotagent.text.times import to_second

_HEAD = re.compile(
    r"#(\d+) (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ) ([A-Z]+)(?: ([^\n]*?))??"
    r"(?: ([0-9a-f]{12})| ◱hash=([0-9a-f]{12}) gist=([^◱◲\n]*)◲)?",
    re.ASCII,
)


@dataclass(frozen=True)
class Shown:
    """One entry as the file tells of it."""

    number: int
    at: str
    event: str
    detail: str
    id: str
    content: bytes | None
    gist: str = ""


def shown(entry: Entry) -> Shown:
    """What the file has to tell of an entry."""
    at, gist = to_second(entry.line.at), entry.line.gist if entry.event == "FADED" else ""
    return Shown(entry.number, at, entry.event, entry.detail, entry.id, entry.content, gist)


def entry(one: Shown) -> Entry:
    """An entry of which the file tells so."""
    return Entry(one.number, Line(one.at, one.event, one.detail, one.id, one.gist), one.detail, one.content)


def parse(data: bytes) -> list[Shown]:
    """The entries of a context.md. Raises ValueError, naming the line, for what is none of ours."""
    entries: list[Shown] = []
    lines: list[bytes] = []
    for number, line in enumerate(data.split(b"\n")[:-1], 1):
        if line.startswith(b"  ") and entries:
            lines.append(line[2:])
            continue
        found = _HEAD.fullmatch(line.decode("utf-8", "replace"))
        if not found:
            raise ValueError(f"line {number} is neither an entry's head nor its content")
        _close(entries, lines)
        detail, id, form = found[4] or "", found[5] or found[6] or "", FORMS.get(found[3])
        if not detail and form and form.head:  # a room may have a name like an id
            detail, id = id, ""
        entries.append(Shown(int(found[1]), found[2], found[3], detail, id, None, found[7] or ""))
    _close(entries, lines)
    return entries


def _close(entries: list[Shown], lines: list[bytes]) -> None:
    if lines:
        last = entries.pop()
        entries.append(replace(last, content=b"\n".join(lines)))
        lines.clear()
