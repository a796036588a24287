"""How an event stands in LIFE: a word, and its fields one after the other in the detail of the line.

`@event` makes a frozen dataclass of a class that knows both ways. Owns nothing on disk.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, dataclass, field, fields
from functools import lru_cache
from typing import Any, ClassVar, Self, TypeVar, dataclass_transform

from dotagent.store.log import Line

_NUMBER = re.compile(r"[0-9]{1,18}")


def rest() -> Any:
    """A field that takes the rest of the detail, blanks and all; the last one."""
    return field(default="", metadata={"rest": True})


def named(default: object) -> Any:
    """A field that stands as `name=value`, and is left out where it has its default."""
    return field(default=default, metadata={"named": True})


def pairs() -> Any:
    """A field that takes all `name=value` words that follow; other words among them say nothing."""
    return field(default_factory=dict, metadata={"pairs": True})


class Event:
    """What all events have: a word in LIFE, and fields that stand one after the other in its detail."""

    WORD: ClassVar[str]
    HEAD: ClassVar[int | None]
    BLOB: ClassVar[bool]
    FIELDS: ClassVar[tuple[tuple[str, str, bool, bool], ...]]

    def detail(self) -> str:
        """The detail, as it stands in the line."""
        words = [
            _told(name, kind, getattr(self, name), getattr(type(self), name, "")) for name, kind, *_ in self.FIELDS
        ]
        return " ".join(word for word in words if word)

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.detail() == getattr(other, "detail", str)()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.detail()!r})"

    @classmethod
    def read(cls, detail: str) -> Self:
        """The event of this detail. Raises ValueError when it is none."""
        made, left = object.__new__(cls), detail
        given = made.__dict__  # a resume reads thousands: what is left out has the class's own default
        for name, kind, number, needed in cls.FIELDS:
            if kind == "rest":
                given[name], left = left, ""
            elif kind == "pairs":
                given[name] = dict(word.split("=", 1) for word in left.split(" ") if "=" in word)
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
            raise ValueError(f"there is more than it can hold: {left[:40]!r}")
        return made


def _told(name: str, kind: str, value: object, usual: object) -> str:
    if kind == "pairs":
        assert isinstance(value, Mapping)
        return " ".join(f"{one}={told}" for one, told in value.items())
    if kind == "named":
        return f"{name}={value}" if value != usual else ""
    return str(value)


def _value(word: str, number: bool) -> str | int:
    if not number:
        return word
    if not _NUMBER.fullmatch(word):
        raise ValueError(f"{word[:40]!r} is no number")
    return int(word)


def _field(one: Field[Any]) -> tuple[str, str, bool, bool]:
    """What a field is: its name, what it takes of the detail, whether it is a number, whether it must be there."""
    kind = next(iter(one.metadata), "word")
    return one.name, kind, "int" in str(one.type), one.default is MISSING


E = TypeVar("E", bound=Event)
EVENTS: dict[str, type[Event]] = {}
"""All events, by their word in LIFE."""


@dataclass_transform(frozen_default=True)
def event(word: str, head: int | None = None, blob: bool = False) -> Callable[[type[E]], type[E]]:
    """Make an event of a class: its word in LIFE, how many words of its detail an entry's head shows (None: it makes
    no entry of the context), and whether it says nothing without the blob that it names."""

    def make(kind: type[E]) -> type[E]:
        kind.WORD, kind.HEAD, kind.BLOB = word, head, blob
        EVENTS[word] = made = dataclass(frozen=True, eq=False, repr=False)(kind)  # the base has these
        kind.FIELDS = tuple(map(_field, fields(made)))  # type: ignore[arg-type]
        return kind

    return make


FORMER = ("SAY", "RUN", "EDIT")  # words by which versions before EFFECT announced one


@lru_cache(maxsize=4)  # the fold, the context and who looks for what cannot be read ask for the same line
def parse(line: Line) -> Event | None:
    """The event in a line, None when it cannot be read."""
    kind = EVENTS.get("EFFECT" if line.event in FORMER else line.event)
    detail = f"{line.event} {line.detail}" if line.event in FORMER else line.detail
    try:
        return kind.read(detail) if kind and (line.id or not kind.BLOB) else None
    except ValueError:
        return None
