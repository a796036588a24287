"""What of a life its person's hooks hear: each event is a file for the hooks' process, and the life goes on.

Writes events by store/hooked.py, and only those that a hook in settings wants.
"""

from __future__ import annotations

from collections.abc import Callable

from dotagent.life import events
from dotagent.life.events import Error, Fade, Fail, Hear, Reply, Resume, Segment
from dotagent.life.session import Session
from dotagent.store import hooked, hooks
from dotagent.store.blobs import BlobCorrupt, BlobMissing
from dotagent.store.log import Line
from dotagent.text import tag
from dotagent.text.reference import short

TEXT = 10_000  # characters of a message that a hook is given


class Hooks:
    """The hooks of one life, as this process knows its settings."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._wanted = {event for hook in hooks.commands(session.settings.hooks) for event in hook.on}
        self._replied, self._full = "", False

    def beside(self, listen: Callable[[Line], None]) -> Callable[[Line], None]:
        """Hear what happens, beside whoever listens."""
        if not self._wanted:
            return listen

        def both(line: Line) -> None:
            listen(line)
            self._hear(line)

        return both

    def over(self) -> None:
        """Nothing is left to do: a turn in which the model said something is over."""
        if self._replied:
            room, self._replied = self._session.state.turn.room, ""
            self._tell("turn", {"room": room})

    def _hear(self, line: Line) -> None:
        match events.parse(line):
            case events.Boot() | Resume():
                self._tell("boot", {"resumed": line.event == Resume.WORD})
            case Hear(room=room, who=who):
                self._tell("message", {"room": room, "who": who, "text": self._text(line.id)})
            case Reply():
                self._replied = line.id if "turn" in self._wanted else ""
            case Segment(why=why):
                self._tell("fade", {"why": why})
            case Fade(why="force"):
                self._tell("fade", {"why": "force"})
            case Error(text=text):
                self._tell("error", {"text": text})
            case Fail(kind=kind):
                self._tell("error", {"text": line.gist or kind})

    def _text(self, id: str) -> str:
        try:
            return tag.words(self._session.store.get(id).body.decode("utf-8", "replace"))[:TEXT].strip()
        except (BlobMissing, BlobCorrupt) as lost:
            return str(lost)

    def _tell(self, event: str, more: dict[str, object]) -> None:
        session = self._session
        if event not in self._wanted:
            return
        heard = [session.state.audience, "bridged" if session.state.heard.bridged else ""]
        told = {"event": event, "agent": short(session.id), "at": session.next(), **more, "heard": heard}
        try:
            full = not hooked.put(session.path, told)
            hooked.serve(session.home, session.id)
        except OSError:  # a full disk is told by LIFE's own writing, and a hook is never in the way
            return
        if full and not self._full:
            self._wanted.discard("error")  # its own error is none of the events that wait
            session.record(Error(f"hooks: {hooked.MOST} events wait, and what comes is not told to them"))
        self._full = full
