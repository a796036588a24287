"""The second look: the same model answers the person's message again, in a request without foreign text.

Its entries are those before the first foreign text, then only the person's messages. So no stranger caused a call in
the answer, which replaces a call of the same tool and target that would need a question. Owns nothing on disk.
"""

from __future__ import annotations

from collections.abc import Callable

from dotagent.life import origins, other_contexts, persona
from dotagent.life.compaction_events import Faint, Wishes
from dotagent.life.context import Entry
from dotagent.life.events import Daily, Document, Faded, Hear, Recent, parse
from dotagent.life.session import Session
from dotagent.life.state import change
from dotagent.store.blobs import BlobCorrupt, BlobMissing
from dotagent.store.bootstrap import EVIL, SOUL
from dotagent.text import escape, quotes, tag, tokens
from dotagent.text.lazy import replace

HEAD = (SOUL, EVIL, persona.EXTRA, persona.HERE)
"""The documents of its head. A person or dotagent wrote them; no agent can."""
DERIVED = (Daily.WORD, Document.WORD, Faded.WORD, Faint.WORD, Recent.WORD, Wishes.WORD)
"""Entries made from other entries, which may repeat their text."""
ASK = (
    "Answer only the last message; the messages before it are answered. Write every call that it asks for into this "
    "one reply. You see no results in between."
)


def is_due(session: Session) -> bool:
    """Return True if the turn's message can get a second look: it has text."""
    number = session.state.turn.message
    return any(one.number == number and _readable_entry(session, one) for one in reversed(session.entries))


def request(session: Session, model: str, told: tuple[str, Callable[[], str]]) -> str:
    """Write the request's blob and return its id. `told` says how tools are called."""
    heard = session.state.heard
    kept = {name: id for name, id in heard.documents.items() if name in HEAD}
    state = change(session.state, heard=change(heard, documents=kept))
    entries = [held for entry in session.entries if (held := _readable_entry(session, entry))]
    return other_contexts.request(session, model, told, entries, state, ASK)


def _readable_entry(session: Session, entry: Entry) -> Entry | None:
    """Return the entry, complete before the first foreign text and later a person's own text only, or None."""
    if entry.number < session.state.heard.since:
        return entry if entry.event not in DERIVED else None
    heard = parse(entry.line)
    if not isinstance(heard, Hear) or not origins.is_persons(heard, session.state.audience):
        return None
    try:  # read completely, because a cut quotation may lack its mark
        content = session.store.get(entry.line.id).body.decode("utf-8", "replace")
    except (BlobMissing, BlobCorrupt):
        return None
    told, begin = quotes.own_text(tag.words(content)).encode("utf-8", "replace"), tag.TEXT.match(content)
    words = told[: tokens.measure(told, session.share)].decode("utf-8", "ignore")
    text = (begin[0] if begin else "") + escape.indent(words).lstrip()
    return replace(entry, content=text.encode("utf-8", "replace"), media=()) if words.strip() else None
