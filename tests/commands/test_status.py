"""status: one screen of a home, or everything as JSON; it changes nothing and tells no secret."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from dataclasses import asdict
from io import StringIO
from pathlib import Path

import pytest
from support import ROOT, barred, environment, make_home, run

from dotagent import commands, sandbox
from dotagent.bridges import Place
from dotagent.bridges.pattern import journal
from dotagent.bridges.pattern.ledger import Standing
from dotagent.store import disk, log, queue, rooms
from dotagent.store.home import Home
from dotagent.store.queue import Call

AGENT = "0123456789abcdef" * 2


@pytest.fixture
def where(tmp_path: Path) -> Iterator[Home]:
    made = make_home(tmp_path / "home")
    rooms.create(made.room("dev"), "private")
    rooms.create(made.room("club"), "group")
    folder = made.agent(AGENT)
    disk.make_dir(folder / "subs")
    os.symlink("../../../chats/dev.md", folder / "subs" / "dev.md")
    life = log.Log(folder / "LIFE.md")
    life.append("BOOT", "private ana", AGENT, "SOUL")
    life.append("SLEEP")
    life.close()
    queue.place(made, Call("e" * 32, AGENT, "own", "live", "dev"))
    yield made


def told(where: Home, kind: str, status: int = 0, words: tuple[str, ...] = ()) -> list[dict[str, object]]:
    """The rows of one kind, when it ends so."""
    with redirect_stdout(StringIO()) as out:
        assert commands.run("status", ["--home", str(where.root), "--json", *words]) == status
    rows = [json.loads(line) for line in out.getvalue().split("\n")[:-1]]
    return [row for row in rows if row.pop("kind") == kind]


def test_agents_run_or_sleep(where: Home) -> None:
    (agent,) = told(where, "agent")
    assert (agent["id"], agent["state"], agent["audience"]) == (AGENT, "sleeps", "private ana")
    assert (agent["rooms"], agent["event"]) == (["dev"], "SLEEP")
    fd = disk.open_append(where.agent(AGENT) / "LIFE.md")
    with disk.locked(fd):
        assert told(where, "agent")[0]["state"] == "runs"
    os.close(fd)


def test_it_tells_where_bridges_speak_and_as_whom(where: Home) -> None:
    assert told(where, "voice", words=("--probe",)) == []
    folder = where.bridges / "telegram"
    disk.make_dir(folder)
    book = journal.Journal(folder / "journal.jsonl")
    for id, room in (("7", "dev"), ("8", "club")):
        standing = Standing(Place(id, "person", f"{room}\x1b[31m of ana"), room, "private")
        book.note("PLACE", **asdict(standing))
    book.close()
    before = (folder / "journal.jsonl").read_bytes()
    (where.agent(AGENT) / "IDENTITY.md").write_text("- **Name:** Bea\n- **Emoji:** 🐝\n")
    dev, club = told(where, "voice", words=("--probe",))
    assert (dev["name"], dev["avatar"], dev["agent"], dev["awake"]) == ("Bea", "🐝", AGENT[:12], False)
    assert (dev["bridge"], dev["runs"], dev["room"], club["agent"]) == ("telegram", False, "dev", "")
    assert "\x1b" not in str(dev["place"]) and (folder / "journal.jsonl").read_bytes() == before
    assert told(where, "voice") == []
    shown = run(where, "-m", "dotagent", "status", "--probe").stdout
    assert "Bea 0123456789ab, stopped" in shown and "does not run" in shown and "none" in shown


@pytest.mark.parametrize("lost", ["agents/" + "a" * 32 + "/LIFE.md", "chats/club.md"])
def test_what_cannot_be_read_is_named_and_the_rest_is_shown(where: Home, lost: str) -> None:
    disk.make_dir(where.agent("a" * 32))
    log.Log(where.agent("a" * 32) / "LIFE.md").close()
    assert len(told(where, "agent")) == 2  # from here on, modules of Python are loaded that another user cannot read
    if os.geteuid() == 0:  # who may read everything
        for path in (where.root.parent, where.root, *where.root.rglob("*")):
            os.chown(path, 65534, 65534, follow_symlinks=False)
        where.root.parent.parent.chmod(0o711)
    with barred(where.root / lost):
        if not os.access(ROOT / "dotagent", os.R_OK, effective_ids=True):
            pytest.skip("another user cannot read this copy of the code")
        (warned,) = [row["text"] for row in told(where, "warning", 1) if "could not be read" in str(row["text"])]
        assert str(warned).startswith(f"could not be read: {where.root / lost}: Permission denied")
        assert AGENT in [row["id"] for row in told(where, "agent", 1)]
        assert {"dev", "club"} == {row["name"] for row in told(where, "room", 1)}


def test_calls_rooms_and_providers(where: Home) -> None:
    (call,) = told(where, "call")
    assert (call["id"], call["state"], call["provider"], call["room"], call["attempt"]) == (
        "e" * 32,
        "new",
        "own",
        "dev",
        0,
    )
    assert {room["name"]: room["audience"] for room in told(where, "room")} == {"dev": "private ana", "club": "group"}
    assert {room["name"]: room["bytes"] for room in told(where, "room")} == {"dev": 14, "club": 13}
    states = {one["name"]: one["state"] for one in told(where, "provider")}
    assert states["own"] == "your own program" and states["offline"] == "not served"
    (where.calls / "providers.json").write_text('{"offline": {"model": "offline", "configured": true, "pid": 7}}')
    fd = disk.open_append(where.calls / "offline.pid")
    with disk.locked(fd):
        (one,) = [one for one in told(where, "provider") if one["name"] == "offline"]
    os.close(fd)
    assert (one["state"], one["pid"], one["model"]) == ("served", 7, "offline")


def test_an_entry_of_the_spool_that_cannot_be_read_stays_where_it_is(where: Home) -> None:
    path = where.calls / "new" / "own" / ("d" * 32)
    path.write_text("no call")
    assert len(told(where, "call")) == 1 and path.exists()


def test_settings_in_force_and_where_they_come_from(where: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    (where.root / "dotagent.toml").write_text('owner = "bob"\n[providers.own]\nkey = "does not exist"\n')
    monkeypatch.setenv("DOTAGENT_CONTEXT_LIMIT", "5000")
    monkeypatch.setenv("DEEPSEEK_API_KEY", "hush")
    rows = told(where, "setting")
    found = {row["name"]: (row["value"], row["source"]) for row in rows}
    assert found["owner"] == ("bob", "dotagent.toml") and found["context_limit"] == (5000, "environment")
    assert found["provider"][1] == "default" and found["providers"] == (["own"], "dotagent.toml")
    assert "hush" not in str(rows) and "does not exist" not in str(rows)


def test_it_warns_of_run_and_of_settings_that_cannot_be_read(where: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOTAGENT_SANDBOX", "off")
    assert ".env" in str(told(where, "warning"))
    (where.root / "dotagent.toml").write_text("provider = ")
    (warning,) = told(where, "warning", status=2)
    assert "dotagent.toml" in str(warning)
    (where.root / "dotagent.toml").write_text("[bridges.discord]\nanswer = 'sometimes'\n")
    assert "sometimes" in str(told(where, "warning", status=2)) or "answer must be" in str(told(where, "warning", 2))


def test_it_says_in_which_sandbox_commands_run(where: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOTAGENT_SANDBOX", "off")
    (line,) = told(where, "sandbox")
    assert line["name"] == "" and "with your permissions" in str(line["text"])
    there = [kind for kind in sandbox.KINDS if not sandbox.lacking(kind)]
    for kind in there:
        monkeypatch.setenv("DOTAGENT_SANDBOX", kind)
        (line,) = told(where, "sandbox")
        assert line["name"] == kind and 'roots = ["/a/folder"]' in str(line["text"])
        assert not told(where, "warning")
    monkeypatch.setenv("DOTAGENT_SANDBOX", "on")
    assert told(where, "sandbox")[0]["name"] == (there[0] if there else "")


def test_for_people_it_is_one_screen(where: Home) -> None:
    for number in range(40):
        rooms.create(where.room(f"room{number}"), "private")
    done = run(where, "-m", "dotagent", "status", env={"DOTAGENT_SANDBOX": "off"})
    lines = done.stdout.split("\n")
    assert done.returncode == 0 and len(lines) <= 50
    assert "… 32 more (status --json lists all)" in lines
    assert any(re.match("0123456789ab  Assistant  stopped  private ana +[0-9,]+  dev +20", line) for line in lines)
    assert any(line.startswith("warning: PROCESS and RUN: there is no sandbox") for line in lines[-5:])


def test_without_a_home_it_is_one_line(tmp_path: Path) -> None:
    done = run(Home(tmp_path / "none"), "-m", "dotagent", "status")
    assert done.returncode == 1 and done.stderr.count("\n") == 1 and not (tmp_path / "none").exists()


def test_hooks_stand_there_with_their_events(where: Home) -> None:
    assert told(where, "hook") == []
    (where.root / "dotagent.toml").write_text('[hooks.mine]\non = ["turn", "error"]\nrun = "cat >> seen"\n')
    (hook,) = told(where, "hook")
    assert hook == {"name": "mine", "on": ["turn", "error"], "run": "cat >> seen", "timeout": 10}


@pytest.mark.slow
def test_a_memory_that_is_too_long_is_named(where: Home) -> None:
    (where.agent(AGENT) / "MEMORY.md").write_text("- a fact\n" * 500)
    for command in ("status", "doctor"):
        told = " ".join(run(where, "-m", "dotagent", command).stdout.split())
        assert "the file has 4,500 characters; above 4,000 the agent cannot add to it" in told
        assert "agents/0123456789ab/MEMORY.md" in told


@pytest.mark.slow
@pytest.mark.skipif(sandbox.lacking("bubblewrap") != "", reason="there is no bubblewrap to mount with")
def test_a_home_that_is_read_only_is_named(where: Home) -> None:
    inside = ["bwrap", "--dev-bind", "/", "/", "--ro-bind", str(where.root), str(where.root)]
    for command, status in (("status", 0), ("doctor", 1)):
        words = [*inside, sys.executable, "-m", "dotagent", command]
        done = subprocess.run(words, cwd=ROOT, env=environment(where), capture_output=True, text=True, check=False)
        assert "cannot be written to, so no agent can run" in " ".join(done.stdout.split())
        assert done.returncode == status, done.stderr
