"""The context of an agent at any moment of its LIFE, derived by `life/replay.py`.

A scene is the part of LIFE between two swaps: it begins with the context that the swap left, and each line adds at most
one entry. So a scene shows all of its moments at once, and the swap's snapshot is its first picture. Owns nothing on
disk. The last viewed scenes stay in memory, except during and after a permanent deletion.
"""

from __future__ import annotations

import os
import re
from bisect import bisect_left
from collections.abc import Sequence
from pathlib import Path

from dotagent import extensions
from dotagent.capabilities.view import keyframes
from dotagent.capabilities.view.keyframes import Keyframes
from dotagent.erasure import ledger
from dotagent.errors import Misuse
from dotagent.life import events, heads, media_results, replay
from dotagent.life.background_events import Ended, Returned
from dotagent.life.compaction_events import Faint, Wishes
from dotagent.life.context import Entry
from dotagent.life.events import Boot, Daily, Document, Faded, Hear, Join, Recent, Reply, Result
from dotagent.life.fold import sized
from dotagent.life.replay import Step
from dotagent.life.state import State
from dotagent.store import disk, log, log_search
from dotagent.store.home import Home
from dotagent.store.log import Line
from dotagent.text import escape, passages
from dotagent.text.grammar import ToolCall
from dotagent.text.lazy import dataclass, replace

KINDS = {
    "soul": (Boot,),
    "documents": (Document, Daily, Wishes, Recent),
    "heard": (Hear, Join, Returned),
    "said": (Reply,),
    "tool": (Result, Ended),
    "summary": (Faded,),
    "reminder": (Faint,),
}
"""The kinds of blocks, by the events that make them. All other entries are remarks of dotagent."""
REMARK = "remark"
KIND = {event.WORD: kind for kind, several in KINDS.items() for event in several} | {"WAKE": "heard"}
NAMED = (Hear.WORD, Result.WORD)  # events that say whose words an entry is
OWN = (Wishes.WORD, Recent.WORD, Faint.WORD)  # texts of dotagent, whose gist says only what they are
REFERENCE = re.compile(r"◱hash=([0-9a-f]+) gist=([^◱◲]*)◲")
CALL = re.compile(r"([A-Z_]+) \S+ (?:<<\S+ )?(?=\S)")  # the call before the words of an answer
WORDS = 120  # characters of the beginning of a block
GONE = passages.MARK[:-1].encode()
KNOWN = 12  # scenes that stay in memory


@dataclass(frozen=True)
class ContextBlock:
    """An entry of the context, as the page draws it.

    `size` are its tokens before the correction by the provider's counts. It stands for the entries `number` to `last`,
    which are several only for a summary. `gone` means that some of its content was forgotten permanently, or is lost.
    """

    number: int
    last: int
    kind: str
    event: str
    size: int
    id: str
    at: str
    who: str
    words: str
    gone: bool
    bare: bool


@dataclass(frozen=True)
class Frame:
    """The context at one moment: after the line of LIFE that ends at the byte offset `end`."""

    end: int
    line: Line
    state: State
    entries: tuple[Entry, ...]
    limit: int

    @property
    def blocks(self) -> list[ContextBlock]:
        """Return the entries as blocks."""
        return [block(entry) for entry in self.entries]

    def tokens(self, entry: Entry) -> int:
        """Return the tokens of an entry, as the command `context` shows them."""
        return int(entry.tokens * self.state.model.ratio)


@dataclass(frozen=True)
class Scene:
    """The part of LIFE from one swap (or the birth) to the next: the byte offsets of its begin and end, the entries at
    its begin, and its readable lines."""

    begin: int
    end: int
    first: tuple[Entry, ...]
    steps: tuple[Step, ...]
    setting: int

    def all(self) -> list[Entry]:
        """Return every entry that is in the context at some moment of the scene."""
        return [*self.first, *(step.entry for step in self.steps if step.entry)]

    def frame(self, offset: int) -> Frame:
        """Return the context after the last line that ends at or before this byte offset, or after the first line."""
        past = [step for step in self.steps if isinstance(step.line, Line) and step.line.end <= offset]
        past = past or list(self.steps[:1])
        last = past[-1]
        assert isinstance(last.line, Line)
        entries = (*self.first, *(step.entry for step in past if step.entry))
        return Frame(last.line.end, last.line, last.state, entries, replay.limit(self.setting, last.state))


class Scenes:
    """The scenes of a home's agents, with the last ones in memory."""

    def __init__(self, where: Home, limit: int) -> None:
        self.where, self.limit = where, limit
        self._known = dict[tuple[str, int], Scene]()
        self._swaps = dict[str, Keyframes]()
        self._forgot = self.mark()

    def at(self, self_id: str, offset: int) -> Scene:
        """Return the scene with the moment at this byte offset of LIFE. Raises Misuse if the agent has no event."""
        if (now := self.mark()) != self._forgot or ledger.is_unfinished(self.where):
            self._known.clear()
            self._forgot = now
        begin, stop, _ = self.bounds(self_id, offset)
        known = self._known.pop((self_id, begin), None)
        found = known if known and known.end == stop else _scene(self.where, self.limit, self_id, begin, stop, known)
        self._known[self_id, begin] = found
        for old in list(self._known)[:-KNOWN]:
            self._known.pop(old, None)
        return found

    def bounds(self, self_id: str, offset: int) -> tuple[int, int, bool]:
        """Return the byte offsets of the begin and the end of the scene at this byte offset, and whether a swap ended
        it. Raises Misuse if the agent has no event."""
        _, begins, end = self.swaps(self_id)
        if not end:
            raise Misuse("this agent has no events yet")
        place = bisect_left(begins, offset)
        ended = place < len(begins)
        return begins[place - 1] if place else 0, begins[place] if ended else end, ended

    def swaps(self, self_id: str) -> tuple[Sequence[Line], Sequence[int], int]:
        """Return all swaps of an agent, the byte offset of each, and that of the end of LIFE. Only new lines are
        read."""
        now = keyframes.read(self.where.agent(self_id), self._swaps.get(self_id, Keyframes()))
        self._swaps[self_id] = now
        return now.lines, now.begins, now.end

    def mark(self) -> tuple[int, int]:
        """Return what changes when something was forgotten permanently."""
        record = self.where.root / ledger.FILE
        there = os.stat(record) if disk.is_file(record) else None
        return (there.st_ino, there.st_size) if there else (0, 0)


def _scene(where: Home, limit: int, self_id: str, begin: int, stop: int, known: Scene | None) -> Scene:
    """Derive a scene, or continue the `known` one, which ends earlier. If the swap at its begin is unreadable, an
    earlier one counts, and the entries since then."""
    path = where.agent(self_id) / "LIFE.md"
    if known and _continues(path, known, stop):
        first, found = list(known.first), list(known.steps)
        steps = replay.steps(where.store(), log.read(path, known.end), found[-1].state, limit, stop, sized)
    else:
        (_, first), steps = replay.read_since_swap(where, self_id, limit, stop, stop, sized)
        found = []
    sight = media_results.last(where, path, stop)
    for step in steps:
        if isinstance(step.line, Line) and step.line.end > begin:
            found.append(step)
        elif step.entry:
            first.append(step.entry)
    other = found[-1].state.model.other if found else 1.0
    first = [one.weighed(sight, other) for one in first]
    weighed = [step.entry and step.entry.weighed(sight, other) for step in found]
    found = [step if step.entry is one else replace(step, entry=one) for step, one in zip(found, weighed, strict=True)]
    return Scene(begin, stop, tuple(first), tuple(found), limit)


def _continues(path: Path, known: Scene, stop: int) -> bool:
    """Return True if LIFE has more lines after this scene, whose last line is where it was."""
    last = known.steps[-1].line if known.steps else 0
    return isinstance(last, Line) and known.end < stop and log_search.has_event_at(path, known.end, last.at)


def kind(entry: Entry) -> str:
    """Return the kind of an entry's block."""
    return KIND.get(entry.event, REMARK)


def block(entry: Entry) -> ContextBlock:
    """Return the block of an entry."""
    line, content = entry.line, entry.content or b""
    summary = events.parse(line) if line.event == Faded.WORD else None
    last = summary.last if isinstance(summary, Faded) else entry.number
    name = who(entry)
    gist = "" if line.event in OWN else spoken(line)
    words = (
        gist.removeprefix(f"{name}: ")
        or escape.one_line(plain(content.decode("utf-8", "replace")), WORDS)
        or heads.render_last([entry]).partition("\n")[0]
    )
    return ContextBlock(
        entry.number, last, kind(entry), line.event, entry.tokens, line.id, line.at, name,
        words[:WORDS], entry.lost or GONE in content, entry.stripped,
    )  # fmt: skip


def spoken(line: Line) -> str:
    """Return the gist of a line, and for an answer only its text, without the call of SAY."""
    call = CALL.match(line.gist) if line.event == Reply.WORD else None
    says = call and extensions.tools().speaks(ToolCall(call[1], "", None))
    return line.gist[call.end() :] if call and says else line.gist


def plain(text: str) -> str:
    """Return the text with the gist of each reference in its place."""
    return REFERENCE.sub(r"\2", text)


def who(entry: Entry) -> str:
    """Return who wrote the entry's text: a person, an agent, `me`, or a tool's name; "" for dotagent."""
    if entry.event == Reply.WORD:
        return heads.ME
    event = events.parse(entry.line) if entry.event in NAMED else None
    if isinstance(event, Hear):
        return heads.speaker(event.who)
    return event.tool if isinstance(event, Result) else ""
