"""The events of an agent for its owner's hooks: each becomes a file for the hooks' process, so that the agent need not
wait.

Writes events with event_queue.py, if a hook in settings wants them.
"""

from __future__ import annotations

from dotagent.capabilities.hooks import event_queue
from dotagent.life import events
from dotagent.life.compaction_events import Fade, Segment
from dotagent.life.events import Error, Fail, Hear, Reply, Resume
from dotagent.life.session import Session
from dotagent.store import hooks
from dotagent.store.blobs import BlobCorrupt, BlobMissing
from dotagent.store.log import Line
from dotagent.text import tag
from dotagent.text.reference import short

TEXT = 10_000  # characters of a message that a hook gets


class HookListener:
    """The hooks of one agent, by the settings of this process."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._wanted = {event for hook in hooks.commands(session.settings.hooks) for event in hook.on}
        self._replied, self._full = "", False

    def rest(self) -> None:
        """Report the end of a turn with a reply; called when no work is left."""
        if self._replied:
            room, self._replied = self._session.state.turn.room, ""
            self._tell("turn", {"room": room})

    def hear(self, line: Line) -> None:
        """Report the event, if a hook wants it."""
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
            full = not event_queue.put(session.path, told)
            event_queue.serve(session.home, session.id)
        except OSError:  # writing LIFE reports a full disk; a hook never delays the agent
            return
        if full and not self._full:
            self._wanted.discard("error")  # otherwise this error would wait as an event, too
            session.record(
                Error(
                    f"hooks are too slow: {event_queue.MOST} events are waiting, so dotagent does not pass further "
                    "events to hooks"
                )
            )
        self._full = full
