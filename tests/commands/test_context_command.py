"""See it: the live context as a table, what is forgotten, a search, and forgetting now."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from lives import chat, lines, living, talking
from support import run, spawn, until
from world import World

from dotagent import commands
from dotagent.life.events import Keep
from dotagent.life.replay import size
from dotagent.store import home, rooms
from dotagent.store.home import Home
from dotagent.text import times

LIMIT = 2500
SEAT = "The violin lesson is at Malmö harbour, ask for Dr. Okonkwo."


@pytest.fixture
def lived(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    """A life that has forgotten some of what it heard."""
    monkeypatch.setenv("DOTAGENT_CONTEXT_LIMIT", str(LIMIT))
    with living(tmp_path / "home", talking(), LIMIT) as one:
        one.say(SEAT)
        chat(one, 40)
        one.session.record(Keep(one.session.entries[-2].number))
        yield one


def told(lived: World, capsys: pytest.CaptureFixture[str], name: str, *words: str) -> str:
    """What a command prints."""
    capsys.readouterr()
    assert commands.run(name, ["--home", str(lived.where.root), lived.session.id[:12], *words]) == 0
    return capsys.readouterr().out


def test_the_context_is_a_table_with_a_bar(lived: World, capsys: pytest.CaptureFixture[str]) -> None:
    *rows, blank, bar = told(lived, capsys, "context").removesuffix("\n").split("\n")
    assert blank == ""
    assert len(rows) == len(lived.session.entries)
    states = []
    for row, entry in zip(rows, lived.session.entries, strict=True):
        found = re.fullmatch(r"#(\d+) +([A-Z]+) +(\d+[smhd]) +(\d+)  (live|faded|kept|bare) +(\d*)  (.*)", row)
        assert found, row
        assert (int(found[1]), found[2], int(found[4])) == (entry.number, entry.event, size(entry))
        assert bool(found[6]) == (entry.event == "FADED")
        states.append(found[5])
    assert states.count("kept") == 1
    assert states.count("faded") == sum(entry.event == "FADED" for entry in lived.session.entries) > 0
    total = sum(map(size, lived.session.entries))
    found = re.fullmatch(r"\[(█*)(·*)\] ([\d,]+) of 2,500 tokens \((\d+) %\), estimated", bar)
    assert found, bar
    assert int(found[3].replace(",", "")) == total
    assert len(found[1]) == min(40, total * 40 // LIMIT)
    assert len(found[1] + found[2]) == 40


def test_the_context_as_json(lived: World, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [json.loads(row) for row in told(lived, capsys, "context", "--json").split("\n")[:-1]]
    assert [row["entry"] for row in rows] == [entry.number for entry in lived.session.entries]
    faded = next(row for row in rows if row["state"] == "faded")
    assert 1 <= faded["relevance"] <= 10
    assert faded["gist"].startswith("about #")
    assert [row["kept"] for row in rows].count(True) == 1
    assert set(rows[0]) == {"entry", "kind", "age", "tokens", "state", "relevance", "kept", "id", "gist"}


def test_what_is_forgotten_is_listed_and_shown(lived: World, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [json.loads(row) for row in told(lived, capsys, "forgotten", "--json").split("\n")[:-1]]
    faded = [entry for entry in lived.session.entries if entry.event == "FADED"]
    assert [row["id"][:12] for row in rows] == [entry.id for entry in faded]
    plain = told(lived, capsys, "forgotten").removesuffix("\n").split("\n")
    heard = next(line for line in lines(lived, "HEAR") if "violin" in line.gist)
    numbers: list[int] = []
    for row, line in zip(rows, plain, strict=True):
        first, last = map(int, row["entries"].split("-"))
        members = [json.loads(one) for one in told(lived, capsys, "forgotten", row["id"], "--json").split("\n")[:-1]]
        assert len(members) == row["originals"]
        assert (members[0]["entry"], members[-1]["entry"]) == (first, last)
        before, after = map(int, row["tokens"].split("->"))
        assert before > after > 0
        assert line.startswith(f"{row['id'][:12]}  #{row['entries']}")
        numbers += [one["entry"] for one in members]
        shown = told(lived, capsys, "forgotten", row["id"][:10])
        assert shown.count("\n") == len(members)
        assert (heard.id in shown) == (heard.id in [one["id"] for one in members])
    assert numbers == sorted(numbers)
    assert told(lived, capsys, "forgotten", heard.id[:12]).endswith(f"] {SEAT}\n")


def test_another_lifes_is_not_shown_and_what_is_lost_is_said(lived: World, capsys: pytest.CaptureFixture[str]) -> None:
    store = lived.where.store()
    foreign = store.put(b"secret", at="2026-11-21T20:17:20Z", gist="", agent="f" * 32)
    with pytest.raises(commands.Misuse, match="not of this agent's life"):
        told(lived, capsys, "forgotten", foreign)
    faded = next(entry for entry in lived.session.entries if entry.event == "FADED")
    assert faded.line
    store.path(faded.line.id).unlink()
    lived.on_step = None  # what was promised is broken now
    plain = told(lived, capsys, "forgotten").split("\n")
    assert re.match(rf"{faded.id}  #\S+ +lost entries", plain[0])
    assert len(plain) == 1 + sum(entry.event == "FADED" for entry in lived.session.entries)


def test_nothing_is_forgotten_yet(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with living(tmp_path, talking(), 64_000) as lived:
        chat(lived, 2)
        assert told(lived, capsys, "forgotten").startswith("nothing is forgotten")
        assert told(lived, capsys, "forgotten", "--json") == ""
        assert " of 64,000 tokens" in told(lived, capsys, "context")


def test_recall_is_up_to_date_when_asked(lived: World, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [json.loads(row) for row in told(lived, capsys, "recall", "violin", "lesson", "--json").split("\n")[:-1]]
    heard = next(line for line in lines(lived, "HEAR") if "violin" in line.gist)
    assert set(rows[0]) == {"id", "score", "room", "speaker", "at", "text"}
    assert (rows[0]["id"], rows[0]["text"], rows[0]["room"], rows[0]["speaker"]) == (heard.id, SEAT, "dev", "ana")
    assert heard.id[:12] in told(lived, capsys, "recall", "violin lesson", "-k", "1").split("\n")[0]
    assert told(lived, capsys, "recall", "-k", "2", "harbour").count("\n") == 2
    lived.say("The zeppelin leaves at noon.")
    lived.run()
    assert "zeppelin" in told(lived, capsys, "recall", "zeppelin")
    assert told(lived, capsys, "recall", "qqqqq") == ""


def told_of(where: Home, place: str) -> None:
    """Let ana tell where twelve tickets are."""
    for number in range(12):
        words = f"Ticket {number} is in {place} {number * 7}, said the harbour master to the violin."
        rooms.append(where.room("dev"), rooms.line_of("USER", "ana", times.now(), words))


def test_fade_wakes_an_agent_that_runs_and_waits_for_one_that_sleeps(tmp_path: Path) -> None:
    """The real programs, with the offline provider, which compacts without a model."""
    where = Home(tmp_path / "home")
    home.prepare(where)
    env = {"DOTAGENT_CONTEXT_LIMIT": "8000"}
    born = run(where, "agent.py", "--provider", "offline", "--until-idle", env=env)
    assert born.returncode == 0, born.stderr
    self_id = born.stdout.split("\n")[0]
    path = where.agent(self_id)
    told_of(where, "drawer")
    asked = run(where, "-m", "dotagent", "fade", self_id[:8], env=env)
    assert asked.stdout == f"{self_id[:12]} shall let its context fade: it begins when the agent runs\n"

    def swaps() -> int:
        return (path / "LIFE.md").read_bytes().count(b" SWAP asked ")

    agent = spawn(where, "agent.py", self_id, "--provider", "offline", env=env)
    try:
        until(lambda: swaps() == 1, path)
        assert not (path / "fade").exists()
        told_of(where, "cellar")
        until(lambda: b"cellar 77" in (path / "context.md").read_bytes(), path)
        asked = run(where, "-m", "dotagent", "fade", self_id[:8], env=env)
        assert asked.stdout.endswith("it begins now\n")
        until(lambda: swaps() == 2, path)
    finally:
        agent.terminate()
        agent.communicate(timeout=20)
