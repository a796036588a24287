"""The form of an event in LIFE: a word, and its fields in order in the detail of the line.

`@event` turns a class into a frozen dataclass that can write and read this form. FORMS lists the words that make
entries of the context, so that entries keep their numbers even if a word's class is missing. Owns nothing on disk.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from typing import Any, ClassVar, Self, TypeVar, dataclass_transform

from dotagent import capabilities
from dotagent.store.log import Line
from dotagent.text import lazy
from dotagent.text.lazy import MISSING, dataclass, field, fields

_NUMBER = lazy.compile(r"[0-9]{1,18}")


@dataclass(frozen=True)
class EntryForm:
    """The properties of a word of LIFE, known even if its class is missing."""

    head: int | None = None
    """How many words of its detail an entry's head shows; None if it makes no entry."""
    blob: bool = False
    """Whether it makes an entry only with a blob."""
    begins: bool = False
    """Whether it begins a turn: the next reply answers it."""
    of_file: bool = False
    """Whether its text comes from a file."""


FORMS: Mapping[str, EntryForm] = {
    "BOOT": EntryForm(2),
    "RESUME": EntryForm(0),
    "TORN": EntryForm(1),
    "CLOCK": EntryForm(0),
    "JOIN": EntryForm(1),
    "LEAVE": EntryForm(1),
    "HEAR": EntryForm(1, begins=True),
    "PAPER": EntryForm(1, blob=True, of_file=True),
    "DAILY": EntryForm(1, blob=True, of_file=True),
    "NOTE": EntryForm(1),
    "ENDED": EntryForm(2),
    "RETURNED": EntryForm(2, blob=True),
    "WAKE": EntryForm(2, blob=True, begins=True, of_file=True),
    "REPLY": EntryForm(0, blob=True),
    "FAIL": EntryForm(1),
    "TOOL": EntryForm(2),
    "FLUSH": EntryForm(0, blob=True),
    "STANDING": EntryForm(0, blob=True),
    "LIFE": EntryForm(0),
    "FAINT": EntryForm(0),
    "WARN": EntryForm(0),
    "FADED": EntryForm(2),
    "BEAT": EntryForm(),
}
"""Each word that makes an entry, and the words of capabilities that make none. A word stays here permanently, because
LIFE is older than the code that reads it."""


def rest() -> Any:
    """Return a field that contains the rest of the detail, including spaces. It must be the last."""
    return field(default="", metadata={"rest": True})


def named_field(default: object) -> Any:
    """Return a field that is written as `name=value`, and omitted if it has its default."""
    return field(default=default, metadata={"named": True})


def pairs() -> Any:
    """Return a field for all remaining `name=value` words; other words among them are ignored."""
    return field(default_factory=dict, metadata={"pairs": True})


class Event:
    """The base of all events: a word in LIFE, and fields in order in the line's detail."""

    WORD: ClassVar[str]
    BLOB: ClassVar[bool]

    @classmethod
    @cache
    def forms(cls) -> tuple[tuple[str, str, bool, bool], ...]:
        """Return each field's name, the part of the detail that it reads, if it is a number, and if it is required."""
        return tuple(
            (one.name, next(iter(one.metadata), "word"), "int" in str(one.type), one.default is MISSING)
            for one in fields(cls)  # type: ignore[arg-type] # each event is a dataclass
        )

    def detail(self) -> str:
        """Return the detail for the line."""
        words = list[str]()
        for name, kind, *_ in self.forms():
            value = getattr(self, name)
            if kind == "pairs":
                words += [f"{one}={told}" for one, told in value.items()]
            elif kind != "named":
                words.append(str(value))
            elif value != getattr(type(self), name):
                words.append(f"{name}={value}")
        return " ".join(filter(None, words))

    @classmethod
    def read(cls, detail: str) -> Self:
        """Return the event with this detail. Raises ValueError if the detail is invalid."""
        made, left = object.__new__(cls), detail
        given = made.__dict__  # for speed: missing fields have the class's defaults, and a resume reads thousands
        for name, kind, number, needed in cls.forms():
            if kind == "rest":
                given[name], left = left, ""
            elif kind == "pairs":
                given[name] = dict([word.split("=", 1) for word in left.split(" ") if "=" in word])
                left = ""
            elif kind == "named":
                word, _, after = left.partition(" ")
                if word.startswith(f"{name}="):
                    given[name], left = _value(word[len(name) + 1 :], number), after
            elif left:
                word, _, left = left.partition(" ")
                given[name] = _value(word, number)
            elif needed:
                raise ValueError(f"{name} is missing")
        if left:
            raise ValueError(f"there is unexpected text: {left[:40]!r}")
        return made


def _value(word: str, number: bool) -> str | int:
    if not number:
        return word
    if not _NUMBER.fullmatch(word):
        raise ValueError(f"{word[:40]!r} is not a number")
    return int(word)


E = TypeVar("E", bound=Event)
EVENTS: dict[str, type[Event]] = {}
"""All events, by their word in LIFE."""


@dataclass_transform(frozen_default=True)
def event(word: str, blob: bool = False) -> Callable[[type[E]], type[E]]:
    """Make an event of a class. `word` is its word in LIFE; with `blob`, the event is invalid without a blob."""

    def make(kind: type[E]) -> type[E]:
        kind.WORD, kind.BLOB = word, blob
        EVENTS[word] = dataclass(frozen=True)(kind)
        return kind

    return make


LATER = {
    **dict.fromkeys(
        "SEGMENT CHUNKS SUMMARISE SUMMARY STAYED STANDS LAPSED STANDING FLUSH FADE FAINT".split(),
        "dotagent.life.compaction_events",
    ),
    **dict.fromkeys(("SPAWNED", "RETURNED", "RESTED", "ENDED"), "dotagent.life.background_events"),
    **dict.fromkeys(("CANDIDATE", "DECIDED"), "dotagent.life.candidates"),
    **dict.fromkeys(("LOOK", "LOOKED", "INSTEAD"), "dotagent.life.look_events"),
}
"""The modules with the classes and folds of rare events, by their word in LIFE: the first such event imports it."""
STANDING, FAINT, RETURNED = "STANDING", "FAINT", "RETURNED"
"""The words among them whose entries have a place or a form of their own in a prompt."""
FORMER = ("SAY", "RUN", "EDIT")  # announced effects before EFFECT existed


@lru_cache(maxsize=4)  # the fold, the context and the check for unreadable lines parse the same line
def parse(line: Line) -> Event | None:
    """Return the event in a line, or None if it cannot be read."""
    former = line.event in FORMER
    word, detail = ("EFFECT", f"{line.event} {line.detail}") if former else (line.event, line.detail)
    kind = EVENTS.get(word) or _find_rare(word)
    try:
        return kind.read(detail) if kind and (line.id or not kind.BLOB) else None
    except ValueError:
        return None


def _find_rare(word: str) -> type[Event] | None:
    """Return the class of an event whose module is not imported yet, or that is missing. None if no version knows
    it."""
    if word in LATER:
        importlib.import_module(LATER[word])
    else:
        capabilities.records()
    return EVENTS.get(word) or (_absent(word) if word in FORMS else None)


def find_all() -> dict[str, type[Event]]:
    """Return all events by their word in LIFE, also those of LATER and of capabilities."""
    capabilities.records()
    for module in {*LATER.values()}:
        importlib.import_module(module)
    return EVENTS


@cache
def _absent(word: str) -> type[Event]:
    """Return the class for a word whose own class is missing: it keeps the detail unchanged."""
    made = {"WORD": word, "BLOB": False, "__annotations__": {"told": "str"}, "told": rest()}
    return dataclass(frozen=True)(type("Absent", (Event,), made))
