"""Dying at every change to the disk while one provider is away and the next takes its call: whoever answered is paid
once, and the room is told once who it was."""

from __future__ import annotations

from pathlib import Path

import crash
import deaths
import pytest
from deaths import ANY_ORDER, POWER, Death, Disk
from support import pause

import agent
from dotagent.errors import Trouble
from dotagent.life.session import Patience
from dotagent.loop import boot
from dotagent.store import home, log, queue, request_rebuilding, requests, rooms
from dotagent.store.home import Home
from dotagent.store.queue import Outcome
from dotagent.store.rooms import Position
from dotagent.text import times

MESSAGES = ["hello", "and now?"]
SAID = ["(second answers: it is overloaded)", "first answer", "second answer"]


def serve(where: Home, paid: Path) -> bool:
    """Be the first provider, which is overloaded, and the second, which answers and is paid for it."""
    if call := queue.take(where, "scripted"):
        return queue.fail(where, call, "server", "it is overloaded", retryable=True)
    if (call := queue.take(where, "second")) is None:
        return False
    try:
        request = request_rebuilding.Rebuilder(where.store()).request(call.id)
    except Trouble as lost:  # a power cut may take a request, which is never synced
        return queue.fail(where, call, "lost", str(lost), retryable=True)
    told = "\n".join(message["content"] for message in requests.messages(request.parts))
    with paid.open("a") as file:
        file.write(f"{call.id}\n")
    text = "second answer" if "first answer" in told else "first answer"
    return queue.answer(where, where.store(), call, text, Outcome(finish="stop"))


def speak(where: Home) -> bool:
    """Be the person: say the next message once the one before is answered."""
    room = where.room("dev")
    text = room.read_bytes()
    said = text.count(b"\n[USER:")
    if said == len(MESSAGES) or (said and b"first answer" not in text):
        return False
    Disk.mortal = False
    rooms.append(room, rooms.line_of("USER", "ana", times.now(), MESSAGES[said]))
    Disk.mortal = True
    return True


def live(where: Home, paid: Path) -> None:
    """Boot, or resume what was booted, and go on until nothing is left to do."""
    words = ["--home", str(where.root), "--provider", "scripted", *home.lives(where)[:1]]
    with boot.life_of(words, Patience(look=0.02, unsigned=0.02, retry_most=1e9)) as me:
        while True:
            if not agent.step(me) and not serve(where, paid) and not speak(where):
                if not me.session.state.turn.call:
                    agent.rest(me)
                    return
                pause(me.watch)


def fresh(root: Path) -> Home:
    """A home with a fallback, in which nobody lives yet."""
    where = crash.fresh(root)
    (where.calls / "new" / "second").mkdir()
    (where.root / "dotagent.toml").write_text('fallback = ["second"]\n')
    return where


def everywhere(base: Path, power: str) -> list[str]:
    """Die at each point of the conversation, and tell what is wrong after any of them."""
    paid, where = base / "paid", fresh(base / "home")
    live(where, paid)  # what is loaded when first used is so from now on
    fresh(where.root)
    paid.write_text("")
    found = deaths.of(where.root, power, paid.read_text, lambda disk: live(where, paid))
    assert verdict(where, paid, {}, b"", "") == []
    assert len(found) > 30
    return [problem for death in crash.later(found) for problem in one(death, where, paid)]


def one(death: Death, where: Home, paid: Path) -> list[str]:
    """Resume after a death, and tell what is wrong then."""
    death.tree.write(where.root)
    paid.write_text(death.known)
    answered = {path.name: death.known.count(path.name) for path in where.calls.glob("done/*/*")}
    born = home.lives(where)
    before = (where.agent(born[0]) / "LIFE.md").read_bytes() if born and death.power != ANY_ORDER else b""
    status = deaths.child(lambda: live(where, paid))
    if status:
        return [f"{death.name}: resuming ended with {status}"]
    whole = before[: before.rfind(b"\n") + 1]
    return [f"{death.name}: {problem}" for problem in verdict(where, paid, answered, whole, death.power)]


def verdict(where: Home, paid: Path, answered: dict[str, int], before: bytes, power: str) -> list[str]:
    """What is wrong with a home in which the conversation has come to its end."""
    wrong = []
    path = where.agent(home.lives(where)[0]) / "LIFE.md"
    if not path.read_bytes().startswith(before):
        wrong.append("LIFE lost events that it had")
    lines, store = list(log.lines(path)), where.store()
    found = rooms.read(where.room("dev"), Position())
    assert found
    said = [one.raw.decode().split("] ", 1)[1].strip() for one in found[0] if one.kind == "AGENT"]
    if said != SAID:
        wrong.append(f"it said {said}")
    for line in lines:
        if line.event == "REPLY" and "provider=second" not in line.detail:
            wrong.append(f"LIFE says that another answered: {line.detail}")
        if line.event == "REPLY":
            store.get(line.id)
    served = paid.read_text().split()
    again = [id for id, count in answered.items() if served.count(id) > count]
    if again:
        wrong.append(f"calls were placed again with their answer on disk: {again}")
    if not power and (len(served) != 2 + (len(set(served)) < len(served)) or len(set(served)) != 2):
        wrong.append(f"these answers were paid for: {served}")
    if list((where.calls / "done").glob("*/*")) or list((where.calls / "taken").glob("[0-9a-f]*")):
        there = [str(path.relative_to(where.calls)) for path in where.calls.rglob("*") if path.is_file()]
        wrong.append(f"the spool still holds calls that LIFE has: {there}")
    if waits := queue.names(where.calls / "new" / "second"):
        wrong.append(f"a call still waits: {waits}")
    return wrong


@pytest.mark.slow
@pytest.mark.parametrize("power", POWER)
def test_dies_everywhere_while_another_answers_and_lives_on(power: str) -> None:
    crash.survives(everywhere, "crash-fallback", power)
