"""The part of the page about forgetting: the receipt of each swap, undo, standing instructions, and what a permanent
deletion would remove. Owns nothing on disk."""

from __future__ import annotations

import shlex
from dataclasses import asdict
from pathlib import Path
from typing import Any

from dotagent import installed
from dotagent.capabilities.view import film
from dotagent.capabilities.view.memory import agent, scenes
from dotagent.capabilities.view.route import PageRequest, Part, Reads, Writes
from dotagent.compaction import receipt, standing_wishes, undo
from dotagent.erasure import agent_facts, matches
from dotagent.errors import Misuse
from dotagent.life import events, replay
from dotagent.life.compaction_events import Fade
from dotagent.life.events import Faded, Swap
from dotagent.store import home, log_search
from dotagent.store.blobs import BlobCorrupt, BlobMissing
from dotagent.text import escape

LATEST = 200  # swaps that are listed
MATCHES = 100  # sentences of a preview


def _overview(asked: PageRequest) -> dict[str, Any]:
    """Return the latest swaps, newest first, each with the chunks that it summarised, the standing instructions,
    and the end of the log in bytes."""
    self_id = agent(asked)
    life = asked.where.agent(self_id) / "LIFE.md"
    overview = film.overview(scenes(asked.where), self_id)
    swaps = overview["swaps"]
    chunks = _chunks(life, swaps[-LATEST - 1]["end"] if swaps[LATEST:] else 0)
    told = [{**one, "chunks": chunks.get(one["id"], [])} for one in swaps[: -LATEST - 1 : -1]]
    state = replay.standing(asked.where, self_id)
    known = {one.number for one in standing_wishes.list_wishes(state)}
    trail = standing_wishes.trail(log_search.picked(life, standing_wishes.WORDS))
    standing = [{"number": one.number, "who": one.who, "at": one.at, "entry": one.entry, "words": one.words}
                for one, _, _ in trail if one.number in known]  # fmt: skip
    return {"swaps": told, "standing": standing, "end": overview["end"]}


def _chunks(life: Path, start: int) -> dict[str, list[tuple[int, int, str]]]:
    """Return the chunks that the swaps after a byte offset summarised, by the id of the swap: the numbers of the first
    and the last entry, and the gist."""
    found, new = dict[str, list[tuple[int, int, str]]](), list[tuple[int, int, str]]()
    for line in log_search.picked(life, (Fade.WORD, Swap.WORD), start):
        event = events.parse(line)
        if isinstance(event, Swap):
            found[line.id], new = new, []
        elif isinstance(event, Fade):
            new.append((*agent_facts.span(event.span), line.gist))
    return found


def _receipt(asked: PageRequest) -> dict[str, Any]:
    self_id, limit = agent(asked), home.settings(asked.where).context_limit
    found = [one for one in receipt.swaps(asked.where, self_id) if one[0].id == asked.path["swap"]]
    if not found:
        raise Misuse("the log has no swap (summaries that replace messages) with this id; reload the page")
    try:
        made = receipt.receipt(asked.where, self_id, limit, *found[0])
    except (BlobMissing, BlobCorrupt, ValueError) as lost:
        raise Misuse(f"the page cannot show what these summaries replaced: {lost}") from None
    items = [{"how": one.how, "first": one.first, "last": one.last, "was": asdict(one.was), "now": asdict(one.now),
              "words": one.entry.line.gist, "summary": _summary(asked, one)} for one in made.items]  # fmt: skip
    return {"was": asdict(made.was), "now": asdict(made.now), "items": items}


def _summary(asked: PageRequest, one: receipt.Change) -> str:
    """Return the text of the summary that a change brought, or ""."""
    event = events.parse(one.entry.line)
    if one.how != "summed" or not isinstance(event, Faded):
        return ""
    return escape.printable((one.entry.content or b"").decode("utf-8", "replace"))


def _undo(asked: PageRequest) -> dict[str, str]:
    """Ask the agent to undo a swap, as the command `unfade` does."""
    self_id = agent(asked)
    return {"told": undo.ask(asked.where, self_id, asked.text("swap"), home.settings(asked.where).context_limit)}


def _preview(asked: PageRequest) -> dict[str, Any]:
    """Return what `forget` with these words would remove, and the command; it removes nothing."""
    words = asked.text("words").strip()
    if not words:
        raise Misuse("say what to forget, for example: that my PIN at the bank is 4711")
    rows = matches.find_choices(asked.where, words).listed()
    found = [{"words": escape.printable(one.words), "places": one.places, "doubt": one.doubt} for one in rows[:MATCHES]]
    command = f"{installed.program('forget')} {shlex.quote(words)}{asked.where.flag}"
    return {"found": found, "more": max(0, len(rows) - MATCHES), "command": command}


PART: Part = (
    Reads("/api/fading/{agent}", _overview),
    Reads("/api/fading/{agent}/swap/{swap}", _receipt),
    Writes("/api/fading/{agent}/undo", _undo),
    Writes("/api/fading/preview", _preview),
)
