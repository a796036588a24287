"""The examples in docs/files.md are in the form that the code reads and writes, and the events that it names exist."""

from __future__ import annotations

import re
from pathlib import Path

import shown
from support import ROOT

from dotagent.life import context
from dotagent.life.event import EVENTS
from dotagent.store import log, queue, requests, rooms
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
    assert named <= set(EVENTS)


def test_every_field_of_a_call_is_told_of() -> None:
    below = PAGE.partition("\n## calls/\n")[2]
    for name in (*Call.__dataclass_fields__, *Outcome.__dataclass_fields__):
        assert f"`{name}`" in below
    for name in ("agent", "model", "params", "parent", "keep", "parts"):
        assert f"`{name}`" in PAGE
        assert f'"{name}"' in requests.encode("", "", {}, "", 0, []).decode()
    assert "After three processes have ended without an answer" in " ".join(below.split())
    assert (queue.TRIES, queue.UNSIGNED) == (3, 2.0)
