"""RECALL: search everything that the agent ever read, said, saw or noted, or show the messages around one message."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from dotagent import embedding
from dotagent.life.context import MEMORY
from dotagent.life.events import Daily, Hear, parse
from dotagent.life.session import Session
from dotagent.life.tool_results import Shown, Worded
from dotagent.search import note_search, results, skills
from dotagent.search.feed import Feed
from dotagent.search.index import Hit
from dotagent.search.note_search import Written
from dotagent.search.results import Asked
from dotagent.search.turn import PIECE
from dotagent.skills.record import Trusted
from dotagent.store import bootstrap, log, reserved_names
from dotagent.store import notes as notes_
from dotagent.store.blobs import content_id
from dotagent.text import entry_names, escape, tokens
from dotagent.text.entry_names import Named
from dotagent.text.grammar import ToolCall
from dotagent.text.reference import short
from dotagent.tools import ToolError, files, uncompact

FOR = "Search all that was ever said to you, or see the messages around one"
USAGE = ("RECALL words", "RECALL near number")
ORDER = 32
EFFECT = ""
ORIGIN = "own"
REMINDER = True

MOST = 8  # exchanges on a page, if they fit; cutting one could remove the match
WAYS = 50  # tokens for the line on further pages, without the query
WRITTEN = 3  # one part in three of the room is for notes and skills
NOTES = 3  # notes, after the first match
SKILLS = 3  # skills, at the end
PAGES = 25


def act(session: Session, call: ToolCall) -> bytes | Shown | Worded:
    """Return the best exchanges, a line for each turn, with the number or id for UNCOMPACT. An exact name returns its
    original, and `near` with a name the messages around it."""
    if not call.args.strip():
        raise ToolError("the words to search for are missing: write RECALL and some words; a name or a date helps")
    meant = entry_names.find_name(call.args)
    if meant and meant.only and meant.marked:  # an exact name needs no search
        return uncompact.bring(session, meant)
    query = results.parse_query(call.args)
    feed, notes = Feed(session.path, session.store, session.owner), Written(session.path, session.state.audience)
    for one in (feed, notes):
        one.like = embedding.make_current(session.home, one.index.path, session.check_leaving)
    by = ""
    try:
        if query.near:
            told = _messages_around(session, feed, query.near)
        else:
            more, foreign = _make_more(
                session, notes, query.words
            )  # each page leaves it room: pages join without a gap
            told = _make_page(session, feed, query, more)
            told = "\n".join(filter(None, (*(more if query.page == 1 else ()), told)))
            by = "file" if foreign and query.page == 1 else ""
    finally:
        feed.close()
        notes.close()
    if not told and meant and meant.only and meant.number <= session.state.number:
        return uncompact.bring(session, meant)
    told = told or "nothing was found; try other words, a name or a date"
    return Worded(told.encode("utf-8", "replace"), by=by)


def _make_page(session: Session, feed: Feed, query: Asked, more: Sequence[str]) -> str:
    """Return the page of search results, in the share of the context without the lines `more`, with a line on further
    pages, or ""."""
    if query.page > PAGES:
        raise ToolError(f"there are at most {PAGES} pages; try other words to find more")
    now, name = _asking(session), _names(session)
    found = feed.search(query.words, MOST * query.page + 1 + len(now))
    hits = [hit for hit in found if hit.turn.id not in now]
    ordered = [
        one for at in range(0, len(hits), MOST) for one in results.ranked(hits[at : at + MOST], query.words, more)
    ]
    words = escape.one_line(query.words, 60)
    room = session.share - WAYS - tokens.estimate(words) - _size(more)
    rows = [results.line(hit, name) for hit in ordered]
    if _size(rows[:MOST]) > room:
        seen = {entry.line.id for entry in session.entries if entry.whole}
        rows = [results.line(hit, name, seen) for hit in ordered]
    pages = results.pages(rows, MOST, room)
    if query.page > len(pages):
        return ""
    before = sum(map(len, pages[: query.page - 1]))
    page = ordered[before : before + len(pages[query.page - 1])]
    first = name(page[0].turn.id)
    ways = [f"RECALL near {first} shows the messages around {first}"]
    if query.page < len(pages):
        ways.append(f"RECALL {words} page {query.page + 1} shows more")
    if any(hit.parts > 1 for hit in page):
        ways.append("UNCOMPACT shows a whole message")
    return "\n".join([*pages[query.page - 1], "; ".join(ways)])


def _asking(session: Session) -> set[str]:
    """Return the messages that the present reply answers, because the model already has them."""
    found = set[str]()
    for entry in reversed(session.entries if session.state.turn.reply else ()):
        if entry.event == Hear.WORD:
            found.add(entry.line.id)
        elif found:
            break
    return found


def _make_more(session: Session, notes: Written, words: str) -> tuple[list[str], bool]:
    """Return the matching notes, shared notes and skills that fit into their part of the room, and whether others wrote
    any of the notes."""
    found, shared = notes.search(words, NOTES), _shared_hits(session, words)
    found.sort(key=lambda one: not one.turn.id.startswith(f"{MEMORY}:"))
    rows = (
        *map(_format_note, found),
        *map(_format_shared, shared),
        *map(_skill, skills.search(session, words, SKILLS)),
    )
    foreign = bool(shared) or not all(_is_own(session, one.turn.id.rpartition(":")[0]) for one in found)
    return next(iter(results.pages(rows, len(rows), session.share // WRITTEN)), []), foreign


def _is_own(session: Session, name: str) -> bool:
    """Return True if the agent itself wrote all of a note, or saw it in its own events."""
    try:
        data = reserved_names.read(session.path, name, files.MOST)
    except OSError:
        return False
    day = notes_.DAY.fullmatch(Path(name).stem) and Path(name).parent.name == notes_.FOLDER
    if not day:
        known = session.state.heard.documents.get(name, "")
        return files.is_own(session, data) or (bool(known) and session.store.get(known).body == data)
    for line in log.backwards(session.path / "LIFE.md"):
        event = parse(line) if line.event == Daily.WORD else None
        if isinstance(event, Daily) and event.day == Path(name).stem:
            return (event.size, event.mark) == (len(data), content_id(data))
    return False


def _size(rows: Iterable[str]) -> int:
    """Return the size of these lines in tokens."""
    return sum(tokens.estimate(f"{row}\n") for row in rows)


def _format_note(hit: Hit) -> str:
    """Return a note's line: its file and line number, and its text."""
    return f"{hit.turn.id}: {results.words(hit)}"


def _shared_hits(session: Session, words: str) -> list[Hit]:
    """Return the matching shared notes of its audience; helpers have no shared notes."""
    if bootstrap.kind(session.state.audience) == "helper":
        return []
    there = note_search.open_shared(session.home, session.id, session.state.audience)
    there.like = embedding.make_current(session.home, there.index.path, session.check_leaving)
    try:
        return there.search(words, NOTES)
    finally:
        there.close()


def _format_shared(hit: Hit) -> str:
    """Return a line of a shared note, which no agent can edit directly."""
    return f"a rule or pattern that all agents here share: {results.words(hit)}"


def _skill(one: Trusted) -> str:
    """Return a line for a skill that the prompt's list leaves out."""
    return f"READ_SKILL {one.name}: {escape.one_line(one.description, PIECE)}"


def _messages_around(session: Session, feed: Feed, meant: Named) -> str:
    """Return the messages around the given one. Raises ToolError if it is not a message."""
    id = meant.id or uncompact.numbered(session, meant.number)
    turns = feed.near(id, results.REACH)
    if not turns:
        raise ToolError(f"no message has the id {meant.text}; RECALL words shows the ids of messages")
    return results.format_around(turns, id, _names(session))


def _names(session: Session) -> results.Names:
    """Return a function that names an original: by its entry's number while it is in the context, otherwise by its
    id."""
    live = {entry.line.id: f"#{entry.number}" for entry in session.entries}
    return lambda id: live.get(id) or short(id)
