"""List the agents of a home."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from dotagent import commands, installed
from dotagent.errors import Misuse
from dotagent.store import display, helpers, home, lives, log
from dotagent.store.home import Home, Settings
from dotagent.text import times
from dotagent.text.lazy import asdict, dataclass
from dotagent.text.reference import short

GROUP = "inside"


@dataclass(frozen=True)
class AgentRow:
    """The facts about one agent: creation, last event, rooms and more."""

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
    """A helper's parent. The table shows it in the column `audience`, as `helper <parent>-<n>`."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add --json."""
    commands.json_flag(parser)


def run(asked: argparse.Namespace) -> int:
    """Print one line per agent."""
    where = commands.home_of(asked)
    home.settings(where)  # no agent starts with invalid settings, so report them now
    found = rows(where)
    cells = ((asdict(one), (short(one.id), one.name, one.state, one.audience, times.format_stamp(one.born, 10),
                            times.format_stamp(one.last), one.event, ", ".join(one.rooms) or "none"))
             for one in found)  # fmt: skip
    empty = f"no agents yet; create one with `{installed.program('agent')}{where.flag}`"
    commands.print_list(asked, "agent name state audience created last event rooms", cells, empty)
    return 0


def rows(where: Home) -> Iterator[AgentRow]:
    """Yield a row for every agent of the home."""
    try:
        settings = home.settings(where)
    except Misuse:  # another check reports them
        settings = Settings()
    for self_id in home.lives(where):
        path = where.agent(self_id) / "LIFE.md"
        first, last = next(log.lines(path), None), next(iter(log.tail(path, 1)), None)
        born, audience = (first.at, first.detail) if first else ("", "")
        at, event, detail = (last.at, last.event, last.detail) if last else ("", "", "")
        state = "runs" if lives.runs(where, self_id) else "sleeps"
        links = lives.subscribed(where.agent(self_id))
        mine = display.find_face(where, settings, self_id)
        terms = helpers.terms(where.store(), self_id) if audience.startswith("helper ") else None
        parent = terms.parent if terms else ""
        yield AgentRow(self_id, mine.name, mine.avatar, state, audience, born, at, event, detail, links, parent)
