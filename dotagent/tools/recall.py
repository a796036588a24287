"""RECALL: search everything this life ever heard, said or saw, and what it wrote down."""

from __future__ import annotations

from collections.abc import Iterable

from dotagent import embedding
from dotagent.life.events import Hear
from dotagent.life.session import Session
from dotagent.life.showing import Shown, Worded
from dotagent.search import shown, skills, written
from dotagent.search.feed import Feed
from dotagent.search.index import Hit
from dotagent.search.shown import Asked
from dotagent.search.written import Written
from dotagent.skills.record import Trusted
from dotagent.store import bootstrap
from dotagent.text import escape, named
from dotagent.text.grammar import ToolCall
from dotagent.text.named import Named
from dotagent.text.reference import short
from dotagent.tools import ToolError, uncompact

FOR = "Search all that was ever said to you, or see what was said around it"
USAGE = ("RECALL words", "RECALL near number")
ORDER = 32
EFFECT = ""
ORIGIN = "own"
REMINDER = True

MOST = 8  # exchanges on a page, as far as they have room: what is cut in its middle loses what was looked for
WAYS = 130  # bytes for how to go on, beside the words that are looked for
WRITTEN = 3  # of the room one part, for what was written down and for skills
NOTES = 3  # pieces of what was written down, below the first
SKILLS = 3  # skills, last
PAGES = 25


def act(session: Session, call: ToolCall) -> bytes | Shown | Worded:
    """The exchanges that fit best, a line a turn, with the number or id that UNCOMPACT takes; of a name what it names,
    of `near` and a name what was said around it."""
    if not call.args.strip():
        raise ToolError("recall what? RECALL and some words, best with who said it or when")
    meant = named.named(call.args)
    if meant and meant.only and meant.marked:  # who has the name of it needs no search
        return uncompact.bring(session, meant)
    query = shown.asked(call.args)
    feed, notes = Feed(session.path, session.store, session.owner), Written(session.path, session.state.audience)
    feed.like = embedding.now(session.home, feed.index.path)
    try:
        if query.near:
            told = _around(session, feed, query.near)
        else:
            more = _more(session, notes, query.words)  # each page leaves it room, so that pages join without a gap
            told = _found(session, feed, query, _size(more))
            told = "\n".join(filter(None, (told, *(more if query.page == 1 else ()))))
    finally:
        feed.close()
        notes.close()
    if not told and meant and meant.only and meant.number <= session.state.number:
        return uncompact.bring(session, meant)
    return (told or "nothing was found; other words, a name or a date may find it").encode("utf-8", "replace")


def _found(session: Session, feed: Feed, query: Asked, less: int) -> str:
    """The page of what the words find, with so many bytes less of room, and a line on how to go on; "" without any."""
    if query.page > PAGES:
        raise ToolError(f"there are at most {PAGES} pages: other words find more")
    now, name = _asking(session), _names(session)
    hits = shown.without(feed.search(query.words, MOST * query.page + 1 + len(now)), now)
    ordered = [one for at in range(0, len(hits), MOST) for one in shown.ranked(hits[at : at + MOST], query.words)]
    words = escape.one_line(query.words, 60)
    room = session.share - WAYS - len(words.encode("utf-8", "replace")) - less
    rows = [shown.told(hit, name) for hit in ordered]
    if _size(rows[:MOST]) > room:
        seen = {entry.line.id for entry in session.entries if entry.whole}
        rows = [shown.told(hit, name, seen) for hit in ordered]
    pages = shown.pages(rows, MOST, room)
    if query.page > len(pages):
        return ""
    before = sum(map(len, pages[: query.page - 1]))
    page = ordered[before : before + len(pages[query.page - 1])]
    first = name(page[0].turn.id)
    ways = [f"RECALL near {first} shows what was said around {first}"]
    if query.page < len(pages):
        ways.append(f"RECALL {words} page {query.page + 1} shows more")
    if any(one.parts > 1 for hit in page for one in shown.sides(hit)):
        ways.append("UNCOMPACT brings one whole")
    return "\n".join([*pages[query.page - 1], "; ".join(ways)])


def _asking(session: Session) -> set[str]:
    """The messages that the present reply answers: who looks for what they ask about has them before it."""
    found = set[str]()
    for entry in reversed(session.entries if session.state.turn.reply else ()):
        if entry.event == Hear.WORD:
            found.add(entry.line.id)
        elif found:
            break
    return found


def _more(session: Session, notes: Written, words: str) -> list[str]:
    """What was written down, what is shared and skills that fit, as far as their part of the room goes."""
    rows = (
        *map(_noted, notes.search(words, NOTES)),
        *map(_shared, _ours(session, words)),
        *map(_skill, skills.search(session, words, SKILLS)),
    )
    return next(iter(shown.pages(rows, len(rows), session.share // WRITTEN)), [])


def _size(rows: Iterable[str]) -> int:
    """How many bytes these lines take."""
    return sum(len(row.encode("utf-8", "replace")) + 1 for row in rows)


def _noted(hit: Hit) -> str:
    """A line of what was written down: its file and line, and its words."""
    return f"{hit.turn.id}: {shown.words(hit)}"


def _ours(session: Session, words: str) -> list[Hit]:
    """What all lives of its audience share that fits; a helper has none."""
    if bootstrap.kind(session.state.audience) == "helper":
        return []
    there = written.shared(session.home, session.id, session.state.audience)
    try:
        return there.search(words, NOTES)
    finally:
        there.close()


def _shared(hit: Hit) -> str:
    """A line of what is shared: it stands where no agent writes."""
    return f"learned by all lives here: {shown.words(hit)}"


def _skill(one: Trusted) -> str:
    """A line of a skill that has no room in the prompt's list."""
    return f"READ_SKILL {one.name}: {escape.one_line(one.description, shown.WORDS)}"


def _around(session: Session, feed: Feed, meant: Named) -> str:
    """What was said around the one that is meant. Raises ToolError for what was not said."""
    id = meant.id or uncompact.numbered(session, meant.number)
    turns = feed.near(id, shown.REACH)
    if not turns:
        raise ToolError(f"{meant.text} is nothing that was said; RECALL words finds what was")
    return shown.around(turns, id, _names(session))


def _names(session: Session) -> shown.Names:
    """How an original is called: by its entry's number as long as that is in the context, else by its id."""
    live = {entry.line.id: f"#{entry.number}" for entry in session.entries}
    return lambda id: live.get(id) or short(id)
