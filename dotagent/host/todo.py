"""Whether a life that sleeps has something to do: a message that is its to answer, a job, an answer, a turn it is in.

It looks at files alone, and at those of LIFE and rooms only where they changed. Owns nothing on disk.
"""

from __future__ import annotations

from collections.abc import Iterator

from dotagent.errors import Misuse
from dotagent.life import replay, woken
from dotagent.life.state import State
from dotagent.store import disk, home, listed, lives, rooms, supervised
from dotagent.store.home import Home, Settings
from dotagent.store.rooms import Message
from dotagent.store.watch import Changed
from dotagent.text.reference import short


class Sleeper:
    """A life as it lies asleep: where its LIFE stands, and which links it had when it last left."""

    def __init__(self, where: Home, self_id: str) -> None:
        self._home, self.id = where, self_id
        self._path = where.agent(self_id)
        self._changed, self._state, self._open = Changed(), State(), False
        self._links: frozenset[str] | None = None

    @property
    def state(self) -> State:
        """Where its LIFE stands."""
        if self._changed.look(self._path / "LIFE.md"):
            self._state = replay.standing(self._home, self.id)
            self._open = not replay.is_done(self._home.store(), self._state.turn)
        return self._state

    def started(self) -> None:
        """It was started: what its links are now it has looked at."""
        self._links = self._linked()

    def why(self, settings: Settings) -> str:
        """What it has to do, in words; "" for nothing."""
        state = self.state
        turn, room = state.turn, ""
        if not state.audience:
            return "it has not begun"
        if turn.call or turn.effect or turn.waits or turn.unanswered or turn.untold or self._open:
            return "a turn it was in"
        if any((self._path / "due").glob("*.json")):
            return "a job"
        if any(one.goes_on for one in woken.works(state.heard).values()):
            return "a helper of its"
        compaction = state.forgetting.compaction
        if compaction and (compaction.call or any(compaction.out)):
            return "an answer"
        known = frozenset(state.heard.rooms) if self._links is None else self._links
        if known != self._linked():
            return "another room"
        if number := next(self._ended(state), 0):
            return f"process {number} ended"
        room = next((name for name in sorted(state.heard.rooms) if self._called(name, settings)), "")
        return f"a message in {room}" if room else ""

    def _linked(self) -> frozenset[str]:
        return frozenset(path.stem for path in (self._path / "subs").glob("*.md"))

    def _ended(self, state: State) -> Iterator[int]:
        folder = self._path / "processes"
        if folder.is_dir():
            told = set(state.heard.ended)
            for one in supervised.numbers(folder):
                if (
                    one not in told
                    and supervised.ended(folder / str(one))
                    and not (folder / str(one) / "quiet").exists()
                ):
                    yield one

    def _called(self, room: str, settings: Settings) -> bool:
        """Whether something was said there since it last heard, which is for it to answer."""
        path, position = self._home.room(room), self._state.heard.rooms[room]
        try:
            if not disk.is_file(path) or path.stat().st_size == position.offset:
                return False
            if rooms.audience(path, home.owner(settings)) != self._state.audience:
                return False
            said = self._since(room)
        except (OSError, Misuse):
            return False
        there = lives.of(self._home, room)
        if not said or not there:
            return False
        if chosen := listed.whose(room, settings.agents):
            return self.id.startswith(chosen)
        awake = lives.awake(self._home, room)
        words = " ".join(message.text for message in said)
        return lives.answering(awake + there, words) == self.id and self.id not in awake

    def _since(self, room: str) -> list[Message]:
        """What others said there that it has not heard; nothing where the room was written anew."""
        position, said = self._state.heard.rooms[room], list[Message]()
        while found := rooms.read(self._home.room(room), position):
            messages, position = found
            said += [one for one in messages if not (one.kind == "AGENT" and one.name == short(self.id))]
            if said or not messages:
                break
        return said
