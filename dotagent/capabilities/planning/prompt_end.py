"""The end of a prompt in a long turn: the messages that the turn answers, each shortened, and the plan.

Without a plan, the hint how to make one comes first, because a small model tends to repeat the last line. Together
they have a stated share of the context's limit. Owns nothing on disk.
"""

from __future__ import annotations

from dotagent import extensions
from dotagent.capabilities.planning.tools import update_plan
from dotagent.life import context, heads
from dotagent.life.replay import View
from dotagent.life.state import Turn
from dotagent.store.blobs import BlobCorrupt, BlobMissing, Blobs
from dotagent.text import escape, tokens
from dotagent.text.reference import short

SHARE, LEAST = 0.03, 200  # the end's largest size: a share of the limit, or LEAST tokens if that is more
HALF = 0.5  # the plan's share; the messages that the turn answers get the rest
SMALL = 40  # tokens: in less space, no message is shown
HEAD = "Not answered yet:"


def find_plan(turn: Turn) -> str:
    """Return the blob of the plan of the turn in progress, or "" without a plan or a turn."""
    number, _, id = turn.plan.partition(" ")
    return id if turn.held and number == str(turn.held[0]) else ""


def text(store: Blobs, view: View, limit: int) -> str:
    """Return what the present turn answers, and its plan or how to make one."""
    model = view.state.model
    room = max(LEAST, int(SHARE * limit / model.ratio))
    plan = _read_plan(store, view.state.turn, int(HALF * room), model.other)
    shown = [HEAD, *_show_frame(view, room - tokens.estimate(plan, model.other))]
    return "\n".join([plan, "", *shown] if plan == update_plan.HINT else [*shown, plan])


def _read_plan(store: Blobs, turn: Turn, room: int, other: float) -> str:
    """Return the turn's plan under its title. If the plan is missing or lost, return how to make a plan."""
    if not (id := find_plan(turn)):
        return update_plan.HINT
    try:
        return f"{update_plan.TITLE}\n{_fit(escape.outside(store.get(id).body), room, short(id), other)}"
    except (BlobMissing, BlobCorrupt):
        return update_plan.HINT


def _show_frame(view: View, room: int) -> list[str]:
    """Return what the turn answers: the first message, and of those added since the newest that fit."""
    other, entries = view.state.model.other, context.pick(view.entries, view.state.turn.held)
    shown = list[str]()
    for entry in [*entries[:1], *reversed(entries[1:])]:
        if room < SMALL:
            break
        row = _fit(heads.text(entry, entry.line.at), room if shown or len(entries) == 1 else room // 2, entry.id, other)
        room -= tokens.estimate(row, other)
        shown.insert(min(1, len(shown)), row)
    return shown


def _fit(words: str, room: int, id: str, other: float) -> str:
    """Return the words, indented. If they have more tokens than there is room for, return their first and last lines
    and a reference. `other` is the factor for characters outside ASCII."""
    if (size := tokens.estimate(words, other)) > room:
        note = f"[… {extensions.tools().original} {id} shows all of it …]"
        most = max(0, room - tokens.estimate(note)) * len(words) // size
        words = escape.head_and_tail(words, most, note)
    return escape.indent(words)
