"""Who said what in an entry of the context: the words without tags, heads, calls and the harness's own lines, for
methods that work on what was said. A summary counts as the lines it holds, and what was only brought back as nothing,
so that nothing is ever quoted twice over.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from dotagent.text import escape, grammar
from dotagent.text.grammar import Toolset
from dotagent.text.tag import TEXT as TAG

STANDING = "Standing instructions:"
"""The line of a summary below which people's standing instructions follow, word for word."""
ME = "I"

_CUT = re.compile(r"\[… the first and the last of [^\[\]]{1,120}…\]")
_LINE = re.compile(r"(?:- )?((?:TOOL [A-Z_]+ \w+)|[^\s:]{1,60}): (.+)")
_SILENT = frozenset(
    "life standing faint daily flush note warn paper boot resume torn fail leave".split()
)  # words of events, in small


@dataclass(frozen=True)
class Spoken:
    """One message of a room; `person` is false for an agent's, `at` its time, empty where it has no tag."""

    person: bool
    name: str
    text: str
    at: str = ""


def words(event: str, detail: str, text: str, tools: Toolset, owner: str = "owner") -> list[tuple[str, str]]:
    """The (speaker, words) pairs in an entry, in order; the harness's own entries and what was brought back have none.

    `text` is the entry's content; `owner` is whose the untagged lines are.
    """
    kind = event.lower()
    if kind in _SILENT or (kind == "tool" and detail.split(" ")[0] in tools.reminders):
        return []
    if kind in _HEARD:
        return [(one.name, one.text) for one in messages(event, text, owner)]
    if kind in ("reply", "answer"):
        return [(ME, said) for said in _mine(text, tools)]
    if kind == "faded":
        return [_line(line.strip()) for line in part(text)[0].split("\n") if line.strip()]
    text = _CUT.sub("…", text).strip()
    return [(f"{event} {detail}".strip(), text)] if text else []


def messages(event: str, text: str, owner: str = "owner") -> list[Spoken]:
    """The messages in a HEAR (always one) or a JOIN entry; those without words are left out."""
    told_apart = _HEARD.get(event.lower())
    found = [_message(raw, owner) for raw in told_apart(text)] if told_apart else []
    return [one for one in found if one.text]


def part(summary: str) -> tuple[str, list[str]]:
    """A summary's own words, and its standing instructions: the list below the last line that announces one."""
    before, mark, below = f"\n{summary}\n".rpartition(f"\n{STANDING}\n")
    if not mark:
        return summary.strip(), []
    lines = [line.strip() for line in below.split("\n") if line.strip()]
    return before.strip(), [line.removeprefix("- ") for line in lines]


def _message(raw: str, owner: str) -> Spoken:
    """One message. Only its first line can be its tag: whatever follows, however it begins, is its own words."""
    tag = TAG.match(raw)
    text = escape.unindent(_CUT.sub("…", raw[tag.end() if tag else 0 :])).strip()
    if tag is None:
        return Spoken(True, owner, text)
    return Spoken(tag["kind"] == "USER", tag["name"], text, tag["at"])


def _split(text: str) -> Iterator[str]:
    """The messages as they stand in a room: each begins with a line that is neither blank nor indented."""
    lines: list[str] = []
    for line in text.split("\n"):
        if line and line[0] not in " \r" and not _CUT.match(line):
            if lines:
                yield "\n".join(lines)
            lines = []
        lines.append(line)
    yield "\n".join(lines)


_HEARD: Mapping[str, Callable[[str], Iterable[str]]] = {"hear": lambda text: (text,), "join": _split}
"""The entries in which messages stand, and how they are told apart."""


def _mine(text: str, tools: Toolset) -> list[str]:
    """What a reply says: its speeches, else, when it has no calls at all, its text."""
    reading = grammar.read(text, tools)
    if not reading.calls:
        return [reading.text] if reading.text else []
    return [
        call.body.strip() for call in reading.calls if call.name == tools.speech and call.body and call.body.strip()
    ]


def _line(line: str) -> tuple[str, str]:
    found = _LINE.fullmatch(line)
    return (found[1], found[2]) if found else (ME, line)
