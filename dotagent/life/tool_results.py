"""The module of a tool, and its results in LIFE: text, pictures, PDFs, sounds and errors. Owns nothing on disk."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from dotagent import extensions
from dotagent.errors import Trouble
from dotagent.life.events import Did, Result
from dotagent.life.session import Leaving, Session
from dotagent.text import escape
from dotagent.text.grammar import ToolCall
from dotagent.text.lazy import dataclass

if TYPE_CHECKING:  # many agents see no media
    from dotagent.text.media import Media

T = TypeVar("T")


class ToolError(Trouble):
    """A tool's failure. The text tells the model what went wrong and what to do instead; `by` says whose words it
    quotes, if any."""

    def __init__(self, text: str, by: str = "") -> None:
        super().__init__(text)
        self.by = by


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


def load_tool(call: ToolCall) -> Any:
    """Return the tool's module. Raises ToolError if a plug-in cannot be loaded."""
    return guard(call.name, lambda: extensions.load("tools", call.name.lower()))


def guard(name: str, do: Callable[[], T]) -> T:
    """Return the result of `do`. An error in a plug-in becomes a ToolError and does not end the process."""
    try:
        return do()
    except (Trouble, OSError, Leaving):
        raise
    except Exception as fault:  # noqa: BLE001 a plugin may raise anything
        failed = fault
    if not extensions.is_added("tools", extensions.file_name(name)):
        raise failed
    told = escape.one_line(f"{type(failed).__name__}: {failed}", 300)
    raise ToolError(f"{name.upper()} failed because of a bug that its author must fix: {told}") from failed
