"""Pairing: who asks gets a code of their own, an hour long; only the owner's command lets anyone in."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from support import make_home, run, together

from dotagent.bridges import Person, Place
from dotagent.bridges.pattern import pairs
from dotagent.errors import Misuse
from dotagent.store.home import Home


@pytest.fixture
def where(tmp_path: Path) -> Home:
    made = make_home(tmp_path / "home")
    (made.bridges / "loop").mkdir(parents=True)
    (made.bridges / "other").mkdir()
    return made


def ask(where: Home, number: int, bridge: str = "loop") -> str | None:
    path = where.bridges / bridge / pairs.FILE
    return pairs.ask(path, Person(str(number), f"person {number}"), Place(f"d{number}", "person", "x"))


def age(where: Home) -> None:
    """Let everything in the file have been written long ago."""
    path = where.bridges / "loop" / pairs.FILE
    rows = [json.loads(row) | {"at": "2020-01-01T00:00:00.000000Z"} for row in path.read_text().split("\n")[:-1]]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def test_a_code_is_easy_to_read_and_given_once(where: Home) -> None:
    codes = [ask(where, number) for number in (1, 2, 3)]
    assert len(set(codes)) == 3
    assert all(code and len(code) == 8 and not set(code) & set("01OIl") for code in codes)
    assert ask(where, 1) is None  # they have one
    assert (where.bridges / "loop" / pairs.FILE).stat().st_mode & 0o077 == 0


def test_after_an_hour_a_code_is_worth_nothing_and_its_place_is_free(where: Home) -> None:
    old = ask(where, 1)
    ask(where, 2), ask(where, 3)
    age(where)
    assert old
    with pytest.raises(Misuse, match="no pairing request is pending"):
        pairs.approve(where.bridges, old)
    new = ask(where, 1)
    assert new and new != old
    assert old not in (where.bridges / "loop" / pairs.FILE).read_text()


def test_strangers_take_nobody_elses_code_and_whoever_finds_none_is_told_so(where: Home) -> None:
    codes = [ask(where, number) for number in range(pairs.WAITING)]
    assert all(codes) and len(set(codes)) == len(codes) > 50
    assert ask(where, 1000) == "" and ask(where, 3) is None
    assert ask(where, 1000, "other")
    code = codes[7]
    assert code and pairs.approve(where.bridges, code)[1]["id"] == "7"
    assert ask(where, 1000)


def test_whoever_is_approved_is_in_for_good_and_whoever_asks_at_once_is_counted(where: Home) -> None:
    code = ask(where, 1)
    assert code
    bridge, one = pairs.approve(where.bridges, f" {code[:4].lower()}-{code[4:]} ")
    assert (bridge, one["id"]) == ("loop", "1")
    with pytest.raises(Misuse):
        pairs.approve(where.bridges, code)  # it is used up
    age(where)
    assert set(pairs.read(where.bridges / "loop" / pairs.FILE).paired) == {"1"}
    together(*(lambda number=number: ask(where, number) for number in range(2, 9)))  # type: ignore[misc]
    assert len(pairs.read(where.bridges / "loop" / pairs.FILE).waiting()) == 7


def test_a_torn_line_is_none_and_breaks_no_other(where: Home) -> None:
    path = where.bridges / "loop" / pairs.FILE
    path.write_text('{"at": "2026-11-21T20:17:20Z", "event": "PAI')
    code = ask(where, 1)
    assert code and pairs.approve(where.bridges, code)


@pytest.mark.slow
def test_the_command_lists_approves_and_refuses_in_one_line(where: Home) -> None:
    code = ask(where, 1)
    listed = run(where, "-m", "dotagent", "pair")
    assert code and listed.returncode == 0 and re.search(rf"\n{code}  loop +person 1  1 +2\d{{3}}-", listed.stdout)
    told = json.loads(run(where, "-m", "dotagent", "pair", "--json").stdout)
    assert (told["code"], told["bridge"], told["name"]) == (code, "loop", "person 1")
    wrong = run(where, "-m", "dotagent", "pair", "ABCDEFGH")
    assert wrong.returncode == 2 and "1 other pending" in wrong.stderr and wrong.stderr.count("\n") == 1
    done = run(where, "-m", "dotagent", "pair", code)
    assert (done.returncode, done.stdout) == (0, "person 1 (1) may now write on loop\n")
    assert run(where, "-m", "dotagent", "pair").stdout == "no pairing requests\n"
