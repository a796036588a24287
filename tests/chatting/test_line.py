"""The line being typed, the keys that come for it, and its history on disk."""

from __future__ import annotations

import itertools
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dotagent.chatting import history
from dotagent.chatting.keys import NAMES, Keys
from dotagent.chatting.line import Line, cells, complete, lay

TEXT = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")) | st.sampled_from("日e\u0301\n "), max_size=80
)
TYPED = st.lists(st.sampled_from([*NAMES, "a b", "日本", "é", "\x1b[200~x\ry\x1b[201~", "\x1b[99~"]), max_size=12)


def typed(*chunks: bytes) -> list[tuple[str, str]]:
    """The keys, the text between two of them joined."""
    keys, found = Keys(), list[tuple[str, str]]()
    for chunk in chunks:
        for key, text in keys.feed(chunk):
            if text and found and found[-1][1]:
                found[-1] = (key, found[-1][1] + text)
            else:
                found.append((key, text))
    return found


@given(TYPED, st.lists(st.integers(0, 200), max_size=4))
def test_keys_are_the_same_however_the_bytes_are_cut(parts: list[str], cuts: list[int]) -> None:
    data = "".join(parts).encode()
    edges = sorted({0, len(data), *(cut for cut in cuts if cut < len(data))})
    assert typed(*(data[a:b] for a, b in itertools.pairwise(edges))) == typed(data)


@given(st.binary(max_size=60))
def test_keys_take_any_bytes(data: bytes) -> None:
    for key, text in typed(data):
        assert key == "text" if text else key in NAMES.values()


def test_a_paste_is_text_with_its_line_ends() -> None:
    assert typed(b"\x1b[200~a\rb\r\n\x03c\x1b[201~\r") == [("text", "a\nb\n\x03c"), ("enter", "")]


@given(TEXT, st.integers(2, 20), st.integers(0, 80))
def test_rows_hold_the_text_and_fit(text: str, columns: int, at: int) -> None:
    at = min(at, len(text))
    rows, row, column = lay(text, columns, at)
    assert "".join(rows) == text.replace("\n", "")
    assert all(sum(map(cells, one)) <= columns for one in rows)
    before, _, _ = lay(text[:at], columns)
    assert row in (len(before) - 1, len(before))  # a character that does not fit takes the cursor to the next row
    assert column == (sum(map(cells, before[-1])) if row == len(before) - 1 else 0)


@given(TEXT, st.lists(st.sampled_from(sorted(set(NAMES.values()))), max_size=30))
def test_the_cursor_stays_in_the_line_whatever_is_pressed(text: str, keys: list[str]) -> None:
    line = Line(["one", "two\nlines"])
    line.insert(text)
    for key in keys:
        line.press(key)
        assert 0 <= line.at <= len(line.text)


def test_words_and_accents_move_as_one() -> None:
    line = Line()
    line.insert("alpha beta  gamme\u0301")
    line.press("left")
    line.press("word left")
    assert line.text[line.at :] == "gamme\u0301"
    line.press("erase word")
    assert line.text == "alpha gamme\u0301"
    line.press("end")
    line.press("erase")
    line.press("home")
    line.press("word right")
    line.press("cut to start")
    assert (line.text, line.at) == (" gamm", 0)
    line.press("end")
    line.press("paste back")
    assert line.text == " gammalpha"


def test_the_past_is_browsed_and_what_was_typed_comes_back() -> None:
    line = Line(["one", "two"])
    line.insert("unfinished")
    for key, seen in [("up", "two"), ("up", "one"), ("up", "one"), ("down", "two"), ("down", "unfinished")]:
        line.press(key)
        assert line.text == seen
    line.set("three")
    assert line.enter() == "three" and line.past == ["one", "two", "three"]
    line.set("three")
    assert line.enter() == "three" and line.past == ["one", "two", "three"]
    line.set("goes on \\")
    assert line.enter() is None and line.text == "goes on \n"


@pytest.mark.parametrize(
    ("before", "more", "candidates"),
    [
        ("/h", "elp ", []),
        ("/ro", "om", ["/room", "/rooms"]),
        ("/room ", "de", ["design", "dev"]),
        ("/room de", "", ["design", "dev"]),
        ("/room des", "ign", []),
        ("/room x", "", []),
        ("/rooms d", "", []),
        ("hello de", "", []),
        ("", "", []),
    ],
)
def test_completion(before: str, more: str, candidates: list[str]) -> None:
    assert complete(before, ["design", "dev"], ["/help", "/room", "/rooms"]) == (more, candidates)


@given(st.lists(st.text(st.characters(codec="utf-8"), min_size=1, max_size=20), max_size=5))
def test_history_comes_back_as_it_was_typed(tmp_path: Path, entries: list[str]) -> None:
    path = tmp_path / "history"
    path.unlink(missing_ok=True)
    for entry in entries:
        history.add(path, entry)
    assert history.read(path) == entries


def test_history_is_private_and_holds_a_thousand_lines(tmp_path: Path) -> None:
    path = tmp_path / "history"
    path.write_text("".join(f"{number}\n" for number in range(5000)))
    path.chmod(0o644)
    assert len(history.read(path)) == 1000
    history.add(path, "newest")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert path.read_text().count("\n") <= 1000 and history.read(path)[-2:] == ["4999", "newest"]
