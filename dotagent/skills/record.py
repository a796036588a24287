"""What a home knows of its skills: where each installed one came from, and which version of which its person trusts.

Trust is of one version of a whole folder, in the home or in one agent's directory, and for whom it was given: nobody
else's life sees it. Owns `skills/skills.json`, which no agent writes; one that cannot be read trusts nothing.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from dotagent import errors
from dotagent.errors import Trouble
from dotagent.skills.folder import NAME
from dotagent.store import disk
from dotagent.store.home import Home

FILE = "skills.json"
KINDS = ("private", "group", "helper")
"""For whom a skill may be: lives that hear their person alone, that hear a group, that an agent made."""
USUAL = KINDS[:1]


@dataclass(frozen=True)
class Trusted:
    """A version of a skill that its person trusts: its folder's hash and those of its files, what it is said to be for,
    for lives of which kinds, and of which agent's directory it is (its full id; "" for the home's)."""

    name: str
    id: str
    description: str
    kinds: tuple[str, ...]
    agent: str = ""
    at: str = ""
    marks: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Pin:
    """Where an installed skill came from, as it was asked for; its commit, if it has one; its folder's hash."""

    name: str
    source: str
    commit: str
    id: str
    at: str


@dataclass(frozen=True)
class Record:
    """All of it, by name; of trusted ones also by whose directory they are in."""

    pins: Mapping[str, Pin] = field(default_factory=dict)
    trusted: Mapping[tuple[str, str], Trusted] = field(default_factory=dict)

    def trust(self, agent: str, name: str) -> Trusted | None:
        """The version that is trusted of this name there."""
        return self.trusted.get((agent, name))


def path(where: Home) -> Path:
    """Its file."""
    return where.skills / FILE


def read(where: Home) -> Record:
    """What the home knows. Raises Trouble for a file that cannot be read."""
    try:
        told = json.loads(disk.read(path(where)))
        pins = [Pin(**{**one, "name": _named(one)}) for one in told["pins"]]
        trusted = [_trusted(one) for one in told["trusted"]]
    except FileNotFoundError:
        return Record()
    except OSError as error:
        raise Trouble(f"{errors.line(error)}: no skill is trusted until it can be read") from None
    except (ValueError, KeyError, TypeError, RecursionError):
        raise Trouble(f"{path(where)} is damaged: no skill is trusted; remove it and trust them anew") from None
    return Record({one.name: one for one in pins}, {(one.agent, one.name): one for one in trusted})


def change(where: Home, new: Callable[[Record], Record]) -> None:
    """Make it what `new` makes of it. Raises Trouble, OSError."""
    disk.make_dir(where.skills)
    with disk.locked_dir(where.skills):
        put(where, new)


def put(where: Home, new: Callable[[Record], Record]) -> None:
    """The same, by who holds the lock of the skills' folder."""
    now = new(read(where))
    told = {"pins": [asdict(one) for one in now.pins.values()],
            "trusted": [asdict(one) for one in now.trusted.values()]}  # fmt: skip
    disk.replace(path(where), (json.dumps(told, ensure_ascii=False, indent=1) + "\n").encode("utf-8", "replace"))


def pinned(one: Pin | None, name: str) -> Callable[[Record], Record]:
    """The change that pins a skill, or lets go of it."""

    def new(now: Record) -> Record:
        others = {key: pin for key, pin in now.pins.items() if key != name}
        return replace(now, pins={**others, **({name: one} if one else {})})

    return new


def trusting(one: Trusted | None, agent: str, name: str) -> Callable[[Record], Record]:
    """The change that trusts this version alone, or none."""

    def new(now: Record) -> Record:
        others = {key: each for key, each in now.trusted.items() if key != (agent, name)}
        return replace(now, trusted={**others, **({(agent, name): one} if one else {})})

    return new


def _trusted(one: Mapping[str, Any]) -> Trusted:
    kinds = tuple(kind for kind in one["kinds"] if kind in KINDS)
    texts = {key: str(one[key]) for key in ("id", "description", "agent", "at")}
    return Trusted(_named(one), kinds=kinds, marks={str(key): str(mark) for key, mark in one["marks"].items()}, **texts)


def _named(one: Mapping[str, Any]) -> str:
    if not NAME.fullmatch(one["name"]):
        raise ValueError(one["name"])
    return str(one["name"])
