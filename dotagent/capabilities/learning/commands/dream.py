"""Find repetitions in events, and decide what to learn.

`dream` proposes rules, patterns, lines for a profile, and learned entries to withdraw, each with its evidence. `dream
graduate ID --rationale WHY` accepts a proposal and saves it as a file in `semantic/`. `dream reject ID` rejects a
proposal permanently.

`dream list` shows the proposals, and also the rules that dotagent accepted without asking you (with `graduate = true`
in the settings). `dream retire ID` withdraws a learned rule or pattern. In a project, these commands work on
`.agent/memory/`. With --agent, or outside a project, they work on an agent's own memory.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from pathlib import Path

from dotagent import commands, errors
from dotagent.capabilities.learning import dream, entries, proposal, review
from dotagent.capabilities.learning.dream import Dreamt
from dotagent.capabilities.learning.entries import Learned
from dotagent.capabilities.learning.proposal import Memories, Proposal
from dotagent.errors import Misuse
from dotagent.life import replay
from dotagent.project import place
from dotagent.store import agent_search, home
from dotagent.text import escape, names, times
from dotagent.text.reference import short
from dotagent.text.sizes import plural

GROUP = "project"

HERE = "only"  # --agent without a hash


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the action, the proposal, and the memory."""
    parser.add_argument("verb", nargs="?", choices=("now", *DO), default="now", help="what to do (default: now)")
    parser.add_argument("id", nargs="?", metavar="ID", help="the first 4 to 8 digits of the id of a proposal or rule")
    parser.add_argument("--rationale", metavar="WHY", help="the reason for your decision")
    parser.add_argument(
        "--actor", metavar="ACTOR", help="the person who decides (default: you, by your name in this project)"
    )
    told = "use an agent's own memory, not a project's (default: the only agent); put this option last"
    parser.add_argument("--agent", metavar="AGENT", nargs="?", const=HERE, help=told)
    told = "for `graduate` and `retire`: decide for all agents to which the same people can talk"
    parser.add_argument("--shared", action="store_true", help=told)
    commands.project_argument(parser)
    commands.json_flag(parser)


def run(asked: argparse.Namespace) -> int:
    """Dream, or carry out a decision. Raise Misuse."""
    if (asked.verb in ("now", "list")) == bool(asked.id):
        told = f"does not take an id: {asked.id[:40]!r}" if asked.id else "needs an id; `dream list` shows the ids"
        raise Misuse(f"dream {asked.verb}: {told}")
    commands.refuse_unused(asked, asked.verb, {"--rationale": "graduate reject retire"})
    if asked.shared and (asked.verb not in ("graduate", "retire") or asked.project):
        raise Misuse("--shared works only with `dream graduate` and `dream retire`, and not for a project")
    where, look = _find_memory(asked)
    if asked.verb != "now":
        DO[asked.verb](where, asked)
        return 0
    dreamt = look()
    waiting = review.waiting(where)
    result: dict[str, object] = {"seen": dreamt.seen, "new": [one.id for one in dreamt.new], "waiting": len(waiting)}
    result["learned"] = [one.id for one in dreamt.learned]
    seen = f"read {plural(dreamt.seen, 'new event')}" if dreamt.seen else "no new events since the last review (dream)"
    new, there = (
        plural(len(dreamt.new), "new proposal"),
        f"{len(waiting)} waiting for your decision (`dream list` shows them)",
    )
    learned = f", {len(dreamt.learned)} accepted without asking you" if dreamt.learned else ""
    commands.tell(result, f"{seen}; {new}{learned}, {there if waiting else 'none waiting'}", asked)
    return 0


def _find_memory(asked: argparse.Namespace) -> tuple[Memories, Callable[[], Dreamt]]:
    """Return the memory of the command, and the function that dreams about it. Raise Misuse."""
    try:
        project = place.find(asked.project) if asked.agent is None else None
    except Misuse:
        if asked.project or not home.lives(home.find(asked.home)):
            raise
        project = None
    if project:
        mine = dream.memories(project, place.actor(project.root, asked.actor or ""))
        return mine, lambda: dream.dream_of_project(project, mine.actor)
    where = commands.home_of(asked)
    self_id = agent_search.find_agent(where, None if asked.agent == HERE else asked.agent)
    errors.tell(f"agent {short(self_id)}")
    reviewer = names.folder(asked.actor or home.owner(home.settings(where)))
    return dream.memories_of(where, self_id, reviewer), lambda: dream.dream_of_agent(where, self_id, reviewer)


def row(one: Proposal) -> commands.Row:
    """Return the row of a proposal."""
    told = {**one.__dict__, "id": one.id, "evidence": list(one.evidence)}
    return told, (one.id, one.kind, one.category, one.seen, one.title)


HEADS = "id kind category >seen proposed"


def _list(where: Memories, asked: argparse.Namespace) -> None:
    unasked = [_unasked(one) for one in entries.list_entries(where) if one.by == entries.ITSELF]
    rows = [*map(row, review.waiting(where)), *unasked]
    commands.print_list(asked, HEADS, rows, "no proposed rules or patterns; `dream` looks for new ones", wrap=True)


def _unasked(one: Learned) -> commands.Row:
    """Return the row of an entry learned without asking. Its id is the entry's, for `dream retire`."""
    told = {"id": one.id, "kind": one.kind, "category": one.category, "title": one.title, "graduated": one.path}
    return told, (one.id, f"{one.kind}, learned without asking", one.category, "", one.title)


def _show(where: Memories, asked: argparse.Namespace) -> None:
    one = review.find_proposal(where, asked.id)
    lines = [
        f"{one.id} {one.kind} of {one.category}: {one.title}",
        f"found by: {one.sign}; seen {plural(one.seen, 'time')}, last at {times.format_stamp(one.until)}",
    ]
    lines += [f"entry {one.target}"] if one.target else []
    if asked.json:
        commands.tell(row(one)[0], "", asked)
        return
    for line in (*lines, *(f"- {ref}{_words(where.memory, ref)}" for ref in one.evidence)):
        commands.tell({}, line, asked)


def _words(memory: Path, ref: str) -> str:
    """Return the text behind the reference, if it can be read."""
    told = dream.resolve(memory, ref)
    return f": {escape.one_line(told, 200)}" if told else ""


def _graduate(where: Memories, asked: argparse.Namespace) -> None:
    one = review.find_proposal(where, asked.id)
    path = review.graduate(where, one, asked.rationale or "", _wide(where, asked))
    commands.tell({"id": one.id, "graduated": path}, f"{one.id} is accepted; dotagent wrote it into {path}", asked)


def _wide(where: Memories, asked: argparse.Namespace) -> Memories | None:
    """With --shared, return the memory that all agents of this audience share. Raise Misuse in a project."""
    if not asked.shared:
        return None
    if where.shared:
        raise Misuse("a project's memory is already shared; leave --shared out, or name an agent with --agent")
    here = commands.home_of(asked)
    return proposal.shared_memory(here, replay.standing(here, where.memory.parent.name).audience, where.actor)


def _reject(where: Memories, asked: argparse.Namespace) -> None:
    one = review.find_proposal(where, asked.id)
    review.reject(where, one, asked.rationale or "")
    stays = f"{one.target} stays unchanged" if one.target else "dotagent will not propose it again"
    commands.tell({"id": one.id, "rejected": True}, f"{one.id} is rejected; {stays}", asked)


def _retire(where: Memories, asked: argparse.Namespace) -> None:
    entry = review.retire(_wide(where, asked) or where, asked.id, asked.rationale or "")
    new = f"semantic/{entries.RETIRED}/{entry.path.removeprefix('semantic/')}"
    commands.tell({"id": entry.id, "retired": new}, f"{entry.id} is withdrawn; its file is now {new}", asked)


DO: Mapping[str, Callable[[Memories, argparse.Namespace], None]] = {
    "list": _list,
    "show": _show,
    "graduate": _graduate,
    "reject": _reject,
    "retire": _retire,
}
