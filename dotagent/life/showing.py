"""Pictures, PDFs and sound in a life: what a tool shows as one, and what the model that answers it sees of such.

The blob is the original, which LIFE and requests name and nobody copies. Reads `calls/providers.json`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from dotagent.life.events import Did, Result
from dotagent.life.session import Session
from dotagent.store import launch
from dotagent.store.blobs import Blob
from dotagent.store.home import Home
from dotagent.text import escape, media, times
from dotagent.text.media import Media, Senses
from dotagent.text.sizes import amount


@dataclass(frozen=True)
class Shown:
    """What a tool shows that is no text: a blob, and what it is, in words and for whoever can see it."""

    what: Media
    gist: str
    by: str = ""


@dataclass(frozen=True)
class Worded:
    """What a tool shows in words that are not simply its result: `how` it went, `by` whom they are (origins.py)."""

    words: bytes
    how: str = "ok"
    by: str = ""


def file(session: Session, name: str, data: bytes) -> Shown | None:
    """A file as a tool shows it; None for one that is no picture, PDF or sound."""
    found = media.look(data)
    if not found:
        return None
    id = session.store.put(data, at=times.now(), gist=name, parent=session.state.turn.reply, agent=session.id)
    return _shown(replace(found, id=id), name, len(data))


def blob(one: Blob) -> Shown | None:
    """A blob as a tool shows it, as `file`."""
    found = media.look(one.body, one.id)
    return _shown(found, one.gist, len(one.body)) if found else None


def _shown(what: Media, name: str, size: int) -> Shown:
    return Shown(what, f"{escape.one_line(name, 200)}: {media.words(what)}, {amount(size)}")


def record(session: Session, tool: str, shown: bytes | Shown | Worded | None) -> None:
    """Record that a call is done, and what it showed."""
    if isinstance(shown, Worded):
        session.record(Result(tool, shown.how, by=shown.by), shown.words)
    elif isinstance(shown, Shown):
        session.record(Result(tool, media=str(shown.what), by=shown.by), id=shown.what.id, gist=shown.gist)
    else:
        session.record(Did(tool) if shown is None else Result(tool), shown)


def see(session: Session, model: str) -> None:
    """Let what the context shows have the size that it has for the model which answers (`model`, empty for the
    provider's usual one)."""
    if any(one.media for one in session.entries):
        session.see(senses(session.home, session.provider, model))


def senses(home: Home, provider: str, model: str) -> Senses:
    """What this model of the provider sees and hears, as far as the provider's process told."""
    told = launch.published(home).get(provider, {})
    if model and model != told.get("model"):
        others = told.get("sights")
        return media.sight(others.get(model) if isinstance(others, dict) else None)
    return media.sight(told.get("sees"))
