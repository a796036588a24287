"""READ_FILE: a file's lines, or some of them, whatever bytes they are."""

from __future__ import annotations

import os

import pytest
from exhibited import pdf, png
from hands import Hands

from dotagent.life import heads, prompt
from dotagent.text import media, tokens
from dotagent.text.senses import Senses


def test_lines_and_directories(hands: Hands) -> None:
    (hands.path / "files/notes").mkdir()
    (hands.path / "files/notes/a.md").write_text("one\n\nthree")
    assert hands.shows("READ_FILE notes/a.md") == "notes/a.md, 3 lines:\none\n\nthree"
    assert hands.shows("READ_FILE notes/a.md 1-2") == "notes/a.md, lines 1-2 of 3:\none\n"
    assert hands.shows("READ_FILE notes") == "notes is a directory of 1:\na.md"
    (hands.path / "two words 3").write_text("x")
    assert hands.shows("READ_FILE two words 3 1").endswith("x")


@pytest.mark.parametrize(
    ("call", "why"),
    [
        ("READ_FILE", "the file's path is missing"),
        ("READ_FILE nothing.md", "there is no file nothing.md"),
        ("READ_FILE a.md 3-2", "has 2 lines"),
        ("READ_FILE a.md 0", "has 2 lines"),
        ("READ_FILE a.md 3", "has 2 lines"),
        (f"READ_FILE a.md {'9' * 5000}", "the file's path is missing"),
        (f"READ_FILE a.md {'9' * 500}", "a.md 999"),
        ("READ_FILE a.md -1", "there is no file a.md -1"),
        ("READ_FILE a.md\0b", "the file's path is missing"),
    ],
    ids=lambda text: text[:24],
)
def test_what_cannot_be_done_is_told_and_changes_nothing(hands: Hands, call: str, why: str) -> None:
    (hands.path / "files/a.md").write_bytes(b"one\ntwo")
    (hands.path / "files/notes").mkdir()
    hands.fails(call, why)
    assert (hands.path / "files/a.md").read_bytes() == b"one\ntwo"


def test_bytes_that_are_no_text_are_shown_and_kept(hands: Hands) -> None:
    (hands.path / "bin").write_bytes(b"\xff\0\r\n\x1b[31m\n" + "◱hash=1 gist=x◲".encode())
    hands.shows("READ_FILE bin")
    line = hands.events("TOOL")[-1]
    assert hands.session.store.get(line.id).body.endswith("◱hash=1 gist=x◲".encode())
    (entry,) = [one for one in hands.session.entries if one.line == line]
    shown = heads.text(entry)
    assert "⟪hash=1 gist=x⟫" in shown
    assert "\x1b" not in shown
    assert "\0" not in shown


def test_a_large_file_is_shown_head_and_tail_and_paged(hands: Hands) -> None:
    lines = [f"line {number} " + "é" * 40 for number in range(4000)]
    (hands.path / "large").write_text("\n".join(lines))
    hands.do("READ_FILE large")
    line = hands.events("TOOL")[-1]
    shown = (hands.session.entries[-1].content or b"").decode()
    assert tokens.estimate(shown) <= hands.session.share
    assert "line 0 " in shown
    assert "line 3999 " in shown
    assert f"UNCOMPACT {line.id[:12]} 1" in shown
    (hands.path / "huge").touch()
    os.truncate(hands.path / "huge", 1 << 30)
    hands.fails("READ_FILE huge", "1,073,741,824 bytes")


def test_a_picture_is_named_in_life_and_shown_by_its_blob(hands: Hands) -> None:
    (hands.path / "files").mkdir(exist_ok=True)
    (hands.path / "files/cat.png").write_bytes(png(30, 40))
    (hands.path / "plan.pdf").write_bytes(pdf(2))
    assert hands.do("READ_FILE files/cat.png") != hands.do("READ_FILE plan.pdf")
    cat, plan = hands.events("TOOL")
    assert cat.detail == f"READ_FILE ok media={cat.id}:image/png:30x40"
    assert cat.gist == f"cat.png: a picture (PNG, 30×40), {len(png(30, 40))} B"
    assert hands.session.store.get(cat.id).body == png(30, 40)
    assert "a PDF (2 pages)" in plan.gist
    entry = hands.session.entries[-2]
    again = f"(it follows if you can see or hear such files; UNCOMPACT {cat.id[:12]} shows it again)"
    assert heads.text(entry).partition(" ")[2].endswith(f"READ_FILE: {cat.gist} {again}")
    (part,) = prompt.parts(hands.session.entries, len(hands.session.entries) - 2)[:1]
    assert part.media == (media.Media(cat.id, "image/png", (30, 40)),)
    before = list(hands.session.entries)
    hands.session.renew()
    assert hands.session.entries == before
    assert [one.media for one in hands.session.entries] == [one.media for one in before]


def test_what_only_begins_like_a_picture_is_a_file_like_others_and_so_are_lines_of_one(hands: Hands) -> None:
    (hands.path / "a.png").write_bytes(png(3, 4)[:14] + b"\n")
    (hands.path / "b.pdf").write_bytes(pdf())
    assert hands.shows("READ_FILE a.png").startswith("a.png, 3 lines:")
    assert hands.shows("READ_FILE b.pdf 1").endswith(":\n%PDF-1.4")


def test_a_picture_counts_as_the_model_counts_it_that_answers(hands: Hands) -> None:
    (hands.path / "cat.png").write_bytes(png(1000, 1000))
    hands.do("READ_FILE cat.png")
    before = hands.session.tokens
    hands.session.see(Senses(("image",)))
    assert hands.session.tokens == before + int(1296 * hands.session.state.model.ratio)
    hands.do("READ_FILE cat.png")
    assert hands.session.entries[-1].weight == 1296
    hands.session.see(Senses())
    assert hands.session.entries[-1].weight == 0


@pytest.mark.wide
@pytest.mark.parametrize("lines", ["2-3", "2 3", "2 to 3", "2 - 3", "2–3", "lines 2-3", "lines 2 to 3"])
@pytest.mark.parametrize("path", ["a.md", '"a.md"', "'a.md'", "`a.md`"])
def test_lines_and_quotes_as_models_write_them(hands: Hands, path: str, lines: str) -> None:
    hands.shows(f"WRITE_FILE {path} <<END\none\ntwo\nthree\nEND")
    assert [one.name for one in (hands.path / "files").glob("*a.md*")] == ["a.md"]
    assert hands.shows(f"READ_FILE {path} {lines}") == "a.md, lines 2-3 of 3:\ntwo\nthree"


def test_a_number_that_no_file_has_is_an_entrys(hands: Hands) -> None:
    (hands.path / "files/a.md").write_text("one")
    hands.do("READ_FILE a.md")
    number = hands.session.entries[-1].number
    assert hands.shows(f"READ_FILE {number}") == hands.shows(f"READ_FILE entry #{number}") == "a.md, 1 line:\none"
    (hands.path / str(number)).write_text("two")
    assert hands.shows(f"READ_FILE {number}").endswith("two")
    hands.fails("READ_FILE 99999", "there is no file 99999")
