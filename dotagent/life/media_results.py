"""Pictures, PDFs and sounds as the results of tools, and which of them a model can read.

LIFE and requests name the blob of the original, and no one copies it. Reads `calls/providers.json`.
"""

from __future__ import annotations

from pathlib import Path

from dotagent.life import context, events
from dotagent.life.events import Reply
from dotagent.life.session import Session
from dotagent.life.tool_results import Shown
from dotagent.store import log, provider_status
from dotagent.store.blobs import Blob
from dotagent.store.home import Home
from dotagent.text import escape, media, times
from dotagent.text.lazy import replace
from dotagent.text.media import Media
from dotagent.text.senses import Senses, make_senses
from dotagent.text.sizes import amount


def file(session: Session, name: str, data: bytes) -> Shown | None:
    """Return a file's content as a result to show, or None if it is not a picture, PDF or sound."""
    found = media.recognise(data)
    if not found:
        return None
    id = session.store.put(data, at=times.now(), gist=name, parent=session.state.turn.reply, agent=session.id)
    return _make_shown(replace(found, id=id), name, len(data))


def blob(one: Blob) -> Shown | None:
    """Return a blob as a result to show, as `file` does."""
    found = media.recognise(one.body, one.id)
    return _make_shown(found, one.gist, len(one.body)) if found else None


def _make_shown(what: Media, name: str, size: int) -> Shown:
    return Shown(what, f"{escape.one_line(name, 200)}: {media.words(what)}, {amount(size)}")


def describe(shown: Shown) -> str:
    """Return a line on the picture, PDF or sound for a result that also has text."""
    return context.described(shown.gist, shown.what.id).decode()


def senses(home: Home, provider: str, model: str) -> Senses:
    """Return which media this model of the provider can read, if its process published that."""
    told = provider_status.published(home).get(provider, {})
    if model and model != told.get("model"):
        others = told.get("sights")
        return make_senses(others.get(model) if isinstance(others, dict) else None)
    return make_senses(told.get("sees"))


def last(home: Home, path: Path, until: int | None = None) -> Senses:
    """Return which media the model of the last answer can read, in this LIFE or before a byte offset."""
    at = log.last_offset(path, Reply.WORD, until)
    answer = None if at is None else events.parse(next(log.lines(path, at)))
    told = answer.told if isinstance(answer, Reply) else {}
    model = told.get("model", "-")
    return senses(home, told.get("provider", ""), "" if model == "-" else model)
