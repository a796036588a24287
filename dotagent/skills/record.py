"""A home's record of its skills: the source of each installed one, and the trusted version of each.

Trust applies to one version of a whole folder, in the home or in one agent's directory, for given kinds of agents. Owns
`skills/skills.json`, which no agent can write; an unreadable file means that nothing is trusted.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from dotagent import errors
from dotagent.errors import Trouble
from dotagent.skills.folder import NAME
from dotagent.store import disk
from dotagent.store.home import Home
from dotagent.text.lazy import asdict, dataclass, field, replace

FILE = "skills.json"
KINDS = ("private", "group", "helper")
"""Kinds of agents for a skill: private ones, those in groups, and helpers."""
USUAL = KINDS[:1]


@dataclass(frozen=True)
class Trusted:
    """A trusted version of a skill: the hashes of its folder and files, its description, the kinds of agents that may
    use it, and the agent whose directory contains it (full id, or "" for the home)."""

    name: str
    id: str
    description: str
    kinds: tuple[str, ...]
    agent: str = ""
    at: str = ""
    marks: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Pin:
    """The requested source of an installed skill, its commit if it has one, and its folder's hash."""

    name: str
    source: str
    commit: str
    id: str
    at: str


@dataclass(frozen=True)
class Record:
    """The whole record, by name; trusted versions also by directory."""

    pins: Mapping[str, Pin] = field(default_factory=dict)
    trusted: Mapping[tuple[str, str], Trusted] = field(default_factory=dict)

    def trust(self, agent: str, name: str) -> Trusted | None:
        """Return the trusted version of this name in that directory, or None."""
        return self.trusted.get((agent, name))


def path(where: Home) -> Path:
    """Return the record's file."""
    return where.skills / FILE


def read(where: Home) -> Record:
    """Read the record. Raises Trouble if it is unreadable."""
    try:
        told = json.loads(disk.read(path(where)))
        pins = [Pin(**{**one, "name": _check_name(one)}) for one in told["pins"]]
        trusted = [_trusted(one) for one in told["trusted"]]
    except FileNotFoundError:
        return Record()
    except OSError as error:
        raise Trouble(f"{errors.line(error)}: no skill is trusted until it can be read") from None
    except (ValueError, KeyError, TypeError, RecursionError):
        raise Trouble(
            f"{path(where)} is damaged, so no skill is trusted; remove the file and trust the skills again"
        ) from None
    return Record({one.name: one for one in pins}, {(one.agent, one.name): one for one in trusted})


def change(where: Home, new: Callable[[Record], Record]) -> None:
    """Replace the record by the result of `new`. Raises Trouble, OSError."""
    disk.make_dir(where.skills)
    with disk.locked_dir(where.skills):
        put(where, new)


def put(where: Home, new: Callable[[Record], Record]) -> None:
    """Do the same; the caller must have the lock of the skills' folder."""
    now = new(read(where))
    told = {"pins": [asdict(one) for one in now.pins.values()],
            "trusted": [asdict(one) for one in now.trusted.values()]}  # fmt: skip
    disk.replace(path(where), (json.dumps(told, ensure_ascii=False, indent=1) + "\n").encode("utf-8", "replace"))


def pinned(one: Pin | None, name: str) -> Callable[[Record], Record]:
    """Return a change that records a skill's source, or removes it."""

    def new(now: Record) -> Record:
        others = {key: pin for key, pin in now.pins.items() if key != name}
        return replace(now, pins={**others, **({name: one} if one else {})})

    return new


def trusting(one: Trusted | None, agent: str, name: str) -> Callable[[Record], Record]:
    """Return a change that trusts only this version, or none."""

    def new(now: Record) -> Record:
        others = {key: each for key, each in now.trusted.items() if key != (agent, name)}
        return replace(now, trusted={**others, **({(agent, name): one} if one else {})})

    return new


def _trusted(one: Mapping[str, Any]) -> Trusted:
    kinds = tuple(kind for kind in one["kinds"] if kind in KINDS)
    texts = {key: str(one[key]) for key in ("id", "description", "agent", "at")}
    return Trusted(
        _check_name(one), kinds=kinds, marks={str(key): str(mark) for key, mark in one["marks"].items()}, **texts
    )


def _check_name(one: Mapping[str, Any]) -> str:
    if not NAME.fullmatch(one["name"]):
        raise ValueError(one["name"])
    return str(one["name"])
