"""How an event stands in LIFE: a word, and its fields one after the other in the detail of the line.

`@event` makes a frozen dataclass of a class that knows both ways. Owns nothing on disk.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, dataclass, field, fields
from typing import Any, ClassVar, Self, TypeVar, dataclass_transform

_NUMBER = re.compile(r"-?[0-9]{1,18}")


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
    FIELDS: ClassVar[tuple[Field[Any], ...]]

    def detail(self) -> str:
        """The detail, as it stands in the line."""
        words = (_told(one, getattr(self, one.name)) for one in self.FIELDS)
        return " ".join(word for word in words if word)

    @classmethod
    def read(cls, detail: str) -> Self:
        """The event of this detail. Raises ValueError when it is none."""
        left, given = detail, dict[str, object]()
        for one in cls.FIELDS:
            if one.metadata.get("rest"):
                given[one.name], left = left, ""
                continue
            if one.metadata.get("pairs"):
                given[one.name] = dict(word.split("=", 1) for word in left.split(" ") if "=" in word)
                left = ""
                continue
            word, _, after = left.partition(" ")
            if one.metadata.get("named"):
                name, mark, word = word.partition("=")
                if not mark or name != one.name:
                    continue
            elif not word:
                if one.default is MISSING:
                    raise ValueError(f"{one.name} is missing")
                continue
            given[one.name], left = _value(one, word), after
        if left:
            raise ValueError(f"there is more than it can hold: {left[:40]!r}")
        return cls(**given)


def _told(one: Field[Any], value: object) -> str:
    if one.metadata.get("pairs"):
        assert isinstance(value, Mapping)
        return " ".join(f"{name}={told}" for name, told in value.items())
    if one.metadata.get("named"):
        return f"{one.name}={value}" if value != one.default else ""
    return str(value)


def _value(one: Field[Any], word: str) -> object:
    if "int" not in str(one.type):
        return word
    if not _NUMBER.fullmatch(word):
        raise ValueError(f"{one.name} is no number")
    return int(word)


E = TypeVar("E", bound=Event)
EVENTS: dict[str, type[Event]] = {}
"""All events, by their word in LIFE."""


@dataclass_transform(frozen_default=True)
def event(word: str, head: int | None = None, blob: bool = False) -> Callable[[type[E]], type[E]]:
    """Make an event of a class: its word in LIFE, how many words of its detail an entry's head shows (None: it makes
    no entry of the context), and whether it says nothing without the blob that it names."""

    def make(kind: type[E]) -> type[E]:
        kind.WORD, kind.HEAD, kind.BLOB = word, head, blob
        EVENTS[word] = made = dataclass(frozen=True)(kind)
        kind.FIELDS = fields(made)  # type: ignore[arg-type]
        return kind

    return make
