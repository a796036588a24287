"""List the agents, or end a helper.

Helpers that have finished are listed only with `--all`. `agents end ID` ends a helper, with the command that it runs
and its own helpers. The agent that created the helper gets to know that a person ended it.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from dotagent import commands, installed
from dotagent.errors import Misuse
from dotagent.life import stop_requests
from dotagent.store import agent_search, display, helpers, home, lives, log
from dotagent.store.home import Home, Settings
from dotagent.text import times
from dotagent.text.lazy import asdict, dataclass
from dotagent.text.reference import short

GROUP = "inside"
FINISHED = "finished"  # the state of a helper that has nothing left to do
STATES = {"runs": "running", "sleeps": "stopped"}  # words for people; --json keeps the states, which scripts read


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
    """Add what to do, and --json."""
    parser.add_argument("what", nargs="?", choices=("end",), help="`end` stops a helper and its task")
    parser.add_argument("helper", nargs="?", metavar="ID", help="for `end`: the id of the helper, or its first digits")
    parser.add_argument("--all", action="store_true", help="also list helpers that have finished")
    commands.json_flag(parser)


def run(asked: argparse.Namespace) -> int:
    """Print one line per agent, or end a helper."""
    where = commands.home_of(asked)
    commands.refuse_unused(asked, asked.what or "list", {"--all": "list"})
    if asked.what:
        return _end(where, asked.helper or "")
    home.settings(where)  # no agent starts with invalid settings, so report them now
    found = (one for one in rows(where) if asked.all or one.state != FINISHED)
    cells = ((asdict(one), (short(one.id), one.name, STATES.get(one.state, one.state), one.audience,
                            times.format_stamp(one.born, 10), times.format_stamp(one.last), one.event,
                            ", ".join(one.rooms) or "none"))
             for one in found)  # fmt: skip
    empty = f"no agents yet; create one with `{installed.program('agent')}{where.flag}`"
    commands.print_list(asked, "agent name state audience created last event rooms", cells, empty)
    return 0


def _end(where: Home, named: str) -> int:
    if not named:
        raise Misuse(f"name the helper: `{installed.program('agents end')} ID`; `agents` lists the ids")
    self_id = agent_search.find_agent(where, named)
    terms = helpers.terms(where.store(), self_id)
    if terms is None:
        raise Misuse(f"agent {short(self_id)} is not a helper; /stop in its room stops its work")
    if helpers.rested(where, self_id)[1] and not lives.runs(where, self_id):
        print(f"helper {short(self_id)} has finished already")
        return 0
    stop_requests.write(where, self_id, terms.room, home.owner(home.settings(where)))
    when = (
        "is being stopped"
        if lives.runs(where, self_id)
        else "is not running now; if it starts again, it stops its task at once"
    )
    print(f"helper {short(self_id)} of agent {short(terms.parent)} {when}")
    return 0


def rows(where: Home) -> Iterator[AgentRow]:
    """Yield a row for every agent of the home."""
    try:
        settings = home.settings(where)
    except Misuse:  # another check reports them
        settings = Settings()
    for self_id in home.lives(where):
        yield row(where, settings, self_id)


def row(where: Home, settings: Settings, self_id: str) -> AgentRow:
    """Return the row of an agent. Raises OSError if a file of the agent cannot be read."""
    path = where.agent(self_id) / "LIFE.md"
    first, last = next(log.lines(path), None), next(iter(log.tail(path, 1)), None)
    born, audience = (first.at, first.detail) if first else ("", "")
    at, event, detail = (last.at, last.event, last.detail) if last else ("", "", "")
    links = lives.subscribed(where.agent(self_id))
    mine = display.find_face(where, settings, self_id)
    terms = helpers.terms(where.store(), self_id) if audience.startswith("helper ") else None
    over = FINISHED if terms and helpers.rested(where, self_id)[1] else "sleeps"
    state = "runs" if lives.runs(where, self_id) else over
    parent = terms.parent if terms else ""
    return AgentRow(self_id, mine.name, mine.avatar, state, audience, born, at, event, detail, links, parent)
