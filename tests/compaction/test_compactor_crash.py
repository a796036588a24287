"""Dying at every change to the disk while a context is compacted, by kill -9 and by power cut: it ends all the same,
nothing is said twice, and every entry is visible or covered by exactly one summary.
"""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import crash
import deaths
import pytest
from deaths import ANY_ORDER, POWER, Death, Disk
from lives import entries_of, good, promised, prose, setting
from support import handed, pause

import agent
from dotagent.errors import Trouble
from dotagent.life.replay import derive
from dotagent.life.session import Patience
from dotagent.loop import boot
from dotagent.store import home, log, queue, request_rebuilding, requests, rooms
from dotagent.store.home import Home
from dotagent.store.queue import Outcome
from dotagent.text import times

LIMIT = setting(1000)
RULE = "You must never call me before 9."
BEFORE = [f"{RULE} Hello.", *(prose(random.Random(at), 24) for at in range(20))]
MEANWHILE = "And what of the violin?"
ANSWER = "Understood."


def serve(where: Home, log: Path) -> bool:
    """Be the model for one call."""
    call = queue.take(where, "scripted")
    if call is None:
        return False
    store = where.store()
    try:
        messages = requests.messages(request_rebuilding.Rebuilder(store).request(call.id).parts)
    except Trouble as lost:  # a request is never synced: a power cut may take it and leave its place in the queue
        return queue.fail(where, call, "lost", str(lost))
    with open(log, "a") as file:
        file.write(f"{call.id}\n")
    text = ANSWER if call.kind == "live" else good(messages, call)
    queue.answer(where, store, call, text, Outcome(finish="stop"))
    return True


def said(where: Home, kind: str) -> list[str]:
    """What was said in the room."""
    found = rooms.read(where.room("dev"), rooms.Position())
    assert found
    return [one.raw.decode().split("] ", 1)[1].strip() for one in found[0] if one.kind == kind]


def speak(where: Home, ready: bool) -> bool:
    """Be the person: say something new until the context is full, and one thing when it is."""
    told = said(where, "USER")
    if ready and MEANWHILE in told:
        return False
    Disk.mortal = False
    words = MEANWHILE if ready else BEFORE[len(told)]
    rooms.append(where.room("dev"), rooms.line_of("USER", "ana", times.now(), words))
    Disk.mortal = True
    return True


QUICK = Patience(look=0.02, unsigned=0.02)


def live(where: Home, log: Path, ready: bool) -> None:
    """Go on until nothing is left to do; of a life that is not ready yet, until a compaction is due."""
    with (
        handed(where),
        boot.life_of(["--home", str(where.root), "--provider", "scripted", *home.lives(where)[:1]], QUICK) as me,
    ):
        while ready or me.session.tokens <= me.session.limit:
            if ready and me.session.state.forgetting.compaction:
                speak(where, ready)
            if not agent.step(me) and not serve(where, log) and not speak(where, ready):
                if not me.calls.waits():
                    agent.rest(me)
                    return
                pause(me.watch)


def made_ready(base: Path) -> Home:
    """A life whose context has just passed its limit."""
    where = crash.fresh(base / "ready")

    def work() -> None:
        live(where, base / "ready.log", False)

    assert deaths.child(work) == 0
    assert not any(line.event == "SEGMENT" for line in log.lines(where.agent(home.lives(where)[0]) / "LIFE.md"))
    return where


def copied(ready: Home, path: Path) -> Home:
    shutil.rmtree(path, ignore_errors=True)
    shutil.copytree(ready.root, path, symlinks=True)
    return Home(path)


def everywhere(base: Path, power: str) -> list[str]:
    """Die at each point of a compaction, and tell what is wrong after any of them."""
    ready, asked = made_ready(base), base / "log"
    live(copied(ready, base / "home"), asked, True)  # what is loaded or compiled when first used is so from now on
    where = copied(ready, base / "home")
    asked.write_text("")
    found = deaths.of(where.root, power, asked.read_text, lambda disk: live(where, asked, True))
    verdict(where, b"")
    assert len(found) > 25
    return [problem for problem in (one(death, where, asked) for death in crash.tried(found)) if problem]


def one(death: Death, where: Home, asked: Path) -> str:
    """Resume after a death, and tell what is wrong then."""
    death.tree.write(where.root)
    asked.write_text(death.known)
    before = (where.agent(home.lives(where)[0]) / "LIFE.md").read_bytes() if death.power != ANY_ORDER else b""
    answered = {found.name: death.known.count(found.name) for found in where.calls.glob("done/*/*")}
    status = deaths.child(lambda: live(where, asked, True))
    if status:
        return f"{death.name}: resuming ended with {status}"
    try:
        verdict(where, before[: before.rfind(b"\n") + 1])
        served = asked.read_text().split()
        assert not [id for id, count in answered.items() if served.count(id) > count], (
            "what was answered is asked again"
        )
    except AssertionError as wrong:
        return f"{death.name}: {wrong}"
    return ""


def verdict(where: Home, before: bytes) -> None:
    """The compaction has ended, and everything is there once."""
    self_id = home.lives(where)[0]
    path = where.agent(self_id) / "LIFE.md"
    assert path.read_bytes().startswith(before), "LIFE lost events that it had"
    events = [line.event for line in log.lines(path)]
    assert "SWAP" in events, "no compaction"
    told = said(where, "USER")
    assert told == [*BEFORE[: len(told) - 1], MEANWHILE], f"the person said {told}"
    assert said(where, "AGENT") == [ANSWER] * len(told), f"it said {said(where, 'AGENT')}"
    assert events.count("HEAR") == len(told), "a message was heard twice or never"
    view = derive(where, self_id, LIMIT)
    assert view.state.forgetting.compaction is None, f"the compaction has not ended: {view.state.forgetting.compaction}"
    assert not view.state.forgetting.restate, "MEMORY was not said again"
    promised(where, view, entries_of(path))
    text = (where.agent(self_id) / "context.md").read_text()
    assert RULE in text, "a standing instruction is lost"
    assert MEANWHILE in text, "what was said meanwhile is gone"
    left = [*(where.calls / "done").glob("*/*"), *(where.calls / "taken").glob("[0-9a-f]*"),
            *queue.names(where.calls / "new" / "scripted")]  # fmt: skip
    assert not left, f"the spool still holds {left}"


@pytest.mark.slow
@pytest.mark.parametrize("power", POWER)
def test_a_compaction_survives_death_anywhere(power: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOTAGENT_CONTEXT_LIMIT", str(LIMIT))
    crash.survives(everywhere, "fading-crash", power)
