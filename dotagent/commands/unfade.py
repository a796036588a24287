"""Undo a swap: the agent's context is again what it was before it forgot, as far as its limit allows.

What was heard since stays. The wish is a file in the agent's directory; the agent acts on it between two turns, as soon
as it runs, and its next compaction takes what came back last.
"""

from __future__ import annotations

import argparse

from dotagent import commands, installed
from dotagent.compaction import receipt, undo
from dotagent.errors import Misuse
from dotagent.life.events import Faded
from dotagent.life.replay import derive
from dotagent.store import disk, home
from dotagent.text.reference import PREFIX, short
from dotagent.text.sizes import plural


def arguments(parser: argparse.ArgumentParser) -> None:
    """Which agent, and which of its swaps."""
    commands.life_argument(parser)
    parser.add_argument("swap", nargs="?", help="the swap, as `forgotten --swaps` names it (default: the last)")


def run(asked: argparse.Namespace) -> int:
    """Leave the wish, and tell what will come of it."""
    where = commands.home_of(asked)
    if asked.self and not asked.swap and not commands.first_is_life(asked, where):
        asked.self, asked.swap = None, asked.self
    self_id = commands.life_of(asked, where)
    path, settings = where.agent(self_id), home.settings(where)
    id = chosen(where, self_id, asked.swap)
    view = derive(where, self_id, settings.context_limit)
    limit = min(settings.context_limit, view.state.model.most or settings.context_limit)
    made = undo.undone(where, view, self_id, id, (settings.context_limit, limit))
    if made.entries == list(view.entries):
        raise Misuse(f"nothing comes back by swap {short(id)}: {_why(made)}")
    disk.make_dir(path / "run")
    disk.replace(path / "run" / "unfade", id.encode())
    many = plural(sum(one.event != Faded.WORD for one in made.entries if one.number in made.back), "entry", "entries")
    rest = f", {plural(made.over, 'summary stays', 'summaries stay')} for want of room" if made.over else ""
    when = "now" if disk.is_locked(path / "LIFE.md") else "when the agent runs"
    print(f"{short(self_id)}: {many} of swap {short(id)} shall be back in the context{rest}: {when}")
    return 0


def _why(made: undo.Restored) -> str:
    return "the limit leaves no room" if made.over else "all that it forgot is in the context"


def chosen(where: home.Home, self_id: str, prefix: str | None) -> str:
    """The full id of the swap that is meant, or of the last that stands. Raises Misuse."""
    told = f"`{installed.typed('forgotten')} {short(self_id)} --swaps` lists them"
    if prefix is None:
        last = receipt.last(where, self_id)
        if last is None:
            raise Misuse(f"agent {short(self_id)} has forgotten nothing that could come back")
        return last.id
    found = [line.id for line, _ in receipt.swaps(where, self_id) if line.id.startswith(prefix.lower())]
    if not PREFIX.fullmatch(prefix.lower()) or len(found) != 1:
        raise Misuse(f"{prefix[:40]!r} names {'no swap' if not found else 'more than one'} of this agent: {told}")
    return found[0]
