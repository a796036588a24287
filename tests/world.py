"""An agent, the people in its room and a model of a test's own making, in one process, on the real spool.

Steps are taken one after another, so a test sees every state there is; nothing sleeps and nothing is patched.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from support import handed

import agent
from dotagent import extensions, providers
from dotagent.errors import Trouble
from dotagent.life.session import Patience, Session
from dotagent.loop import boot
from dotagent.loop.boot import Agent
from dotagent.store import disk, home, lives, queue, request_rebuilding, requests, rooms
from dotagent.store.home import Home
from dotagent.store.queue import Call, Outcome
from dotagent.store.requests import ChatMessage
from dotagent.text import times

PATIENCE = Patience()

Model = Callable[[list[ChatMessage], Call], "str | None"]
"""A model: from messages to an answer; None: it does not answer (yet)."""


class Cut(str):
    """An answer that was cut off where it had as many tokens as it may have."""


class Failure(Exception):
    """What a model raises to fail a call: kind, whether it is retryable, the size it reports, the tokens it took, the
    seconds that it asks to wait."""

    def __init__(
        self, kind: str, retryable: bool = False, size: int | None = None, took: int = 0, after: float = 0.0
    ) -> None:
        super().__init__(kind)
        self.kind, self.retryable, self.size, self.took, self.after = kind, retryable, size, took, after


@dataclass
class World:
    """A life and what it is made to live through."""

    where: Home
    me: Agent
    model: Model
    provider: str = "scripted"
    served: int = 0
    tokens: Callable[[list[ChatMessage]], int] | None = None
    on_step: Callable[[World], None] | None = None
    others: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        self._rebuild = request_rebuilding.Rebuilder(self.where.store())
        self._held: list[Call] = []

    @property
    def session(self) -> Session:
        """The life itself."""
        return self.me.session

    def say(self, text: str, name: str = "ana", room: str = "dev", at: str = "") -> None:
        """Let a person say something."""
        rooms.append(self.where.room(room), rooms.line_of("USER", name, at or times.now(), text))

    def serve(self) -> bool:
        """Let the model answer what it can; False when it answers nothing."""
        for provider in (self.provider, *self.others):
            while call := queue.take(self.where, provider):
                self._held.append(call)
        for call in list(self._held):
            if self._answer(call):
                self._held.remove(call)
                return True
        return False

    def _answer(self, call: Call) -> bool:
        store = self.where.store()
        if queue.done(self.where, call.agent, call.id) or not queue.find_taken(self.where, call.id):
            return True  # it was given up, and may be dropped by now
        try:
            messages = requests.messages(self._rebuild.request(call.id).parts)
        except Trouble as lost:
            queue.fail(self.where, call, "lost", str(lost))
            return True
        size = self.tokens(messages) if self.tokens else 0
        try:
            text = self.model(messages, call)
        except Failure as failure:
            lost = {"input": failure.took} if failure.took else {}
            told = Outcome(kind=failure.kind, hint=f"it said {failure.kind}", lost=lost)
            queue.failed(
                self.where,
                call,
                replace(told, retryable=failure.retryable, size=failure.size, after=failure.after),
            )
            return True
        if text is None:
            return False
        self.served += 1
        finish = "length" if isinstance(text, Cut) else "stop"
        queue.answer(self.where, store, call, text, Outcome(finish=finish, usage={"input": size} if size else {}))
        return True

    def run(self, most: int = 100_000) -> None:
        """Live until nothing is left to do."""
        for _ in range(most):
            done = agent.step(self.me)
            if self.on_step:
                self.on_step(self)
            if not done and not self.serve():
                agent.rest(self.me)
                return
        raise AssertionError(f"it did not come to rest within {most} steps")


@contextmanager
def world(
    path: Path,
    model: Model,
    *words: str,
    provider: str = "scripted",
    fresh: bool = False,
    patience: Patience = PATIENCE,
) -> Iterator[World]:
    """A life in a home at the path: booted, or, unless a `fresh` one is wanted, the one that is there resumed."""
    where = Home(path)
    home.prepare(where)
    (where.calls / "new" / provider).mkdir(parents=True, exist_ok=True)
    born = [] if fresh else [one for one in home.lives(where) if not lives.is_made(where, one)]
    options = ["--home", str(path), "--provider", provider, *words, *born[:1]]
    with served_here(where, provider), handed(where, provider), boot.life_of(options, patience) as me:
        yield World(where, me, model, provider)


@contextmanager
def served_here(where: Home, provider: str) -> Iterator[None]:
    """The test's model serves the provider, also one that there is: nobody starts its process, whose lock is held."""
    if provider not in extensions.names("providers"):
        yield
        return
    fd = disk.open_append(where.calls / f"{provider}.pid")
    try:
        with disk.locked(fd):
            yield
    finally:
        os.close(fd)


def offline(messages: list[ChatMessage], call: Call) -> str:
    """The offline provider as a model."""
    module = providers.load("offline")
    asked = providers.Prompt("offline", tuple(messages), {}, call.agent)
    return module.answer(asked, providers.configure("offline", {}, {}), lambda channel, text: None, lambda: False).text


def said(where: Home, room: str = "dev", kind: str = "AGENT") -> list[str]:
    """What agents (or people) said in a room, oldest first."""
    found = rooms.read(where.room(room), rooms.Position())
    assert found
    return [one.raw.decode().split("] ", 1)[1].strip() for one in found[0] if one.kind == kind]


def events(world: World, *names: str) -> Sequence[str]:
    """The events of LIFE of these names, as they stand there."""
    from dotagent.store import log

    lines = log.lines(world.session.path / "LIFE.md")
    return [f"{line.event} {line.detail}".strip() for line in lines if not names or line.event in names]


@contextmanager
def impatient(here: World, **seconds: float) -> Iterator[None]:
    """Let the life wait otherwise than for people, meanwhile."""
    before = here.session.patience
    here.session.patience = replace(before, **seconds)
    try:
        yield
    finally:
        here.session.patience = before
