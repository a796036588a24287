"""What its person said to a life, as far as the context shows that, kept so that every effect can be held against it.

A look at all of a full context before each effect would be slow: what was added since the last look is looked at, and
all of it only when the context has become another. Owns nothing on disk.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from weakref import WeakKeyDictionary

from dotagent import extensions
from dotagent.life import origins
from dotagent.life.context import Entry
from dotagent.life.events import Hear, Reply, Result
from dotagent.life.session import Session
from dotagent.text import grammar, pointed, quoted, tag
from dotagent.text.quoted import Gapped, Texts


@dataclass(frozen=True)
class Showed:
    """What a tool showed: the call's own words for where that is from, and the bytes in small letters."""

    place: tuple[str, ...]
    content: bytes


@dataclass
class Persons:
    """The words of its person's messages, the forms that they left to be filled in, and the words of the records that
    they keep (what a tool of that origin showed); what else was shown, and which sentences say that mail addresses or
    pages are to be found where; and what was found there."""

    said: Texts = field(default_factory=Texts)
    forms: dict[Gapped, None] = field(default_factory=dict)
    records: Texts = field(default_factory=Texts)
    shown: list[Showed] = field(default_factory=list)
    seeking: dict[str, str] = field(default_factory=dict)
    mails: set[str] = field(default_factory=set)
    pages: set[str] = field(default_factory=set)
    reply: Entry | None = None
    entries: list[Entry] = field(default_factory=list)
    seen: int = 0

    def add(self, entry: Entry, audience: str) -> None:
        """Take an entry in, if it is its person's, or was shown."""
        if not entry.content:
            return
        if entry.event == Result.WORD:
            tool, _, how = entry.detail.partition(" ")
            if how == "ok" and origins.of_tool(tool) == origins.PERSON:
                self.records.add(plain(entry.content))
            elif how == "ok" and self.reply and self.reply.whole and entry.whole:
                self.shown.append(Showed(_place(self.reply.content or b"", tool), entry.content.lower()))
                self._find(self.seeking, self.shown[-1:])
        elif entry.event == Reply.WORD:
            self.reply = entry
        elif entry.event == Hear.WORD and _spoke(entry, audience):
            words = _words(entry.content)
            self.said.add(plain(entry.content))
            self.forms |= dict.fromkeys(quoted.forms(words))
            new = {one: kind for one in pointed.sentences(words) for kind in pointed.sought(one)}
            self.seeking |= new
            self._find(new, self.shown)

    def found(self, value: str, effect: str) -> bool:
        """Whether the value is the only mail address in the places where its person said that such is to be found, or
        one of the pages that they asked for all of, which are only read."""
        if pointed.kind(value) == "mail":
            return self.mails == {pointed.bare(value)}
        return effect == "fetch" and pointed.bare(value) in self.pages

    def showed(self, value: str) -> bool:
        """Whether the value stands in something that was shown, as it is."""
        sought = value.lower().encode("utf-8", "replace")
        return any(sought in one.content for one in self.shown)

    def _find(self, seeking: Mapping[str, str], shown: list[Showed]) -> None:
        """What is to be found where one of these sentences says it."""
        for sentence, kind in seeking.items():
            for one in shown:
                if any(pointed.names(sentence, at) for at in one.place) and all(map(self.said.hold, one.place)):
                    there = pointed.addresses(one.content.decode("utf-8", "replace"), kind)
                    (self.mails if kind == "mail" else self.pages).update(there)


_KNOWN: WeakKeyDictionary[Session, Persons] = WeakKeyDictionary()


def of(session: Session) -> Persons:
    """What the person of this life said and keeps. Asked for while the model thinks, too: so it is ready then."""
    known = _KNOWN.get(session)
    if known is None or known.entries is not session.entries or known.seen > len(session.entries):
        known = _KNOWN[session] = Persons(entries=session.entries)
    for entry in session.entries[known.seen :]:
        known.add(entry, session.state.audience)
    known.seen = len(session.entries)
    return known


def _spoke(entry: Entry, audience: str) -> bool:
    """As origins.is_persons, of an entry; told from its line at once."""
    *_, said, who = f"   {entry.line.detail}".split(" ")
    if who.startswith("AGENT:"):
        return audience.startswith(origins.MADE)
    return audience.startswith("private") or said == f"by={origins.PERSON}"


@lru_cache(maxsize=16)
def _place(reply: bytes, tool: str) -> tuple[str, ...]:
    """What the call of this tool read, in words; nothing where the reply had two of them."""
    reading = grammar.read(reply.decode("utf-8", "replace"), extensions.tools())
    calls = [one for one in reading.calls if one.name == tool]
    if len(calls) != 1:
        return ()
    module = extensions.load("tools", tool.lower())
    told: tuple[str, ...] = module.reads(calls[0]) if hasattr(module, "reads") else (calls[0].args,)
    return tuple(filter(None, told))


def _words(content: bytes) -> str:
    return tag.words(content.decode("utf-8", "replace"))


@lru_cache(maxsize=2048)
def plain(content: bytes) -> str:
    """The words of an entry, as quoted.plain has them."""
    return quoted.plain(_words(content))
