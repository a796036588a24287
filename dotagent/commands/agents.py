"""List the agents of a home: who runs, whom each hears, and how old it is."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import asdict, dataclass

from dotagent import commands, installed
from dotagent.errors import Misuse
from dotagent.store import face, home, lives, log, spawned
from dotagent.store.home import Home, Settings
from dotagent.text.reference import short


@dataclass(frozen=True)
class AgentRow:
    """What is told of one agent: its birth, its last event, the rooms it is in."""

    id: str
    name: str
    avatar: str
    state: str
    audience: str
    born: str
    last: str
    event: str
    detail: str
    rooms: list[str]
    parent: str
    """Who made it, of a helper; a table shows that by whom it hears: `helper <parent>-<n>`."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Nothing but the form of the list."""
    commands.json_flag(parser)


def run(asked: argparse.Namespace) -> int:
    """A line an agent."""
    where = commands.home_of(asked)
    home.settings(where)  # broken ones are told at once: no agent starts with them
    found = rows(where)
    cells = ((asdict(one), (short(one.id), one.name, one.state, one.audience, one.born[:10], one.last[:16], one.event,
                            ", ".join(one.rooms) or "none")) for one in found)  # fmt: skip
    empty = f"no agent was born here yet: `{installed.typed('agent')}{where.flag}` lets one be born"
    commands.listed(asked, "agent name state hears born last event rooms", cells, empty)
    return 0


def rows(where: Home) -> Iterator[AgentRow]:
    """Every agent of the home."""
    try:
        settings = home.settings(where)
    except Misuse:  # what is wrong with them is told elsewhere
        settings = Settings()
    for self_id in home.lives(where):
        path = where.agent(self_id) / "LIFE.md"
        first, last = next(log.lines(path), None), next(iter(log.tail(path, 1)), None)
        born, audience = (first.at, first.detail) if first else ("", "")
        at, event, detail = (last.at, last.event, last.detail) if last else ("", "", "")
        state = "runs" if lives.runs(where, self_id) else "sleeps"
        links = sorted(link.stem for link in (where.agent(self_id) / "subs").glob("*.md"))
        mine = face.of(where, settings, self_id)
        terms = spawned.terms(where.store(), self_id) if audience.startswith("helper ") else None
        parent = terms.parent if terms else ""
        yield AgentRow(self_id, mine.name, mine.avatar, state, audience, born, at, event, detail, links, parent)
