"""Dying at every change to the disk over a picture that was given in a room, is read, and is brought back: the blob is
there whenever LIFE names it, and the model is shown it wherever somebody died."""

from __future__ import annotations

from pathlib import Path

import crash
import deaths
import pytest
from deaths import ANY_ORDER, POWER, Death, Disk
from exhibited import png

from dotagent.errors import Trouble
from dotagent.store import attachments, disk, home, log, queue, request_rebuilding
from dotagent.store.home import Home
from dotagent.store.queue import Outcome
from dotagent.text import media

CAT = png(30, 40)
REPLIES = ["READ_FILE cat.png", "UNCOMPACT {id}", "I see {seen} of it."]


def serve(where: Home) -> bool:
    """Be the model: it reads, brings back, and says how many pictures it was shown."""
    call, store = queue.take(where, "scripted"), where.store()
    if call is None:
        return False
    try:
        parts = request_rebuilding.Rebuilder(store).request(call.id).parts
    except Trouble as lost:  # a power cut may take a request, which is never synced
        return queue.fail(where, call, "lost", str(lost), retryable=True)
    lines = list(log.lines(where.agent(call.agent) / "LIFE.md"))
    number = sum(1 for line in lines if line.event == "REPLY")
    id = next((line.id[:12] for line in lines if line.event == "TOOL"), "")
    seen = [store.get(one.id).body == CAT for part in parts for one in part.media]
    queue.answer(where, store, call, REPLIES[number].format(id=id, seen=sum(seen)), Outcome(finish="stop"))
    return True


def live(where: Home) -> None:
    """Live to the end of it."""
    crash.lived(where, lambda _: serve(where), lambda me: gives(where, me.session.path))


def gives(where: Home, place: Path) -> bool:
    """Be the person, who gives the picture in the room, and puts it where the agent reads."""
    if b"[USER:" in where.room("dev").read_bytes():
        return False
    Disk.mortal = False
    disk.replace(place / "cat.png", CAT)
    line = attachments.keep(where.store(), "dev", "cat.png", CAT)
    return crash.says(where, f"look\n{line}")


def everywhere(base: Path, power: str) -> list[str]:
    """Die at each point of the conversation, and tell what is wrong after any of them."""
    where = crash.fresh(base / "home")
    live(where)
    crash.fresh(where.root)
    found = deaths.of(where.root, power, lambda: None, lambda disk: live(where))
    assert verdict(where, b"") == []
    assert len(found) > 9
    return [problem for death in crash.later(found) for problem in one(death, where)]


def one(death: Death, where: Home) -> list[str]:
    """Resume after a death, and tell what is wrong then."""
    death.tree.write(where.root)
    born = home.lives(where)
    before = (where.agent(born[0]) / "LIFE.md").read_bytes() if born and death.power != ANY_ORDER else b""
    if status := deaths.child(lambda: live(where)):
        return [f"{death.name}: resuming ended with {status}"]
    return [f"{death.name}: {problem}" for problem in verdict(where, before[: before.rfind(b"\n") + 1])]


def verdict(where: Home, before: bytes) -> list[str]:
    """What is wrong with a home in which the conversation has come to its end."""
    wrong, store = list[str](), where.store()
    (self_id,) = home.lives(where)
    path = where.agent(self_id) / "LIFE.md"
    if not path.read_bytes().startswith(before):
        wrong.append("LIFE lost events that it had")
    shown = [line for line in log.lines(path) if " media=" in line.detail]
    if [line.event for line in shown] != ["HEAR", "TOOL", "TOOL"]:
        wrong.append(f"what was shown: {[line.detail for line in shown]}")
    seen = [one for line in shown for one in media.parsed(line.detail.partition("media=")[2].split(" ")[0])]
    if [store.get(one.id).body for one in seen] != [CAT] * 3 or seen[1:2] != seen[2:]:
        wrong.append("what is named is not the picture")
    said = crash.said(where)
    if said != ["I see 3 of it."]:
        wrong.append(f"it said {said}")
    return wrong


@pytest.mark.slow
@pytest.mark.parametrize("power", POWER)
def test_a_picture_is_shown_and_named_whoever_died_over_it(power: str) -> None:
    crash.survives(everywhere, "crash-pictures", power)
