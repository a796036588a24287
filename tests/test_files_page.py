"""The examples in docs/files.md are in the form that the code reads and writes, every place and event that it names
exists, and it names every file of a home in which an agent has worked."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterator
from pathlib import Path

import shown
from code_read import CODE, nodes
from lives import chat, living, talking
from support import ROOT

import clean
from dotagent import commands
from dotagent.life import context
from dotagent.life.event import find_all
from dotagent.store import log, requests, rooms, taken_calls
from dotagent.store.queue import Call, Outcome
from dotagent.store.rooms import Position

PAGE = (ROOT / "docs" / "files.md").read_text("utf-8")


def example(heading: str) -> bytes:
    """The first indented block below a heading."""
    below = PAGE.partition(f"\n## {heading}\n")[2]
    found = re.search(r"^\n((?:    .*\n)+)", below, flags=re.MULTILINE)
    assert found, heading
    return re.sub(r"^    ", "", found[1], flags=re.MULTILINE).encode()


def test_the_line_of_life() -> None:
    raw = example("LIFE.md").replace(b"<32 digits>", b"0123456789abcdef" * 2)
    line = log.parse(raw.removesuffix(b"\n"))
    assert line
    assert (line.event, line.detail, line.gist) == (
        "HEAR", "dev 172 0123456789ab USER:ana", "ana: Which seat did I book?",
    )  # fmt: skip
    assert log.render(line).encode() + b"\n" == raw


def test_the_room(tmp_path: Path) -> None:
    path = tmp_path / "dev.md"
    path.write_bytes(example("Rooms"))
    assert rooms.audience(path, "ana") == "private ana"
    found = rooms.read(path, Position())
    assert found
    assert [(one.kind, one.name, one.at) for one in found[0]] == [
        ("USER", "ana", "2026-11-21T20:17:20Z"), ("AGENT", "9f8e7d6c5b4a", "2026-11-21T20:17:24.123456Z"),
    ]  # fmt: skip
    last = found[0][1]
    text = "14A, by the window.\nThe confirmation is in your mail."
    assert rooms.line_of(last.kind, last.name, last.at, text) == last.raw


def test_the_context() -> None:
    data = example("context.md")
    entries = shown.parse(data)
    assert [entry.number for entry in entries] == [12, 13]
    assert b"".join(context.render(shown.entry(one)) for one in entries) == data


def test_the_body_of_a_blob_is_explained_by_events_that_exist() -> None:
    rows = PAGE.partition("| named by | body |")[2].partition("\n## ")[0]
    named = set(re.findall(r"`([A-Z]{3,})`", rows))
    assert named
    assert named <= {*find_all()}


def test_every_field_of_a_call_is_told_of() -> None:
    below = PAGE.partition("\n## calls/\n")[2]
    for name in (*Call.__dataclass_fields__, *Outcome.__dataclass_fields__):
        assert f"`{name}`" in below
    for name in ("agent", "model", "params", "parent", "keep", "parts"):
        assert f"`{name}`" in PAGE
        assert f'"{name}"' in requests.encode("", "", {}, "", 0, []).decode()
    assert "After three processes have ended without an answer" in " ".join(below.split())
    assert (taken_calls.TRIES, taken_calls.UNSIGNED) == (3, 2.0)


SELF = "agents/<self>/"
TABLES = {"The data directory": "", "An agent": SELF, "calls/": "calls/", "processes/": f"{SELF}processes/<number>/"}
"""The sections that list files, and the directory of these files."""
LISTED = ("calls/", f"{SELF}run/", f"{SELF}processes/<number>/")
"""The directories whose files have a table of their own."""


def section(heading: str) -> str:
    return PAGE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]


def places() -> Iterator[str]:
    """The paths in the first columns of the tables, from the home on."""
    for heading, top in TABLES.items():
        inner = False
        for row in section(heading).split("\n"):
            inner = inner or row.startswith("| place in `run/`")
            if row.startswith("| `"):
                named = re.findall(r"`([^`]+)`", row.split(" | ")[0])
                yield from (f"{top}{'run/' if inner else ''}{one}" for one in named)


def test_the_code_and_the_page_name_the_same_places() -> None:
    """Each part of a place is in the code, and each file that the code has in `run/` is on the page."""
    code = "\n".join(
        [*(path.read_text("utf-8") for path in CODE), *os.listdir(ROOT / "dotagent" / "store" / "templates")]
    )
    parts = {part.strip(".-@") for place in places() for part in re.split(r"<[^>]*>|[/…@*]", place)}
    assert len(parts) > 80
    assert [part for part in sorted(parts) if part not in code] == []
    known = {place.removeprefix(f"{SELF}run/").partition("/")[0] for place in places()}
    assert sorted({*re.findall(r'"run(?:" / "|/)([a-z.]+)"', code)} - known) == []


def test_every_file_of_a_home_is_on_the_page(tmp_path: Path) -> None:
    """An agent has talked and forgotten, and a person has used commands that write files."""
    with living(tmp_path / "home", talking()) as one:
        chat(one, 6)
        for words in (
            ("cron", "add", "tea", "--every", "2h", "drink"),
            ("recall", one.session.id[:8], "harbour"),
            ("pack", "--older-than", "0"),
            ("fade", one.session.id[:8]),
            ("standing", one.session.id[:8], "--add", "write in English"),
            ("usage",),
            ("setup",),
        ):
            assert commands.run(words[0], ["--home", str(tmp_path / "home"), *words[1:]]) == 0
        named = [pattern(place) for place in places() if place not in LISTED]
        found = sorted(str(path.relative_to(one.where.root)) for path in one.where.root.rglob("*") if path.is_file())
    assert len(found) > 20
    assert [path for path in found if not any(place.fullmatch(path) for place in named)] == []


def pattern(place: str) -> re.Pattern[str]:
    """Which paths a place of the page stands for. A directory stands for everything in it."""
    place = place.replace("blobs/ab/ab12…", "blobs/<shard>/<id>")
    words = re.sub(r"<[^>]*>|…|\\\*", "[^/]+", re.escape(place).replace("\\<", "<").replace("\\>", ">"))
    return re.compile(words + (".*" if place.endswith("/") else ""))


def test_everything_that_clean_removes_is_on_the_page() -> None:
    assert [area.name for area in clean.AREAS if not any(place.startswith(f"{area.name}/") for place in places())] == []


def test_every_event_of_a_bridge_is_on_the_page() -> None:
    rows = re.findall(r"^\| ((?:`[A-Z]+`(?:, )?)+) \|", section("bridges/"), re.MULTILINE)
    written = {
        node.args[0].value
        for path in CODE
        if path.is_relative_to(ROOT / "dotagent" / "bridges")
        for node in nodes(path)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "note"
        if node.args and isinstance(node.args[0], ast.Constant)
    }
    assert written and set(re.findall(r"[A-Z]+", " ".join(rows))) == {*written, "DOUBT"}
