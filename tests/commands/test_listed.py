"""What is so of every listing: a heading, no line wider than a screen, words for an empty one, --json, any encoding."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from planting import plant, trust
from support import make_home, run
from terminals import Terminal
from world import offline, world

from dotagent import extensions
from dotagent.bridges import Person, Place
from dotagent.bridges.pattern import pairs
from dotagent.capabilities.toolpacks import packs
from dotagent.store import queue, rooms
from dotagent.store.home import Home
from dotagent.store.queue import Call
from dotagent.text.table import WIDTH, columns

LISTINGS = {  # the command, and how its heading begins
    "agents": "agent name state audience created last event rooms",
    "calls": "request state provider kind room placed",
    "config list": "setting value from",
    "context": "entry kind age tokens state relevance gist",
    "forget harbour": "n where sentence",
    "memory search harbour": "score where at who gist",
    "pair": "code bridge name id since",
    "persona revisions": "n at file id characters",
    "providers": "provider model window state",
    "recall harbour": "score id at who room text",
    "plugins": "plug-in state from version file",
    "skills": "skill place state for about",
    "status": "agent name state audience context rooms last event",
    "toolpacks": "pack kind state tools about",
    "usage": "agent requests input cached output reasoning cost",
}
PROJECT = {
    "who",
    "activity",
    "timeline",
    "feed",
    "leaderboard",
    "dream",
    "tool",
}  # of no home: looked at in tests of their own
LONG = "very-long-" * 6
NARROW = {
    "C": {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"},
    "ascii": {"PYTHONIOENCODING": "ascii"},
    "strict": {"PYTHONIOENCODING": "ascii:strict"},
}
"""Encodings that lack most letters. Each listing is tried in one of them, and in the long profile in all."""


@pytest.fixture
def where(tmp_path: Path) -> Iterator[Home]:
    """A home whose names are as long as names can be, and in which things were said in several scripts."""
    with world(tmp_path, offline, "--room", LONG.rstrip("-")) as lived:
        lived.say(
            "remember that the harbour is Malmö, 京都の港 " + "and further along the quay " * 20, room=LONG.rstrip("-")
        )
        lived.run()
        made = lived.where
    for number in range(12):
        rooms.create(made.room(f"{LONG[:50]}{number}"), "group")
    queue.place(made, Call("e" * 32, "a" * 32, LONG[:40], "background", LONG.rstrip("-"), "2026-11-21T20:17:20Z"))
    person = Person("1" * 40, "京" * 32, ("京" * 32,))
    (made.root / "tools").mkdir()
    (made.root / "tools" / f"{'a' * 60}.py").write_text('"""A."""\n')
    plant(made.skills, "a" * 64, "京" * 100)
    trust(made, "a" * 64, "京" * 100)
    (made.bridges / "telegram").mkdir(parents=True)
    pairs.ask(made.bridges / "telegram" / pairs.FILE, person, Place("2", "person", "x" * 60))
    packs.install(made, "weather", {"pack.toml": f'about = "{"very long " * 30}"\n[mcp]\nrun = ["x"]'.encode()})
    yield made


def printed(where: Home, *words: str) -> str:
    """What a command prints that ends well, as a process of its own: one that reads keys starts itself anew."""
    done = run(where, "-m", "dotagent", *words)
    assert done.returncode == status(*words), done.stderr
    return done.stdout


def status(*words: str) -> int:
    """The exit status without a terminal, where `forget` can only list: it cannot ask."""
    unasked = words[0].startswith("forget ") or (words[0] == "forget" and "--json" not in words)
    return 2 if unasked or words[0].startswith("nonsense") else 0


@pytest.mark.wide
@pytest.mark.slow
@pytest.mark.parametrize("name", LISTINGS)
def test_it_has_a_heading_and_fits_a_screen(where: Home, name: str) -> None:
    lines = printed(where, *name.split()).split("\n")
    assert LISTINGS[name].split() in [line.split() for line in lines], lines
    assert [line for line in lines if columns(line) > WIDTH] == []


@pytest.mark.slow
@pytest.mark.parametrize(("wide", "most"), [(80, 80), (40, 60)])
def test_it_fits_the_terminal_unless_that_is_very_narrow(where: Home, wide: int, most: int) -> None:
    with Terminal(where, "-m", "dotagent", "providers", width=wide, height=200) as screen:
        assert screen.ends() == 0
        assert most - 20 < max(columns(line) for line in screen.raw.split("\r\n")) <= most


@pytest.mark.wide
@pytest.mark.slow
@pytest.mark.parametrize("name", [*LISTINGS, "forgotten", "doctor", "ps", "standing", "cron list"])
def test_as_json_it_is_an_object_a_line_with_whole_ids(where: Home, name: str) -> None:
    text = printed(where, *name.split(), "--json")
    rows = [json.loads(line) for line in text.split("\n")[:-1]]
    assert all(isinstance(row, dict) for row in rows) and (rows or name in ("forgotten", "ps", "standing", "cron list"))
    assert all(len(str(row["id"])) == 32 for row in rows if row.get("id") and name in ("agents", "calls", "forgotten"))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["agents", "calls", "pair", "plugins", "skills", "usage"])
def test_an_empty_one_is_words_and_as_json_nothing(tmp_path: Path, name: str) -> None:
    empty = make_home(tmp_path / "home")
    said = printed(empty, name)
    assert said.count("\n") == 1 and len(said.split()) > 1
    assert printed(empty, name, "--json") == ""


@pytest.mark.wide
@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "narrow"),
    [
        pytest.param(name, way, marks=pytest.mark.night if (n + m) % len(NARROW) else (), id=f"{name}, {way}")
        for n, name in enumerate([*LISTINGS, "forgotten", "doctor", "prompt", "help", "nonsense-京都"])
        for m, way in enumerate(NARROW)
    ],
)
def test_an_encoding_that_is_narrow_is_no_traceback(where: Home, name: str, narrow: str) -> None:
    done = run(where, "-m", "dotagent", *name.split(), env=NARROW[narrow])
    assert "Traceback" not in done.stderr + done.stdout, done.stderr
    assert done.returncode == status(name)


def test_every_command_that_lists_is_looked_at() -> None:
    named = (
        {name.split()[0] for name in LISTINGS} | {"forgotten", "doctor", "ps", "standing", "cron", "replay"} | PROJECT
    )
    for name in extensions.names("commands"):
        capability = extensions.owner("commands", name)
        folder = Path(extensions.CODE) / (f"capabilities/{capability}" if capability else "")
        text = (folder / "commands" / f"{name.replace('-', '_')}.py").read_text("utf-8")
        assert ("commands.print_list(" not in text and "_show(" not in text) or name in named
