"""Requests that belong to no agent: placed in the queue, awaited, and removed together with their results.

They have a mark in the place of an agent's id, so no agent takes the answers. A run has the flock of
`calls/done/<mark>/`, so there is one at a time, and the next one removes what a killed one left.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from dotagent.errors import Trouble
from dotagent.store import disk, launch, queue, request_rebuilding, requests, taken_calls
from dotagent.store.home import Home
from dotagent.store.queue import Call, Outcome
from dotagent.store.requests import Part
from dotagent.store.watch import Watcher
from dotagent.text import times

MARK = "0" * 32  # no agent's id, because an id is a hash
LONGEST = 600.0  # seconds for an answer
LOOK, DEAD = 1.0, 2  # seconds between two checks of the queue; after DEAD checks without a process it has ended


@dataclass(frozen=True)
class Replayed:
    """The result of a request: the outcome, the text, and the seconds that it took."""

    outcome: Outcome
    text: str
    seconds: float


@dataclass(frozen=True)
class Asking:
    """A run: its home, and its provider with a model."""

    home: Home
    provider: str
    model: str

    def ask(self, parts: Sequence[Part], params: Mapping[str, object], parent: str = "") -> Replayed:
        """Ask for an answer to these parts, or to the same as in the request `parent` if there are none. Raises Trouble
        if no process of the provider starts."""
        store, keep = self.home.store(), 0
        if parent and not parts:
            keep = len(request_rebuilding.Rebuilder(store).request(parent).parts)
        data = requests.encode(MARK, self.model, params, parent if keep else "", keep, parts)
        id = store.put(data, at=times.now(), gist="a replayed request", agent=MARK, durable=False)
        call, reply, begun = Call(id, MARK, self.provider, "background"), "", time.monotonic()
        try:
            queue.place(self.home, call)
            outcome = self._await(call)
            reply = outcome.reply
            text = store.get(reply).body.decode("utf-8", "replace") if reply else ""
            return Replayed(outcome, text, time.monotonic() - begun)
        finally:
            _remove(self.home, call)
            for blob in filter(None, (id, reply)):
                disk.remove(store.path(blob))

    def _await(self, call: Call) -> Outcome:
        watch, end, gone = Watcher(), time.monotonic() + LONGEST, 0
        try:
            watch.names(self.home.calls / "done" / MARK)
            while (outcome := queue.done(self.home, call.agent, call.id)) is None:
                taken_calls.put_back(self.home)
                gone = gone + 1 if launch.has_ended(self.home, self.provider) else 0
                if gone >= DEAD:
                    why = launch.last_words(self.home, self.provider, LONGEST)
                    raise Trouble(f"the process for {self.provider} stopped: {why}")
                if time.monotonic() > end:
                    queue.cancel(self.home, call, "timeout", f"no answer within {LONGEST:.0f} s")
                    continue
                watch.wait(LOOK)
            return outcome
        finally:
            watch.close()


@contextmanager
def begin_run(where: Home, provider: str, model: str) -> Iterator[Asking]:
    """Begin a run, and remove what a killed one left. Raises Trouble while another run is active."""
    folder = where.calls / "done" / MARK
    disk.make_dir(folder)
    with disk.folder(folder) as fd:
        if not disk.try_lock(fd):
            raise Trouble("another `replay` (a comparison of old answers with new ones) is running; wait until it ends")
        _sweep(where)
        yield Asking(where, provider, model)


def _sweep(where: Home) -> None:
    """Remove the calls, answers and requests of a run that was killed."""
    there = [call for _, call in queue.out(where) if call.agent == MARK]
    there += [Call(id, MARK, "") for id in queue.finished(where, MARK)]
    for call in there:
        outcome = queue.done(where, MARK, call.id)
        _remove(where, call)
        for blob in filter(None, (call.id, outcome.reply if outcome else "")):
            disk.remove(where.store().path(blob))


def _remove(where: Home, call: Call) -> None:
    """Remove every file of a call; a process that has taken it stops when it sees that."""
    queue.withdraw(where, call.id)
    queue.drop(where, call.agent, call.id)
