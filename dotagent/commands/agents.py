"""List the agents of a home: who runs, whom each hears, and how old it is."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import asdict, dataclass

from dotagent import commands
from dotagent.store import home, lives, log
from dotagent.store.home import Home
from dotagent.text.reference import short


@dataclass(frozen=True)
class AgentRow:
    """What is told of one agent: its birth, its last event, the rooms it is in."""

    id: str
    state: str
    audience: str
    born: str
    last: str
    event: str
    detail: str
    rooms: list[str]


def arguments(parser: argparse.ArgumentParser) -> None:
    """Nothing but the form of the list."""
    commands.json_flag(parser)


def run(asked: argparse.Namespace) -> int:
    """A line an agent."""
    for one in rows(commands.home_of(asked)):
        words = f"{one.state:<7}{one.audience:<18} born {one.born[:16]}  last {one.last[:19]} {one.event}"
        commands.show(asdict(one), f"{short(one.id)}  {words}  rooms {', '.join(one.rooms) or 'none'}", asked)
    return 0


def rows(where: Home) -> Iterator[AgentRow]:
    """Every agent of the home."""
    for self_id in home.lives(where):
        path = where.agent(self_id) / "LIFE.md"
        first, last = next(log.lines(path), None), next(iter(log.tail(path, 1)), None)
        born, audience = (first.at, first.detail) if first else ("", "")
        at, event, detail = (last.at, last.event, last.detail) if last else ("", "", "")
        state = "runs" if lives.runs(where, self_id) else "sleeps"
        links = sorted(link.stem for link in (where.agent(self_id) / "subs").glob("*.md"))
        yield AgentRow(self_id, state, audience, born, at, event, detail, links)
