"""Does the conversation go on while a compaction is under way? The table --delay of bench/forget.py.

The agent is the real program; a person and a model are this process, on the real spool. A live call is answered at
once, a compaction's call five seconds after it was taken. A turn counts as during a compaction when any part of it lies
between a SEGMENT and the SWAP that follows in LIFE.
"""

from __future__ import annotations

import heapq
import json
import re
import statistics
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import TypeVar

import common
from tables import markdown

from dotagent.store import log, queue, watch
from dotagent.store.home import Home
from dotagent.store.queue import Call, Outcome

LIMIT, SECONDS, EVERY = 35_600, 5.0, 0.4  # tokens; of a compaction's call; between a person's messages
COMPACTIONS, MOST = 3, 1.1
HEARD, SAID = "It rains here again, and the boat is still in the shed. " * 5, "I see; then it stays there. " * 9
ASKED = re.compile(r"(SEGMENT|SUMMARISE) the entries #(\d+) to #(\d+)")
Span = tuple[float, float]
T = TypeVar("T")


class Slow(threading.Thread):
    """Answers compaction's calls, each so many seconds after it was taken."""

    def __init__(self, where: Home) -> None:
        super().__init__(daemon=True)
        self._home, self._store = where, where.store()
        self._watch = watch.Watcher()
        self._watch.names(where.calls / "new" / common.SCRIPTED)
        self._due: list[tuple[float, str, Call]] = []
        self.leave = False

    def run(self) -> None:
        """Take, wait, answer, until told to leave."""
        while not self.leave:
            while call := queue.take(self._home, common.SCRIPTED, "background"):
                heapq.heappush(self._due, (time.monotonic() + SECONDS, call.id, call))
            while self._due and self._due[0][0] <= time.monotonic():
                call = heapq.heappop(self._due)[2]
                queue.answer(self._home, self._store, call, self._answer(call), Outcome(finish="stop"))
            self._watch.wait(max(0.0, self._due[0][0] - time.monotonic()) if self._due else 0.5)
        self._watch.close()

    def _answer(self, call: Call) -> str:
        found = ASKED.search(json.loads(self._store.get(call.id).body)["parts"][-1]["text"])
        assert found
        first, last = int(found[2]), int(found[3])
        if found[1] == "SUMMARISE":
            return f"relevance: 3\ngist: rain and a boat, {first}\n\nana: it rains. The boat is in the shed, and stays."
        step = max(1, (last - first) // 6)
        return "\n".join(f"{at}-{min(at + step - 1, last)} {1 + at % 9} rain" for at in range(first, last + 1, step))


class Person:
    """Says things, lets the live call be answered at once, and hears the answer in the room."""

    def __init__(self, where: Home) -> None:
        self._home, self._store = where, where.store()
        self._room = where.room(common.ROOM)
        self._watch = watch.Watcher()
        self._watch.names(where.calls / "new" / common.SCRIPTED)
        self._watch.content(self._room)

    def turn(self) -> Span:
        """When something was said, and when its answer stood in the room."""
        began = time.time()
        common.say(self._home, HEARD)
        call = self._until(lambda: queue.take(self._home, common.SCRIPTED, "live"))
        size = self._room.stat().st_size
        queue.answer(self._home, self._store, call, SAID, Outcome(finish="stop"))
        self._until(lambda: self._room.stat().st_size > size)
        return began, time.time()

    def close(self) -> None:
        """Let go of the watches."""
        self._watch.close()

    def _until(self, look: Callable[[], T | None]) -> T:
        end = time.monotonic() + common.PATIENCE
        while not (found := look()):
            if time.monotonic() > end:
                raise common.Stuck("no answer came")
            self._watch.wait(1.0)
        return found


def make(path: Path) -> None:
    """Talk until some compactions are over, print how long answers took during them and else."""
    common.LIMIT = LIMIT
    where = common.make_home(path)
    self_id = common.born(where)
    slow, spans = Slow(where), list[Span]()
    slow.start()
    with common.running(where, self_id):
        person = Person(where)
        while not any(begun(where, self_id)):  # at once, until the context is full
            person.turn()
        while len(compactions(where, self_id)) < COMPACTIONS:
            spans.append(person.turn())
            time.sleep(EVERY)
        slow.leave = True
        slow.join()
        person.close()
    show(spans, compactions(where, self_id))


def begun(where: Home, self_id: str) -> Iterator[log.Line]:
    """The beginnings and ends of compactions."""
    return (line for line in log.lines(where.agent(self_id) / "LIFE.md") if line.event in ("SEGMENT", "SWAP"))


def compactions(where: Home, self_id: str) -> list[Span]:
    """From when to when each lasted that is over."""
    found, start = list[Span](), 0.0
    for line in begun(where, self_id):
        at = datetime.fromisoformat(line.at).timestamp()
        if line.event == "SEGMENT":
            start = start or at
        elif start:
            found.append((start, at))
            start = 0.0
    return found


def show(spans: Sequence[Span], over: Sequence[Span]) -> None:
    """The table."""
    during = [end - begin for begin, end in spans if any(begin < stop and end > start for start, stop in over)]
    outside = [end - begin for begin, end in spans if not any(begin < stop and end > start for start, stop in over)]
    ratio = statistics.median(during) / statistics.median(outside)
    rows = [[name, str(len(found)), *common.ms(found)] for name, found in (("during", during), ("outside", outside))]
    lasted = ", ".join(f"{stop - start:.1f} s" for start, stop in over)
    markdown((f"ms to an answer beside compactions ({lasted})", "turns", "median", "p90"), rows)
    print(f"during / outside: {common.verdict(ratio, MOST)}")
