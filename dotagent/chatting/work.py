"""What the agents of a room do between a question and its answer, as their LIFEs tell it: tool, argument, seconds.

It reads what an agent has written anyway, in this process: an agent neither knows nor waits. Owns nothing on disk.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from dotagent import extensions
from dotagent.life import events
from dotagent.life.events import Ask, Did, Fail, Reply, Result, Sleep
from dotagent.store import home, lives, log
from dotagent.store.blobs import BlobCorrupt, BlobMissing
from dotagent.store.home import Home
from dotagent.store.log import Line
from dotagent.store.watch import Watcher
from dotagent.text import escape, grammar, times
from dotagent.text.grammar import ToolCall
from dotagent.text.reference import short

ARGUMENT = 40  # characters of a call that are shown
NAMED = 3  # calls that a folded line names
ASIDE = " (aside):"
LONGEST = 2000  # characters of the words beside calls that are shown


@dataclass
class _Turn:
    """What is known of an agent's turn for this room: the reply's calls, and those of the turn that are done."""

    offset: int
    here: bool = False
    calls: tuple[ToolCall, ...] = ()
    at: str = ""  # when the last thing happened: then the next began
    read: bool = False  # a call of this reply showed something: it will be asked about
    done: list[str] = field(default_factory=list)
    seconds: float = 0.0


class Work:
    """The turns of all agents that hear one room."""

    def __init__(self, where: Home, room: str) -> None:
        self._home, self._room, self._store = where, room, where.store()
        self._turns: dict[str, _Turn] = {}

    def watch(self, watcher: Watcher) -> None:
        """Find who hears the room, and wake when one of them writes down what it does."""
        for one in home.lives(self._home):
            if lives.hears(self._home, one, self._room):
                with suppress(OSError):
                    watcher.content(self._life(one))
                    if one not in self._turns:
                        self._turns[one] = _Turn(log.last_offset(self._life(one), Ask.WORD) or 0)
                        self._read(one)  # what it did so far is no news

    def look(self) -> list[str]:
        """What is over since the last look: words beside calls, `<agent>ASIDE …`, and, a line each,
        what was done in turns that ended without a word."""
        return [f"{short(one)}{text}" for one in self._turns for text in self._read(one)]

    def fold(self, agent: str) -> str:
        """All that the agent of this short id has done since the last fold, as one line; "" for nothing."""
        for one, turn in self._turns.items():
            if short(one) == agent and (text := _folded(turn)):
                return f"{agent}{text}"
        return ""

    def current(self) -> list[str]:
        """A line for each agent that is at work: what it did in this turn, and what it does."""
        found = []
        for one, turn in self._turns.items():
            if not (turn.here and (turn.calls or turn.done) and lives.runs(self._home, one)):
                continue
            if call := _due(turn):
                since = _seconds(turn.at, times.now())
                before = f" · after {turn.done[-1]}" if turn.done else ""
                found.append(f"{short(one)} · {since:.0f} s · {_brief(call)} …{before}")
            elif turn.done:
                found.append(f"{short(one)} · {_listed(turn)}")
        return found

    def _life(self, one: str) -> Path:
        return self._home.agent(one) / "LIFE.md"

    def _read(self, one: str) -> list[str]:
        """Follow the life to its end."""
        turn, told = self._turns[one], list[str]()
        try:
            for line in log.lines(self._life(one), turn.offset):
                told += self._follow(turn, line)
                turn.offset = line.end
        except OSError:  # it went, or is no file: whoever starts the agent is told
            return told
        return told

    def _follow(self, turn: _Turn, line: Line) -> list[str]:
        match events.parse(line):
            case Ask(room=room):
                turn.here, turn.calls = room == self._room, ()
            case Reply(told=given) if turn.here:
                return self._reply(turn, line, given.get("finish") == "length")
            case Did(tool=tool) | Result(tool=tool) as ended if turn.calls and turn.calls[0].name == tool:
                _end(turn, line, ended)
                return [text] if not turn.calls and not turn.read and (text := _folded(turn)) else []
            case Fail() | Sleep():
                turn.calls = ()
                return [text] if (text := _folded(turn)) else []
        return []

    def _reply(self, turn: _Turn, line: Line, cut: bool) -> list[str]:
        """The calls of a reply; what it says beside them is shown as such."""
        try:
            body = self._store.get(line.id).body.decode("utf-8", "replace")
        except (BlobMissing, BlobCorrupt, OSError):  # doctor tells of it
            return []
        reading = grammar.read(body, extensions.tools(), cut)
        turn.calls, turn.at, turn.read = reading.calls, line.at, False
        if not (reading.calls and reading.text):
            return []
        words = escape.head_and_tail(escape.printable(reading.text), LONGEST, "[…]")
        return [*filter(None, [_folded(turn)]), f"{ASIDE} {escape.indent(words).lstrip()}"]


def _end(turn: _Turn, line: Line, ended: Did | Result) -> None:
    """The call that was due is done."""
    call, took = turn.calls[0], _seconds(turn.at, line.at)
    if not extensions.tools().speaks(call):
        failed = isinstance(ended, Result) and ended.how == "error"
        turn.done.append(_brief(call) + (" (failed)" if failed else ""))
        turn.seconds += took
    turn.calls, turn.at = turn.calls[1:], line.at
    turn.read = turn.read or isinstance(ended, Result)


def _seconds(begin: str, end: str) -> float:
    """How long that was; 0 for a clock that stepped back, and for a time that is none."""
    try:
        return max(0.0, (times.parse(end) - times.parse(begin)).total_seconds())
    except ValueError:  # a line that somebody wrote by hand
        return 0.0


def _due(turn: _Turn) -> ToolCall | None:
    call = turn.calls[0] if turn.calls else None
    return call if call and not extensions.tools().speaks(call) else None  # to speak shows by itself


def _brief(call: ToolCall) -> str:
    return escape.one_line(f"{call.name} {call.args}", ARGUMENT)


def _listed(turn: _Turn) -> str:
    more = len(turn.done) - NAMED
    named = [*turn.done[:NAMED], *([f"{more} more"] if more > 0 else [])]
    return " · ".join([f"{turn.seconds:.1f} s", *named])


def _folded(turn: _Turn) -> str:
    """What was done as one line, and forgotten."""
    if not turn.done:
        return ""
    text = f" · {_listed(turn)}"
    turn.done, turn.seconds = [], 0.0
    return text
