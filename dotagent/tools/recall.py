"""RECALL: search everything this life ever heard, said or saw, and what it wrote down."""

from __future__ import annotations

from dotagent import embedding
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
EFFECT = ""
ORIGIN = "own"
REMINDER = True

MOST = 8  # exchanges on a page
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
        told = _around(session, feed, query.near) if query.near else _found(session, feed, query)
        if not query.near and query.page == 1:
            more = (
                *map(_noted, notes.search(query.words, NOTES)),
                *map(_shared, _ours(session, query.words)),
                *map(_skill, skills.search(session, query.words, SKILLS)),
            )
            told = "\n".join(filter(None, (told, *more)))
    finally:
        feed.close()
        notes.close()
    if not told and meant and meant.only and meant.number <= session.state.number:
        return uncompact.bring(session, meant)
    return (told or "nothing was found; other words, a name or a date may find it").encode("utf-8", "replace")


def _found(session: Session, feed: Feed, query: Asked) -> str:
    """The page of what the words find, and a line on how to go on; "" without any."""
    if query.page > PAGES:
        raise ToolError(f"there are at most {PAGES} pages: other words find more")
    hits = feed.search(query.words, MOST * query.page + 1)
    page = shown.ranked(hits[MOST * (query.page - 1) : MOST * query.page], query.words)
    if not page:
        return ""
    first = _names(session)(page[0].turn.id)
    ways = [f"RECALL near {first} shows what was said around {first}"]
    if len(hits) > MOST * query.page:
        ways.append(f"RECALL {escape.one_line(query.words, 60)} page {query.page + 1} shows more")
    if any(one.parts > 1 for hit in page for one in shown.sides(hit)):
        ways.append("UNCOMPACT brings one whole")
    return f"{shown.listed(page, _names(session))}\n{'; '.join(ways)}"


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
