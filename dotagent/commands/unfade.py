"""Undo a swap: put back the entries that summaries replaced.

A swap is the moment when summaries replace old entries of the context, the text that the model reads. Messages that
arrived after the swap stay in the context. The command saves a request in the agent's directory. A running agent
carries out the request between two turns, and a stopped agent when it runs again. At the next swap, the restored
entries are the last that a summary replaces.
"""

from __future__ import annotations

import argparse

from dotagent import commands, installed
from dotagent.compaction import receipt, undo
from dotagent.errors import Misuse
from dotagent.store import home
from dotagent.text.reference import PREFIX, short

GROUP = "inside"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the agent and the swap."""
    commands.life_argument(parser)
    parser.add_argument(
        "swap", nargs="?", help="the id of a replacement by summaries, from `forgotten --swaps` (default: the last)"
    )


def run(asked: argparse.Namespace) -> int:
    """Save the request, and print the expected result."""
    where = commands.home_of(asked)
    if asked.self and not asked.swap and not commands.first_is_life(asked, where):
        asked.self, asked.swap = None, asked.self
    self_id = commands.life_of(asked, where)
    id = find_swap(where, self_id, asked.swap)
    print(f"agent {short(self_id)}: {undo.ask(where, self_id, id, home.settings(where).context_limit)}")
    return 0


def find_swap(where: home.Home, self_id: str, prefix: str | None) -> str:
    """Return the full id of the chosen swap, or of the last swap in force. Raise Misuse."""
    told = f"`{installed.program('forgotten')} {short(self_id)} --swaps` lists them"
    if prefix is None:
        last = receipt.last(where, self_id)
        if last is None:
            raise Misuse(
                f"agent {short(self_id)} has nothing to bring back: no summary has replaced anything, or unfade "
                "has already brought everything back"
            )
        return last.id
    found = [line.id for line, _ in receipt.swaps(where, self_id) if line.id.startswith(prefix.lower())]
    if not PREFIX.fullmatch(prefix.lower()) or len(found) != 1:
        many = "more than one swap" if found else "no swap"
        raise Misuse(f"{many} of this agent has an id that begins with {prefix[:40]!r}: {told}")
    return found[0]
