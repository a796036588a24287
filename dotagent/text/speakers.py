"""Find who said what in an entry of the context: the text without tags, heads, calls and dotagent's own lines.

A summary contributes its own lines and a recalled original contributes nothing, so that nothing is quoted twice. Pure.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from dotagent.text import escape, grammar, lazy, quotes
from dotagent.text.grammar import Toolset
from dotagent.text.lazy import dataclass, replace
from dotagent.text.tag import TEXT as TAG

STANDING = "Standing instructions:"
"""The line of a summary before the verbatim list of people's standing instructions."""
ME = "I"
NOTHING = "Nothing was said."
"""The text of a summary of entries without any speaker."""

_CUT = lazy.compile(r"\[… the first and the last of [^\[\]]{1,120}…\]")
PASSED = ", passed on"
"""After the name of a person, for words that they quoted, forwarded or gave as a file (quotes.py)."""
_LINE = lazy.compile(rf"(?:- )?((?:TOOL [A-Z_]+ \w+)|[^\s:]{{1,60}}(?:{PASSED})?): (.+)")
_SILENT = frozenset(
    "life standing faint daily flush note warn paper boot resume torn fail leave".split()
)  # event words in lower case


@dataclass(frozen=True)
class Spoken:
    """A message of a room, or a part of it. `person` is False for an agent's message, and for what a person passes on;
    without a tag, `at` is empty."""

    person: bool
    name: str
    text: str
    at: str = ""


def words(event: str, detail: str, text: str, tools: Toolset, owner: str = "owner") -> list[tuple[str, str]]:
    """Return the (speaker, text) pairs in an entry, in order. Dotagent's own entries and recalled originals have no
    speaker. A line of a summary that names no speaker has the speaker "".

    `text` is the entry's content; `owner` is the speaker of untagged lines.
    """
    kind = event.lower()
    if kind in _SILENT or (kind == "tool" and detail.split(" ")[0] in tools.reminders):
        return []
    if kind in _HEARD:
        return [(one.name, one.text) for one in messages(event, text, owner)]
    text = _CUT.sub("…", text)
    if kind in ("reply", "answer"):
        return [(ME, said) for said in _own_texts(text, tools)]
    if kind == "faded":
        return [split_label(one) for line in part(text)[0].split("\n") if (one := line.strip()) not in ("", NOTHING)]
    return [(f"{event} {detail}".strip(), text.strip())] if text.strip() else []


def messages(event: str, text: str, owner: str = "owner") -> list[Spoken]:
    """Return the messages in a HEAR entry (always one) or a JOIN entry, without empty ones. Text that a person passes
    on is a separate message, which is not the person's."""
    return [part for one in whole_messages(event, text, owner) for part in _parts(one)]


def whole_messages(event: str, text: str, owner: str = "owner") -> list[Spoken]:
    """Return the messages as they were written, with what people pass on."""
    told_apart = _HEARD.get(event.lower())
    found = [_message(raw, owner) for raw in told_apart(text)] if told_apart else []
    return [one for one in found if one.text]


def _parts(one: Spoken) -> Iterator[Spoken]:
    """Yield the sender's own words, and what they pass on. Words of the agent that a reply repeats are neither."""
    passed = quotes.passed_on(one.text) if one.person else ""
    if not passed and not (one.person and quotes.REPEATED.search(one.text)):
        yield one
        return
    if own := quotes.own_text(one.text).strip():
        yield replace(one, text=own)
    if passed:
        yield replace(one, person=False, name=f"{one.name}{PASSED}", text=passed)


def part(summary: str) -> tuple[str, list[str]]:
    """Return a summary's own text, and its standing instructions: the list after the last line that announces one."""
    before, mark, below = f"\n{summary}\n".rpartition(f"\n{STANDING}\n")
    if not mark:
        return summary.strip(), []
    lines = [line.strip() for line in below.split("\n") if line.strip()]
    return before.strip(), [line.removeprefix("- ") for line in lines]


def unquoted(line: str) -> str:
    """Return a line in which no one speaks: a label at its beginning becomes plain words."""
    return " – ".join(filter(None, split_label(line)))


def split_label(line: str) -> tuple[str, str]:
    """Return the label that says who speaks, or "", and the rest of the line."""
    found = _LINE.fullmatch(line)
    return (found[1], found[2]) if found else ("", line)


def _message(raw: str, owner: str) -> Spoken:
    """Parse one message. Only its first line can be its tag; everything after it is text."""
    tag = TAG.match(raw)
    text = escape.unindent(_CUT.sub("…", raw[tag.end() if tag else 0 :])).strip()
    if tag is None:
        return Spoken(True, owner, text)
    return Spoken(tag["kind"] == "USER", tag["name"], text, tag["at"])


def _split(text: str) -> Iterator[str]:
    """Split room text into messages: each begins with a line that is neither blank nor indented."""
    lines: list[str] = []
    for line in text.split("\n"):
        if line and line[0] not in " \r" and not _CUT.match(line):
            if lines:
                yield "\n".join(lines)
            lines = []
        lines.append(line)
    yield "\n".join(lines)


_HEARD: Mapping[str, Callable[[str], Iterable[str]]] = {"hear": lambda text: (text,), "join": _split}
"""The entries that contain messages, and how to split them."""


def _own_texts(text: str, tools: Toolset) -> list[str]:
    """Return the texts of a reply's speech calls, or, if it has no calls, its text."""
    reading = grammar.read(text, tools)
    if not reading.calls:
        return [reading.text] if reading.text else []
    return [
        call.body.strip() for call in reading.calls if call.name == tools.speech and call.body and call.body.strip()
    ]
