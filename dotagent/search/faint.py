"""Faint memory: when something is heard to which forgotten turns are clearly relevant, an entry names them.

So the agent is reminded of what it forgot, and can bring it back. Owns nothing on disk.
"""

from __future__ import annotations

import re
import time
from collections.abc import Sequence

from dotagent import extensions
from dotagent.life import context
from dotagent.life.events import Daily, Document, Faded, Faint, Hear, Recent, Reply, Warn
from dotagent.life.session import Session
from dotagent.search.feed import Feed, number
from dotagent.search.turn import Passage
from dotagent.text import escape, extract, said, standing, tokens
from dotagent.text.reference import reference, short

BEHIND = 64 * 1024  # bytes of LIFE that a turn catches up with; more is left to RECALL, or to the turns to come
BATCH = 6 * 1024  # bytes of LIFE that are indexed at once, about eight turns
MOST, TOKENS = 5, 200  # turns that a faint memory names, and tokens that it takes
MORE = 3  # turns that are looked for beyond these: the agent's own echoes may be among them
BEST = (
    120,
    100,
    80,
    60,
)  # tokens of the best turn's words: it may well hold the answer, so it is shown whole if it fits
WORDS = (24, 18, 12, 6)  # tokens of each other turn's words, as many as there is room for
LONGEST = 2000  # characters of a turn that are looked at
MINE = "me"  # who said what the agent said, in the index
ECHO = 0.5  # of the words of what the agent said: an echo, when others said so many of them
MARKS = 8  # tokens that a reference's own marks take beyond the estimate

_FIRST = f"Forgotten, {extensions.tools().original} brings it back:"
_NAMED = re.compile(rf"(?:^|hash=|{extensions.tools().original} )([0-9a-f]{{8,32}})\b".encode(), re.MULTILINE)


def remind(session: Session, feed: Feed) -> bool:
    """Record a faint memory of what was just heard, if there is any to which it clearly refers."""
    began = time.thread_time()
    text = _heard(session)
    if not text.strip() or not _fades(session):
        return False
    if not _is_filed(session, feed) and not feed.catch_up(BEHIND):
        return False
    seen = {number(entry.line) for entry in session.entries if entry.event != Faded.WORD}
    left = max(feed.seconds / 5, feed.seconds - (time.thread_time() - began))
    hits = feed.index.remind(text, exclude=seen, most=MOST + MORE, seconds=left)
    named = _named(session) if hits else set()
    turns = [hit.turn for hit in hits if not any(hit.turn.id.startswith(id) for id in named)]
    body = _listed(_ranked(turns, text)[:MOST], text)
    if body:
        session.record(Faint(), body.encode(), gist="forgotten turns")
    return bool(body)


def keep_up(session: Session, feed: Feed) -> None:
    """Index what happened, many turns at once: one at a time they write four times as much to the disk. What has left
    the context is indexed at once, so that no reminder has to wait for it."""
    if _fades(session) and feed.grew() and (feed.behind() >= BATCH or not _is_filed(session, feed)):
        feed.catch_up(BEHIND)


def _fades(session: Session) -> bool:
    return any(entry.event == Faded.WORD for entry in session.entries)


def _is_filed(session: Session, feed: Feed) -> bool:
    """Whether the index has all that is out of sight: what stands in the context behind the last summary need not be
    there yet."""
    last = max(at for at, entry in enumerate(session.entries) if entry.event == Faded.WORD)
    since = next((entry.line.at for entry in session.entries[last + 1 :]), "")
    return bool(since) and feed.index.mark().partition(" ")[2] >= since


def _heard(session: Session) -> str:
    """What was heard since the last reply, unless it was reminded of already."""
    heard = []
    for entry in reversed(session.entries):
        if entry.event == Faint.WORD:
            return ""
        if entry.event not in (Hear.WORD, Daily.WORD, Document.WORD, Recent.WORD, Warn.WORD):
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


def _ranked(turns: Sequence[Passage], heard: str) -> list[Passage]:
    """The turns, best first, but the agent's own echoes last: what says again what others said, or just asked."""
    others = {term for turn in turns if turn.speaker != MINE for term in extract.terms(turn.text)}
    others |= set(extract.terms(heard))

    def echoes(turn: Passage) -> bool:
        mine = extract.terms(turn.text) if turn.speaker == MINE else []
        return bool(mine) and sum(term in others for term in mine) >= ECHO * len(mine)

    return sorted(turns, key=echoes)


def _listed(turns: Sequence[Passage], heard: str) -> str:
    """The content, a line a turn: the best whole, or what of it `heard` is about, of the others a few words, and
    fewer of them where there is no room; "" for none."""
    if not turns:
        return ""
    ways = [(BEST[0], count, most) for count in range(len(turns), 0, -1) for most in WORDS]
    ways += [(best, 1, 0) for best in BEST[1:]]
    for best, count, most in ways:
        rest = (_line(turn, _cut(_words(turn), most)) for turn in turns[1:count])
        body = "\n".join([_FIRST, _line(turns[0], _about(_words(turns[0]), heard, best)), *rest])
        if tokens.estimate(body) + MARKS * count <= TOKENS:
            break
    return body


def _words(turn: Passage) -> str:
    return escape.one_line(escape.outside(turn.text.encode("utf-8", "replace")), LONGEST)


def _line(turn: Passage, words: str) -> str:
    who = escape.one_line(turn.speaker, 30)
    return f"- {escape.one_line(turn.at, 40)[:10]} {reference(short(turn.id), f'{who}: {words}')}"


def _about(text: str, heard: str, most: int) -> str:
    """The text, or of a longer one `most` tokens from the sentence on that shares most with what was heard."""
    if tokens.estimate(text) <= most:
        return text
    wanted, said = set(extract.terms(heard)), list(standing.sentences(text))
    shared = [len(wanted & set(extract.terms(sentence))) for sentence in said]
    first = shared.index(max(shared)) if shared else 0
    start = text.find(said[first]) if first else 0
    return _cut(f"…{text[start:]}" if start > 0 else text, most)


def _cut(text: str, most: int) -> str:
    """The text, or as much of its beginning as has `most` tokens."""
    part = most / tokens.estimate(text)
    return text if part >= 1 else text[: int(len(text) * part)].rstrip() + "…"
