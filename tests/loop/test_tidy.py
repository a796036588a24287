"""What a start finds in the agent's directory: own files go into `files/`, odd things are set aside, and it goes on."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import crash
import deaths
import pytest
import world
from hands import Hands, a_life

from dotagent.life.events import Result
from dotagent.store import log
from dotagent.store.home import Home
from dotagent.store.queue import Call
from dotagent.store.requests import ChatMessage


def errors(hands: Hands) -> list[str]:
    return [line.detail for line in (*hands.events("ERROR"), *hands.events("TELL"))]


def test_own_files_are_moved_once_and_told_once(tmp_path: Path) -> None:
    with a_life(tmp_path) as hands:
        path = hands.path
    (path / "notes").mkdir()
    (path / "notes/plan.md").write_text("plan")
    (path / "link").symlink_to("/etc")
    os.mkfifo(path / "pipe")
    (path / "taken").write_text("theirs")
    (path / "files/taken").write_text("mine")
    with a_life(tmp_path) as hands:
        told = [entry for entry in hands.session.entries if entry.event == "WARN"]
        assert [(one.content or b"").startswith(b"Your own files are now in files/") for one in told] == [True]
        assert b"3 names moved there" in (told[0].content or b"")
        assert (path / "files/notes/plan.md").read_text() == "plan"
        assert os.readlink(path / "files/link") == "/etc"
        assert (path / "taken").read_text() == "theirs" and (path / "files/taken").read_text() == "mine"
        assert hands.shows("READ_FILE notes/plan.md").endswith("plan")
    with a_life(tmp_path) as hands:
        assert len(hands.events("WARN")) == 1


@pytest.mark.parametrize("year, how, told", [("2025", "ok", 1), ("2025", "", 0), ("2027", "ok", 0)])
def test_notes_from_before_there_were_marks_are_told_of_once(tmp_path: Path, year: str, how: str, told: int) -> None:
    """To an agent that is as old and has read words of others, and to no other."""
    with a_life(tmp_path) as hands:
        life = hands.path / "LIFE.md"
        (hands.path / "MEMORY.md").write_text("- the office moved\n")
        hands.world.say("hello")
        hands.world.run()
        if how:
            hands.session.record(Result("READ_FILE", how), b"The office moved.")
    first, _, rest = life.read_text().partition("\n")
    life.write_text(re.sub(r"\b20\d\d(?=-\d\d-\d\dT)", year, first, count=1) + f"\n{rest}")
    for _ in range(2):
        with a_life(tmp_path) as hands:
            assert sum("--fix` marks them" in one for one in errors(hands)) == told


ODD: dict[str, Callable[[Path], object]] = {
    "memory is a file": lambda at: (at / "memory").touch(),
    "memory is a link": lambda at: (at / "memory").symlink_to("/etc"),
    "memory is a loop": lambda at: (at / "memory").symlink_to("memory"),
    "memory is a pipe": lambda at: os.mkfifo(at / "memory"),
    "bank is a link": lambda at: (at / "bank").symlink_to("../../chats"),
    "skills is a file": lambda at: (at / "skills").touch(),
    "a document is a folder": lambda at: ((at / "AGENTS.md").unlink(), (at / "AGENTS.md").mkdir()),
    "a document is a pipe": lambda at: ((at / "USER.md").unlink(), os.mkfifo(at / "USER.md")),
    "notes of a day are a folder": lambda at: (at / "memory/2026-11-25.md").mkdir(parents=True),
    "working is a file": lambda at: ((at / "memory").mkdir(), (at / "memory/working").touch()),
    "files is a link": lambda at: ((at / "files").rmdir(), (at / "files").symlink_to("/etc")),
    "run/now is a file": lambda at: (at / "run/now").touch(),
    "an index is a folder": lambda at: (at / "run/notes.db").mkdir(),
    "processes is a link": lambda at: (at / "processes").symlink_to("/tmp"),
    "due is a file": lambda at: (at / "due").touch() if not (at / "due").exists() else None,
}


@pytest.mark.wide
@pytest.mark.slow
@pytest.mark.parametrize("name", ODD)
def test_odd_things_are_set_aside_and_said_once(tmp_path: Path, name: str) -> None:
    with a_life(tmp_path) as hands:
        path = hands.path
    ODD[name](path)
    with a_life(tmp_path) as hands:
        assert hands.shows("NOTE it goes on").startswith("noted in memory/")
        assert hands.shows("RUN echo on") == "exit status 0\non\n"
        hands.one("RECALL on")
        assert len([one for one in errors(hands) if "odd-" in one]) <= 1
        assert not (path / "memory").is_symlink() and not (path / "files").is_symlink()
    with a_life(tmp_path) as hands:
        assert len([one for one in errors(hands) if "odd-" in one]) <= 1


def test_a_document_that_its_person_linked_is_read_and_written_and_said(tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    vault.mkdir()
    (vault / "MEMORY.md").write_text("- the dentist is in May\n")
    with a_life(tmp_path) as hands:
        path = hands.path
        (hands.where.root / ".env").write_text("KEY=sesame\n")
        (hands.where.root / ".env").chmod(0o600)
    (path / "MEMORY.md").unlink(missing_ok=True)
    (path / "MEMORY.md").symlink_to(vault / "MEMORY.md")
    (path / "USER.md").unlink()
    (path / "USER.md").symlink_to("../../.env")
    with a_life(tmp_path) as hands:
        assert hands.shows("READ_FILE MEMORY.md").endswith("in May")
        hands.do("REMEMBER the key is under the mat")
        assert "under the mat" in (vault / "MEMORY.md").read_text() and (path / "MEMORY.md").is_symlink()
        hands.fails("READ_FILE USER.md", "link into dotagent's data directory")
        (told,) = [one for one in errors(hands) if "unexpected files in this agent's directory" in one]
        assert (
            f"MEMORY.md is a link, so I read and write the file that it leads to: {vault}/MEMORY.md" in told
            and "could not read USER.md" in told
        )


OLD = {"a": "a", "plans/plan.md": "plan", "taken": "theirs", "run/now/made/made": "by a command that was killed"}
"""What an earlier version left beside the documents, and what becomes of it."""
NEW = {"files/a": "a", "files/plans/plan.md": "plan", "taken": "theirs", "files/taken": "mine",
       "files/recovered-1/made": "by a command that was killed"}  # fmt: skip


def moved(base: Path, power: str) -> list[str]:
    """Die at each change to the disk of a start that moves them; what is wrong once the agent has started again."""
    where, wrong = crash.fresh(base / "home"), list[str]()
    crash.live(where, base / "calls")
    (path,) = where.agents.iterdir()
    (path / "files/taken").write_text("mine")
    for name, text in OLD.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_text(text)
    found = deaths.of(where.root, power, list, lambda disk: crash.live(where, base / "calls"))
    assert len(found) > 6, [one.name for one in found]
    for death in crash.tried(found):
        death.tree.write(where.root)
        for _ in range(2):
            if status := deaths.child(lambda: crash.live(Home(where.root), base / "calls")):
                wrong.append(f"{death.name}: resuming ended with {status}")
        there = {name: (path / name).read_text() for name in (*OLD, *NEW) if (path / name).is_file()}
        told = sum(line.event == "WARN" for line in log.lines(path / "LIFE.md"))
        twice = {name: OLD[name] for name in there.keys() - NEW.keys()} if power else {}  # the new name was kept alone
        if there != NEW | twice or not 1 <= told <= 2:
            wrong.append(f"{death.name}: {there}, told {told} times")
    return wrong


@pytest.mark.slow
@pytest.mark.parametrize("power", deaths.POWER[:2])
def test_a_crash_while_files_are_moved_loses_none(power: str) -> None:
    crash.survives(moved, "moved", power)


def test_the_room_hears_once_what_was_set_aside(tmp_path: Path) -> None:
    def model(messages: list[ChatMessage], call: Call) -> str:
        return "SAY dev Hello."

    with world.world(tmp_path, model) as here:
        here.say("hello")
        here.run()
        path = here.session.path
    shutil.rmtree(path / "memory")
    (path / "memory").symlink_to("/tmp")
    for _ in range(2):
        with world.world(tmp_path, model) as here:
            here.run()
            told = [one for one in world.said(here.where) if "unexpected files in this agent's directory" in one]
        assert len(told) == 1 and "memory was renamed to memory.odd-1" in told[0]
