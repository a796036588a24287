"""CONTRIBUTING's recipes work as they stand there: each is taken out of the page, put where its kind is found, and used
by the real programs."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from bridges.echo_agent import say, spoken
from bridges.small_world import World
from providers.loopback import USAGE, Server, stream
from shouting import KILLED
from support import PATIENCE, ROOT, run, spawn, until
from world import said

from dotagent.store import home, launch, log, rooms
from dotagent.store.home import Home
from dotagent.text import times

PAGE = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
RECIPE = re.compile(r"`(dotagent/(\w+)/\w+\.py)`:\n\n```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)
EXTENDED = str(ROOT / "tests" / "extended.py")
WORDS = """life session room blob LIFE event fold state context entry effect recover queue spool call worker catalogue
provider bridge compaction chunk fade summary tree faint document stripped force""".split()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with the recipes' files, each under the path that stands above it."""
    made = tmp_path / "recipes"
    for name, _, text in RECIPE.findall(PAGE):
        assert not (ROOT / name).exists(), f"{name} is there already: the recipe would never be used"
        (made / name).parent.mkdir(parents=True)
        (made / name).write_text(text, "utf-8")
    return made


@contextmanager
def running(where: Home, folder: Path, *words: str, **env: str) -> Iterator[subprocess.Popen[str]]:
    """One of our programs with the recipes among its own, until it is killed."""
    child = spawn(where, EXTENDED, str(folder), *words, env=env)
    try:
        yield child
    finally:
        child.send_signal(signal.SIGKILL)
        child.communicate(timeout=PATIENCE)


def test_there_is_one_of_each_kind_and_each_is_in_the_house_style(folder: Path) -> None:
    assert [kind for _, kind, _ in RECIPE.findall(PAGE)] == ["tools", "providers", "commands", "bridges"]
    assert PAGE.count("```python\n") == 4
    for words in (["check"], ["format", "--check"]):
        asked = [sys.executable, "-m", "ruff", *words, "--config", str(ROOT / "pyproject.toml"), str(folder)]
        done = subprocess.run(asked, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


def test_the_glossary_is_short_and_has_every_word() -> None:
    glossary = PAGE.partition("\n## Terms\n")[2].partition("\n## ")[0].strip("\n")
    assert glossary.count("\n") < 30
    explained = " ".join(re.findall(r"^\| ([^|]+) \|", glossary, re.MULTILINE))
    assert [word for word in WORDS if word not in explained] == []


@pytest.mark.slow
@pytest.mark.parametrize("death", ["announced", pytest.param("done", marks=pytest.mark.night)])
def test_the_tool_shouts_once_also_when_it_is_killed_over_it(folder: Path, where: Home, death: str) -> None:
    alive = [EXTENDED, str(folder), str(ROOT / "tests" / "shouting.py"), str(where.root)]
    died = run(where, *alive, death, env={"PYTHONPATH": f"{ROOT}:{ROOT / 'tests'}"})
    assert died.returncode == KILLED, died.stderr
    path = where.agent(home.lives(where)[0])
    last = list(log.lines(path / "LIFE.md"))[-1]
    assert (last.event, last.detail.split(" ")[0]) == ("EFFECT", "SHOUT")
    first = path / "files/shouts" / f"{last.detail.split(' ')[1]}.txt"
    assert first.exists() == (death == "done")
    if death == "done":
        first.write_text("I read it\n")  # what is shouted again would overwrite this
    lived = run(where, *alive, env={"PYTHONPATH": f"{ROOT}:{ROOT / 'tests'}"})
    assert lived.returncode == 0, lived.stderr
    told = [path.read_text() for path in sorted((path / "files/shouts").iterdir())]
    assert told == ["I read it\n" if death == "done" else "DINNER IS READY\n", "COME\n"]
    assert said(where) == ["shouted: DINNER IS READY, shouted: COME"]
    results = [line.detail for line in log.lines(path / "LIFE.md") if line.event == "TOOL"]
    assert results == ["SHOUT ok", "SHOUT error by=own", "SHOUT ok"]


@pytest.mark.slow
def test_the_provider_answers_a_life(folder: Path, where: Home) -> None:
    with Server(stream("Tea is ready.")) as server:
        keys = {"ACME_API_KEY": "sk-0123456789abcdef", "ACME_API_BASE": server.base}
        with running(where, folder, "-m", "dotagent", "provider", "acme", **keys) as worker:
            until(lambda: worker.poll() is not None or launch.served(where, "acme"), where.calls)
            rooms.create(where.room("dev"), "private")
            lived = run(where, EXTENDED, str(folder), "agent.py", "--provider", "acme", "--until-idle")
            assert lived.returncode == 0, lived.stderr
            born = lived.stdout.split("\n")[0]
            rooms.append(where.room("dev"), rooms.line_of("USER", "ana", "2026-11-21T20:17:20Z", "Is there tea?"))
            lived = run(where, EXTENDED, str(folder), "agent.py", born, "--provider", "acme", "--until-idle")
            assert lived.returncode == 0, lived.stderr
    assert said(where) == ["Tea is ready."]
    asked = server.received[0]
    assert (asked.path, asked.body["model"]) == ("/chat/completions", "acme-large")
    assert asked.headers["authorization"] == "Bearer sk-0123456789abcdef"
    reply = next(line for line in log.lines(where.agent(born) / "LIFE.md") if line.event == "REPLY")
    assert f"provider=acme model=acme-large input={USAGE['prompt_tokens']}" in reply.detail


@pytest.mark.slow
def test_the_command_lists(folder: Path, where: Home) -> None:
    rooms.create(where.room("dev"), "private")
    rooms.create(where.room("trip"), "group")
    listed = run(where, EXTENDED, str(folder), "-m", "dotagent", "rooms")
    assert (listed.stdout, listed.stderr) == (
        "room  audience     bytes\ndev   private ana     14\ntrip  group           13\n",
        "",
    )
    told = run(where, EXTENDED, str(folder), "-m", "dotagent", "rooms", "--json").stdout.split("\n")
    assert json.loads(told[0]) == {"room": "dev", "audience": "private ana", "bytes": len("# dev private\n")}
    helped = run(where, EXTENDED, str(folder), "-m", "dotagent", "help").stdout
    assert "\n  rooms          List the rooms of a home: who hears each, and its size\n" in helped


@pytest.mark.slow
def test_the_bridge_carries_a_message_in_and_an_answer_out(folder: Path, where: Home, tmp_path: Path) -> None:
    box = tmp_path / "box"
    box.mkdir()
    (where.root / "dotagent.toml").write_text(f'[bridges.postbox]\nusers = ["ana"]\nagents = "none"\nbase = "{box}"\n')
    world, room = World(box / "out.jsonl"), "postbox-ana"

    def posted(*texts: str) -> None:
        with open(box / "in.jsonl", "a") as file:
            for text in texts:
                file.write(json.dumps({"name": "ana", "at": times.now(), "text": text}) + "\n")

    def heard(*texts: str) -> None:
        until(lambda: spoken(where, room) == list(texts), where.chats)

    def answered(*texts: str) -> None:
        until(lambda: [one.text for one in world.own("ana")] == list(texts), box)

    posted("Which seat?", "And when?")
    with running(where, folder, "-m", "dotagent", "postbox"):
        heard("Which seat?", "And when?")
        say(where.room(room), "14A.")
        answered("14A.")
    posted("Thank you.")
    with running(where, folder, "-m", "dotagent", "postbox"):  # it was killed: nothing comes twice, nothing is missing
        heard("Which seat?", "And when?", "Thank you.")
        say(where.room(room), "Have a good flight.")
        answered("14A.", "Have a good flight.")
    (box / "in.jsonl").unlink()
    (where.root / "dotagent.toml").write_text('[bridges.postbox]\nusers = ["ana"]\n')
    refused = run(where, EXTENDED, str(folder), "-m", "dotagent", "postbox")
    assert (refused.returncode, "base must be a folder" in refused.stderr) == (2, True)
