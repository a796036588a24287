"""Check if a stopped agent has something to do: a message to answer, a job, a model's answer or an unfinished turn.

It only reads files. It owns nothing on disk.
"""

from __future__ import annotations

from collections.abc import Iterator

from dotagent.capabilities.supervisor.sleep import Asleep
from dotagent.capabilities.supervisor.stopped import calls
from dotagent.errors import Misuse
from dotagent.life import finished_turns, replay
from dotagent.life.background_events import works
from dotagent.life.state import State
from dotagent.processes import background
from dotagent.store import disk, home, lives, named_agents, room_answering, rooms
from dotagent.store.home import Home, Settings
from dotagent.store.rooms import Message, Position
from dotagent.text.reference import short


class Sleeper:
    """A stopped agent, and its links to rooms at its last start."""

    def __init__(self, where: Home, self_id: str) -> None:
        self._home, self.id = where, self_id
        self._path = where.agent(self_id)
        self._links: frozenset[str] | None = None

    def started(self) -> None:
        """Record a start: the agent has now seen its present links."""
        self._links = self._linked()

    def why(self, settings: Settings, asleep: Asleep | None = None) -> str:
        """Return in words why the agent must start, or "" if it has nothing to do. If `asleep` knows its files in this
        state, LIFE is not read."""
        # taken before LIFE is read, so that later changes show
        seen = asleep.see(self.id, settings) if asleep else None
        if asleep and asleep.rests(self.id, seen):
            return ""
        state = replay.standing(self._home, self.id)
        why = self._why(state, settings)
        if asleep and not why and self._heard_all(state):
            asleep.keep(self.id, seen)
        return why

    def _heard_all(self, state: State) -> bool:
        """Return True if only the agent's own files and rooms can give it something to do. Otherwise settings, helpers
        or neighbours could: it may have to answer a message that a neighbour leaves."""
        if works(state.heard) or frozenset(state.heard.rooms) != self._linked():
            return False
        try:
            return all(self._since(room, position) == [] for room, position in state.heard.rooms.items())
        except OSError:
            return False

    def _why(self, state: State, settings: Settings) -> str:
        turn = state.turn
        if not state.audience:
            return "the agent has never run"
        if turn.call or turn.effect or turn.waits or turn.unanswered or turn.untold:
            return "an unfinished turn"
        if not finished_turns.is_done(self._home.store(), turn):
            return "an unfinished turn"
        if why := calls(self._home, settings, self.id):
            return why
        if "helpers" in settings.capabilities and any(one.goes_on for one in works(state.heard).values()):
            return "a helper of the agent"
        compaction = state.forgetting.compaction
        if compaction and (compaction.call or any(compaction.out)):
            return "an answer"
        known = frozenset(state.heard.rooms) if self._links is None else self._links
        if known != self._linked():
            return "another room"
        if number := next(self._ended(state), 0):
            return f"process {number} ended"
        room = next((name for name in sorted(state.heard.rooms) if self._called(state, name, settings)), "")
        return f"a message in {room}" if room else ""

    def _linked(self) -> frozenset[str]:
        return frozenset(lives.subscribed(self._path))

    def _ended(self, state: State) -> Iterator[int]:
        folder = self._path / "processes"
        if folder.is_dir():
            told = set(state.heard.ended)
            for one in background.numbers(folder):
                if (
                    one not in told
                    and background.describe_end(folder / str(one))
                    and not (folder / str(one) / "quiet").exists()
                ):
                    yield one

    def _called(self, state: State, room: str, settings: Settings) -> bool:
        """Return True if the room contains an unread message that this agent must answer."""
        path, position = self._home.room(room), state.heard.rooms[room]
        try:
            owner = home.owner(settings)
            if not disk.is_file(path) or path.stat().st_size == position.offset:
                return False
            if rooms.audience(path, owner) != state.audience:
                return False
            said = self._since(room, position)
        except (OSError, Misuse):
            return False
        if said is None:
            return True  # someone edited the room before its end, and only the agent can find the new messages
        if not said:
            return False
        there = lives.find_agents(self._home, room, owner)  # listing all agents is slow: do it only when needed
        if not there:
            return False
        if chosen := named_agents.find_table(room, settings.agents):
            return self.id.startswith(chosen)
        awake = lives.awake(self._home, room, owner)
        words = " ".join(message.text for message in said)
        return room_answering.answering(self._home, settings, awake + there, words) == self.id and self.id not in awake

    def _since(self, room: str, position: Position) -> list[Message] | None:
        """Return the messages of others after a position in the room, or None if the position has moved."""
        said = list[Message]()
        while True:
            found = rooms.read(self._home.room(room), position, exact=True)
            if found is None:
                return None
            messages, position = found
            said += [one for one in messages if not (one.kind == "AGENT" and one.name == short(self.id))]
            if said or not messages:
                break
        return said
