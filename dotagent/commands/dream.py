"""Look through what happened for what repeats, and decide what of it is learned: list, show, graduate, reject, retire.

`dream` proposes rules, patterns and lines of a profile, each with its evidence, and entries to retire; `dream graduate
ID --rationale WHY` makes one a file below `semantic/`, `dream reject ID` says never. `dream list` also names what was
learned by itself (`graduate = true` in the settings), for `dream retire ID`. In a project that is its `.agent/memory/`;
with --agent, or where there is no project, an agent's own memory.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from pathlib import Path

from dotagent import commands, errors
from dotagent.dreaming import dream, entries, proposal, review
from dotagent.dreaming.dream import Dreamt
from dotagent.dreaming.entries import Learned
from dotagent.dreaming.proposal import Memories, Proposal
from dotagent.errors import Misuse
from dotagent.life import replay
from dotagent.project import place
from dotagent.store import home, lives
from dotagent.text import escape, names
from dotagent.text.reference import short
from dotagent.text.sizes import plural

HERE = "only"  # --agent without a hash


def arguments(parser: argparse.ArgumentParser) -> None:
    """What to do, with which proposal."""
    parser.add_argument("verb", nargs="?", choices=("now", *DO), default="now", help="what to do (default: dream now)")
    parser.add_argument("id", nargs="?", metavar="ID", help="which proposal, or entry to retire: 4 to 8 digits")
    parser.add_argument("--rationale", metavar="WHY", help="why it holds, or does not")
    parser.add_argument("--actor", metavar="ACTOR", help="who reviews (default: who works here)")
    told = "an agent's own memory instead of a project's (default: the only one there is); stands last"
    parser.add_argument("--agent", metavar="HASH", nargs="?", const=HERE, help=told)
    told = "graduate, retire: for all of this home's lives of the same audience"
    parser.add_argument("--shared", action="store_true", help=told)
    commands.project_argument(parser)
    commands.json_flag(parser)


def run(asked: argparse.Namespace) -> int:
    """Dream, or decide. Raises Misuse."""
    if (asked.verb in ("now", "list")) == bool(asked.id):
        told = f"takes no id: {asked.id[:40]!r}" if asked.id else "which? `dream list` shows the ids"
        raise Misuse(f"dream {asked.verb}: {told}")
    if asked.shared and (asked.verb not in ("graduate", "retire") or asked.project):
        raise Misuse("--shared is for `dream graduate` and `dream retire` of an agent's own memory")
    where, look = _meant(asked)
    if asked.verb != "now":
        DO[asked.verb](where, asked)
        return 0
    dreamt = look()
    waiting = review.waiting(where)
    result: dict[str, object] = {"seen": dreamt.seen, "new": [one.id for one in dreamt.new], "waiting": len(waiting)}
    result["learned"] = [one.id for one in dreamt.learned]
    seen = f"looked through {dreamt.seen:,} of what happened" if dreamt.seen else "nothing new since the last dream"
    new, there = plural(len(dreamt.new), "new proposal"), f"{len(waiting)} wait: `dream list` shows them"
    learned = f", {len(dreamt.learned)} learned by itself" if dreamt.learned else ""
    commands.tell(result, f"{seen}; {new}{learned}, {there if waiting else 'none waits'}", asked)
    return 0


def _meant(asked: argparse.Namespace) -> tuple[Memories, Callable[[], Dreamt]]:
    """Whose memory is meant, and how it dreams. Raises Misuse."""
    try:
        project = place.find(asked.project) if asked.agent is None else None
    except Misuse:
        if asked.project or not home.lives(home.find(asked.home)):
            raise
        project = None
    if project:
        mine = dream.memories(project, place.actor(project.root, asked.actor or ""))
        return mine, lambda: dream.of_project(project, mine.actor)
    where = commands.home_of(asked)
    self_id = lives.meant(where, None if asked.agent == HERE else asked.agent)
    errors.tell(f"agent {short(self_id)}")
    reviewer = names.folder(asked.actor or home.owner(home.settings(where)))
    return dream.memories_of(where, self_id, reviewer), lambda: dream.of_life(where, self_id, reviewer)


def row(one: Proposal) -> commands.Row:
    """A row of a list of proposals."""
    told = {**one.__dict__, "id": one.id, "evidence": list(one.evidence)}
    return told, (one.id, one.kind, one.category, one.seen, one.title)


HEADS = "id kind category >seen proposed"


def _list(where: Memories, asked: argparse.Namespace) -> None:
    unasked = [_unasked(one) for one in entries.listed(where) if one.by == entries.ITSELF]
    rows = [*map(row, review.waiting(where)), *unasked]
    commands.listed(asked, HEADS, rows, "nothing is proposed: `dream` looks", wrap=True)


def _unasked(one: Learned) -> commands.Row:
    """A row of what nobody was asked about; its id is the entry's, by which it is retired."""
    told = {"id": one.id, "kind": one.kind, "category": one.category, "title": one.title, "graduated": one.path}
    return told, (one.id, f"{one.kind}, learned by itself", one.category, "", one.title)


def _show(where: Memories, asked: argparse.Namespace) -> None:
    one = review.named(where, asked.id)
    lines = [f"{one.id} {one.kind} of {one.category}: {one.title}",
             f"by {one.sign}, seen {plural(one.seen, 'time')} until {one.until[:16]}"]  # fmt: skip
    lines += [f"entry {one.target}"] if one.target else []
    if asked.json:
        commands.tell(row(one)[0], "", asked)
        return
    for line in (*lines, *(f"- {ref}{_words(where.memory, ref)}" for ref in one.evidence)):
        commands.tell({}, line, asked)


def _words(memory: Path, ref: str) -> str:
    """What stands at the reference, as far as that can be read."""
    told = dream.resolve(memory, ref)
    return f": {escape.one_line(told, 200)}" if told else ""


def _graduate(where: Memories, asked: argparse.Namespace) -> None:
    one = review.named(where, asked.id)
    path = review.graduate(where, one, asked.rationale or "", _wide(where, asked))
    commands.tell({"id": one.id, "graduated": path}, f"{one.id} is learned: {path}", asked)


def _wide(where: Memories, asked: argparse.Namespace) -> Memories | None:
    """What all lives of that life's audience share, where that is meant. Raises Misuse in a project."""
    if not asked.shared:
        return None
    if where.shared:
        raise Misuse("a project's memory is shared as it is: leave --shared out, or name an agent with --agent")
    here = commands.home_of(asked)
    return proposal.of_all(here, replay.standing(here, where.memory.parent.name).audience, where.actor)


def _reject(where: Memories, asked: argparse.Namespace) -> None:
    one = review.named(where, asked.id)
    review.reject(where, one, asked.rationale or "")
    stays = f"{one.target} stays" if one.target else "it is not proposed again"
    commands.tell({"id": one.id, "rejected": True}, f"{one.id} is rejected: {stays}", asked)


def _retire(where: Memories, asked: argparse.Namespace) -> None:
    entry = review.retire(_wide(where, asked) or where, asked.id, asked.rationale or "")
    new = f"semantic/{entries.RETIRED}/{entry.path.removeprefix('semantic/')}"
    commands.tell({"id": entry.id, "retired": new}, f"{entry.id} is retired: {new}", asked)


DO: Mapping[str, Callable[[Memories, argparse.Namespace], None]] = {
    "list": _list,
    "show": _show,
    "graduate": _graduate,
    "reject": _reject,
    "retire": _retire,
}
