"""List entries that summaries replaced, or show an original.

With --swaps, the command lists the swaps. A swap is the moment when summaries replace old entries of the context, the
text that the model reads. The list says how much text left the context at each swap. With the id of a swap, the command
lists the entries that each summary replaced, the entries that left without a summary, and the entries that came back.
"""

from __future__ import annotations

import argparse

from dotagent import commands
from dotagent.compaction import receipt, tree
from dotagent.errors import Misuse
from dotagent.life import events
from dotagent.life.compaction_events import Fade
from dotagent.life.events import Faded, Swap
from dotagent.life.replay import derive
from dotagent.store import blob_search, home, lineage
from dotagent.store.blobs import BlobCorrupt, BlobMissing, Blobs
from dotagent.store.home import Home
from dotagent.store.log import Line
from dotagent.text import times
from dotagent.text.lazy import asdict
from dotagent.text.reference import short

GROUP = "inside"
LAST = 20  # swaps that are listed, because each must be computed from the log


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the agent and the original."""
    commands.life_argument(parser)
    parser.add_argument("id", nargs="?", help="show the full text of this id; with --swaps, the details of this swap")
    parser.add_argument(
        "--swaps", action="store_true", help="list the swaps: the moments when summaries replaced messages"
    )
    told = f"with --swaps, how many swaps to list (default: {LAST})"
    parser.add_argument("-n", type=commands.many, default=LAST, metavar="N", help=told)
    commands.json_flag(parser)


def run(asked: argparse.Namespace) -> int:
    """Print one line per faded chunk, or one original."""
    where = commands.home_of(asked)
    if asked.self and not asked.id and not commands.first_is_life(asked, where):
        asked.self, asked.id = None, asked.self
    self_id = commands.life_of(asked, where)
    if asked.swaps:
        _swaps(where, self_id, asked)
    elif asked.id:
        _show(where.store(), self_id, asked)
    else:
        _list(where, self_id, asked)
    return 0


def _list(where: Home, self_id: str, asked: argparse.Namespace) -> None:
    store, rows = where.store(), list[commands.Row]()
    faded = lineage.picked(store, where.agent(self_id), (Fade.WORD,))
    told_of = ((line.id, events.parse(line)) for line in faded)
    tokens = {id: event.tokens for id, event in told_of if isinstance(event, Fade)}
    for entry in derive(where, self_id, home.settings(where).context_limit).entries:
        event = events.parse(entry.line)
        if not isinstance(event, Faded):
            continue
        originals, came = _count(store, entry.line.id), tokens.get(entry.line.id, "")
        told = {"id": entry.line.id, "entries": event.span, "originals": originals, "relevance": event.relevance,
                "tokens": came, "gist": entry.line.gist, "since": times.to_second(entry.line.at)}  # fmt: skip
        many = "lost" if originals is None else originals
        cells = (short(entry.line.id), f"#{event.span}", many, event.relevance, came, entry.line.gist)
        rows.append((told, cells))
    empty = "summaries have not replaced anything; everything is still in the context"
    commands.print_list(asked, "id entries >originals >relevance >tokens gist", rows, empty)


def _count(store: Blobs, id: str) -> int | None:
    """Return the number of originals below a summary, or None if a blob is lost, which doctor reports."""
    try:
        return tree.count(store, id)
    except (BlobMissing, BlobCorrupt):
        return None


def _show(store: Blobs, self_id: str, asked: argparse.Namespace) -> None:
    blob = store.get(blob_search.find(store, asked.id))
    if not lineage.owns(store, self_id, blob):
        raise Misuse(f"{asked.id} is not an id in this agent's log LIFE.md; `forgotten` lists ids")
    if not tree.tree(blob):
        commands.give(blob.body)
        return
    rows = list[commands.Row]()
    for member in tree.originals(store, blob.id):
        line = member.line
        told = {"entry": member.number, "at": line.at, "event": line.event, "detail": line.detail, "id": line.id,
                "gist": line.gist}  # fmt: skip
        at = times.format_stamp(line.at, 19)
        cells = (f"#{member.number}", at, line.event, line.detail, short(line.id), line.gist)
        rows.append((told, cells))
    commands.print_list(asked, "entry at event detail id gist", rows, "this summary replaces nothing")


def _swaps(where: Home, self_id: str, asked: argparse.Namespace) -> None:
    """Print one line per swap, or the details of one."""
    limit = home.settings(where).context_limit
    found = [one for one in receipt.swaps(where, self_id) if not asked.id or one[0].id.startswith(asked.id.lower())]
    if asked.id and len(found) != 1:
        raise Misuse(
            f"{'more than one swap' if found else 'no swap'} of this agent has an id that begins with {asked.id[:40]!r}"
            "; `forgotten --swaps` lists the swaps, the moments when summaries replaced messages"
        )
    if asked.id:
        made = receipt.receipt(where, self_id, limit, *found[0])
        commands.print_list(asked, HEADS, map(_item, made.items), "the context did not change at this swap", wrap=True)
        return
    rows = (_receipt(where, self_id, limit, *one) for one in found[-asked.n :])
    heads = "swap at why >entries >tokens >bytes >summaries >stripped"
    empty = "no swaps yet: summaries have not replaced anything in the context"
    commands.print_list(asked, heads, rows, empty)
    if len(found) > asked.n and not asked.json:
        print(f"these are the last {asked.n} of {len(found)} swaps; `-n {len(found)}` lists all")


HEADS = "change entries >was >bytes >now >bytes by gist"


def _receipt(where: Home, self_id: str, limit: int, swap: Line, offset: int) -> commands.Row:
    event = events.parse(swap)
    why = event.why if isinstance(event, Swap) else ""
    told: dict[str, object] = {"id": swap.id, "at": times.to_second(swap.at), "why": why}
    if isinstance(event, Swap) and event.undoes:
        told["undoes"] = event.undoes
    try:
        made = receipt.receipt(where, self_id, limit, swap, offset)
    except (BlobMissing, BlobCorrupt, ValueError) as lost:
        return {**told, "lost": str(lost)}, (short(swap.id), told["at"], why, "lost", "", "", "", "")
    left, summed = made.left(), [one for one in made.items if one.how == "summed"]
    bare = made.left("stripped", "cut").bytes
    told |= {"was": asdict(made.was), "now": asdict(made.now), "left": asdict(left),
             "items": [_item(one)[0] for one in made.items]}  # fmt: skip
    sizes = (left.entries, f"{left.tokens:,}", f"{left.bytes:,}", len(summed), f"{bare:,}")
    return told, (short(swap.id), told["at"], why, *sizes)


def _item(one: receipt.Change) -> commands.Row:
    event = events.parse(one.entry.line)
    faded = isinstance(event, Faded)
    told = {"how": one.how, "first": one.first, "last": one.last, "was": asdict(one.was), "now": asdict(one.now),
            "id": one.entry.line.id, "summary": event.summary if isinstance(event, Faded) else "",
            "gist": one.entry.line.gist}  # fmt: skip
    named = f"#{one.first}-{one.last}" if one.first != one.last else f"#{one.first}"
    sizes = (one.was.entries, f"{one.was.bytes:,}", one.now.entries, f"{one.now.bytes:,}")
    return told, (one.how, named, *sizes, short(one.entry.line.id) if faded else "", one.entry.line.gist)
