"""Every check has something that breaks it, and names it then with what to do; what --fix mends is well afterwards."""

from __future__ import annotations

import fcntl
import json
import os
import threading
from collections.abc import Callable
from contextlib import redirect_stdout
from io import StringIO

import pytest
from a_lived_home import folder, look, snapshot
from planting import plant, trust

from dotagent import commands
from dotagent.capabilities.hooks import event_queue
from dotagent.doctor import home as of_home
from dotagent.erasure import sweep
from dotagent.loop import birth
from dotagent.loop.birth import Birth
from dotagent.store import disk, home, log, queue
from dotagent.store.home import Home
from dotagent.text import times

Harm = Callable[[Home], object]


def settings(text: str) -> Harm:
    return lambda where: (where.root / "dotagent.toml").write_text(text)


def secrets(where: Home) -> None:
    (where.root / ".env").write_text("DEEPSEEK_API_KEY=hush\n")
    (where.root / ".env").chmod(0o644)


def spool(where: Home) -> None:
    queue.stream(where, "d" * 32)
    disk.make_dir(where.calls / "new" / "own")
    (where.calls / "new" / "own" / ("c" * 32)).write_text("{")
    (where.calls / "new" / "own" / ("c" * 32)).chmod(0o600)


def unconfigured(where: Home) -> None:
    """A provider that says of itself that it cannot answer; its lock is let go when the test's process ends."""
    (where.calls / "providers.json").write_text('{"offline": {"model": "m", "configured": false, "why": "no key"}}')
    assert disk.try_lock(disk.open_append(where.calls / "offline.pid"))


def misnamed(where: Home) -> None:
    disk.make_dir(where.jobs)
    (where.jobs / "Bad Name.toml").touch(mode=0o600)


def due(where: Home) -> None:
    disk.make_dir(folder(where) / "due")
    (folder(where) / "due" / "tea@20261122T090000Z.json").write_text("{")


def half_forgotten(where: Home) -> None:
    sweep.announce(where, ["What was said."], "ana")


def far(where: Home) -> None:
    life = log.Log(folder(where) / "LIFE.md")
    life.append("SLEEP")
    life.close()
    path = folder(where) / "LIFE.md"
    head, _, last = path.read_bytes().removesuffix(b"\n").rpartition(b"\n")
    path.write_bytes(head + b"\n" + b"2199" + last[4:] + b"\n")


def beats(where: Home) -> None:
    (folder(where) / "HEARTBEAT.md").write_text("- every other Monday: water the plants\n")


def pack(where: Home) -> None:
    disk.make_dir(where.packs / "weather")
    (where.packs / "weather" / "pack.toml").write_text('about = "of nothing"')


def plugin(where: Home) -> None:
    (where.root / "tools").mkdir()
    (where.root / "tools" / "x.py").write_text('"""X."""\n')


def skill(where: Home) -> None:
    """One that was trusted, and changed since."""
    plant(where.skills, "x")
    trust(where, "x")
    plant(where.skills, "x", body="Something else.")


def hook(where: Home) -> None:
    (where.root / "dotagent.toml").write_text('[hooks.mine]\non = "turn"\nrun = "x"\n')
    disk.make_dir(event_queue.folder(folder(where)))
    event_queue.note(folder(where), {"at": times.now(), "hook": "mine", "how": "exit status 1", "printed": ""})


def synced(where: Home) -> None:
    (folder(where) / "MEMORY.sync-conflict-20261128-101010-ABCDEFG.md").write_text("- tea\n")


def two_accounts(where: Home) -> None:
    birth.born(where, Birth("private zoe", "zoes", "private", "You are kind."))


BROKEN: dict[str, tuple[Harm, str, str]] = {  # by the check: what harms it, and words of what is named and of its cure
    "directories": (
        lambda where: where.chats.rename(where.root / "away"),
        "is missing, or something else",
        "start an agent",
    ),
    "prompts": (lambda where: (where.root / "SOUL.md").write_bytes(b""), "is empty", "write a text"),
    "forgotten": (half_forgotten, "a permanent deletion is not finished yet", "start an agent, which finishes"),
    "settings": (settings("nonsense = 1\n"), "unknown setting", "nothing starts"),
    "secrets": (secrets, "other users of this machine can read", "nothing starts"),
    "answering": (settings('provider = "deepseek"\n'), "DEEPSEEK_API_KEY is not set", "onboard"),
    "bridges": (settings("[bridges.telegram]\n"), "has no token", "config set TELEGRAM_BOT_TOKEN"),
    "named": (
        settings("[agents.00000000]\nfallback = ['local']\n"),
        "the agent 00000000, which does not exist",
        "or delete it there",
    ),
    "commands": (settings('[roots]\nprivate = ["."]\n'), "sandboxed commands cannot see it", "choose a folder"),
    "lists": (
        beats,
        "the time of an item in this list is not clear: every other Monday",
        "write the time in another way",
    ),
    "clock": (misnamed, "cannot be the name of a job", "rename the file"),
    "waiting": (due, "is unreadable", "remove"),
    "toolpacks": (pack, "exactly one of the tables", "toolpacks remove"),
    "hooks": (hook, "the hook mine ended at", "enabled = false"),
    "plugins": (plugin, "is new, so it does not run", "plugins trust tools/x"),
    "skills": (skill, "was changed after you trusted it", "skills trust x"),
    "rooms": (
        lambda where: (where.chats / "Notes").touch(mode=0o600),
        "cannot be the name of a room",
        "rename the file",
    ),
    "accounts": (two_accounts, "agents here were created for the accounts", "set `owner`"),
    "copies": (synced, "left this copy of MEMORY.md", "add what you need of it to MEMORY.md"),
    "calls": (spool, "is unreadable", "remove this file"),
    "providers": (unconfigured, "not configured: no key", "configure"),
    "strangers": (
        lambda where: (where.agents / "notes").mkdir(mode=0o700),
        "not the directory of an agent",
        "move this directory away",
    ),
    "agent": (far, "days ahead", "no action needed"),
    "blobs": (lambda where: (where.blobs / "x").touch(mode=0o600), "does not belong to dotagent", "move the file away"),
}


@pytest.mark.slow
@pytest.mark.parametrize("check", BROKEN)
def test_each_check_names_what_is_broken_and_how_to_mend_it(where: Home, check: str) -> None:
    harm, what, do = BROKEN[check]
    harm(where)
    status, found = look(where, "--deep")
    mine = [one for one in found if one["check"].split(" ")[0] == check]
    assert any(what in one["what"] and do in one["do"] for one in mine), found
    assert status == int(any(one["level"] == "damage" for one in found)) and "hush" not in str(found)


def test_no_check_is_left_out(where: Home) -> None:
    with redirect_stdout(StringIO()) as out:
        assert commands.run("doctor", ["--home", str(where.root), "--json", "--deep"]) == 0
    found = [json.loads(line) for line in out.getvalue().split("\n")[:-1]]
    assert {one["check"].split(" ")[0] for one in found} == {*BROKEN, "space", "writable", "zone"}
    assert {one["level"] for one in found} == {"ok"} and all(one["what"] for one in found)


def test_a_disk_that_is_almost_full(where: Home) -> None:
    assert [one.level for one in of_home.space(where)] == ["ok"]
    assert "are free on the disk" in next(of_home.space(where, little=1 << 80)).what
    assert "more files" in next(of_home.space(where, little=0, few=1 << 80)).what or not os.statvfs(where.root).f_files


@pytest.mark.parametrize("broken", ["secrets", "calls"])
def test_what_can_be_mended_safely_is(where: Home, broken: str) -> None:
    BROKEN[broken][0](where)
    where.room("dev").chmod(0o644)
    (folder(where) / "context.md").unlink()
    (where.root / "SEGMENT.md").unlink()
    assert look(where)[1]
    status, found = look(where, "--fix")
    mended = " ".join(one["what"] for one in found if one["level"] == "mended")
    assert all(
        name in mended
        for name in ("SEGMENT.md created again", "dev.md is now readable by its owner", "context.md created")
    )
    assert status == 0 and [one for one in found if one["level"] != "mended"] == []
    after = snapshot(where.root)
    assert look(where, "--fix") == (0, []) and snapshot(where.root) == after


@pytest.mark.parametrize("broken", ["settings", "rooms", "strangers", "agent", "blobs", "answering", "named"])
def test_what_is_a_persons_to_decide_is_left(where: Home, broken: str) -> None:
    BROKEN[broken][0](where)
    before, (status, found) = snapshot(where.root), look(where, "--deep")
    assert look(where, "--deep", "--fix") == (status, found) and found and snapshot(where.root) == before


def test_the_context_of_a_life_that_runs_is_left_to_it(where: Home) -> None:
    (folder(where) / "context.md").unlink()
    held = disk.open_append(where.agent(home.lives(where)[0]) / "LIFE.md")
    with disk.locked(held):
        assert "mended" not in {one["level"] for one in look(where, "--fix")[1]}
    os.close(held)


def test_a_life_at_which_somebody_only_looks_is_mended(where: Home) -> None:
    (folder(where) / "context.md").unlink()
    with open(folder(where) / "LIFE.md", "rb") as looked:
        fcntl.flock(looked, fcntl.LOCK_SH)  # as disk.is_locked does, for a moment
        threading.Timer(0.05, looked.close).start()
        assert any("context.md created again" in one["what"] for one in look(where, "--fix")[1])
