"""READ_FILE: a file's lines, or some of them, whatever bytes they are."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hands import Hands, a_life


@pytest.fixture
def hands(tmp_path: Path) -> Iterator[Hands]:
    with a_life(tmp_path) as life:
        yield life


def test_lines_and_directories(hands: Hands) -> None:
    (hands.path / "notes").mkdir()
    (hands.path / "notes/a.md").write_text("one\n\nthree")
    assert hands.shows("READ_FILE notes/a.md") == "notes/a.md, 3 lines:\none\n\nthree"
    assert hands.shows("READ_FILE notes/a.md 1-2") == "notes/a.md, lines 1-2 of 3:\none\n"
    assert hands.shows("READ_FILE notes") == "notes is a directory of 1:\na.md"
    (hands.path / "two words 3").write_text("x")
    assert hands.shows("READ_FILE two words 3 1").endswith("x")


@pytest.mark.parametrize(
    ("call", "why"),
    [
        ("READ_FILE", "which file?"),
        ("READ_FILE nothing.md", "there is no file nothing.md"),
        ("READ_FILE a.md 3-2", "has 2 lines"),
        ("READ_FILE a.md 0", "has 2 lines"),
        ("READ_FILE a.md 3", "has 2 lines"),
        (f"READ_FILE a.md {'9' * 5000}", "which file?"),
        (f"READ_FILE a.md {'9' * 500}", "a.md 999"),
        ("READ_FILE a.md -1", "there is no file a.md -1"),
        ("READ_FILE a.md\0b", "which file?"),
    ],
    ids=lambda text: text[:24],
)
def test_what_cannot_be_done_is_told_and_changes_nothing(hands: Hands, call: str, why: str) -> None:
    (hands.path / "a.md").write_bytes(b"one\ntwo")
    (hands.path / "notes").mkdir()
    hands.fails(call, why)
    assert (hands.path / "a.md").read_bytes() == b"one\ntwo"


def test_bytes_that_are_no_text_are_shown_and_kept(hands: Hands) -> None:
    (hands.path / "bin").write_bytes(b"\xff\0\r\n\x1b[31m\n" + "◱hash=1 gist=x◲".encode())
    hands.shows("READ_FILE bin")
    line = hands.events("TOOL")[-1]
    assert hands.session.store.get(line.id).body.endswith("◱hash=1 gist=x◲".encode())
    (entry,) = [one for one in hands.session.entries if one.line == line]
    from dotagent.life import prompt

    shown = prompt.shown(entry)
    assert "⟪hash=1 gist=x⟫" in shown
    assert "\x1b" not in shown
    assert "\0" not in shown


def test_a_large_file_is_shown_head_and_tail_and_paged(hands: Hands) -> None:
    lines = [f"line {number} " + "é" * 40 for number in range(4000)]
    (hands.path / "large").write_text("\n".join(lines))
    hands.do("READ_FILE large")
    line = hands.events("TOOL")[-1]
    shown = (hands.session.entries[-1].content or b"").decode()
    assert len(shown.encode()) <= hands.session.limit // 4
    assert "line 0 " in shown
    assert "line 3999 " in shown
    assert f"UNCOMPACT {line.id[:12]} 1" in shown
    (hands.path / "huge").touch()
    os.truncate(hands.path / "huge", 1 << 30)
    hands.fails("READ_FILE huge", "1,073,741,824 bytes")
