"""Dying at every change to the disk while a tool of a pack does what others see, the agent, the pack, or both: it is
done at most once, and what nobody can know is said to be unknown. And over its installation: it is whole or not there.

The pack's process is a real one, forked from the life's, so that nothing is loaded anew for each death.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import crash
import deaths
import packed as made
import pytest
from deaths import CHANGES, POWER, Death, Disk
from support import handed, make_home, pause

import agent
from dotagent.capabilities.toolpacks import pack_calls, packs, programs, serve
from dotagent.capabilities.toolpacks.tools import use_tool
from dotagent.life.session import Patience
from dotagent.loop import boot
from dotagent.store import home, log, queue, rooms
from dotagent.store.home import Home
from dotagent.store.queue import Outcome
from dotagent.store.rooms import Position
from dotagent.store.watch import Watcher
from dotagent.text import times
from dotagent.tools import UNKNOWN

assert programs.MOST  # what the pack's process loads when first used is loaded here, once for all
REPLIES = ['USE_TOOL marks.mark {"of": "one"}', "all done"]
MARKS = """
[command.mark]
about = "Mark it"
run = 'echo marked >> "$(cat {pack}/where)"; echo answered'
input = {properties = {of = {type = "string"}}, required = ["of"]}
"""


@pytest.fixture(autouse=True)
def _allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    """These tests are about what becomes of a call, and not about what is asked first."""
    monkeypatch.setenv("DOTAGENT_POLICY", "allow")
    monkeypatch.setenv("DOTAGENT_SANDBOX", "off")  # the effect is a file beside the home


class World:
    """A home with the pack, and the file outside it that the pack's tool marks."""

    def __init__(self, base: Path) -> None:
        self.where, self.marked = Home(base / "home"), base / "marked"
        self._pack = made.folder(base / "marks", MARKS, where=str(self.marked))

    def begin(self) -> None:
        """As it was before anything happened."""
        crash.fresh(self.where.root)
        made.enabled(self.where, self._pack)
        (self.where.root / ".env").unlink()  # whose mode no death keeps
        self.mark(0)

    def marks(self) -> int:
        """How often it was done."""
        return self.marked.read_text().count("marked\n")

    def mark(self, times: int) -> None:
        """Let it have been done so often."""
        self.marked.write_text("marked\n" * times)

    @property
    def place(self) -> Path | None:
        """The directory of the only life, once it is born."""
        born = home.lives(self.where)
        return self.where.agent(born[0]) if born else None

    def effects(self) -> bool:
        """Whether the call was announced."""
        life = self.place and self.place / "LIFE.md"
        return bool(life and life.exists() and any(line.event == "EFFECT" for line in log.lines(life)))

    def live(self, serves: bool = True, dies: int = 0) -> bool:
        """Boot, or resume what was booted, and go on until nothing is left to do; whether its pack lives then.

        The pack is killed at its change of the number `dies`; without `serves` it lives only if the life starts it."""
        room, pid = self.where.room("dev"), 0
        words = ["--home", str(self.where.root), "--provider", "scripted", *home.lives(self.where)[:1]]
        try:
            with handed(self.where), boot.life_of(words, Patience(look=0.02, unsigned=0.02)) as me:
                pid = answering(self.where, me.session.path, dies) if serves else 0
                while True:
                    if not agent.step(me) and not model(self.where):
                        if b"[USER:" not in room.read_bytes():
                            Disk.mortal = False
                            rooms.append(room, rooms.line_of("USER", "ana", times.now(), "mark it"))
                            Disk.mortal = True
                        elif not me.session.state.turn.call:
                            agent.rest(me)
                            return bool(pid) and not os.waitpid(pid, os.WNOHANG)[0]
                        else:
                            pause(me.watch)
        finally:
            if pid:
                ended(pid)

    def wrong(self, died: bool, unknown: str = UNKNOWN) -> list[str]:
        """What is wrong with a home in which all has come to its end."""
        problems, place, marks = list[str](), self.place, self.marks()
        assert place
        results = [line.id for line in log.lines(place / "LIFE.md") if line.event == "TOOL"]
        told = [self.where.store().get(id).body.decode() for id in results]
        known, unsure = told == ["answered\n"], len(told) == 1 and unknown in told[0]
        if not (known and marks == 1) and not (died and unsure and marks <= 1):
            problems.append(f"it was done {marks} times and told of by {told}")
        found = rooms.read(self.where.room("dev"), Position())
        assert found
        said = [one.raw.decode().split("] ", 1)[1].strip() for one in found[0] if one.kind == "AGENT"]
        if said != ["all done"]:
            problems.append(f"it said {said}")
        there = pack_calls.folder(place, "marks")
        left = sorted(one.name for end in ("call", "taken", "done") for one in there.glob(f"*.{end}"))
        return [*problems, *([f"it left {left}"] if left else [])]


def model(where: Home) -> bool:
    """Be the model: it calls the tool, and then says that all is done."""
    call = queue.take(where, "scripted")
    if call is None:
        return False
    lines = log.lines(where.agent(call.agent) / "LIFE.md")
    number = sum(1 for line in lines if line.event == "REPLY")
    queue.answer(where, where.store(), call, REPLIES[number], Outcome(finish="stop"))
    return True


def answering(where: Home, place: Path, dies: int = 0) -> int:
    """The pack's process beside the life, once it answers."""
    there = pack_calls.folder(place, "marks")
    there.mkdir(parents=True, exist_ok=True)
    watch = Watcher()
    watch.names(there)
    if not (pid := os.fork()):
        Disk.mortal = False
        mortal(dies)
        serve.serve(where, place.name, "marks", 30.0)
        os._exit(0)
    while not pack_calls.is_served(there) and not os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT):
        pause(watch)
    watch.close()
    return pid


def mortal(dies: int) -> None:
    """Let this process be killed before its change to the disk of this number; 0 is never."""
    left = [dies]

    def killing(real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*given: Any, **named: Any) -> Any:
            left[0] -= 1
            if not left[0]:
                os.kill(os.getpid(), signal.SIGKILL)
            return real(*given, **named)

        return call

    for name in CHANGES:
        setattr(os, name, killing(getattr(os, name)))


def ended(pid: int) -> None:
    """Kill it, unless it is dead."""
    with suppress(ProcessLookupError, ChildProcessError):
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


def of_the_agent(base: Path, power: str) -> list[str]:
    """Let the agent die at each point, with its pack, or while that goes on; tell what is wrong after any of it."""
    world = World(base)
    world.begin()
    world.live()
    world.begin()
    found = deaths.of(world.where.root, power, world.marks, lambda disk: world.live())
    assert world.wrong(False) == []
    assert len(found) > 20
    ways = (False,) if power else (False, True)
    return [problem for death in crash.later(found) for on in ways for problem in after(death, world, on)]


def after(death: Death, world: World, on: bool) -> list[str]:
    """Resume after a death, and tell what is wrong then; `on`: the pack had lived on, and done what waited."""
    death.tree.write(world.where.root)
    world.mark(death.known)
    there = world.place and pack_calls.folder(world.place, "marks")
    if on and not (there and pack_calls.waiting(there)):
        return []  # as if it had died
    if on and there and world.place:
        pid, watch = answering(world.where, world.place), Watcher()
        watch.names(there)
        while not list(there.glob("*.done")):
            pause(watch)
        watch.close()
        ended(pid)
        there.joinpath("pid").unlink()
    serves = not world.effects()  # a call that was announced is settled before any other starts the pack again
    status = deaths.child(lambda: None if world.live(serves) == serves else os._exit(3))
    problems = [f"resuming ended with {status}"] if status else world.wrong(True)
    if world.place:
        pack_calls.end(world.place, "marks")  # the one that the life started: it would serve the next one, too
    return [f"{death.name}{', the pack went on' if on else ''}: {problem}" for problem in problems]


def of_the_pack(base: Path) -> list[str]:
    """Let the pack die at each of its changes, while the agent lives; tell what is wrong after any of it."""
    world, wrong, number, lives = World(base), list[str](), 0, False
    while not lives:
        number += 1
        world.begin()
        status = deaths.child(partial(killed, world, number))
        lives = status == 0
        assert world.place
        pack_calls.end(world.place, "marks")  # the one that the life has started instead
        problems = world.wrong(not lives, use_tool.UNSURE) if status in (0, 7) else [f"it ended with {status}"]
        wrong += [f"the pack was killed at its change {number}: {problem}" for problem in problems]
    assert number > 4
    return wrong


def killed(world: World, change: int) -> None:
    """Live with a pack that is killed at this change; end with 7 if it was."""
    if not world.live(dies=change):
        os._exit(7)


@pytest.mark.slow
@pytest.mark.parametrize("power", POWER)
def test_what_was_called_is_done_once_or_unknown_whenever_the_agent_dies(power: str) -> None:
    crash.survives(of_the_agent, "crash-packs", power)


@pytest.mark.night
def test_what_was_called_is_done_once_or_unknown_whenever_the_pack_dies() -> None:
    crash.survives(of_the_pack, "crash-packs-dying")


@pytest.mark.parametrize("power", POWER)
def test_whatever_dies_over_it_a_pack_is_whole_or_not_there_and_comes_again(tmp_path: Path, power: str) -> None:
    where = make_home(tmp_path / "home")
    first, second = ({packs.FILE: f'about = "{one}"\n{MARKS}'.encode(), "a/b": one} for one in (b"one", b"two"))
    packs.enable(where, packs.install(where, "marks", first), [])
    found = deaths.of(where.root, power, list, lambda disk: packs.install(where, "marks", second))
    assert len(found) > 3
    for death in crash.tried(found):
        death.tree.write(where.root)
        there = [packs.read(where, id) for id in packs.list_ids(where)]
        assert [packs.files(one.path) for one in there] in ([], [first], [second])
        assert all(bool(one.why) or packs.files(one.path) == first for one in there)  # what is new is not enabled
        packs.install(where, "marks", second)
        assert sorted(os.listdir(where.packs)) == ["marks"] and packs.files(where.packs / "marks") == second
