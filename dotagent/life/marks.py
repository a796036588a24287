"""The marks of lines that an agent writes down: whose words a line rests on.

`[from notes/mail.txt]` before a line means that the agent read the words there, and that its person did not say them. A
line without a mark has the person's own words. When the agent writes the line, the code compares its words with the
entries in the context to find the mark, so a model can neither forget nor forge it. A line of others gets no mark only
if the person answered yes to the call. Owns nothing on disk.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from urllib.parse import urlsplit

from dotagent import extensions
from dotagent.life import origins
from dotagent.life.context import Entry
from dotagent.life.events import Daily, Document, Faded, Faint, Hear, Join, Recent, Reply, Result, Wishes, parse
from dotagent.life.facts import ADDED
from dotagent.life.session import Session
from dotagent.life.state import State
from dotagent.store import bootstrap
from dotagent.text import escape, grammar, lazy, lexicon, reasoning, speakers, words
from dotagent.text.lazy import dataclass
from dotagent.text.reference import short
from dotagent.text.source_marks import LINE, MARK, list_marked, source_of, without

OTHERS = "what others said"  # the name of a source that is not known
IMPORT = "import"  # the name of the source of all lines that came from another program
OWN, SOME, HALF = 0.8, 0.4, 0.5
"""The share of a line's telling words (words that are not common) that a text must contain: for the line to be the
person's own, for the text to be its source, and for the line to paraphrase the person in a turn without others'
words."""
LEAST = 3  # telling words that an old line must have, so that its source is certain
MANY = 3  # sources that a mark names
LONGEST = 40  # characters of a source's name
_FENCE = lazy.compile(r"\s*(?:`{3,}|~{3,})\s*[\w+#.-]*\s*")  # a mark before it would open or close no block
_FOUND = lazy.compile(r"\S+  [\d: T-]+Z?  ([^:]{1,80}?)(?: in \S+)?: (.*)")  # a line of a search's result
_ODD = re.compile(r"[^\w./:@%+=,-]+")
_HOST = lazy.compile(r"https?://([\w.:-]+)")
_SENTENCE = lazy.compile(r"(?<=[.!?。！？])\s*|\n")
_DERIVED = frozenset(one.WORD for one in (Daily, Document, Faded, Faint, Recent, Wishes))
_COMMON = frozenset(map(words.stem, lexicon.OTHERS.split()))


@dataclass(frozen=True)
class _Source:
    """A text in the context: its speaker ("" for the person), and whether it belongs to the present turn."""

    name: str
    text: str
    now: bool

    @cached_property
    def words(self) -> frozenset[str]:
        """Return the stems of its telling words."""
        return frozenset(_stems(self.text))

    @cached_property
    def passages(self) -> list[frozenset[str]]:
        """Return the telling words of each two sentences that follow each other."""
        rows = [frozenset(_stems(one)) for one in _SENTENCE.split(self.text) if one.strip()]
        return [one | two for one, two in zip(rows, [*rows[1:], frozenset[str]()], strict=True)]


def mark(session: Session, text: str, before: str = "") -> str:
    """Return the text with a mark before each new line that rests on words of others. The lines of `before` do not
    change, and a line that was made from a marked line of `before` keeps the mark."""
    known, old = set(before.split("\n")), [_Source(name, row, False) for name, row in list_marked(before)]
    if not (old or _is_foreign(session)):
        return text
    sources: list[_Source] | None = None
    rows = list[str]()
    for row in text.split("\n"):
        head, said = LINE.fullmatch(row).groups()  # type: ignore[union-attr]
        said = without(said)
        if not (row in known or _FENCE.fullmatch(row)) and (
            telling := frozenset(_stems(ADDED.sub("", said))) - _names(session.entries, session.owner)
        ):
            sources = sources or [*_sources(session.entries, session.state, session.owner, session.id), *old]
            row = f"{head}{_mark(telling, sources)}{said}"
        rows.append(row)
    return "\n".join(rows)


def mark_all(text: str, name: str, *, titles: bool = False) -> str:
    """Return a text from outside with the mark of its source before each line that has words. With `titles`, headings
    get a mark, too."""
    rows = list[str]()
    for row in text.split("\n"):
        head, said = LINE.fullmatch(row).groups()  # type: ignore[union-attr]
        bare = not words.raw(said) or (head.startswith("#") and not titles) or row.startswith("---")
        bare = bare or _FENCE.fullmatch(row) is not None
        rows.append(row if bare else f"{head}[from {name}] {without(said)}")
    return "\n".join(rows)


def find_unmarked(
    text: str, entries: Sequence[Entry], state: State, owner: str, self_id: str
) -> Iterator[tuple[int, str]]:
    """Yield the number, from 0, and the marked form of each line that has words of others and no mark, because an
    earlier version wrote it. `entries` are all entries since the agent's creation."""
    names, sources = _names(entries, owner), list(_sources(entries, state, owner, self_id))
    strange = [one for one in sources if one.name]
    for number, row in enumerate(text.split("\n")):
        head, said = LINE.fullmatch(row).groups()  # type: ignore[union-attr]
        telling = frozenset(_stems(ADDED.sub("", said))) - names
        if len(telling) < LEAST or head.startswith("#") or MARK.match(said):
            continue
        if any(_best(telling, one) >= OWN for one in strange) and (mark := _mark(telling, sources)):
            yield number, f"{head}{mark}{without(said)}"


def _is_foreign(session: Session) -> bool:
    """Return True if others' words are in the context, and the call was not made without them (second_look.py)."""
    return bool(origins.foreign(session.state.heard.origins)) and not session.state.turn.instead


def _mark(telling: frozenset[str], sources: Iterable[_Source]) -> str:
    """Return the mark of a line with these telling words, or "" if it is the person's own."""
    sources = list(sources)
    mine = [one.words for one in sources if not one.name]
    mine.append(frozenset(word for one in sources if one.now and not one.name for word in one.words))
    own = max((_share(telling, said) for said in mine), default=0.0)
    strange = [(_best(telling, one), at, one) for at, one in enumerate(sources) if one.name]
    most, _, first = max(strange, key=lambda one: one[:2], default=(0.0, 0, None))
    here = list(dict.fromkeys(one.name for _, _, one in reversed(strange) if one.now))
    if (own >= OWN and most < own) or (own >= HALF and most < SOME and not here):
        return ""
    if first and most >= SOME:
        host = _host(telling, first)
        return f"[from {host or first.name}] "
    return f"[from {', '.join(here[:MANY]) or OTHERS}] "


def _stems(text: str) -> Iterator[str]:
    return (one for one in words.stems(text) if one not in _COMMON)


def _share(telling: frozenset[str], said: frozenset[str]) -> float:
    """Return the share of the telling words that `said` contains. Another form of the same word counts, too."""
    begun = {one[: _root(one)] for one in said}
    return sum(one in said or (_root(one) < len(one) and one[: _root(one)] in begun) for one in telling) / len(telling)


def _root(word: str) -> int:
    """Return how many first letters two forms of this word share."""
    return 5 if len(word) > 6 and word.isalpha() else 4 if len(word) > 4 and word.isalpha() else len(word)


def _best(telling: frozenset[str], one: _Source) -> float:
    """Return the largest share of the telling words in two sentences of a text that follow each other."""
    near = _share(telling, one.words) >= SOME
    return max((_share(telling, part) for part in one.passages), default=0.0) if near else 0.0


def _names(entries: Iterable[Entry], owner: str) -> frozenset[str]:
    """Return the names of people in the rooms: a name does not show where a line comes from."""
    heard = {entry.line.detail.rpartition(":")[2] for entry in entries if entry.event == Hear.WORD}
    return frozenset(word for name in (*heard, owner) for word in words.stems(name))


def _sources(entries: Iterable[Entry], state: State, owner: str, self_id: str) -> Iterator[_Source]:
    """Yield the texts of these entries, each with its speaker."""
    turn, tools = state.turn, extensions.tools()
    calls, asked = list[grammar.ToolCall](), 0
    private = bootstrap.kind(state.audience) == "private"
    for entry in entries:
        event, text = parse(entry.line), (entry.content or b"").decode("utf-8", "replace")
        now = entry.number >= turn.message > 0
        strange = bool(event and origins.foreign(origins.find_origins(event, state)))
        if isinstance(event, Reply):
            calls, asked = list(grammar.read(reasoning.strip(text), tools).calls), 0
        elif isinstance(event, Hear | Join):
            own = origins.is_persons(event, state.audience) if isinstance(event, Hear) else private
            for one in speakers.messages(entry.event, text, owner):
                if one.name != short(self_id):
                    yield _Source("" if own and one.person else _named(one.name), one.text, now)
        elif entry.event in _DERIVED:
            yield from _derived(entry, text, private)
        elif isinstance(event, Result):
            mine = [one for one in calls if one.name == event.tool]
            call = mine[min(asked, len(mine) - 1)] if mine else None
            asked += 1
            yield from ([_Source(_tool(event.tool, call), text, now)] if strange else _found(text, private))
        elif strange:
            yield _Source({"RETURNED": "a helper", "ENDED": "a command"}.get(entry.event, OTHERS), text, now)


def _derived(entry: Entry, text: str, private: bool) -> Iterator[_Source]:
    """Yield the lines of an entry that repeats other texts: summaries, notes, documents and results of searches."""
    faded = entry.event == Faded.WORD
    for row in text.split("\n"):
        if name := source_of(row):
            yield _Source(name, without(LINE.sub(r"\2", row, count=1)), False)
        elif faded or entry.event in (Faint.WORD, Recent.WORD):
            pairs = speakers.words(entry.event, "", row, extensions.tools()) if faded else _rows(row)
            yield from _told(pairs, private)
        else:
            yield _Source("", row, False)


def _found(text: str, private: bool) -> Iterator[_Source]:
    """Yield the lines of a result that repeats messages or notes, if a line names the speaker of its words."""
    for row in text.split("\n"):
        if name := source_of(row.partition(": ")[2]) or source_of(row):
            yield _Source(name, row, False)
        else:
            yield from _told(_rows(row), private)


def _told(pairs: Iterable[tuple[str, str]], private: bool) -> Iterator[_Source]:
    for who, said in pairs:
        if (name := _whose(who, private)) is not None:
            yield _Source(name, said, False)


def _rows(row: str) -> list[tuple[str, str]]:
    found = _FOUND.match(row)
    return [(found[1], found[2])] if found else []


def _whose(who: str, private: bool) -> str | None:
    """Return the name of the source for a speaker of a summary or a search, "" for the person, None for the agent."""
    if who in ("", speakers.ME, "me"):
        return None
    person = private and " " not in who and who not in ("tool", "helper")
    return "" if person else _named(who.removeprefix("TOOL ").partition(" ")[0] if who.startswith("TOOL ") else who)


def _named(who: str) -> str:
    """Return the name of a speaker for a mark."""
    person = who.removesuffix(speakers.PASSED)
    name = escape.one_line(_ODD.sub(" ", person), LONGEST).strip() or "somebody"
    return f"what {name} passed on" if person != who else name


def _tool(tool: str, call: grammar.ToolCall | None) -> str:
    """Return the name of a tool's result: the file, the host, or the tool with its arguments."""
    said = (call.args if call else "").strip()
    host = urlsplit(said.split(" ")[0]).netloc if said.startswith(("http://", "https://")) else ""
    plain = escape.one_line(_ODD.sub(" ", said), LONGEST).strip()
    if host:
        return host[:LONGEST]
    if origins.tool_origin(tool) == "file" and ("/" in plain or "." in plain):
        return plain
    return f"{tool} {plain}".strip()


def _host(telling: frozenset[str], one: _Source) -> str:
    """Return the host whose part of a list of pages has most of the words, or ""."""
    tool = one.name.partition(" ")[0]
    if tool not in extensions.tools().forms or origins.tool_origin(tool) != "web":
        return ""
    found = [(_share(telling, frozenset(_stems(part))), at, host[1])
             for at, part in enumerate(re.split(r"\n\s*\n", one.text)) if (host := _HOST.search(part))]  # fmt: skip
    return max(found)[2][:LONGEST] if found else ""
