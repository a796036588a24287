"""What a context becomes when chunks of it fade: its entries and the state, before anything of it has happened.

So the same is computed for a swap and for who wants to know what one would leave. Owns nothing on disk, but keeps the
summaries and trees that the entries of a swap name as blobs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from dotagent.compaction import plan, receipt, wishes
from dotagent.compaction import tree as trees
from dotagent.compaction.plan import Chunk
from dotagent.compaction.summary import Summary
from dotagent.life import context
from dotagent.life.context import Entry
from dotagent.life.events import Daily, Document, Fade, Faded
from dotagent.life.replay import size
from dotagent.life.session import Session
from dotagent.life.state import State, change
from dotagent.store import home
from dotagent.store.blobs import content_id
from dotagent.store.log import Line
from dotagent.text import said
from dotagent.text.sizes import plural

Chosen = Iterable[tuple[Chunk, Summary]]
SPARE = 64  # summaries kept for next time
WORTH = 0.9  # times its tokens: what a chunk must come down to, or it stays


@dataclass(frozen=True)
class Fading:
    """What a context becomes when chunks fade: its entries; those chunks; each FADE with the entry that stands for the
    chunk; the lines that stand, with the entries that they are of; and the summaries that served, by `key`."""

    entries: list[Entry]
    chosen: list[tuple[Chunk, Summary]]
    told: list[tuple[Fade, Entry]]
    stood: list[tuple[list[str], list[Entry]]]
    used: set[str]


def foreseen(session: Session, chosen: Chosen, eligible: list[Entry]) -> tuple[Fading, State] | None:
    """What a swap of chunks at the limit would make, and the state it would leave; None where it would not come."""
    made = of(session, chosen, eligible, "limit", True, kept=False)
    return (made, left(session, made.entries, made.used)) if made else None


def of(
    session: Session, chosen: Chosen, eligible: list[Entry], why: str, part: bool, *, kept: bool = True
) -> Fading | None:
    """What the context becomes when these chunks fade as `swap.fade` lets them; None where it would not get smaller.

    Not `kept`, no blob is made of it.
    """
    freed, faded, told = 0, dict[int, Entry](), list[tuple[Fade, Entry]]()
    stood, fading = list[tuple[list[str], list[Entry]]](), list[tuple[Chunk, Summary]]()
    gone, used = set[int](), set[str]()
    back = session.state.forgetting.back
    ranked = [(replace(one, relevance=made.relevance), made) for one, made in chosen]
    for one, made in sorted(ranked, key=lambda pair: plan.order(pair[0], eligible, back)):
        if part and plan.enough(one, eligible, freed):
            continue
        members = plan.members(one, eligible)
        own, lines = said.part(made.text)
        new = _faded(session, replace(made, text=own or made.gist), members, kept) if members else None
        before = sum(map(size, members))
        if new is None or size(new) > WORTH * before:
            continue
        freed += before - size(new)
        faded[members[0].number] = new
        gone |= {entry.number for entry in members}
        used.add(key(members))
        fading.append((one, made))
        first, last = receipt.span(new)
        told.append((Fade(f"{first}-{last}", why, made.relevance, f"{before}->{size(new)}"), new))
        stood.append((lines, members))
    may = {entry.number for entry in eligible}
    entries = [faded.get(entry.number) or (stripped(session, entry) if entry.number in may else entry)
               for entry in session.entries if entry.number in faded or entry.number not in gone]  # fmt: skip
    grown = wishes.growth(session, [line for lines, _ in stood for line in lines])
    smaller = told and sum(map(size, entries)) + grown < sum(map(size, session.entries))
    return Fading(entries, fading, told, stood, used) if smaller else None


def key(members: Iterable[Entry]) -> str:
    """What the same members have whenever they are a chunk again."""
    return content_id(" ".join(entry.line.id or entry.line.at for entry in members).encode())


def left(session: Session, entries: list[Entry], used: set[str]) -> State:
    """The state that a swap to these entries leaves."""
    state, forgetting, heard = session.state, session.state.forgetting, session.state.heard
    there = {entry.number for entry in entries}
    spare = [(name, told) for name, told in forgetting.spare.items() if name not in used and _spans(told, there)]
    lines = {entry.line for entry in session.entries}
    same = {entry.number for entry in entries if entry.line in lines}  # a summary has the number of its first entry
    left = change(
        forgetting,
        compaction=None,
        restate=True,
        flushed=False,
        back=() if used else forgetting.back,
        unsaid=_unsaid(session, entries) or forgetting.unsaid,
        spare=dict(spare[-SPARE:]),
        kept=tuple(number for number in forgetting.kept if number in same),
        settled=int(sum(map(size, entries)) * state.model.ratio),
    )
    shown = {name: heard.documents.get(name, id) for name, id in heard.shown.items()}
    model = change(state.model, head=state.model.most)
    return change(state, forgetting=left, heard=change(heard, shown=shown, notes={}), model=model)


def _unsaid(session: Session, entries: Sequence[Entry]) -> str:
    """What fades, in words for a room; empty where nothing does, or nobody wants to know."""
    if home.settings_now(session.home, session.settings).notify != "fade":
        return ""
    faded = [one for one in receipt.items(session.entries, entries) if one.how == "summed"]
    many, summaries = sum(one.was.entries for one in faded), plural(len(faded), "summary", "summaries")
    size = int(sum(one.was.tokens - one.now.tokens for one in faded) * session.state.model.ratio)
    return f"{plural(many, 'entry', 'entries')}, {size:,} tokens, behind {summaries}" if faded else ""


def _spans(told: str, there: set[int]) -> bool:
    """Whether a spare summary's first and last entry are still in the context."""
    first, _, last = told.rpartition(" ")[2].partition("-")
    return {int(first), int(last)} <= there


def _faded(session: Session, made: Summary, members: Sequence[Entry], kept: bool) -> Entry:
    """The entry that stands for the members; not `kept`, it looks the same and no blob is made."""
    first, body = members[0], made.text.encode("utf-8", "replace")
    tree = trees.keep(session.store, session.id, members, made.gist) if kept else content_id(body)
    span = f"{first.number}-{max(receipt.span(one)[1] for one in members)}"  # what was kept may stand within another's
    faded = Faded(span, made.relevance, session.keep(made.text, made.gist) if kept else content_id(body))
    line = Line(first.line.at, Faded.WORD, faded.detail(), tree, made.gist)
    new = context.entry(line, first.number, lambda _: body, session.share)
    assert new
    return new


def stripped(session: Session, entry: Entry) -> Entry:
    """The entry without what is only worth its place while it is new; of MEMORY and the daily notes, said again after
    every swap, all."""
    if not (context.can_be_stripped(entry) or (entry.event in (Daily.WORD, Document.WORD) and not entry.stripped)):
        return entry
    made = context.entry(entry.line, entry.number, lambda id: session.store.get(id).body, session.share, stripped=True)
    return made or entry
