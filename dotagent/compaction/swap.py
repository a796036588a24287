"""How a context becomes a smaller one: chunks for their summaries, old reminders for their heads, the oldest for an
extract. Each is one SWAP in LIFE, after a FADE for every chunk that tells what is forgotten, and why.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from dotagent import installed
from dotagent.compaction import fading, plan, summary, wishes
from dotagent.compaction.plan import Chunk
from dotagent.compaction.summary import Summary
from dotagent.life import context, daily, persona
from dotagent.life.context import Entry
from dotagent.life.events import Alternate, Document, Error, Faded, Hear, Join, Recent, Swap, Tell, Wishes
from dotagent.life.heads import AGAIN
from dotagent.life.replay import size
from dotagent.life.session import Session
from dotagent.life.state import change
from dotagent.store import bootstrap, log
from dotagent.store.blobs import BlobCorrupt, BlobMissing
from dotagent.text import escape, said, times, tokens
from dotagent.text.reference import short

MOST = 200_000  # bytes that are read of a message for what people said in it
RECENT, LINES = 0.05, 160  # of the limit, and tokens: what LIFE's last lines may take after a swap
HEAD = 50  # tokens that a faded entry takes beside its summary
GAIN = 0.95  # times what it was: what is left must be less for the same to be done once more
ENDS: tuple[tuple[plan.Border, ...] | None, ...] = (None, (plan.steps,), ())
"""Where what `force` lets fade may end: at the start of a turn, of a step, anywhere."""
KEPT = 0.1  # of the limit: what may be kept from fading
ENOUGH = 0.85  # of the limit: what stripping old reasoning and reminders must reach for a swap of its own


def fade(session: Session, chosen: fading.Chosen, eligible: list[Entry], why: str, part: bool) -> bool:
    """Let chunks fade, from the least to the most relevant (ties: the older first), what is summed up already last; if
    `part`, until that is enough (plan.enough); and with them the reminders that may. False, and nothing, when the
    context would not get smaller.
    """
    made = fading.of(session, chosen, eligible, why, part)
    if not made:
        return False
    for event, new in made.told:
        session.record(event, id=new.line.id, gist=new.line.gist)
    for lines, members in sorted(made.stood, key=lambda pair: pair[1][0].number):
        wishes.record(session, lines, members, lambda entry: _whole(session, entry))
    _exchange(session, made.entries, why, made.used)
    return True


def strip(session: Session, entries: list[Entry] | None) -> bool:
    """Let the context become what is left of it when it is `stripped`; False where that is not enough."""
    if entries:
        _exchange(session, entries, "strip", set())
    return bool(entries)


def stripped(session: Session) -> list[Entry] | None:
    """The context without old reasoning, reminders and what was brought back; None if that alone is not enough."""
    may = {entry.number for entry in plan.eligible(session.entries, session.state.forgetting.kept)}
    entries = [fading.stripped(session, entry) if entry.number in may else entry for entry in session.entries]
    return entries if sum(map(size, entries)) * session.state.model.ratio <= ENOUGH * session.limit else None


def force(session: Session, goal: int) -> bool:
    """Without a model: let the oldest fade until the context has at most `goal` tokens; False when nothing can.

    First what is shown of large entries is cut to the share that holds now, and what will be said again is left out;
    then come the oldest chunks. A summary is summed up again by itself only when there is nothing else.
    """
    if session.tokens <= goal:
        return False
    kept = session.state.forgetting.kept
    again = {entry.number for entry in session.entries if entry.event in AGAIN and entry.number not in kept}
    small = [fading.stripped(session, one) if one.number in again else session.fitted(one) for one in session.entries]
    swapped = sum(map(size, small)) < sum(map(size, session.entries))
    if swapped:
        _exchange(session, small, "force", set())
    ends = list(ENDS)
    while ends and (before := session.tokens) > goal:
        eligible = plan.eligible(session.entries, _kept(session), ends[0])
        chunks = plan.propose(eligible) if eligible else []
        if len(ends) > 1:
            chunks = [one for one in chunks if [e.event for e in plan.members(one, eligible)] != [Faded.WORD]]
        swapped = fade(session, _enough(session, chunks, eligible, goal), eligible, "force", False) or swapped
        if session.tokens > GAIN * before:
            ends.pop(0)
    return swapped


def headed(session: Session) -> bool:
    """Where a model has refused a prompt twice and nothing is left to fade: let the prompt's head become shorter, which
    it does only at a swap. False where it would not."""
    state = session.state
    new = change(state, model=change(state.model, head=state.model.most))
    if state.turn.long < 2 or not persona.is_shorter(session.store, session.id, (state, new), session.settings):
        return False
    _exchange(session, list(session.entries), "force", set())
    return True


def _kept(session: Session) -> set[int]:
    """The entries kept, without the oldest that are more than may be kept: the limit is another than it was then."""
    room, held = KEPT * session.limit / session.state.model.ratio, set[int]()
    for entry in reversed(session.entries):
        if entry.number in session.state.forgetting.kept:
            room -= size(entry)
            if room < 0:
                break
            held.add(entry.number)
    return held


def _enough(session: Session, chunks: Sequence[Chunk], eligible: list[Entry], goal: int) -> list[tuple[Chunk, Summary]]:
    """The oldest chunks, as many as it takes, with extracts of them."""
    chosen, over = list[tuple[Chunk, Summary]](), float(session.tokens - goal)
    for one in chunks:
        if over <= 0:
            break
        members = plan.members(one, eligible)
        made = extract(session, members, one, plan.KEEPS)
        chosen.append((one, made))
        freed = sum(map(size, members)) - tokens.estimate(made.text) - HEAD
        over -= max(0, freed) * session.state.model.ratio
    return chosen


def extract(session: Session, members: Sequence[Entry], one: Chunk, keeps: float | None = None) -> Summary:
    """A summary of the members of a chunk, a share of their tokens (plan.keeps), made without a model."""
    share = plan.keeps(members) if keeps is None else keeps
    lines = instructions(session, members)
    return summary.extract_from(members, (one.relevance, one.gist), lines, share)


def instructions(session: Session, members: Iterable[Entry]) -> list[str]:
    """People's standing instructions in these entries, also where the context shows only a message's ends."""
    return summary.instructions([_whole(session, entry) for entry in members], session.limit)


def restate(session: Session) -> None:
    """After a swap: MEMORY, skills, rules and the profile as they are, the daily notes, what stands, and what of LIFE's
    end the context does not show."""
    for name in context.ENTRIES:
        id = session.state.heard.documents.get(name)
        if id and session.words(id):
            session.record(Document(name), id=id, gist=name)
    daily.read(session)
    if stands := wishes.block(session):
        session.record(Wishes(), stands.encode("utf-8", "replace"), gist="what stands")
    recent = _recent(session)
    settled = session.tokens + int((tokens.estimate(recent) + HEAD) * session.state.model.ratio)
    session.record(Recent(settled), recent, gist="LIFE's last lines")


def _recent(session: Session) -> bytes:
    """Of the last 50 events those that the context does not show, in short, as far as their share allows."""
    shown = {entry.line.at for entry in session.entries}
    room, rows = min(RECENT * session.limit, LINES) / session.state.model.ratio, list[bytes]()
    for line in reversed(log.tail(session.path / "LIFE.md", 50)):
        detail = escape.one_line(line.detail, 60)
        row = f"{times.to_second(line.at)} {line.event} {detail} {short(line.id)}".rstrip().encode()
        headed = line.event == Alternate.WORD or (line.event == Document.WORD and line.detail in persona.HEAD)
        private = line.event != Error.WORD or bootstrap.kind(session.state.audience) == "private"  # it names files
        if line.at not in shown and not headed and private:
            room -= tokens.estimate(row)
            if room < 0:
                break
            rows.append(row)
    return b"\n".join(reversed(rows))


def _exchange(session: Session, entries: list[Entry], why: str, used: set[str]) -> None:
    new = fading.left(session, entries, used)
    session.swap(entries, Swap(why, f"{session.tokens}->{new.forgetting.settled}"), new)


def tell(session: Session) -> bool:
    """Tell the last turn's room what faded, where that shall be told and was not yet; False else."""
    what, room = session.state.forgetting.unsaid, session.state.turn.room
    if not what or room not in session.state.heard.rooms:
        return False
    text = f"(forgotten: {what}; `{installed.typed('unfade')}` takes it back)"
    session.record(Tell(room, fade="told", text=text))
    return True


def spoken(session: Session, entries: Iterable[Entry]) -> list[tuple[str, str]]:
    """What people said in these entries, each message with who did, whole."""
    heard = [(entry.event, _whole(session, entry).content or b"") for entry in entries]
    told = [one for event, text in heard for one in said.messages(event, text.decode("utf-8", "replace"))]
    return [(one.name, one.text) for one in told if one.person]


def _whole(session: Session, entry: Entry) -> Entry:
    """The entry with all of a message's words."""
    if entry.whole or entry.event not in (Hear.WORD, Join.WORD) or not entry.line.id:
        return entry
    try:
        return replace(entry, content=session.store.get(entry.line.id).body[:MOST])
    except (BlobMissing, BlobCorrupt):
        return entry
