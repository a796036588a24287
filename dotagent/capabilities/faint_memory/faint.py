"""Faint memory: when a message is clearly related to forgotten turns, an entry lists them.

This reminds the agent of the turns, and it can read them again. Owns nothing on disk.
"""

from __future__ import annotations

from collections.abc import Sequence
from weakref import WeakKeyDictionary

from dotagent import extensions
from dotagent.capabilities.faint_memory.visible import InContext
from dotagent.life.compaction_events import Faint
from dotagent.life.events import Daily, Document, Hear, Recent, Warn
from dotagent.life.session import Session
from dotagent.search.feed import Feed
from dotagent.search.turn import Passage
from dotagent.text import escape, extract, speakers, standing_instructions, times, tokens
from dotagent.text.reference import reference, short

BEHIND = 64 * 1024  # bytes of LIFE that one turn indexes at most; RECALL or later turns index the rest
BATCH = 6 * 1024  # bytes of LIFE that are indexed at once, about eight turns
MOST, TOKENS = 5, 200  # turns in a faint memory, and its tokens
MORE = 3  # more turns to search for, because some may be the agent's own echoes
BEST = (
    120,
    100,
    80,
    60,
)  # tokens of the best turn's text: it often has the answer, so it is shown whole if it fits
WORDS = (24, 18, 12, 6)  # tokens of each other turn's text, as many as fit
LONGEST = 2000  # characters of a turn that are read
MINE = "me"  # the speaker of the agent's own turns, in the index
SPARE = 8  # tokens a turn that stay free, because a vocabulary may take more of them than the estimate
ECHO = 0.5  # an agent's turn with this part of its words from others is an echo

_SEEN: WeakKeyDictionary[Session, InContext] = WeakKeyDictionary()
_FIRST = f"Forgotten, {extensions.tools().original} brings it back:"


def remind(session: Session, feed: Feed) -> bool:
    """Record a faint memory for the new messages. Return False if no forgotten turn is clearly related."""
    text = _new_messages(session)
    if not text.strip() or not _fades(session):
        return False
    if not _is_filed(session, feed) and not feed.catch_up(BEHIND):
        return False
    seen = _SEEN.setdefault(session, InContext())
    seen.look(session.entries)
    hits = feed.index.remind(text, exclude=seen.turns, most=MOST + MORE)
    turns = [hit.turn for hit in hits if not any(hit.turn.id.startswith(id) for id in seen.ids)]
    body = _format_turns(_ranked(turns, text)[:MOST], text)
    if body:
        session.record(Faint(), body.encode(), gist="forgotten turns")
    return bool(body)


def keep_up(session: Session, feed: Feed) -> None:
    """Index new events, many at once, because one at a time they write four times as much to the disk. Entries that
    left the context are indexed immediately, so that no reminder must wait."""
    if _fades(session) and feed.grew() and (feed.behind() >= BATCH or not _is_filed(session, feed)):
        feed.catch_up(BEHIND)


def _fades(session: Session) -> bool:
    return session.faded > 0


def _is_filed(session: Session, feed: Feed) -> bool:
    """Return True if the index has everything outside the context. It may lack entries after the last summary, because
    the context contains them."""
    since = session.entries[session.faded].line.at if session.faded < len(session.entries) else ""
    return bool(since) and feed.index.mark().partition(" ")[2] >= since


def _new_messages(session: Session) -> str:
    """Return the messages since the last reply, or "" if they have a faint memory already."""
    heard = []
    for entry in reversed(session.entries):
        if entry.event == Faint.WORD:
            return ""
        if entry.event not in (Hear.WORD, Daily.WORD, Document.WORD, Recent.WORD, Warn.WORD):
            break
        if entry.event == Hear.WORD:
            heard.append((entry.content or b"").decode("utf-8", "replace"))
    return "\n".join(
        words for one in reversed(heard) for _, words in speakers.words(Hear.WORD, "", one, extensions.tools())
    )


def _ranked(turns: Sequence[Passage], heard: str) -> list[Passage]:
    """Return the turns, best first, with the agent's own echoes last: turns that repeat what others said or the
    question. If the message asks something, the turn with the best answer is first: a statement that has most of the
    message's words, and more words than these."""
    others = {term for turn in turns if turn.speaker != MINE for term in extract.terms(turn.text)}
    others |= {*extract.terms(heard)}
    asks = any(map(standing_instructions.asks, standing_instructions.sentences(heard)))
    asked = {*extract.terms(heard)} if asks else set[str]()

    def answers(turn: Passage) -> int:
        told = (
            set(extract.terms(sentence))
            for sentence in standing_instructions.sentences(turn.text[:LONGEST])
            if not standing_instructions.asks(sentence)
        )
        return max((len(asked & terms) for terms in told if terms - asked), default=0)

    def echoes(turn: Passage) -> bool:
        mine = extract.terms(turn.text) if turn.speaker == MINE else []
        return bool(mine) and sum(term in others for term in mine) >= ECHO * len(mine)

    return sorted(turns, key=lambda turn: (echoes(turn), -answers(turn)))


def _format_turns(turns: Sequence[Passage], heard: str) -> str:
    """Return the text of a faint memory with one line for each turn, or "" without turns. The best turn is shown whole,
    or its part about `heard`. The others get a few words each, from the sentence that has most of the words of `heard`,
    and fewer if there is no room."""
    if not turns:
        return ""
    ways = [(BEST[0], count, most) for count in range(len(turns), 0, -1) for most in WORDS]
    ways += [(best, 1, 0) for best in BEST[1:]]
    for best, count, most in ways:
        rest = (_line(turn, _relevant_part(_words(turn), heard, most)) for turn in turns[1:count])
        body = "\n".join([_FIRST, _line(turns[0], _relevant_part(_words(turns[0]), heard, best)), *rest])
        if tokens.estimate(body) + SPARE * count <= TOKENS:
            break
    return body


def _words(turn: Passage) -> str:
    return escape.one_line(escape.outside(turn.text.encode("utf-8", "replace")), LONGEST)


def _line(turn: Passage, words: str) -> str:
    who = escape.one_line(turn.speaker, 30)
    return f"- {times.format_stamp(escape.one_line(turn.at, 40), 10)} {reference(short(turn.id), f'{who}: {words}')}"


def _relevant_part(text: str, heard: str, most: int) -> str:
    """Return the text, or `most` tokens of it from the sentence that has the most words in common with `heard`."""
    if tokens.estimate(text) <= most:
        return text
    wanted, said = set(extract.terms(heard)), list(standing_instructions.sentences(text))
    shared = [len(wanted & set(extract.terms(sentence))) for sentence in said]
    first = shared.index(max(shared)) if shared else 0
    start = text.find(said[first]) if first else 0
    return _cut(f"…{text[start:]}" if start > 0 else text, most)


def _cut(text: str, most: int) -> str:
    """Return the text, or its first `most` tokens."""
    part = most / tokens.estimate(text)
    return text if part >= 1 else text[: int(len(text) * part)].rstrip() + "…"
