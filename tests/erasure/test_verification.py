"""The second search after a removal: what is left is named, in any spelling, and what only looks alike is not."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import unicodedata
import zlib
from contextlib import closing
from urllib.parse import quote

import pytest
from support import ROOT

from dotagent.erasure import ledger, matches, sweep, verification
from dotagent.store import home
from dotagent.store.directories import CHECKOUT
from dotagent.store.home import Home

SECRET = "Der Schlüssel liegt im Café am Südkreuz."
LEFT = {
    "as it is": f"- 08:30 {SECRET} Danach kam Bea.",
    "decomposed": unicodedata.normalize("NFD", SECRET),
    "in capitals": SECRET.upper(),
    "over lines": SECRET.replace(" ", "\n  "),
    "with marks": SECRET.replace("Café", "**Café**"),
    "in JSON": json.dumps({"said": SECRET}),
    "in JSON in JSON": json.dumps(json.dumps({"said": SECRET}, ensure_ascii=False)),
    "in an address": f"https://example.org/?q={quote(SECRET)}",
    "in a mail": quote(SECRET, safe=" .").replace("%", "="),
    "in HTML": SECRET.encode("ascii", "xmlcharrefreplace").decode(),
    "with named letters": SECRET.replace("ü", "&uuml;").replace("é", "&eacute;"),
    "with soft hyphens": SECRET.replace("l", "\u00adl"),
    "in Python": repr(SECRET.encode())[2:-1],
}


def left(where: Home, *wished: str) -> list[str]:
    return verification.list_left(where.root, where.store(), wished)


@pytest.mark.parametrize("form", LEFT)
def test_what_is_left_is_named_in_any_spelling(where: Home, form: str) -> None:
    (where.root / "files").mkdir(exist_ok=True)
    (where.root / "files/note.txt").write_text(f"before {LEFT[form]} after\n")
    assert left(where, SECRET) == ["files/note.txt"]
    assert not left(where, "Der Schlüssel liegt im Café am Nordkreuz.")


def test_it_looks_into_files_that_are_no_text(where: Home) -> None:
    (where.root / "files").mkdir(exist_ok=True)
    with closing(sqlite3.connect(where.root / "files/base.db")) as base, base:
        base.execute("CREATE TABLE said (words)")
        base.execute("INSERT INTO said VALUES (?)", (SECRET,))
    (where.root / "files/wide.txt").write_bytes(SECRET.encode("utf-16"))
    (where.root / "files/object").write_bytes(zlib.compress(SECRET.encode()))
    (where.root / ".env").write_text(f"NOTE={SECRET}\n")
    assert sorted(left(where, SECRET)) == [".env", "files/base.db", "files/object", "files/wide.txt"]


@pytest.mark.parametrize(
    ("wished", "there", "found"),
    [
        ("मेरा बेटा बीमार है", "मेरी बेटी बीमार है।", False),  # my son is ill, my daughter
        ("मेरा बेटा बीमार है", "कल मेरा बेटा बीमार है।", True),
        ("我对花生过敏", "我住在北京。我对花生过敏，会起疹子。", True),
        ("花生", "我对花生过敏。", False),  # a word of another sentence
        ("花生", "我住在北京。花生。", True),
        ("ฉันชอบม้า", "แม่มาแล้ว", False),
        ("སྒོ་ང", "འོ་མ། སྒོ་ང། བག་ལེབ།", True),  # a shad
        ("སྒོ་ང", "ངས་སྒོ་ང་ཉོས།", False),
        ("ᠮᠣᠷᠢ", "ᠬᠣᠨᠢ᠃ ᠮᠣᠷᠢ᠃", True),  # the full stop of Mongolian
        ("4711", "The PIN is 4711.", False),
        ("4711", "[USER:ana 2026-11-21T20:17:20Z] 4711", True),
        ("4711", '{"pin": "4711"}', True),
        ("tulip bulbs", "- tulip bulbs (added 2026-11-30)", True),  # notes
        ("tulip bulbs", "- 21:44 (tulip bulbs)", True),
        ("tulip bulbs", "They begin with `ana: tulip bulbs` and end with `I: Yes`.", True),
        ("tulip bulbs", "- 21:44 we like tulip bulbs (added to the list)", False),
        ("the PIN is 4711", "The PIN is 47110", False),
        ("Ana likes tea", "Joana likes tea", False),
    ],
)
def test_it_names_only_what_was_wished_gone(where: Home, wished: str, there: str, found: bool) -> None:
    (where.root / "files").mkdir(exist_ok=True)
    (where.root / "files/note.txt").write_text(there + "\n")
    assert bool(left(where, wished)) == found


def test_a_removal_that_missed_a_file_says_so(where: Home) -> None:
    """The removal leaves `.env` alone; the second search does not."""
    (where.root / "chats/dev.md").write_text(f"[USER:ana 2026-11-21T20:17:20Z] {SECRET}\n")
    (where.root / ".env").write_text(f"NOTE={SECRET}\n")
    sweep.announce(where, [SECRET], "ana")
    done = sweep.finish(where)
    assert done
    assert done.remains == (".env",)
    assert SECRET not in (where.root / "chats/dev.md").read_text()


@pytest.mark.parametrize("checkout", [True, False])
def test_the_programs_own_files_are_not_the_persons(where: Home, checkout: bool) -> None:
    """README.md quotes a talk, and forgetting the same words rewrote it in a home that is a checkout."""
    program = ("README.md", "docs/a.md", "findings/a.txt", "agent.py")
    mine = ("notes.md", "SOUL.md", "files/README.md", "files/docs/a.md")
    for path in (*program, *mine, *(("dotagent/__main__.py", "dotagent/installed.py") if checkout else ())):
        (where.root / path).parent.mkdir(parents=True, exist_ok=True)
        (where.root / path).write_text(f"{SECRET}\n")
    found = {*mine, *(() if checkout else program)}
    assert {*left(where, SECRET)} == found
    assert {*matches.files(where.root)} & {*program, *mine, "dotagent/installed.py"} == found


def test_all_that_a_checkout_contains_is_known() -> None:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False).stdout.split()
    assert {one.partition("/")[0] for one in listed} <= {*CHECKOUT, *home.PROMPTS}


@pytest.mark.parametrize(
    ("name", "said"), [("EXAMPLE.md", "kim told how the shelf is put together."), ("SUMMARISE.md", "thanks.")]
)
def test_a_prompt_that_no_one_edited_keeps_chosen_words_and_is_named(where: Home, name: str, said: str) -> None:
    """Also if they are only a part of one of its sentences."""
    home.prepare(where)
    before = where.prompt(name).read_bytes()
    assert said.removesuffix(".").encode() in before
    notes = where.root / "files/notes.md"
    notes.parent.mkdir(exist_ok=True)
    notes.write_text(f"Tea is green.\n{said}\n")
    sweep.announce(where, [said], "ana")
    done = sweep.finish(where)
    assert done and (done.given, done.remains) == ((name,), ())
    (told,) = ledger.read(where.root)[-1].list_exceptions()  # which the room's result reads
    assert told.startswith(f"{name} also contains such words and stays unchanged")
    assert where.prompt(name).read_bytes() == before
    assert notes.read_text() == "Tea is green.\n[forgotten].\n"


@pytest.mark.parametrize("name", ["SOUL.md", "EXAMPLE.md"])
def test_a_prompt_that_a_person_edited_is_searched(where: Home, name: str) -> None:
    """Of the home's own prompts everything was passed over, and so were the agents' copies of it."""
    home.prepare(where)
    before = where.prompt(name).read_text()
    assert not matches.find_choices(where, "that Ottilie lives in Murmansk").tellings
    where.prompt(name).write_text(f"{before}\nMy sister Ottilie lives in Murmansk.\n")
    (found,) = matches.find_choices(where, "that my sister Ottilie lives in Murmansk").tellings
    assert found.places == [name]
    sweep.announce(where, [found.words], "ana")
    sweep.finish(where)
    assert where.prompt(name).read_text() == f"{before}\n[forgotten].\n"
