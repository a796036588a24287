"""The results of tools in LIFE: text, pictures, PDFs and sounds. Owns nothing on disk."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dotagent.life.events import Did, Result
from dotagent.life.session import Session
from dotagent.text.lazy import dataclass

if TYPE_CHECKING:  # many agents see no media
    from dotagent.text.media import Media


@dataclass(frozen=True)
class Shown:
    """A tool's result that is not text: a blob with its kind, and a description."""

    what: Media
    gist: str
    by: str = ""


@dataclass(frozen=True)
class Worded:
    """A tool's result with a special status: `how` it went, and `by`, the origin of its text (origins.py). `media` are
    pictures, PDFs and sounds that the model sees after the text, as LIFE lists them."""

    words: bytes
    how: str = "ok"
    by: str = ""
    media: str = ""


def record(session: Session, tool: str, shown: bytes | Shown | Worded | None) -> None:
    """Record the end of a call, with its result."""
    if isinstance(shown, Worded):
        session.record(Result(tool, shown.how, media=shown.media, by=shown.by), shown.words)
    elif isinstance(shown, Shown):
        session.record(Result(tool, media=str(shown.what), by=shown.by), id=shown.what.id, gist=shown.gist)
    else:
        session.record(Did(tool) if shown is None else Result(tool), shown)
