"""A room and a life as they change, as streams of events for the page: new messages, drafts, and the work of agents.

It waits for files as the chat at a terminal does. Owns nothing on disk.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import suppress

from starlette.concurrency import run_in_threadpool

from dotagent.capabilities.view import messages
from dotagent.capabilities.view.route import PageRequest, ServerEvent
from dotagent.store import lives, rooms
from dotagent.store.loop_watch import LoopWatcher
from dotagent.store.rooms import Message, Position
from dotagent.store.watch import Watcher
from dotagent.terminal import progress
from dotagent.terminal.drafts import Drafts
from dotagent.terminal.talk import REMEMBERED, Talk

AGAIN = 5.0  # seconds after which it looks again whether agents still run, and shows that the stream still lives
REST = 0.1  # seconds between two looks, so that a draft that grows fast does not fill the line
_ID = re.compile(r"([0-9]{1,15})\.([0-9a-f]{0,12})")


def events(request: PageRequest) -> AsyncIterator[ServerEvent]:
    """Yield what happens in the room from the message on that the page has last. Raises Misuse for an invalid room."""
    talk = Talk(request.where, request.path["room"], request.person)
    return follow(Room(talk, request.query.get("after", "")).look)


async def follow(look: Callable[[Watcher], list[ServerEvent]]) -> AsyncIterator[ServerEvent]:
    """Yield what `look` finds, which also watches files, each time that one of these files changes."""
    loop, changed = asyncio.get_running_loop(), asyncio.Event()
    watcher = LoopWatcher()
    loop.add_reader(watcher.fileno(), changed.set)
    try:
        while True:
            changed.clear()
            watcher.wait(0)
            for told in await run_in_threadpool(look, watcher):
                yield told
            await asyncio.sleep(REST)
            try:
                await asyncio.wait_for(changed.wait(), AGAIN)
            except TimeoutError:
                yield ServerEvent("alive", None)
    finally:
        loop.remove_reader(watcher.fileno())
        watcher.close()


class Room:
    """A room as a page knows it, with its news."""

    def __init__(self, talk: Talk, after: str) -> None:
        self._talk, self._drafts = talk, Drafts(talk.home, talk.room)
        self._work = progress.Work(talk.home, talk.room)
        found = _ID.fullmatch(after)
        self._position = Position(int(found[1]), found[2]) if found and int(found[1]) else Position()
        self._marks: deque[str] = deque(maxlen=REMEMBERED)
        self._state: object = None
        self._sizes: object = None

    def look(self, watcher: Watcher) -> list[ServerEvent]:
        """Return the news, and watch for more."""
        self._talk.watch(watcher)
        self._drafts.watch(watcher)
        self._work.watch(watcher)
        told = self._news()
        state = self._now()
        if state != self._state:
            self._state = state
            told.append(ServerEvent("state", state))
        sizes = self._lives()
        if self._sizes not in (None, sizes):
            told.append(ServerEvent("grown", None))
        self._sizes = sizes
        self._work.look()  # the tab Memory shows what an agent did without a message
        return told + [ServerEvent("notice", text) for text in self._work.wrong()]

    def _news(self) -> list[ServerEvent]:
        """Return the new messages; a rewritten room is loaded again by the page."""
        found = list[Message]()
        try:
            while part := rooms.read(self._talk.path, self._position, self._marks):
                if not part[0]:
                    break
                found += part[0]
                self._position = part[1]
            else:
                self._position = rooms.end(self._talk.path)
                return [ServerEvent("reset", None, f"{self._position.offset}.{self._position.mark}")]
        except FileNotFoundError:
            self._position = Position()
            return []
        self._marks.extendleft(one.mark for one in found)
        for one in found:
            if one.kind == "AGENT":
                self._work.fold(one.name)  # the page shows it under the message
                self._drafts.heard(one.name)
        told = messages.format_messages(self._talk, found, new=True)
        return [ServerEvent("message", one, str(one["id"])) for one in told]

    def _lives(self) -> object:
        """Return the sizes of the logs of the room's agents, which say whether one has something else in mind."""
        found = dict[str, int]()
        for one in lives.find_agents(self._talk.home, self._talk.room):
            with suppress(FileNotFoundError):
                found[one] = (self._talk.home.agent(one) / "LIFE.md").stat().st_size
        return found

    def _now(self) -> object:
        """Return the drafts, the current work, and the reason why no agent answers."""
        drafts = [
            {"who": one.agent, "text": one.text, "waits": one.waits, "seconds": round(time.time() - one.since)}
            for one in self._drafts.current()
        ]
        return {"drafts": drafts, "work": self._work.current(), "problem": self._talk.nobody()}
