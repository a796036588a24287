"""Faint memory: when something is heard to which forgotten turns are clearly relevant, an entry names them.

So the agent is reminded of what it forgot, and can bring it back. Owns nothing on disk.
"""

from __future__ import annotations

import re
import time
from collections.abc import Sequence

from dotagent import extensions
from dotagent.life import context
from dotagent.life.events import Document, Faded, Faint, Hear, Recent, Reply, Warn
from dotagent.life.session import Session
from dotagent.search.feed import Feed, number
from dotagent.search.turn import Passage
from dotagent.text import escape, said, tokens
from dotagent.text.reference import reference, short

BEHIND = 64 * 1024  # bytes of LIFE that a turn catches up with; more is left to RECALL, or to the turns to come
MOST, TOKENS = 5, 200  # turns that a faint memory names, and tokens that it takes
WORDS = (30, 24, 18, 13, 9, 6, 3)  # tokens of each turn's words, as many as there is room for
MARKS = 8  # tokens that a reference's own marks take beyond the estimate

_FIRST = f"Forgotten, {extensions.tools().original} brings it back:"
_NAMED = re.compile(rf"(?:^|hash=|{extensions.tools().original} )([0-9a-f]{{8,32}})\b".encode(), re.MULTILINE)


def remind(session: Session, feed: Feed) -> bool:
    """Record a faint memory of what was just heard, if there is any to which it clearly refers."""
    began = time.thread_time()
    text = _heard(session)
    if not text.strip() or not any(entry.event == Faded.WORD for entry in session.entries):
        return False
    if not feed.catch_up(BEHIND):
        return False
    seen = {number(entry.line) for entry in session.entries if entry.event != Faded.WORD}
    left = max(feed.seconds / 5, feed.seconds - (time.thread_time() - began))
    hits = feed.index.remind(text, exclude=seen, most=MOST, seconds=left)
    named = _named(session) if hits else set()
    body = _listed([hit.turn for hit in hits if not any(hit.turn.id.startswith(id) for id in named)])
    if body:
        session.record(Faint(), body.encode(), gist="forgotten turns")
    return bool(body)


def _heard(session: Session) -> str:
    """What was heard since the last reply, unless it was reminded of already."""
    heard = []
    for entry in reversed(session.entries):
        if entry.event == Faint.WORD:
            return ""
        if entry.event not in (Hear.WORD, Document.WORD, Recent.WORD, Warn.WORD):
            break
        if entry.event == Hear.WORD:
            heard.append((entry.content or b"").decode("utf-8", "replace"))
    return "\n".join(
        words for one in reversed(heard) for _, words in said.words(Hear.WORD, "", one, extensions.tools())
    )


def _named(session: Session) -> set[str]:
    """The ids that the context names already: by faint memories, and in what was searched for and brought back."""
    found = set()
    for entry in session.entries:
        named = context.is_reminder(entry) or entry.event in (Faint.WORD, Reply.WORD)
        if entry.content and named:
            found |= {id.decode() for id in _NAMED.findall(entry.content)}
    return found


def _listed(turns: Sequence[Passage]) -> str:
    """The entry's content, a line a turn: of many, fewer words of each, so that all have room; "" for none."""
    for most in (*WORDS, 0):
        body = "\n".join([_FIRST, *(_line(turn, most) for turn in turns)])
        if tokens.estimate(body) + MARKS * len(turns) <= TOKENS:
            break
    return body if turns else ""


def _line(turn: Passage, most: int) -> str:
    words = _cut(escape.one_line(escape.outside(turn.text.encode("utf-8", "replace")), 500), most)
    who = escape.one_line(turn.speaker, 30)
    return f"- {escape.one_line(turn.at, 40)[:10]} {reference(short(turn.id), f'{who}: {words}')}"


def _cut(text: str, most: int) -> str:
    """The text, or as much of its beginning as has `most` tokens."""
    part = most / tokens.estimate(text)
    return text if part >= 1 else text[: int(len(text) * part)].rstrip() + "…"
