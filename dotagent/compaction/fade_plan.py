"""Compute the entries and the state that a swap would leave, before it happens. A swap and its preview both use this.

Stores the summaries and trees of a swap as blobs; owns nothing else on disk.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from dotagent.compaction import plan, receipt, standing_wishes
from dotagent.compaction import tree as trees
from dotagent.compaction.plan import Chunk
from dotagent.compaction.summary import Summary
from dotagent.life import context, repeats
from dotagent.life.background_events import find_held
from dotagent.life.compaction_events import Fade, Faint, Wishes
from dotagent.life.context import Entry, tokens_of
from dotagent.life.events import Daily, Document, Faded, Recent, Reply
from dotagent.life.session import Session
from dotagent.life.state import State, accepted, change
from dotagent.store import home
from dotagent.store.blobs import content_id
from dotagent.store.log import Line
from dotagent.text import reasoning, speakers
from dotagent.text.lazy import dataclass, replace
from dotagent.text.sizes import plural

Chosen = Iterable[tuple[Chunk, Summary]]
SPARE = 64  # summaries kept for next time
WORTH = 0.9  # times its tokens: if a chunk does not shrink to this, it stays


@dataclass(frozen=True)
class Fading:
    """The result of fading: the new entries; the chunks; each FADE with the summary's entry; the standing instructions
    found, with their entries; and the keys of the used spare summaries."""

    entries: list[Entry]
    chosen: list[tuple[Chunk, Summary]]
    told: list[tuple[Fade, Entry]]
    stood: list[tuple[list[str], list[Entry]]]
    used: set[str]


def foreseen(session: Session, chosen: Chosen, eligible: list[Entry]) -> tuple[Fading, State] | None:
    """Return the result of a swap at the limit and the state after it, or None if no swap would happen."""
    made = make_plan(session, chosen, eligible, "limit", True, kept=False)
    return (made, state_after(session, made.entries, made.used)) if made else None


def make_plan(
    session: Session, chosen: Chosen, eligible: list[Entry], why: str, part: bool, *, kept: bool = True
) -> Fading | None:
    """Return the result of fading these chunks under the rules of `swap.fade`, or None if the context would not shrink.

    Without `kept`, no blobs are written.
    """
    faded, told = dict[int, Entry](), list[tuple[Fade, Entry]]()
    stood, fading = list[tuple[list[str], list[Entry]]](), list[tuple[Chunk, Summary]]()
    gone, used = set[int](), set[str]()
    for one, made, new in _fading(session, chosen, eligible, part, kept):
        members = plan.members(one, eligible)
        faded[members[0].number] = new
        gone |= {entry.number for entry in members}
        used.add(key(members))
        fading.append((one, made))
        first, last = receipt.span(new)
        told.append((Fade(f"{first}-{last}", why, made.relevance, f"{tokens_of(members)}->{new.tokens}"), new))
        stood.append((speakers.part(made.text)[1], members))
    may = {entry.number for entry in eligible}
    entries = [faded.get(entry.number) or (stripped(session, entry) if entry.number in may else entry)
               for entry in session.entries if entry.number in faded or entry.number not in gone]  # fmt: skip
    grown = standing_wishes.growth(session, [line for lines, _ in stood for line in lines])
    smaller = told and tokens_of(entries) + grown < tokens_of(session.entries)
    return Fading(entries, fading, told, stood, used) if smaller else None


def _fading(
    session: Session, chosen: Chosen, eligible: list[Entry], part: bool, kept: bool
) -> list[tuple[Chunk, Summary, Entry]]:
    """Return the chunks that fade, in order, each with its summary and the entry that replaces it."""
    back, made = session.state.forgetting.back, dict[Chunk, tuple[Summary, Entry, int]]()
    ranked = [(replace(one, relevance=summary.relevance), summary) for one, summary in chosen]
    for one, summary in sorted(ranked, key=lambda pair: plan.order(pair[0], eligible, back)):
        members = plan.members(one, eligible)
        text = speakers.part(summary.text)[0] or speakers.unquoted(summary.gist)
        new = _faded(session, replace(summary, text=text), members, kept) if members else None
        if new and new.tokens <= WORTH * tokens_of(members):
            made[one] = summary, new, tokens_of(members) - new.tokens
    going = list(made)
    if part:
        frees = [(one, freed) for one, (_, _, freed) in made.items()]
        going = plan.enough(frees, eligible, session.settings.fade_to, excess_tokens(session))
    return [(one, *made[one][:2]) for one in going]


def held(session: Session) -> set[int]:
    """Return the numbers of the entries that do not fade: entries that a person or the agent kept, and entries
    that the present turn answers."""
    return {*session.state.forgetting.kept, *find_held(session.state)}


def excess_tokens(session: Session) -> float:
    """Return by how many estimated tokens the context exceeds its limit; negative if it does not."""
    return tokens_of(session.entries) - session.limit / session.state.model.ratio


def key(members: Iterable[Entry]) -> str:
    """Return a key of these members, the same whenever they form a chunk."""
    return content_id(" ".join(entry.line.id or entry.line.at for entry in members).encode())


def state_after(session: Session, entries: list[Entry], used: set[str]) -> State:
    """Return the state after a swap to these entries."""
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
        unsaid=_room_message(session, entries) or forgetting.unsaid,
        spare=dict(spare[-SPARE:]),
        kept=tuple(number for number in forgetting.kept if number in same),
        settled=int(tokens_of(entries) * state.model.ratio),
    )
    shown = {name: heard.documents.get(name, id) for name, id in heard.shown.items()}
    model = change(state.model, head=accepted(state))
    turn = change(state.turn, frame=tuple(number for number in state.turn.frame if number in same))
    return change(state, forgetting=left, heard=change(heard, shown=shown, notes={}), model=model, turn=turn)


def _room_message(session: Session, entries: Sequence[Entry]) -> str:
    """Return a message for a room about what fades, or "" if nothing does or no message is wanted."""
    if home.settings_now(session.home, session.settings).notify != "fade":
        return ""
    faded = [one for one in receipt.items(session.entries, entries) if one.how == "summed"]
    many, summaries = sum(one.was.entries for one in faded), plural(len(faded), "summary", "summaries")
    size = int(sum(one.was.tokens - one.now.tokens for one in faded) * session.state.model.ratio)
    return f"{plural(many, 'message')}, {size:,} tokens, replaced by {summaries}" if faded else ""


def _spans(told: str, there: set[int]) -> bool:
    """Return True if a spare summary's first and last entry are still in the context."""
    first, _, last = told.rpartition(" ")[2].partition("-")
    return {int(first), int(last)} <= there


def _faded(session: Session, made: Summary, members: Sequence[Entry], kept: bool) -> Entry:
    """Return the entry that replaces the members. Without `kept`, it looks the same, but no blob is stored."""
    first, body = members[0], made.text.encode("utf-8", "replace")
    tree = trees.keep(session.store, session.id, members, made.gist) if kept else content_id(body)
    span = f"{first.number}-{max(receipt.span(one)[1] for one in members)}"  # kept ones may lie inside
    faded = Faded(span, made.relevance, session.keep(made.text, made.gist) if kept else content_id(body))
    line = Line(first.line.at, Faded.WORD, faded.detail(), tree, made.gist)
    new = context.entry(line, first.number, lambda _: body, session.share)
    assert new
    return replace(new, other=session.state.model.other)


def stripped(session: Session, entry: Entry) -> Entry:
    """Return the entry without parts that are useful only while new. MEMORY and the daily notes are dropped completely,
    because they are repeated after every swap."""
    if not (can_be_stripped(entry) or (entry.event in (Daily.WORD, Document.WORD) and not entry.stripped)):
        return entry
    made = context.entry(entry.line, entry.number, session.store.body, session.share, stripped=True)
    return replace(made, other=entry.other) if made else entry


def can_be_stripped(entry: Entry) -> bool:
    """Return True if the entry has a part that is useful only while it is new. Such parts are a reply's reasoning, a
    reminder, and a repeated text that can be repeated again."""
    if entry.stripped or entry.content is None:
        return False
    if entry.event == Reply.WORD:
        return reasoning.remove_bytes(entry.content) != entry.content
    return entry.event in (Faint.WORD, Recent.WORD, Wishes.WORD) or repeats.is_reminder(entry)
