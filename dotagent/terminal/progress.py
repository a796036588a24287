"""The work of a room's agents between a question and its answer, from their LIFEs: tools, arguments, seconds.

It only reads what agents write anyway, so agents do not wait for it. Owns nothing on disk.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from dotagent import extensions
from dotagent.life import events
from dotagent.life.events import Ask, Did, Error, Fail, Reply, Result, Sleep
from dotagent.store import home, lives, log
from dotagent.store.blobs import BlobCorrupt, BlobMissing
from dotagent.store.home import Home
from dotagent.store.log import Line
from dotagent.store.watch import Watcher
from dotagent.text import escape, grammar, times
from dotagent.text.grammar import ToolCall
from dotagent.text.reference import short

ARGUMENT = 40  # characters of a call that are shown
SHOWN = 1000  # characters of an error that are shown
NAMED = 3  # calls named in a summary line


@dataclass
class _Turn:
    """An agent's turn for this room: the reply's calls, and the finished calls of the turn."""

    offset: int
    here: bool = False
    calls: tuple[ToolCall, ...] = ()
    at: str = ""  # when the previous step ended and the next began
    read: bool = False  # a call of this reply had a result, so the model will be asked again
    done: list[str] = field(default_factory=list)
    seconds: float = 0.0


class Work:
    """The turns of all agents in one room."""

    def __init__(self, where: Home, room: str) -> None:
        self._home, self._room, self._store = where, room, where.store()
        self._turns: dict[str, _Turn] = {}
        self._wrong: list[str] = []

    def watch(self, watcher: Watcher) -> None:
        """Find the agents in the room, and wake when one of them records an event."""
        for one in home.lives(self._home):
            if lives.is_subscribed(self._home, one, self._room):
                with suppress(OSError):
                    watcher.content(self._life(one))
                    if one not in self._turns:
                        self._turns[one] = _Turn(log.last_offset(self._life(one), Ask.WORD) or 0)
                        self._read(one)  # skip earlier work
                        self._wrong = []

    def look(self) -> list[str]:
        """Return a line of finished work for each turn that ended without a message since the last call."""
        return [f"{short(one)}{text}" for one in self._turns for text in self._read(one)]

    def wrong(self) -> list[str]:
        """Return a line for each error of the agents since the last call."""
        told, self._wrong = self._wrong, []
        return told

    def fold(self, agent: str) -> str:
        """Return a line with the work of the agent with this short id since the last fold, or ""."""
        for one, turn in self._turns.items():
            if short(one) == agent and (text := _folded(turn)):
                return f"{agent}{text}"
        return ""

    def current(self) -> list[str]:
        """Return a line for each working agent: its finished steps and the current one."""
        found = []
        for one, turn in self._turns.items():
            if not (turn.here and (turn.calls or turn.done) and lives.runs(self._home, one)):
                continue
            call = turn.calls[0] if turn.calls else None
            if call and not extensions.tools().speaks(call):  # a message is visible by itself
                since = _seconds(turn.at, times.now())
                before = f" · after {turn.done[-1]}" if turn.done else ""
                found.append(f"{short(one)} · {since:.0f} s · {_brief(call)} …{before}")
            elif turn.done:
                found.append(f"{short(one)} · {_format_turn(turn)}")
        return found

    def _life(self, one: str) -> Path:
        return self._home.agent(one) / "LIFE.md"

    def _read(self, one: str) -> list[str]:
        """Read the agent's LIFE to its end."""
        turn, told = self._turns[one], list[str]()
        try:
            for line in log.lines(self._life(one), turn.offset):
                told += self._follow(turn, line)
                self._wrong += [f"{short(one)}: {why}" for why in self._error(line)]
                turn.offset = line.end
        except OSError:  # a missing file is reported when the agent is started
            return told
        return told

    def _follow(self, turn: _Turn, line: Line) -> list[str]:
        match events.parse(line):
            case Ask(room=room):
                turn.here, turn.calls = room == self._room, ()
            case Reply(told=given) if turn.here:
                self._reply(turn, line, given.get("finish") == "length")
            case Did(tool=tool) | Result(tool=tool) as ended if turn.calls and turn.calls[0].name == tool:
                _end(turn, line, ended)
                return [text] if not turn.calls and not turn.read and (text := _folded(turn)) else []
            case Fail() | Sleep():
                turn.calls = ()
                return [text] if (text := _folded(turn)) else []
        return []

    def _error(self, line: Line) -> list[str]:
        """Return an error of the agent, or the reason why it could not send a message to this room."""
        match events.parse(line):
            case Error(text=text):
                return [escape.one_line(text, SHOWN)]
            case Result(tool=tool, how="error") if extensions.tools().speaks(ToolCall(tool, "", None)):
                with suppress(BlobMissing, BlobCorrupt, OSError):
                    why = self._store.get(line.id).body.decode("utf-8", "replace")
                    return [f"the agent could not send a message: {escape.one_line(why, SHOWN)}"]
        return []

    def _reply(self, turn: _Turn, line: Line, cut: bool) -> None:
        try:
            body = self._store.get(line.id).body.decode("utf-8", "replace")
        except (BlobMissing, BlobCorrupt, OSError):  # doctor reports it
            return
        turn.calls, turn.at, turn.read = grammar.read(body, extensions.tools(), cut).calls, line.at, False


def _end(turn: _Turn, line: Line, ended: Did | Result) -> None:
    call, took = turn.calls[0], _seconds(turn.at, line.at)
    if not extensions.tools().speaks(call):
        failed = isinstance(ended, Result) and ended.how == "error"
        turn.done.append(_brief(call) + (" (failed)" if failed else ""))
        turn.seconds += took
    turn.calls, turn.at = turn.calls[1:], line.at
    turn.read = turn.read or isinstance(ended, Result)


def _seconds(begin: str, end: str) -> float:
    """Return the seconds between two times, or 0 if a time is invalid or the clock went back."""
    try:
        return max(0.0, (times.parse(end) - times.parse(begin)).total_seconds())
    except ValueError:  # an edited line
        return 0.0


def _brief(call: ToolCall) -> str:
    return escape.one_line(f"{call.name} {call.args}", ARGUMENT)


def _format_turn(turn: _Turn) -> str:
    more = len(turn.done) - NAMED
    named = [*turn.done[:NAMED], *([f"{more} more"] if more > 0 else [])]
    return " · ".join([f"{turn.seconds:.1f} s", *named])


def _folded(turn: _Turn) -> str:
    """Return the finished work as one line, and clear it."""
    if not turn.done:
        return ""
    text = f" · {_format_turn(turn)}"
    turn.done, turn.seconds = [], 0.0
    return text
