"""Who said what in a context: its texts, each with its source, and an index of their words.

Marks (marks.py) compare what an agent writes down with these texts. Owns nothing on disk.
"""

from __future__ import annotations

import copy
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain
from operator import is_
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary

from dotagent import extensions
from dotagent.life import origins
from dotagent.life.background_events import Ended, Returned
from dotagent.life.compaction_events import Faint, Wishes
from dotagent.life.context import Entry
from dotagent.life.events import Faded, Hear, Join, Recent, Reply, Result, parse
from dotagent.life.session import Session
from dotagent.life.state import State
from dotagent.store import bootstrap
from dotagent.store.blobs import BlobCorrupt, BlobMissing
from dotagent.text import grammar, lazy, reasoning, speakers, truth_questions, words
from dotagent.text.lazy import dataclass, replace
from dotagent.text.reference import short
from dotagent.text.source_marks import BELOW, LONGEST, MARK, clean_name, list_marked, names_source, without
from dotagent.text.telling_words import key, keys, passages, share

OTHERS = "what others said"  # the name of a source that is not known
ASKED = "a question of "  # before the name of the person who asks whether something is true
AGENT = "["  # the source of the agent's own replies; no name contains it
SOME = 0.4  # the share of a line's telling words that a text must contain to be its source
NEVER = 1 << 62  # the first entry of the present turn, if there is none
_FOUND = lazy.compile(r"\S+  [\d: T-]+Z?  ([^:]{1,80}?)(?: in \S+)?: (.*)")  # a line of a search's result
_HOST = lazy.compile(r"https?://([\w.:-]+)")
_DERIVED = origins.OF_FILES | {one.WORD for one in (Faded, Faint, Recent, Wishes)}


@dataclass(frozen=True)
class SourcedText:
    """A text in a context: its speaker ("" for the person), the number of its entry (0 if it repeats other texts), and
    whether settings keep it out of everything that lasts."""

    name: str
    text: str
    number: int = 0
    kept_out: bool = False

    @property
    def is_others(self) -> bool:
        """Return True for a text of others, and for what a person asked to be true."""
        return self.name not in ("", AGENT)

    @property
    def is_question(self) -> bool:
        """Return True for what a person asked to be true."""
        return self.name.startswith(ASKED)


class Texts:
    """Texts with their sources, counted from 0, and an index of their telling words."""

    def __init__(self, texts: Iterable[SourcedText] = ()) -> None:
        self.all, self._having = list[SourcedText](), dict[str, list[int]]()
        self.add(texts)

    def add(self, texts: Iterable[SourcedText]) -> None:
        """Add texts, after the others."""
        for one in texts:
            for word in keys(one.text):
                self._having.setdefault(word, []).append(len(self.all))
            self.all.append(one)

    def shares(self, telling: Collection[str]) -> dict[int, float]:
        """Return the share of the telling words in each text that contains one, by its place."""
        found = Counter(chain.from_iterable(self._having.get(key(one), ()) for one in telling))
        return {at: count / len(telling) for at, count in sorted(found.items())}

    def covered(self, telling: Collection[str], places: Collection[int]) -> float:
        """Return the share of the telling words that the texts at these places have together."""
        having = (self._having.get(key(one), ()) for one in telling)
        return sum(any(at in places for at in one) for one in having) / max(1, len(telling))

    def nearest(self, telling: Collection[str]) -> tuple[float, SourcedText | None]:
        """Return the text of others with most of the telling words in two sentences that follow each other, and their
        share. The newest counts if equal, and a question last."""
        found = [(max(share(telling, part) for part in passages(self.all[at].text)),
                  -1 if self.all[at].is_question else at, self.all[at])
                 for at, had in self.shares(telling).items() if had >= SOME and self.all[at].is_others]  # fmt: skip
        most, _, first = max(found, key=lambda one: one[:2], default=(0.0, 0, None))
        host = _host(telling, first) if first else ""
        return most, replace(first, name=host) if first and host else first


class Context(Texts):
    """The texts of these entries. `rules` are those of the setting `admission`."""

    def __init__(
        self, entries: Iterable[Entry], state: State, owner: str, self_id: str, rules: Mapping[str, Sequence[str]] = {}
    ) -> None:
        super().__init__()
        self.key = (state.audience, state.heard.origins, owner, self_id, rules)
        self.documents = set[str]()  # the ids of the documents that were read
        self._state, self._owner, self._self, self._rules = state, owner, short(self_id), rules
        self._mine = owner if bootstrap.kind(state.audience) != "private" else ""  # the person; "": all people
        self._reply, self._results = "", list[str]()
        self.entries, self.names = list[Entry](), set(words.stems(owner))  # names do not show where a line comes from
        self.read(entries)

    def read(self, entries: Iterable[Entry]) -> None:
        """Add the texts of entries that follow those before."""
        for entry in entries:
            self.entries.append(entry)
            self.add(self._read(entry))

    def add_imported(self, session: Session) -> None:
        """Add the lines of documents that an import brought, which no entry shows."""
        for id in {session.state.heard.documents.get(name, "") for name in bootstrap.PROMPT} - self.documents:
            self.documents.add(id)
            with suppress(BlobMissing, BlobCorrupt):  # doctor reports it
                text = session.store.body(id).decode("utf-8", "replace") if id else ""
                self.add(SourcedText(name, said) for name, said in list_marked(text) if BELOW in text)

    def with_texts(self, texts: Iterable[SourcedText]) -> Context:
        """Return a copy with more texts."""
        made = copy.copy(self)
        made.all, made._having = self.all.copy(), {key: places.copy() for key, places in self._having.items()}
        made.add(texts)
        return made

    def _read(self, entry: Entry) -> Iterator[SourcedText]:
        """Yield the texts of the entry, each with its source."""
        event, text, number = parse(entry.line), content(entry), entry.number
        kinds = origins.foreign(origins.find_origins(event, self._state)) if event else ()
        found: Iterable[SourcedText] = ()
        if isinstance(event, Result):
            self._results.append(event.tool)
        if isinstance(event, Reply):
            self._reply, self._results = text, []
        elif isinstance(event, Hear | Join):
            own = origins.is_persons(event, self._state.audience) if isinstance(event, Hear) else not self._mine
            if isinstance(event, Hear):
                self.names.update(words.stems(entry.line.detail.rpartition(":")[2]))
            told = speakers.messages(entry.event, text, self._owner)
            found = [part for one in told if one.name != self._self for part in
                     _parts("" if own and one.person else one.name, one.name, one.text, number)]  # fmt: skip
        elif entry.event in _DERIVED or (isinstance(event, Result) and not kinds):
            found = self._derived(entry.event, text)
        elif kinds:
            usual = {Returned.WORD: "a helper", Ended.WORD: "a command"}.get(entry.event, OTHERS)
            name = tool_source(self._reply, self._results) if isinstance(event, Result) else usual
            found = [SourcedText(name, text, number)]
        room = str(getattr(event, "room", ""))
        yield from ((self._admit(one, room, kinds) for one in found) if self._rules else found)

    def _derived(self, event: str, text: str) -> Iterator[SourcedText]:
        """Yield the lines of an entry that repeats other texts: summaries, notes, documents and results of searches. A
        line of a summary or a search counts only if it names the speaker of its words."""
        for row in text.split("\n"):
            who = said = ""
            if found := MARK.search(row):  # a reminder's entry begins with words of dotagent
                yield SourcedText(found[1], without(row[found.start() :]))
            elif event == Faded.WORD:
                who, said = speakers.split_label(row.strip())
            elif event not in (Faint.WORD, Recent.WORD, Result.WORD):
                yield SourcedText("", row)
            elif found := _FOUND.match(row):
                who, said = found.groups()
            if who not in ("", speakers.ME, "me"):
                person = who == self._mine or (not self._mine and " " not in who and who not in ("tool", "helper"))
                name = who.split(" ")[1] if who.startswith("TOOL ") else who
                yield from _parts("" if person else name, who, said)

    def _admit(self, one: SourcedText, room: str, kinds: Sequence[str]) -> SourcedText:
        """Return the text, marked as kept out if the settings name its room, its sender, or the kind or the name of its
        source."""
        named = [*self._rules.get("senders", ()), *self._rules.get("sources", ())] if one.name else []
        out = room in self._rules.get("rooms", ()) or any(
            word in kinds or names_source(one.name, word) for word in named
        )
        return replace(one, name=one.name or f"the room {room}", kept_out=True) if out else one


_CONTEXTS: WeakKeyDictionary[Session, Context] = WeakKeyDictionary()


def of_session(session: Session) -> Context:
    """Return the texts of the session's context. It reads only the entries since the last time."""
    state, entries, known = session.state, session.entries, _CONTEXTS.get(session)
    rules = session.settings.admission
    same = known and known.key == (state.audience, state.heard.origins, session.owner, session.id, rules)
    if not (known and same and len(known.entries) <= len(entries) and all(map(is_, known.entries, entries))):
        known = _CONTEXTS[session] = Context((), state, session.owner, session.id, rules)
    known.read(entries[len(known.entries) :])
    known.add_imported(session)
    return known


def of_pairs(texts: Iterable[tuple[str, str]]) -> list[SourcedText]:
    """Return these texts, (name of the source, text)."""
    return [SourcedText(name_speaker(name), text) for name, text in texts]


def tool_source(reply: str, tools: Sequence[str]) -> str:
    """Return the name of the source of the last result of a reply: the file, the host, or the tool with its arguments.
    `tools` are those of its results so far; each is the result of the next call of its tool."""
    tool, calls = tools[-1], grammar.read(reasoning.strip(reply), extensions.tools()).calls
    said = "".join([one.args.strip() for one in calls if one.name == tool][: tools.count(tool)][-1:])
    if said.startswith(("http://", "https://")) and (host := urlsplit(said.split(" ")[0]).netloc):
        return host[:LONGEST]
    plain = clean_name(said)
    is_file = origins.tool_origin(tool) == "file" and ("/" in plain or "." in plain)
    return plain if is_file else f"{tool} {plain}".strip()


def content(entry: Entry) -> str:
    """Return the content of an entry as text."""
    return (entry.content or b"").decode("utf-8", "replace")


def _host(telling: Collection[str], one: SourcedText) -> str:
    """Return the host whose part of a list of pages has most of the words, or ""."""
    tool = one.name.partition(" ")[0]
    if tool not in extensions.tools().forms or origins.tool_origin(tool) != "web":
        return ""
    found = [(share(telling, keys(part)), at, host[1])
             for at, part in enumerate(re.split(r"\n\s*\n", one.text)) if (host := _HOST.search(part))]  # fmt: skip
    return max(found)[2][:LONGEST] if found else ""


def _parts(name: str, who: str, text: str, number: int = 0) -> Iterator[SourcedText]:
    """Yield a message as a text of its person ("") or of a stranger. The person states nothing by a question."""
    asked, stated = ("", text) if name else truth_questions.split(text)
    if asked:
        yield SourcedText(f"{ASKED}{name_speaker(who)}", asked, number)
    yield SourcedText(name and name_speaker(name), stated, number)


def name_speaker(who: str) -> str:
    """Return the name of a speaker in a mark."""
    person = who.removesuffix(speakers.PASSED)
    name = clean_name(person) or "somebody"
    return f"what {name} passed on" if person != who else name
