"""Replace a context by a smaller one: chunks by their summaries, old reminders by their heads, the oldest by an
extract. Each change is one SWAP in LIFE, after a FADE for every chunk with the reason. Owns nothing on disk."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from dotagent import installed
from dotagent.compaction import fade_plan, plan, standing_wishes, summary
from dotagent.compaction.plan import Chunk
from dotagent.compaction.summary import Summary
from dotagent.life import context, daily, events, persona, replay
from dotagent.life.background_events import find_held
from dotagent.life.compaction_events import Wishes
from dotagent.life.context import Entry, tokens_of
from dotagent.life.events import Alternate, Document, Error, Faded, Hear, Join, Recent, Result, Swap, Tell
from dotagent.life.heads import AGAIN
from dotagent.life.session import Session
from dotagent.life.state import State, accepted, change
from dotagent.store import bootstrap, log
from dotagent.store.blobs import BlobCorrupt, BlobMissing
from dotagent.text import escape, speakers, times, tokens
from dotagent.text import extract as extract_words
from dotagent.text.lazy import replace
from dotagent.text.reference import short

MOST = 200_000  # bytes read of a message to find people's words
RECENT, LINES = 0.05, 160  # share of the limit, and tokens, for LIFE's last lines after a swap
CHARACTERS = 4  # characters of the head for one token, about
HEAD = 50  # tokens of a faded entry in addition to its summary
GAIN = 0.95  # times the former size: only a larger gain justifies another round
ENDS: tuple[tuple[plan.Border, ...] | None, ...] = (None, (plan.steps,), ())
"""Possible ends of the part that `force` fades: before a turn, before a step, or anywhere."""
KEPT = 0.1  # share of the limit that may be kept from fading
FRAME = 0.25  # share of the limit for the messages that the present turn answers; further ones fade
NEAR = 2 / 3  # a result that has this share of the words of the answered messages fades last
ENOUGH = 0.85  # share of the limit that stripping must reach to be a separate swap


def fade(session: Session, chosen: fade_plan.Chosen, eligible: list[Entry], why: str, part: bool) -> bool:
    """Fade chunks from the least to the most relevant (ties: the older first), existing summaries last, together with
    old reminders. With `part`, stop when it is enough (plan.enough). Return False, without a change, if the context
    would not shrink."""
    made = fade_plan.make_plan(session, chosen, eligible, why, part)
    if not made:
        return False
    for event, new in made.told:
        session.record(event, id=new.line.id, gist=new.line.gist)
    for lines, members in sorted(made.stood, key=lambda pair: pair[1][0].number):
        standing_wishes.record(session, lines, members, lambda entry: _restore_text(session, entry))
    _exchange(session, made.entries, why, made.used)
    return True


def strip(session: Session, entries: list[Entry] | None) -> bool:
    """Replace the context by these stripped entries. Return False if there are none."""
    if entries:
        _exchange(session, entries, "strip", set())
    return bool(entries)


def stripped(session: Session) -> list[Entry] | None:
    """Return the context without old reasoning, reminders and recalled originals, or None if it would still exceed
    ENOUGH of the limit."""
    may = {entry.number for entry in plan.eligible(session.entries, fade_plan.held(session))}
    entries = [fade_plan.stripped(session, entry) if entry.number in may else entry for entry in session.entries]
    return entries if tokens_of(entries) * session.state.model.ratio <= ENOUGH * session.limit else None


def force(session: Session, goal: int) -> bool:
    """Shrink the context to `goal` tokens or fewer without a model. Return False if nothing could be removed.

    Shortens large entries, drops entries that will be repeated anyway, then replaces the oldest chunks by extracts. A
    single summary is summarised again only as a last resort.
    """
    if session.tokens <= goal:
        return False
    kept = session.state.forgetting.kept
    again = {entry.number for entry in session.entries if entry.event in AGAIN and entry.number not in kept}
    small = [
        fade_plan.stripped(session, one) if one.number in again else session.fitted(one) for one in session.entries
    ]
    swapped = tokens_of(small) < tokens_of(session.entries)
    if swapped:
        _exchange(session, small, "force", set())
    ends = list(ENDS)
    while ends and (before := session.tokens) > goal:
        frame = _find_frame(session)
        stays = frame | _find_near(session, frame) if len(ends) > 1 else frame
        eligible = plan.eligible(session.entries, _find_kept(session) | stays, ends[0])
        chunks = plan.parted(plan.propose(eligible), eligible, stays) if eligible else []
        if len(ends) > 1:
            chunks = [one for one in chunks if [e.event for e in plan.members(one, eligible)] != [Faded.WORD]]
        swapped = fade(session, _enough(session, chunks, eligible, goal), eligible, "force", False) or swapped
        if session.tokens > GAIN * before:
            ends.pop(0)
    return swapped


def headed(session: Session) -> bool:
    """Shorten the prompt's head, which changes only at a swap, if a model refused a prompt because of the head, or if
    it has refused a prompt twice and nothing can fade. Return False if the head would not shrink."""
    state = session.state
    new = change(state, model=change(state.model, head=accepted(state)))
    if state.turn.long < 2 and not (state.turn.long and heavy(state)):
        return False
    saved = persona.saved(session.store, session.id, (state, new), session.settings)
    if saved <= 0:
        return False
    new = fade_plan.state_after(session, session.entries, set())
    new = change(new, model=change(new.model, fixed=max(1, new.model.fixed - saved // CHARACTERS)))
    session.swap(list(session.entries), Swap("force", f"{session.tokens}->{new.forgetting.settled}"), new)
    return True


def heavy(state: State) -> bool:
    """Return True if the prompt's head takes more than half of what the model accepts."""
    return 2 * replay.fixed(state) > accepted(state) > 0


def _find_kept(session: Session) -> set[int]:
    """Return the kept entries, without the oldest if they exceed the budget, because the limit may have changed."""
    room, held = KEPT * session.limit / session.state.model.ratio, set[int]()
    for entry in reversed(session.entries):
        if entry.number in session.state.forgetting.kept:
            room -= entry.tokens
            if room < 0:
                break
            held.add(entry.number)
    return held


def _find_frame(session: Session) -> set[int]:
    """Return the entries that the present turn answers: the first, and of those added since the newest that fit."""
    frame = find_held(session.state)
    shown = {entry.number: entry.tokens for entry in session.entries if entry.number in frame}
    room, held = FRAME * session.limit / session.state.model.ratio, set[int]()
    for number in (*frame[:1], *reversed(frame[1:])):
        room -= shown.get(number, 0)
        if room < 0:
            break
        held.add(number)
    return held


def _find_near(session: Session, frame: set[int]) -> set[int]:
    """Return the entries that share most words with the messages that the present turn answers, at least NEAR of these
    words, newest first if equal, up to their share of the limit. So a list that the task needs fades after results that
    were used already."""
    asked = {term for entry in session.entries if entry.number in frame for term in _find_terms(entry)}
    shares = {one: len(asked & _find_terms(one)) for one in session.entries if one.event == Result.WORD and asked}
    room, near = KEPT * session.limit / session.state.model.ratio, set[int]()
    for entry in sorted(shares, key=lambda one: (-shares[one], -one.number)):
        if shares[entry] >= NEAR * len(asked) and entry.tokens <= room:
            room -= entry.tokens
            near.add(entry.number)
    return near


def _find_terms(entry: Entry) -> set[str]:
    return {term for unit in plan.units([entry]) for term in extract_words.terms(unit.text)}


def _enough(session: Session, chunks: Sequence[Chunk], eligible: list[Entry], goal: int) -> list[tuple[Chunk, Summary]]:
    """Return the oldest chunks that are needed to reach the goal, with extracts."""
    chosen, over = list[tuple[Chunk, Summary]](), float(session.tokens - goal)
    for one in chunks:
        if over <= 0:
            break
        members = plan.members(one, eligible)
        made = extract(session, members, one, plan.KEEPS)
        chosen.append((one, made))
        model = session.state.model
        freed = tokens_of(members) - tokens.estimate(made.text, model.other) - HEAD
        over -= max(0, freed) * model.ratio
    return chosen


def extract(session: Session, members: Sequence[Entry], one: Chunk, keeps: float | None = None) -> Summary:
    """Return a summary of the members of a chunk made without a model, with a share of their tokens (plan.keeps)."""
    share = plan.summary_share(members) if keeps is None else keeps
    lines = instructions(session, members)
    made = summary.extract_from(members, (one.relevance, one.gist), lines, share, standing_wishes.lines(session))
    return marked(session, members, made)


def marked(session: Session, members: Sequence[Entry], made: Summary) -> Summary:
    """Return the summary of these entries with marks at words of others. The instructions below it need none."""
    from dotagent.life import marks  # loaded only for a summary

    text, lines = speakers.part(made.text)
    gist, text = (marks.mark_summary(session, members, one) for one in (made.gist, text))
    return replace(made, gist=gist, text=summary.append_lines(text or speakers.NOTHING, lines))


def instructions(session: Session, members: Iterable[Entry]) -> list[str]:
    """Return people's standing instructions in these entries, even from messages that the context shows only in
    part."""
    found = summary.instructions(
        [_restore_text(session, entry) for entry in _admitted(session, members)], session.limit
    )
    senders = session.settings.admission.get("senders", ())
    return [line for line in found if line.partition(":")[0] not in senders]


def _admitted(session: Session, entries: Iterable[Entry]) -> Iterable[Entry]:
    """Return the entries without the entries of rooms whose messages must not be kept (the setting admission)."""
    rooms = session.settings.admission.get("rooms", ())
    return [one for one in entries if getattr(events.parse(one.line), "room", "") not in rooms] if rooms else entries


def restate(session: Session) -> None:
    """Repeat after a swap: MEMORY, skills, rules and the profile, the daily notes, standing instructions, and recent
    events that the context does not show."""
    for name in context.ENTRIES:
        id = session.state.heard.documents.get(name)
        if id and session.words(id):
            session.record(Document(name), id=id, gist=name)
    daily.read(session)
    if stands := standing_wishes.block(session):
        session.record(Wishes(), stands.encode("utf-8", "replace"), gist="what stands")
    recent = _recent(session)
    model = session.state.model
    settled = session.tokens + int((tokens.estimate(recent, model.other) + HEAD) * model.ratio)
    session.record(Recent(settled), recent, gist="LIFE's last lines")


def _recent(session: Session) -> bytes:
    """Return short lines of the last 50 events that the context does not show, within their share."""
    shown = {entry.line.at for entry in session.entries}
    room, rows = min(RECENT * session.limit, LINES) / session.state.model.ratio, list[bytes]()
    for line in reversed(log.tail(session.path / "LIFE.md", 50)):
        detail = escape.one_line(line.detail, 60)
        row = f"{times.format_stamp(line.at, 19)} {line.event} {detail} {short(line.id)}".rstrip().encode()
        headed = line.event == Alternate.WORD or (line.event == Document.WORD and line.detail in persona.HEAD)
        private = line.event != Error.WORD or bootstrap.kind(session.state.audience) == "private"  # may name files
        if line.at not in shown and not headed and private:
            room -= tokens.estimate(row, session.state.model.other)
            if room < 0:
                break
            rows.append(row)
    return b"\n".join(reversed(rows))


def _exchange(session: Session, entries: list[Entry], why: str, used: set[str]) -> None:
    new = fade_plan.state_after(session, entries, used)
    session.swap(entries, Swap(why, f"{session.tokens}->{new.forgetting.settled}"), new)


def tell(session: Session) -> bool:
    """Announce a swap in the last turn's room, if that is wanted and not done. Return False otherwise."""
    what, room = session.state.forgetting.unsaid, session.state.turn.room
    if not what or room not in session.state.heard.rooms:
        return False
    text = f"(summarised: {what}; `{installed.program('unfade')}` brings the originals back)"
    session.record(Tell(room, fade="told", text=text))
    return True


def spoken(session: Session, entries: Iterable[Entry]) -> list[tuple[str, str]]:
    """Return people's messages in these entries, each whole with its speaker."""
    heard = [(entry.event, _restore_text(session, entry).content or b"") for entry in _admitted(session, entries)]
    told = [one for event, text in heard for one in speakers.messages(event, text.decode("utf-8", "replace"))]
    senders = session.settings.admission.get("senders", ())
    return [(one.name, one.text) for one in told if one.person and one.name not in senders]


def _restore_text(session: Session, entry: Entry) -> Entry:
    """Return the entry with the whole text of its message."""
    if entry.whole or entry.event not in (Hear.WORD, Join.WORD) or not entry.line.id:
        return entry
    try:
        return replace(entry, content=session.store.get(entry.line.id).body[:MOST])
    except (BlobMissing, BlobCorrupt):
        return entry
