"""Dying at every single change to the disk, by kill -9 and by power cut, and resuming: nothing is lost or repeated."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import crash
import deaths
import pytest
from a_lived_home import look
from deaths import ANY_ORDER, POWER, Death

from dotagent.store import home, log, rooms
from dotagent.store.blobs import BlobCorrupt, BlobMissing
from dotagent.store.home import Home
from dotagent.store.rooms import Position


def everywhere(base: Path, power: str, seed: int = 0) -> list[str]:
    """Die at each point of a conversation, and tell what is wrong after any of them."""
    where, asked = Home(base / "home"), base / "log"
    crash.live(crash.fresh(where.root), asked)  # what is loaded or compiled when first used is so from now on
    crash.fresh(where.root)
    asked.write_text("")
    found = deaths.of(where.root, power, asked.read_text, lambda disk: crash.live(where, asked), seed)
    undisturbed = verdict(where, asked, {}, b"")
    assert undisturbed == [], undisturbed  # its text too where pytest does not show it: bench/cuts.py
    assert len(found) > 50
    return [problem for death in crash.tried(found) for problem in one(death, where, asked)]


def one(death: Death, where: Home, asked: Path) -> list[str]:
    """Resume after a death, and tell what is wrong then."""
    death.tree.write(where.root)
    asked.write_text(death.known)
    answered = {path.name: death.known.count(path.name) for path in where.calls.glob("done/*/*")}
    told = look(where, "--deep")[1] if death.power else []
    wrong = [f"{death.name}: doctor calls it damage: {one['what']}" for one in told if one["level"] == "damage"]
    before = b"" if death.power == ANY_ORDER else whole_lines(where)
    status = deaths.child(lambda: crash.live(where, asked))
    if status:
        return [f"{death.name}: resuming ended with {status}"]
    return wrong + [f"{death.name}: {problem}" for problem in verdict(where, asked, answered, before, death.power)]


def whole_lines(where: Home) -> bytes:
    born = home.lives(where)
    data = (where.agent(born[0]) / "LIFE.md").read_bytes() if born else b""
    return data[: data.rfind(b"\n") + 1]


def verdict(where: Home, asked: Path, answered: dict[str, int], before: bytes, power: str = "") -> list[str]:
    """What is wrong with a home in which the conversation has come to its end."""
    wrong = []
    path = where.agent(home.lives(where)[0])
    if len(home.lives(where)) > 1:
        wrong.append("it was born twice")
    if not (path / "LIFE.md").read_bytes().startswith(before):
        wrong.append("LIFE lost events that it had")
    lines = list(log.lines(path / "LIFE.md"))
    if len(lines) != (path / "LIFE.md").read_bytes().count(b"\n"):
        wrong.append("LIFE has lines that are no events")
    if any(a.at >= b.at for a, b in pairwise(lines)):
        wrong.append("LIFE's times do not increase")
    store = where.store()
    for line in lines:
        try:
            if line.id and line.event != "ASK":
                store.get(line.id)
        except (BlobMissing, BlobCorrupt) as lost:
            return [f"{line.event}: {lost}"]
    found = rooms.read(where.room("dev"), Position())
    assert found
    said = [m.raw.decode().split("] ", 1)[1].strip() for m in found[0] if m.kind == "AGENT"]
    heard = [m.raw.decode().split("] ", 1)[1].strip().replace("\n  ", "\n") for m in found[0] if m.kind == "USER"]
    if said != crash.SAID:
        wrong.append(f"the agent said {said}")
    if heard != crash.MESSAGES:
        wrong.append(f"the person said {heard}")
    if [line.event for line in lines].count("HEAR") != len(crash.MESSAGES):
        wrong.append("a message was heard twice or never")
    if (path / "MEMORY.md").read_text() != crash.MEMORY:
        wrong.append(f"MEMORY.md holds {(path / 'MEMORY.md').read_text()!r}")
    if not (path / "files/notes/a.md").exists() or (path / "files/notes/a.md").read_text() != "SAY dev not a call\n":
        wrong.append("notes/a.md is not what was written")
    runs = [store.get(line.id).body for line in lines if line.event == "TOOL" and line.detail.startswith("RUN")]
    ran = (path / "files/ran.log").read_text().count("ran") if (path / "files/ran.log").exists() else 0
    interrupted = bool(power) or runs[0].startswith(b"interrupted")  # what the command wrote it did not sync
    if len(runs) != 1 or ran > 1 or (not interrupted and ran != 1):
        wrong.append(f"the command ran {ran} times and was told of by {runs}")
    served = asked.read_text().split()
    again = [id for id, times in answered.items() if served.count(id) > times]
    if again:
        wrong.append(f"calls were placed again with their answer on disk: {again}")
    if list((where.calls / "done").glob("*/*")) or list((where.calls / "taken").glob("[0-9a-f]*")):
        wrong.append("the spool still holds calls that LIFE has")
    return wrong


@pytest.mark.slow
@pytest.mark.parametrize("power", POWER)
def test_dies_everywhere_and_lives_on(power: str) -> None:
    crash.survives(everywhere, "crash", power)
