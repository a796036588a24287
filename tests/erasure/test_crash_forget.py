"""Dying at every change to the disk while something is forgotten, by kill -9 and by power cut: it is all gone once the
next process is through, and said once; or nothing was announced, and all is as it was.
"""

from __future__ import annotations

from pathlib import Path

import crash
import deaths
import pytest
from deaths import POWER
from unforgotten import traces, wrong
from world import offline, world

from dotagent.erasure import ledger, matches, sweep
from dotagent.store import home
from dotagent.store.home import Home
from dotagent.text import times

SECRET = "The wine is behind the third barrel"
TWIN = "The oil is behind the second barrel"


def everywhere(base: Path, power: str) -> list[str]:
    """Die at each point of forgetting, and tell what is wrong after any of them."""
    where = crash.fresh(base / "home")
    with world(where.root, offline) as it:
        for words in (f"remember that {SECRET}", f"{TWIN}, and {SECRET.lower()}.", "hello"):
            it.say(words)
            it.run()
    (where.root / "up").mkdir(exist_ok=True)
    (where.root / "up" / "clock.log").write_text(f"a log: {SECRET}\n")
    (packed := where.agent(home.lives(where)[0]) / "files").mkdir(exist_ok=True)
    (packed / "a.bin").write_bytes(b"\0" + SECRET.encode())
    (packed / "drafts").mkdir()
    (packed / "drafts" / "only.md").write_text(f"a draft: {SECRET}\n")
    found = deaths.of(where.root, power, lambda: "", lambda disk: forgotten(disk, where))
    assert len(found) > 8
    return [f"{death.name}: {problem}" for death in crash.tried(found) for problem in wrong(death, where, SECRET, TWIN)]


def forgotten(disk: deaths.Disk, where: Home) -> None:
    """Forget, and die once more when all is done: by a power cut that comes after the last change. A file with the
    words was deleted just before, and its folder is empty."""
    (where.agent(home.lives(where)[0]) / "files" / "drafts" / "only.md").unlink()
    forget(where)
    disk.count("the end")


def forget(where: Home) -> None:
    found = matches.find_choices(where, f'"{SECRET}"')
    sweep.announce(where, [one.words for one in found.tellings], "ana", list(found.things))
    sweep.finish(where)


@pytest.mark.slow
def test_a_blob_that_a_killed_process_emptied_stays_empty_after_a_power_cut(tmp_path: Path) -> None:
    """The killed process did not sync the blob's folder, so the process that goes on does, and counts the blob."""
    where = crash.fresh(tmp_path / "home")
    store, text = where.store(), f"{SECRET}."
    emptied = store.put(text.encode(), at=times.now(), gist=text)
    store.sync()

    def two(disk: deaths.Disk) -> None:
        sweep.announce(where, [text], "ana")
        store.forget(emptied, sweep.read(where).at)
        sweep.finish(where)
        disk.count("the end")

    last = deaths.of(where.root, POWER[1], lambda: "", two)[-1]
    last.tree.write(where.root)
    assert traces(where.root, SECRET) == []
    assert [one.blobs for one in ledger.read(where.root)] == [(emptied,)]


@pytest.mark.slow
def test_an_announcement_that_a_killed_process_removed_is_not_back_after_a_power_cut(tmp_path: Path) -> None:
    """The killed process did not sync the folder, so the next one does, although it has nothing to delete."""
    where = crash.fresh(tmp_path / "home")

    def two(disk: deaths.Disk) -> None:
        sweep.announce(where, [f"{SECRET}."], "ana")
        (where.root / ledger.PROMISE).unlink()
        assert sweep.finish(where) is None
        disk.count("the end")

    last = deaths.of(where.root, POWER[1], lambda: "", two)[-1]
    last.tree.write(where.root)
    assert traces(where.root, SECRET) == []


@pytest.mark.slow
@pytest.mark.parametrize("power", POWER)
def test_at_every_change(power: str) -> None:
    crash.survives(everywhere, "forget", power)
