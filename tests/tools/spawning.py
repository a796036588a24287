"""A life that makes helpers, and the model of both: what a helper's task says is what it answers, and its parent tells
of it. Helpers are real processes; the test's model answers them on the real spool."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from alive import a_home
from support import MOMENT, Deadline, run
from world import World, events, world

import agent
from dotagent.capabilities.helpers import children
from dotagent.life.background_events import works
from dotagent.store import home, lives, log, queue, requests, taken_calls
from dotagent.store.home import Home
from dotagent.store.queue import Call, Outcome
from dotagent.store.request_rebuilding import Rebuilder
from dotagent.store.requests import ChatMessage

T = TypeVar("T")


def model(messages: list[ChatMessage], call: Call) -> str | None:
    """A parent that makes a helper, and a helper that counts."""
    last = messages[-1]["content"]
    if call.room.startswith("helper-"):
        asked = last.rpartition(": ")[2].strip()
        return None if asked == "hang" else "RECALL again" if "RECALL" in last or asked == "loop" else f"{asked}: done"
    if f"{call.room} helper " in last:
        return f"Told: {last.rpartition('helper ')[2].partition(' ')[2]}"
    return "WAIT" if "SPAWN:" in last or "SESSION:" in last else last.rpartition(" ana: ")[2].replace(" / ", "\n")


@contextmanager
def a_parent() -> Iterator[World]:
    """A life in a home of its own, whose helpers end with the block."""
    with a_home() as where, world(where.root, model) as there:
        try:
            yield there
        finally:
            end(where)


def end(where: Home) -> None:
    """See that no helper's process is left."""
    ids = [one for one in home.lives(where) if lives.pid(where, one) not in (0, os.getpid())]  # one may be lived here
    children.end(where, ids)
    deadline = Deadline()
    while any(lives.pid(where, one) for one in ids) and deadline.left():
        os.sched_yield()


def serve(where: Home, look: Callable[[], T], helpers: bool = True) -> T:
    """Be the model of all lives of the home, or of all but the helpers, until `look` finds something: that."""
    deadline, rebuild = Deadline(), Rebuilder(where.store())
    while not (found := look()):
        deadline.check(lambda: [path.read_text() for path in (*logs(where), *where.agents.glob("*/LIFE.md"))])
        taken_calls.put_back(where, 0.0)
        call = queue.take(where, "scripted")
        if call and not helpers and call.room.startswith("helper-"):
            queue.give_back(where, call)
            call = None
        text = model(requests.messages(rebuild.request(call.id).parts), call) if call else None
        if call and text is not None:
            queue.answer(where, where.store(), call, text, Outcome(finish="stop"))
        os.sched_yield()
    return found


def rest(here: World, helpers: int = 0) -> None:
    """Live until the life has nothing to do, and waits for no more helpers than these."""
    deadline = Deadline()
    while True:
        if agent.step(here.me) or here.serve():
            deadline.check(lambda: events(here)[-5:])
            continue
        agent.rest(here.me)
        waiting = sum(one.goes_on for one in works(here.session.state.heard).values())
        if waiting <= helpers and not here.session.state.turn.call:
            return
        deadline.check(lambda: (events(here)[-5:], [path.read_text() for path in logs(here.where)]))
        here.me.watch.wait(here.me.inbox.sleep(MOMENT))


def logs(where: Home) -> list[Path]:
    """What helpers printed."""
    return sorted(where.agents.glob("*/agent.log"))


def helper(here: World) -> str:
    """The one helper's id."""
    (found,) = [one for one in home.lives(here.where) if one != here.session.id]
    return found


def kill(here: World, one: str) -> None:
    """Kill -9 the helper's process, once it lives."""
    os.kill(pid_of(here.where, one), signal.SIGKILL)
    deadline = Deadline()
    while lives.runs(here.where, one):
        deadline.check(lambda: f"{one} that does not die")
        os.sched_yield()


def pid_of(where: Home, one: str) -> int:
    """The pid of the helper's process, once it lives."""
    deadline = Deadline()
    while not (lives.runs(where, one) and (number := lives.pid(where, one))):
        deadline.check(lambda: f"{one} that does not begin to live")
        os.sched_yield()
    return number


def once(here: World) -> list[str]:
    """How each helper's rest was told, by LIFE; none was told twice."""
    found = [line.split(" ")[1:4] for line in events(here, "RETURNED")]
    assert len({id for id, _, _ in found}) == len(found), found
    return [how for _, _, how in found]


def prompt_of(here: World, one: str) -> str:
    """The next prompt of a life, as the command shows it."""
    return run(here.where, "-m", "dotagent", "prompt", one).stdout


def shown(here: World) -> str:
    """What the last result showed."""
    line = [line for line in log.lines(here.session.path / "LIFE.md") if line.event == "TOOL"][-1]
    return here.where.store().get(line.id).body.decode()
