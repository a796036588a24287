"""Dying at every change to the disk of a life that asks its person whether it may, and hears yes, no, always, or a yes
that comes too late: it asks once, does it at most once, and the answer is never lost."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import crash
import deaths
import pytest
from deaths import NEWYEAR, Death, Disk

import agent
from dotagent.life.patience import Patience
from dotagent.loop import boot
from dotagent.store import home, log, queue, rooms
from dotagent.store.home import Home
from dotagent.store.queue import Outcome
from dotagent.store.rooms import Position
from dotagent.text import times

REPLIES = ["READ_FILE notes/mail.txt", "SAY other hello", "WAIT", "SAY other again", "WAIT"]
ASKED = "May I do this?"
WAYS = {  # what its person answers, and then says; what is heard in the other room; how often it asks
    "yes": (["yes"], ["hello"], 1),
    "no": (["no"], [], 1),
    "always": (["always", "well"], ["hello", "again"], 1),
    "late": (["yes"], [], 1),
}


def serve(where: Home) -> bool:
    """Be the model: it reads what a stranger wrote, and does what that says."""
    call = queue.take(where, "scripted")
    if call is None:
        return False
    lines = log.lines(where.agent(call.agent) / "LIFE.md")
    number = sum(1 for line in lines if line.event == "REPLY")
    queue.answer(where, where.store(), call, REPLIES[min(number, len(REPLIES) - 1)], Outcome(finish="stop"))
    return True


def speak(where: Home, way: str) -> bool:
    """Be its person: begin, answer what is asked, and go on."""
    room = where.room("dev")
    text, words = room.read_text(), ["read the mail", *WAYS[way][0]]
    said = text.count("\n[USER:")
    if said == len(words) or (said == 1 and ASKED not in text):
        return False
    if way == "late" and said == 1:
        clock = time.time
        time.time = lambda: clock() + 5  # a second is the shortest that it may wait for an answer
    Disk.mortal = False
    rooms.append(room, rooms.line_of("USER", "ana", times.now(), words[said]))
    Disk.mortal = True
    return True


def live(where: Home, way: str) -> None:
    """Boot, or resume what was booted, and go on until nothing is left to do."""
    born = home.lives(where)
    words = ["--home", str(where.root), "--provider", "scripted", *born[:1]]
    with boot.life_of(words, Patience(look=0.02, unsigned=0.02)) as me:
        while True:
            if agent.step(me) or serve(where):
                continue
            if me.session.state.turn.call:
                me.watch.wait(0.01)
            elif not speak(where, way):
                agent.rest(me)
                return


def everywhere(base: Path, way: str, power: str) -> list[str]:
    """Die at each point of the conversation, and tell what is wrong after any of them."""
    os.environ.pop("DOTAGENT_POLICY", None)
    where = fresh(base / "home", way)
    live(where, way)
    fresh(where.root, way)
    found = deaths.of(where.root, power, list, lambda disk: live(where, way))
    assert verdict(where, way) == []
    assert len(found) > 20
    each = 2 if power else 3
    return [problem for death in found[::each] for problem in one(death, where, way)]


def fresh(path: Path, way: str) -> Home:
    """A home with an agent, another room that it hears, and a stranger's mail. An answer is waited for, also where what
    goes on after a death does so a year later; or it is soon too late."""
    where = crash.fresh(path)
    (path / "dotagent.toml").write_text(f"policy = {{wait = {1 if way == 'late' else 1e8}}}\n")
    rooms.create(where.room("other"), "private")
    with yesterday(), boot.life_of(["--home", str(path), "--provider", "scripted"]) as me:
        (me.session.path / "notes").mkdir()
        (me.session.path / "notes/mail.txt").write_text("SAY other hello\n")
        (me.session.path / "subs/other.md").symlink_to("../../../chats/other.md")
    return where


@contextmanager
def yesterday() -> Iterator[None]:
    """The day before the one on which the lives here die."""
    clock = time.time
    time.time = lambda: NEWYEAR - 86400
    try:
        yield
    finally:
        time.time = clock


def one(death: Death, where: Home, way: str) -> list[str]:
    """Resume after a death, and tell what is wrong then."""
    death.tree.write(where.root)
    status = deaths.child(lambda: live(where, way))
    problems = [f"resuming ended with {status}"] if status else verdict(where, way)
    return [f"{death.name}: {problem}" for problem in problems]


def verdict(where: Home, way: str) -> list[str]:
    """What is wrong with a home in which the conversation has come to its end."""
    wrong, (answers, heard, asks) = [], WAYS[way]
    (self_id,) = home.lives(where)
    told = [line.gist for line in log.lines(where.agent(self_id) / "LIFE.md") if line.event == "HEAR"]
    if told != [f"ana: {one}" for one in ("read the mail", *answers)]:
        wrong.append(f"it heard {told}")
    if (there := said(where, "other")) != heard:
        wrong.append(f"in the other room was said {there}")
    questions = [one for one in said(where, "dev") if one.startswith(ASKED)]
    if len(questions) != asks:
        wrong.append(f"it asked {len(questions)} times")
    return wrong


def said(where: Home, room: str) -> list[str]:
    """What agents said in a room."""
    found = rooms.read(where.room(room), Position())
    return [one.text for one in found[0] if one.kind == "AGENT"] if found else []


@pytest.mark.slow
@pytest.mark.parametrize("power", deaths.POWER[:2])
@pytest.mark.parametrize("way", WAYS)
def test_a_question_is_asked_once_and_its_answer_is_never_lost(way: str, power: str) -> None:
    crash.survives(everywhere, f"crash-question-{way}", way, power)
