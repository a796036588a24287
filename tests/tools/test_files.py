"""Where the file tools may reach: the agent's own directory and the roots of the settings, wherever a path may lead."""

from __future__ import annotations

import json
import os
import socket
from pathlib import Path

import pytest
from hands import Hands, a_life
from support import make_home

from dotagent.store import rooms


def roots(path: Path, *given: str) -> None:
    where = make_home(path / "home")
    (where.root / "dotagent.toml").write_text(f"roots = {json.dumps(given)}\n")


OUT = (
    "/etc/hostname", "..", "../..", "../../SOUL.md", "../../.env", "../../dotagent.toml", "../../blobs", "../../calls",
    "../../chats", "../../agents", "../other/LIFE.md", "notes/../../x", "~/x", "/", "//etc",
    "../../chats/ops.md", "/proc/self/environ", "../../chats/dev.txt", "files/../../../.env",
)  # fmt: skip
LED = ("link-out/x", "link-file", "proc/self/environ", "files/link-out/x", "files/link-file", "files/proc/self/environ")


@pytest.mark.parametrize("name", (*OUT, *LED))
def test_what_lies_outside_is_out_of_reach(hands: Hands, name: str) -> None:
    (hands.where.root / ".env").write_text("KEY=secret\n")
    (hands.where.agents / "other").mkdir()
    (hands.where.agents / "other/LIFE.md").write_text("secret\n")
    rooms.create(hands.where.room("ops"), "private")
    (hands.where.chats / "dev.txt").write_text("secret\n")
    for folder in (hands.path, hands.path / "files"):
        folder.mkdir(exist_ok=True)
        (folder / "link-out").symlink_to(hands.where.root.parent)
        (folder / "link-file").symlink_to(hands.where.root / ".env")
        (folder / "proc").symlink_to("/proc")
    before = {path: path.lstat() for path in hands.where.root.rglob("*") if "agents" not in path.parts}
    hands.fails(f"READ_FILE {name}", "link" if name in LED else "you cannot reach")
    named = name.removeprefix("files/") if name in LED else name
    hands.fails(f"WRITE_FILE {name} <<END\nx\nEND", named)
    hands.fails(f"EDIT_FILE {name} <<END\n<<<<<<< SEARCH\n=======\nx\n>>>>>>> REPLACE\nEND", named)
    assert not any(line.event == "EFFECT" for line in hands.events())
    after = {path: path.lstat() for path in hands.where.root.rglob("*") if "agents" not in path.parts}
    changed = {path for path in before if path.is_file() and after[path].st_mtime_ns != before[path].st_mtime_ns}
    assert not changed
    assert {path for path in set(after) - set(before) if "blobs" not in path.parts} == set()


OURS = (
    ".", "LIFE.md", "./LIFE.md", "notes/../LIFE.md", "context.md", "SOUL.md", "life.md", "subs", "subs/new.md", "run",
    "run/pid", "recall.db", "recall.db-wal", "fade", "LIFE.torn-1",
)  # fmt: skip


@pytest.mark.parametrize("name", OURS)
def test_the_record_is_the_harnesss_to_write(hands: Hands, name: str) -> None:
    hands.fails(f"WRITE_FILE {name} <<END\nx\nEND", name, "you cannot write")


def test_the_own_record_may_be_read(hands: Hands) -> None:
    assert " BOOT private ana" in hands.shows("READ_FILE LIFE.md 1-1")
    assert hands.shows("READ_FILE context.md").count("\n#1 ") == 1
    assert "MEMORY.md" in hands.shows("READ_FILE .").split("\n")


def test_a_subscribed_room_may_be_read_and_not_written(hands: Hands) -> None:
    hands.world.say("hello there")
    hands.world.me.inbox.hear()
    for name in ("subs/dev.md", "../../chats/dev.md", str(hands.where.room("dev"))):
        assert hands.shows(f"READ_FILE {name}").endswith("hello there")
        hands.fails(f"WRITE_FILE {name} <<END\nx\nEND", "you cannot write")


def test_a_link_is_not_followed_wherever_it_leads(hands: Hands) -> None:
    """What a command in `files/` links is its own affair: the file tools write neither the link nor its goal."""
    hands.shows("WRITE_FILE notes/a.md <<END\none\nEND")
    (hands.path / "files/short.md").symlink_to("notes/a.md")
    hands.fails("WRITE_FILE short.md <<END\ntwo\nEND", "link")
    hands.fails(f"READ_FILE {hands.path}/files/short.md", "link", "RUN cat")
    assert (hands.path / "files/short.md").is_symlink()
    assert (hands.path / "files/notes/a.md").read_text() == "one\n"


def test_a_name_is_a_document_or_a_file_of_the_workspace(hands: Hands) -> None:
    """What lies beside the documents still opens there, as it did in homes of earlier versions."""
    hands.shows("WRITE_FILE plan.md <<END\nplan\nEND")
    assert (hands.path / "files/plan.md").read_text() == "plan\n"
    for name in ("plan.md", "files/plan.md", "./plan.md", f"{hands.path}/plan.md", f"{hands.path}/files/plan.md"):
        assert hands.shows(f"READ_FILE {name}").endswith("plan")
    hands.shows("WRITE_FILE MEMORY.md <<END\n- x\nEND")
    assert (hands.path / "MEMORY.md").read_text() == "- x\n"
    hands.shows("WRITE_FILE files/MEMORY.md <<END\nanother\nEND")
    assert (hands.path / "files/MEMORY.md").read_text() == "another\n"
    (hands.path / "beside.txt").write_text("old\n")
    assert hands.shows("READ_FILE beside.txt").endswith("old")
    hands.shows("WRITE_FILE beside.txt <<END\nnew\nEND")
    assert (hands.path / "beside.txt").read_text() == "new\n"
    assert not (hands.path / "files/beside.txt").exists()


NAMED = {  # what a file tool is given: the file in `files/` that it means; then in a workspace with a folder `files`
    "x": ("x", "x"),
    "./x": ("x", "x"),
    "files/x": ("x", "files/x"),
    "./files/x": ("x", "files/x"),
    "files/files/x": ("files/x", "files/files/x"),
    "{work}/x": ("x", "x"),
    "{work}/files/x": ("files/x", "files/x"),
    "deep/x": ("deep/x", "deep/x"),
}


@pytest.mark.wide
@pytest.mark.parametrize("name", NAMED)
@pytest.mark.parametrize("own", [False, True], ids=["", "with a folder files"])
def test_a_tool_names_a_file_as_commands_do(hands: Hands, name: str, own: bool) -> None:
    work, meant = hands.path / "files", NAMED[name][own]
    (work / "files" if own else work).mkdir(parents=True, exist_ok=True)
    name = name.format(work=work)
    shown = name if name.startswith("/") else meant
    assert hands.shows(f"WRITE_FILE {name} <<END\none\nEND") == f"wrote {shown}, 4 bytes"
    assert [one.relative_to(work).as_posix() for one in work.rglob("x")] == [meant]
    edit = "<<<<<<< SEARCH\none\n=======\ntwo\n>>>>>>> REPLACE"
    assert hands.shows(f"EDIT_FILE {name} <<END\n{edit}\nEND") == f"edited {shown}: 1 replacement"
    assert hands.shows(f"ADD_TO_FILE {name} <<END\nthree\nEND") == f"added 1 line to {shown}"
    assert hands.shows(f"READ_FILE {name}") == f"{shown}, 2 lines:\ntwo\nthree"
    assert hands.shows(f"RUN cat {shown}") == "exit status 0\ntwo\nthree\n"
    assert hands.shows(f"READ_FILE {shown}").endswith("three")


def test_a_name_that_commands_or_tools_alone_know_is_explained(hands: Hands) -> None:
    hands.shows("WRITE_FILE plan.md <<END\nplan\nEND")
    assert hands.shows("RUN cat files/plan.md").endswith(
        "(commands already run in files/, so leave files/ out of a file's name)"
    )
    assert hands.shows("RUN cat ../files/plan.md; false") == "exit status 1\nplan\n"
    hands.shows("RUN mkdir files memory; echo day > memory/day.md; echo rules > MEMORY.md; echo in > files/in")
    assert hands.shows("READ_FILE files/plan.md") == "plan.md, 1 line:\nplan"  # as it was called before
    assert hands.shows("READ_FILE files/in") == "files/in, 1 line:\nin" == hands.shows("READ_FILE files/files/in")
    hands.fails("READ_FILE memory/day.md", "there is no file memory/day.md; files/memory/day.md is there")
    assert hands.shows("READ_FILE files/memory/day.md") == "files/memory/day.md, 1 line:\nday"
    assert hands.shows("READ_FILE files/MEMORY.md") == "files/MEMORY.md, 1 line:\nrules"


HARD = {
    "a" * 300: "File name too long",
    "a/" * 2000: "the file's path is missing",
    "loop": "link",
    "loop/x": "link",
    "file/x": "not a directory",
    "fifo": "not a regular file",
    "socket": "",
    "~nobody-of-this-name/x": "no such user",
    "dangling": "link",
}


@pytest.mark.parametrize("name", HARD, ids=lambda name: name[:12])
def test_paths_that_are_no_files_are_told_of(hands: Hands, name: str) -> None:
    files = hands.path / "files"
    files.mkdir(exist_ok=True)
    (files / "loop").symlink_to("loop")
    (files / "file").write_text("x")
    (files / "dangling").symlink_to("nowhere")
    os.mkfifo(files / "fifo")
    with socket.socket(socket.AF_UNIX) as plug:
        here = os.getcwd()
        os.chdir(files)
        plug.bind("socket")
        os.chdir(here)
    hands.fails(f"READ_FILE {name}", HARD[name])
    hands.fails(f"WRITE_FILE {name} <<END\nx\nEND")


def test_settings_open_further_roots_but_never_the_record(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "work/plan.md").write_text("the plan\n")
    roots(tmp_path, str(tmp_path), ".")
    with a_life(tmp_path) as hands:
        assert hands.shows(f"READ_FILE {tmp_path}/work/plan.md").endswith("the plan")
        hands.shows(f"WRITE_FILE {tmp_path}/work/new.md <<END\nx\nEND")
        root = hands.where.root
        (root / ".env").write_text("KEY=secret\n")
        for name in (
            ".env",
            "dotagent.toml",
            "blobs",
            "calls",
            "bridges/discord/journal.jsonl",
            f"blobs/{hands.session.id[:2]}/{hands.session.id}",
        ):
            hands.fails(f"READ_FILE {root}/{name}", "you cannot reach")
            hands.fails(f"WRITE_FILE {root}/{name} <<END\nx\nEND", "you cannot write")
        for name in ("SOUL.md", "SEGMENT.md", "SUMMARISE.md", "dotagent.toml", "chats/dev.md", "chats/new.md"):
            hands.fails(f"WRITE_FILE {root}/{name} <<END\nx\nEND", "you cannot write")
        assert "secret" not in hands.one("READ_FILE ../../.env")


def test_a_record_that_was_moved_away_behind_a_link_stays_the_record(tmp_path: Path) -> None:
    where = make_home(tmp_path / "home")
    (tmp_path / "disk").mkdir()
    (where.root / "chats").rename(tmp_path / "disk/chats")
    (where.root / "chats").symlink_to(tmp_path / "disk/chats")
    roots(tmp_path, str(tmp_path))
    with a_life(tmp_path) as hands:
        hands.fails(f"WRITE_FILE {tmp_path}/disk/chats/dev.md <<END\nx\nEND", "you cannot write")


def test_an_interrupted_change_that_somebody_changed_is_told_of(hands: Hands) -> None:
    """Neither as it was nor as it should be: then nobody knows, and nothing is written over it."""
    from dotagent.text.grammar import ToolCall
    from dotagent.tools import files

    hands.shows("WRITE_FILE a.md <<END\none\nEND")
    what = hands.effects("WRITE_FILE")[-1]
    (hands.path / "files/a.md").write_text("something else\n")
    with pytest.raises(files.ToolError, match="neither the old nor the new content"):
        files.recover(
            hands.session, ToolCall("WRITE_FILE", "a.md", "one\n"), what, lambda: b"again", lambda data: b"done"
        )
    assert (hands.path / "files/a.md").read_text() == "something else\n"


def test_roots_are_an_audiences_or_a_lifes(tmp_path: Path) -> None:
    """What a private life writes no group life reads, but where a person names that life."""
    for name in ("mine", "ours", "one"):
        (tmp_path / name).mkdir()
    text = f"""[roots]\nprivate = ["{tmp_path}/mine"]\ngroup = ["{tmp_path}/ours"]\n'private bea' = ["bea"]\n"""
    for folder in ("a", "b"):
        (make_home(tmp_path / folder / "home").root / "dotagent.toml").write_text(text)
    with a_life(tmp_path / "a") as hands:
        hands.shows(f"WRITE_FILE {tmp_path}/mine/a.md <<END\nprivate\nEND")
        hands.fails(f"WRITE_FILE {tmp_path}/ours/a.md <<END\nprivate\nEND", "you cannot reach", f"{tmp_path}/mine")
        hands.fails(f"WRITE_FILE {hands.where.root}/bea/a.md <<END\nx\nEND", "you cannot reach")
    with a_life(tmp_path / "b", "--audience", "group") as hands:
        hands.fails(f"READ_FILE {tmp_path}/mine/a.md", "you cannot reach", f"{tmp_path}/ours")
        hands.shows(f"WRITE_FILE {tmp_path}/ours/a.md <<END\nx\nEND")
        hands.fails(f"READ_FILE {tmp_path}/one/a.md", "you cannot reach")
        (hands.where.root / "dotagent.toml").write_text(f"{text}{hands.session.id[:8]} = ['{tmp_path}/one']\n")
    with a_life(tmp_path / "b") as hands:
        hands.shows(f"WRITE_FILE {tmp_path}/one/a.md <<END\nx\nEND")
        hands.shows(f"READ_FILE {tmp_path}/ours/a.md")


def test_roots_of_an_earlier_form_are_the_owners(tmp_path: Path) -> None:
    (tmp_path / "plan.md").write_text("x\n")
    for folder in ("a", "b"):
        roots(tmp_path / folder, str(tmp_path / "plan.md"))
    with a_life(tmp_path / "a") as hands:
        hands.shows(f"READ_FILE {tmp_path}/plan.md")
    with a_life(tmp_path / "b", "--audience", "group") as hands:
        hands.fails(f"READ_FILE {tmp_path}/plan.md", "you cannot reach")


FORMS = [
    ("utf-8", "\n"),
    ("utf-8", "\r\n"),
    ("utf-8-sig", "\r\n"),
    ("utf-16", "\r\n"),
    ("utf-16", "\n"),
    ("cp1252", "\r\n"),
]


@pytest.mark.parametrize(("codec", "end"), FORMS)
def test_a_file_is_changed_in_its_own_form(hands: Hands, codec: str, end: str) -> None:
    """Its encoding, byte order mark and line ends are those that its person's editor wrote."""

    def formed(*lines: str) -> bytes:
        return "".join(f"{line}{end}" for line in lines).encode(codec)

    path = hands.path / "files/list.txt"
    path.write_bytes(formed("Brot", "Käse", "Eier"))
    assert hands.shows("READ_FILE list.txt") == "list.txt, 3 lines:\nBrot\nKäse\nEier"
    hands.shows("EDIT_FILE list.txt <<END\n<<<<<<< SEARCH\nKäse\nEier\n=======\nÖl\nEier\nMehl\n>>>>>>> REPLACE\nEND")
    assert path.read_bytes() == formed("Brot", "Öl", "Eier", "Mehl")
    hands.shows("ADD_TO_FILE list.txt <<END\nTee\nEND")
    assert path.read_bytes() == formed("Brot", "Öl", "Eier", "Mehl", "Tee")
    hands.shows("READ_FILE list.txt")
    hands.shows("WRITE_FILE list.txt <<END\nnur Öl\nTee\nEND")
    assert path.read_bytes() == formed("nur Öl", "Tee")


def test_lines_that_are_not_changed_keep_their_mixed_ends(hands: Hands) -> None:
    path = hands.path / "files/a.txt"
    path.write_bytes(b"one\r\ntwo\nthree\r\n")
    hands.shows("EDIT_FILE a.txt <<END\n<<<<<<< SEARCH\ntwo\n=======\n2\n2b\n>>>>>>> REPLACE\nEND")
    assert path.read_bytes() == b"one\r\n2\n2b\nthree\r\n"


@pytest.mark.parametrize(
    ("old", "new", "left"),
    [
        ("two\nthree", "2\n3", b"one\r\n2\n3\r\nfour\n"),
        ("one\ntwo\nthree", "one\n2\n2b\nthree", b"one\r\n2\n2b\nthree\r\nfour\n"),
        ("one\ntwo\nthree\nfour", "three\nfour", b"three\r\nfour\n"),
        ("two\nthree", "", b"one\r\nfour\n"),
        ("four", "4\n5", b"one\r\ntwo\nthree\r\n4\n5\n"),
    ],
)
def test_lines_of_mixed_ends_that_an_edit_replaces_have_the_ends_of_those_before(
    hands: Hands, old: str, new: str, left: bytes
) -> None:
    path = hands.path / "files/a.txt"
    path.write_bytes(b"one\r\ntwo\nthree\r\nfour\n")
    hands.shows(f"EDIT_FILE a.txt <<END\n<<<<<<< SEARCH\n{old}\n=======\n{new}{new and chr(10)}>>>>>>> REPLACE\nEND")
    assert path.read_bytes() == left


@pytest.mark.parametrize("data", ["Привет, мир\n".encode("koi8-r"), bytes(range(256))])
def test_a_file_of_an_unknown_encoding_is_not_changed(hands: Hands, data: bytes) -> None:
    path = hands.path / "files/a.txt"
    path.write_bytes(data)
    hands.fails("ADD_TO_FILE a.txt <<END\nx\nEND", "a.txt is not UTF-8", "nothing was changed")
    hands.fails("EDIT_FILE a.txt <<END\n<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\nEND", "a.txt is not UTF-8")
    assert path.read_bytes() == data


def test_text_that_the_encoding_cannot_hold(hands: Hands) -> None:
    path = hands.path / "files/a.txt"
    path.write_bytes("Käse\n".encode("cp1252"))
    hands.fails("ADD_TO_FILE a.txt <<END\n日本\nEND", "a.txt has the encoding cp1252, which cannot represent '日'")
    assert path.read_bytes() == "Käse\n".encode("cp1252")
    hands.shows("READ_FILE a.txt")
    hands.shows("WRITE_FILE a.txt <<END\n日本\nEND")
    assert path.read_text("utf-8") == "日本\n"


ALIKE = [
    ("Screenshot at 9.41.02\u202fAM.txt", "Screenshot at 9.41.02 AM.txt"),
    ("a\u00a0b.txt", "a b.txt"),
    ("Ka\u0308se.txt", "K\u00e4se.txt"),
    ("K\u00e4se.txt", "Ka\u0308se.txt"),
    ("Ana\u2019s list.txt", "Ana's list.txt"),
    ("2025\u20132026.txt", "2025-2026.txt"),
    ("Wait\u2026 what.txt", "Wait... what.txt"),
    ("\u201equoted\u201c.txt", '"quoted".txt'),
    ("\uff11\uff08\uff12\uff09.txt", "1(2).txt"),
    ("\ufb01le.txt", "file.txt"),
    ("two  blanks.txt", "two blanks.txt"),
    ("\u2764\ufe0f.txt", "\u2764.txt"),
    ("Ana\u2019s notes/caf\u00e9.txt", "Ana's notes/cafe\u0301.txt"),
]


@pytest.mark.parametrize(("there", "named"), ALIKE)
def test_a_name_that_looks_alike_finds_the_one_file(hands: Hands, there: str, named: str) -> None:
    path = hands.path / "files" / there
    path.parent.mkdir(exist_ok=True)
    path.write_text("one\n")
    assert hands.shows(f"READ_FILE {named}").endswith("\none")
    hands.shows(f"ADD_TO_FILE {named} <<END\ntwo\nEND")
    hands.shows(f"EDIT_FILE {named} <<END\n<<<<<<< SEARCH\none\n=======\n1\n>>>>>>> REPLACE\nEND")
    assert path.read_text() == "1\ntwo\n" and len(list(path.parent.iterdir())) == 1


@pytest.mark.parametrize(("there", "named"), ALIKE)
def test_a_file_is_replaced_by_a_name_that_looks_alike_once_it_was_read(hands: Hands, there: str, named: str) -> None:
    path = hands.path / "files" / there
    path.parent.mkdir(exist_ok=True)
    path.write_text("one\n")
    hands.fails(f"WRITE_FILE {named} <<END\ntwo\nEND", "your context does not show what is in it")
    hands.shows(f"READ_FILE {named}")
    assert there in hands.shows(f"WRITE_FILE {named} <<END\ntwo\nEND")
    assert path.read_text() == "two\n" and len(list(path.parent.iterdir())) == 1


def test_of_two_names_that_look_alike_none_is_taken(hands: Hands) -> None:
    for name in ("a\u00a0b.txt", "a\u202fb.txt"):
        (hands.path / "files" / name).write_text(name)
    hands.fails("READ_FILE a b.txt", "a b.txt could be one of 'files/a\\xa0b.txt', 'files/a\\u202fb.txt'")
    hands.fails("ADD_TO_FILE a b.txt <<END\nx\nEND", "write the exact name")
    hands.fails("WRITE_FILE a b.txt <<END\nx\nEND", "write the exact name")
    (hands.path / "files" / "a b.txt").write_text("plain")
    assert hands.shows("READ_FILE a b.txt").endswith("plain")
